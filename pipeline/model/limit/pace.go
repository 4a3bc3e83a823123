package limit

import (
	"cmp"
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

// paceControl is the pace in units a second: requests, or tokens, see costGauge.
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

type refusalBasis struct {
	Pace     float64 // 0 when none was found
	Count    float64
	Seconds  float64
	Refusals int
}

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

// addLate takes in a request of another process that was admitted before the last refusal: the
// pace that followed was too low.
func (c *paceControl) addLate(cost float64) {
	had := c.clampPace(c.Before.pace())
	c.Before.Count += cost
	more := c.clampPace(c.Before.pace()) / had
	c.pace, c.Base = c.clampPace(c.pace*more), c.Base*more
}

// halfway is about when a server decided on a request.
func halfway(sent, now time.Time) time.Time { return sent.Add(now.Sub(sent) / 2) }

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

func (c *paceControl) clampPace(pace float64) float64 {
	floor := minPace
	if !math.IsInf(c.ceiling, 1) {
		floor = minPaceShare * c.ceiling
	}
	return min(max(pace, floor), c.ceiling)
}

// How it is found out what a server counts. Where it counts requests, those that
// it refuses are as large as any; where it counts tokens, they are larger, for a
// small one still fits when a large one does not. Where they stand among all is
// averaged: one half means that size says nothing.
const (
	leanLarge = 0.65 // above, tokens are counted
	leanSmall = 0.40 // below, requests are
	leanStep  = 0.05
	// Each change of mind makes the next take more.
	leanMore, leanMost = 0.05, 0.9
	// remembered sizes; few say nothing.
	maxSizes = 128
	minSizes = 20
	// minCost keeps requests about which nothing is known from being free.
	minCost = 0.02
)

type costGauge struct {
	Mean  float64 // tokens a request takes, on average
	Ratio float64 // of tokens taken to tokens guessed, on average
	// Unit is how many tokens cost as much as a request; 0 while requests are
	// counted. It stays as it was found, for the pace is in units.
	Unit  float64
	Lean  float64
	Minds int       // changes
	Sizes []float64 // of the latest requests that were answered, round and round
	Next  int
}

func (g *costGauge) size(guess int) float64 {
	switch {
	case guess <= 0 && g.Mean > 0:
		return g.Mean
	case g.Ratio > 0:
		return max(1, g.Ratio*float64(guess))
	}
	return float64(max(1, guess))
}

func (g *costGauge) cost(size float64) float64 {
	if g.Unit == 0 {
		return 1
	}
	return max(minCost, size/g.Unit)
}

func (g *costGauge) addAnswered(guess int, tokens float64) {
	if tokens <= 0 {
		return
	}
	g.Mean = average(g.Mean, tokens)
	if guess > 0 {
		g.Ratio = average(g.Ratio, tokens/float64(guess))
	}
	if len(g.Sizes) < maxSizes {
		g.Sizes = append(g.Sizes, tokens)
		return
	}
	g.Sizes[g.Next] = tokens
	g.Next = (g.Next + 1) % maxSizes
}

// addRefused takes in a refused request. It reports that another unit counts from now on.
func (g *costGauge) addRefused(size float64) bool {
	if len(g.Sizes) < minSizes {
		return false
	}
	smaller, alike := 0, 0
	for _, s := range g.Sizes {
		switch {
		case s < 0.95*size:
			smaller++
		case s <= size/0.95:
			alike++
		}
	}
	if g.Lean == 0 {
		g.Lean = 0.5
	}
	g.Lean += leanStep * ((float64(smaller)+float64(alike)/2)/float64(len(g.Sizes)) - g.Lean)
	switch {
	case g.Unit == 0 && g.Lean > min(leanMost, leanLarge+leanMore*float64(g.Minds)):
		g.setUnit(true)
	case g.Unit > 0 && g.Lean < leanSmall:
		g.setUnit(false)
	default:
		return false
	}
	return true
}

func (g *costGauge) setUnit(tokens bool) {
	g.Lean, g.Unit = 0.5, 0
	g.Minds++
	if !tokens {
		return
	}
	for _, s := range g.Sizes {
		g.Unit += s / float64(len(g.Sizes))
	}
	g.Unit = max(1, g.Unit)
}

// serverState is what one process, or all that share an allowance, found out about a server.
type serverState struct {
	gauge   costGauge
	ctl     paceControl
	until   time.Time // no request is sent before
	unsure  bool      // of the last wait: one request tries first
	limited int       // pauses in a row, with no answer between
}

// newServerState knows nothing. ceiling is the configured pace, in requests a second.
func newServerState(ceiling float64, now time.Time) serverState {
	return serverState{ctl: paceControl{ceiling: ceiling, header: math.Inf(1), pace: math.Inf(1), paceState: paceState{Began: now}}}
}

type requestEvent struct {
	sent, at time.Time
	// changes of the pace that were known when it was sent.
	changes int
	// guess at the tokens, what they were likely to be, and the cost in units.
	guess      int
	size, cost float64
	tokens     int64
	refused    bool
	signal     Signal
}

func (k *serverState) apply(e requestEvent) {
	if e.refused {
		k.applyRefusal(e)
		return
	}
	k.limited, k.unsure = 0, false
	k.gauge.addAnswered(e.guess, float64(e.tokens))
	k.ctl.addAdmitted(e.sent, e.at, e.cost)
	k.applyHeaders(e.signal)
}

func (k *serverState) applyRefusal(e requestEvent) {
	// Refusals of requests that were sent before the last change of the pace was
	// known, or so soon after it that they met what had been sent before, are one
	// event.
	counts := e.changes == k.ctl.Changes && e.sent.Sub(k.ctl.Last) >= e.at.Sub(e.sent)
	if counts {
		k.limited++
	}
	wait := time.Second
	if e.signal.Stated {
		wait = max(e.signal.Wait, 10*time.Millisecond)
	}
	switch {
	case k.limited > 1 && e.signal.Full > 0:
		// Its quota does not fill steadily after all.
		wait = e.signal.Full
	case wait < time.Minute:
		// A server that refuses again after the wait it asked for means a longer
		// one.
		wait = min(wait<<min(max(0, k.limited-1), 12), time.Minute)
	}
	k.unsure = e.signal.Full > 0
	changed := k.gauge.addRefused(e.size)
	if counts {
		k.ctl.lowerPace(e.sent, e.at, wait)
	}
	if changed {
		k.ctl.restartSearch()
	}
	// The wait began when the server spoke: about half the way back.
	if until := e.at.Add(wait - min(wait, e.at.Sub(e.sent))/2); until.After(k.until) {
		k.until = until
	}
}

func (k *serverState) applyHeaders(s Signal) {
	k.ctl.header = math.Inf(1)
	if s.Requests.Known {
		k.ctl.header = s.Requests.pace()
	}
	if s.Tokens.Known && k.gauge.Mean > 0 {
		each := cmp.Or(k.gauge.Unit, k.gauge.Mean)
		k.ctl.header = min(k.ctl.header, s.Tokens.pace()/each)
	}
}

func average(mean, x float64) float64 {
	if mean == 0 {
		return x
	}
	return 0.9*mean + 0.1*x
}
