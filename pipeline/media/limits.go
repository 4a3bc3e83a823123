package media

import (
	"time"
)

// Limits bound what one operation may take. A zero field means no limit.
type Limits struct {
	// Timeout of one tool run, wall time.
	Timeout time.Duration
	// MaxInputBytes is the size above which a file is not looked at.
	MaxInputBytes int64
	// MaxPixels of one source picture.
	MaxPixels int64
	// MaxOutputBytes of one file written.
	MaxOutputBytes int64
	// MaxDuration of a source in seconds.
	MaxDuration float64
	// MinFrames a source must show.
	MinFrames int64
}

// DefaultLimits allow an hour of 4K from a trustworthy source and stop what is
// out of all proportion.
func DefaultLimits() Limits {
	return Limits{
		Timeout:        30 * time.Minute,
		MaxInputBytes:  8 << 30,
		MaxPixels:      4096 * 2304,
		MaxOutputBytes: 8 << 30,
		MaxDuration:    2 * 3600,
		MinFrames:      12,
	}
}
