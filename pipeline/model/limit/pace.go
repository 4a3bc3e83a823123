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
	// minPace pace, in requests a second, however often a server refuses; of a
	// pace that is configured, a share.
	minPace      = 0.2
	minPaceShare = 0.25
	// unpaced stands for no limit: rate.Inf turns into NaN when two changes of
	// the limit fall on one tick of the clock.
	unpaced = 1e6
)

// paceControl is the pace of requests, in units a second: requests, or as many tokens
// as a request takes on average, see gauge.
type paceControl struct {
	ceiling float64 // configured
	header  float64 // stated by the last response
	pace    float64 // found; infinite until the first refusal
	paceState
}

// paceState is what of a control is written down as it is.
type paceState struct {
	Base float64 // pace after the last refusal

	Began    time.Time
	Last     time.Time // of the last refusal that counted
	Spoke    time.Time // when the server said it, about
	Refusals int
	Changes  int          // of the pace by refusals, ever
	Count    float64      // units admitted since then
	Quiet    int          // requests admitted since then
	Before   refusalBasis // what the pace was then found from
}

// refusalBasis is what is known when a server refuses.
type refusalBasis struct {
	Pace     float64 // 0 when none was found
	Count    float64
	Seconds  float64
	Refusals int
}

// limit is the pace to keep.
func (c *paceControl) limit() rate.Limit {
	return rate.Limit(min(c.ceiling, c.header, c.pace, unpaced))
}

// addAdmitted grows the pace. sent and now are when the request left and the answer came.
func (c *paceControl) addAdmitted(sent, now time.Time, cost float64) {
	if c.Changes > 0 && !halfway(sent, now).After(c.Spoke) {
		c.addLate(cost)
		return
	}
	c.Count += cost
	c.Quiet++
	switch {
	case math.IsInf(c.pace, 1):
		return
	case c.Refusals < searches:
		span := max(now.Sub(c.Last).Seconds(), 1)
		c.pace = min(c.pace*(1+searchGain), searchMost*max(c.Base, c.Count/span))
	case now.Sub(c.Last) > calm && c.Quiet < 6*half:
		c.pace *= 1 + calmGain*min(1, cost)
	default:
		c.pace *= 1 + 0.015/creep*cost*float64(int(1)<<min(c.Quiet/half, 6))
	}
	c.pace = min(c.pace, c.ceiling, unpaced)
}

// restartSearch lets the pace be found anew, from where it is: its units have changed.
func (c *paceControl) restartSearch() {
	c.Refusals, c.Count, c.Quiet = 1, 0, 0
}

// addLate takes in what was admitted before the last refusal, as one hears of what other
// processes asked: the pace was found too low by it.
func (c *paceControl) addLate(cost float64) {
	had := c.clampPace(c.Before.pace())
	c.Before.Count += cost
	more := c.clampPace(c.Before.pace()) / had
	c.pace, c.Base = c.clampPace(c.pace*more), c.Base*more
}

// halfway is about when a server decided on a request.
func halfway(sent, now time.Time) time.Time { return sent.Add(now.Sub(sent) / 2) }

// lowerPace lowers the pace.
func (c *paceControl) lowerPace(sent, now time.Time, wait time.Duration) {
	since := c.Last
	if since.IsZero() {
		since = c.Began
	}
	span := now.Sub(since)
	if c.Refusals == 0 {
		// The first burst used what had been saved up; the wait tells more.
		span += wait
	}
	c.Before = refusalBasis{Count: c.Count, Seconds: span.Seconds(), Refusals: c.Refusals}
	if !math.IsInf(c.pace, 1) {
		c.Before.Pace = c.pace
	}
	c.pace = c.clampPace(c.Before.pace())
	c.Base = c.pace
	c.Refusals++
	c.Changes++
	c.Last, c.Spoke, c.Count, c.Quiet = now, halfway(sent, now), 0, 0
}

// pace is what follows from a refusal.
func (b refusalBasis) pace() float64 {
	estimate := max(1, b.Count) / max(b.Seconds, 0.001)
	switch {
	case b.Pace == 0:
		return estimate
	case b.Count >= enough && b.Seconds >= 1:
		least := 0.1
		if b.Refusals >= searches {
			// The pace has crept up all the while; what counts is where it was refused.
			least = 0.97
		}
		return min(max(estimate, least*b.Pace), 0.985*b.Pace)
	}
	return b.Pace * 0.97
}

// clampPace holds a pace within its bounds.
func (c *paceControl) clampPace(pace float64) float64 {
	floor := minPace
	if !math.IsInf(c.ceiling, 1) {
		floor = minPaceShare * c.ceiling
	}
	return min(max(pace, floor), c.ceiling)
}
