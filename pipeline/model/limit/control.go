package limit

import (
	"math"
	"time"

	"golang.org/x/time/rate"
)

// How the pace is found. Between two refusals a server that fills a bucket (or
// opens windows) has admitted just its allowance, so what was admitted over that
// time is the allowance, or a little less where the wait between wasted some.
// The first estimates are rough, so the pace grows fast between the first few
// refusals. From then on it creeps up until it is refused again, so that it
// stays within a few percent of the allowance and refusals stay rare.
const (
	searches   = 3    // refusals that end the search
	searchGain = 0.02 // growth of the pace by each admitted request
	searchMost = 1.5  // what the pace may be of what was admitted since a refusal
	// creep is the number of admitted requests over which the pace then grows by
	// 1.5 %; it halves after each half without a refusal.
	creep = 800
	half  = 150
	// calm is a time without refusals after which the pace is too low: no window is
	// longer than a minute. It then grows so much by each admitted request.
	calm     = 2 * time.Minute
	calmGain = 0.01
	// enough admitted requests make an estimate.
	enough = 20
	// lowest pace, in requests a second, however often a server refuses; of a
	// pace that is configured, a share.
	lowest      = 0.2
	lowestShare = 0.25
	// unpaced stands for no limit: rate.Inf turns into NaN when two changes of
	// the limit fall on one tick of the clock.
	unpaced = 1e6
)

// control is the pace of requests, in units a second: requests, or as many tokens
// as a request takes on average, see gauge.
type control struct {
	ceiling float64 // configured
	header  float64 // stated by the last response
	pace    float64 // found; infinite until the first refusal
	base    float64 // pace after the last refusal

	began    time.Time
	last     time.Time // of the last refusal that counted
	refusals int
	count    float64 // units admitted since then
	quiet    int     // requests admitted since then
}

// limit is the pace to keep.
func (c *control) limit() rate.Limit {
	return rate.Limit(min(c.ceiling, c.header, c.pace, unpaced))
}

// admitted grows the pace.
func (c *control) admitted(now time.Time, cost float64) {
	c.count += cost
	c.quiet++
	switch {
	case math.IsInf(c.pace, 1):
		return
	case c.refusals < searches:
		span := max(now.Sub(c.last).Seconds(), 1)
		c.pace = min(c.pace*(1+searchGain), searchMost*max(c.base, c.count/span))
	case now.Sub(c.last) > calm && c.quiet < 6*half:
		c.pace *= 1 + calmGain*min(1, cost)
	default:
		c.pace *= 1 + 0.015/creep*cost*float64(int(1)<<min(c.quiet/half, 6))
	}
	c.pace = min(c.pace, c.ceiling, unpaced)
}

// search lets the pace be found anew, from where it is: its units have changed.
func (c *control) search() {
	c.refusals, c.count, c.quiet = 1, 0, 0
}

// refused lowers the pace.
func (c *control) refused(now time.Time, wait time.Duration) {
	since := c.last
	if since.IsZero() {
		since = c.began
	}
	span := now.Sub(since)
	if c.refusals == 0 {
		// The first burst used what had been saved up; the wait tells more.
		span += wait
	}
	estimate := max(1, c.count) / max(span.Seconds(), 0.001)
	switch {
	case math.IsInf(c.pace, 1):
		c.pace = estimate
	case c.count >= enough && span >= time.Second:
		least := 0.1
		if c.refusals >= searches {
			// The pace has crept up all the while; what counts is where it was refused.
			least = 0.97
		}
		c.pace = min(max(estimate, least*c.pace), 0.985*c.pace)
	default:
		c.pace *= 0.97
	}
	floor := lowest
	if !math.IsInf(c.ceiling, 1) {
		floor = lowestShare * c.ceiling
	}
	c.pace = min(max(c.pace, floor), c.ceiling)
	c.base = c.pace
	c.refusals++
	c.last, c.count, c.quiet = now, 0, 0
}
