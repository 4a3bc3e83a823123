package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline/release"
)

// releaseFlags are the flags of commands that read a release of somebody else's.
type releaseFlags struct {
	MaxInflated byteSize `placeholder:"SIZE" help:"How much all tables may take once inflated, ${inflated} by default, and one file half of it. Reading takes up to four times that of memory."`
}

func (r releaseFlags) limits() release.Limits { return release.Limits{Inflated: int64(r.MaxInflated)} }

// byteSize is a number of bytes on the command line.
type byteSize int64

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *byteSize) UnmarshalText(text []byte) error {
	number, unit := string(text), int64(1)
	for i, suffix := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if n, ok := strings.CutSuffix(number, suffix); ok {
			number, unit = n, 1<<(10*(i+1))
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64/unit {
		return fmt.Errorf("%q is no size; want bytes, KiB, MiB, GiB or TiB, for example 4GiB", text)
	}
	*s = byteSize(n * unit)
	return nil
}
