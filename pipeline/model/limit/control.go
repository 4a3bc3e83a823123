package limit

import (
	"math"
	"time"

	"golang.org/x/time/rate"
)

// How the pace is found. Between two refusals a server that fills a bucket (or
// opens windows) admits just its allowance, so what it admitted over that time
// is the allowance. The first estimates are taken as they are; after that the
// pace creeps up until it is refused and steps back by as much as it went above,
// so that it stays within a few percent and refusals stay rare.
const (
	estimates = 3     // refusals whose estimate is taken as it is
	stepBack  = 0.985 // factor at a later refusal
	// creep is the number of admitted requests over which the pace grows by
	// 1/stepBack; it halves after every thousand without a refusal.
	creep = 400
	quiet = 1000
)

// control is the pace of requests, in requests a second.
type control struct {
	ceiling float64 // configured
	header  float64 // stated by the last response
	pace    float64 // found; infinite until the first refusal

	began    time.Time
	last     time.Time // of the last refusal that counted
	refusals int
	count    int // admitted since then
}

// unpaced stands for no limit: rate.Inf turns into NaN when two changes of the
// limit fall on one tick of the clock.
const unpaced = 1e6

// limit is the pace to keep.
func (c *control) limit() rate.Limit {
	return rate.Limit(min(c.ceiling, c.header, c.pace, unpaced))
}

// admitted grows the pace a little.
func (c *control) admitted() {
	c.count++
	if math.IsInf(c.pace, 1) {
		return
	}
	gain := math.Log(1/stepBack) / creep * float64(int(1)<<min(c.count/quiet, 10))
	c.pace = min(c.pace*(1+gain), c.ceiling)
}

// refused lowers the pace. The wait that the server asks for tells that it
// takes at least one request per wait.
func (c *control) refused(now time.Time, wait time.Duration) {
	since := c.last
	if since.IsZero() {
		since = c.began
	}
	span := now.Sub(since)
	if c.refusals == 0 {
		// The first burst emptied what had been saved up; the wait tells more.
		span += wait
	}
	estimate := float64(max(1, c.count)) / max(span.Seconds(), 0.001)
	switch {
	case math.IsInf(c.pace, 1):
		c.pace = estimate
	case c.refusals < estimates:
		c.pace = min(max(estimate, 0.3*c.pace), c.pace) * stepBack
	default:
		c.pace *= stepBack
	}
	c.pace = min(max(c.pace, 1/wait.Seconds()), c.ceiling)
	c.refusals++
	c.last, c.count = now, 0
}
