package limit

import (
	"encoding/json"
	"math"
	"slices"
	"time"
)

// How an allowance is handed out. Everybody may hold what comes in within a slice of
// time and exchanges four times in each; with many, slices are longer, so that all
// together exchange 50 times a second at most. What is not held by then is lost but
// for what catchUp holds.
const (
	minSlice       = time.Second
	slicePerHolder = 80 * time.Millisecond
	catchUp        = 0.05 // seconds
	// maxIdle is how long no request may be sent before all is found out anew.
	maxIdle = 10 * time.Minute
)

// What is handed out: requests (in units of the pace) and tokens.
const (
	kindRequests = iota
	kindTokens
	kinds
)

// allowance is what all who share an allowance know and hold.
type allowance struct {
	known   serverState
	at      time.Time // of the last exchange
	ahead   [kinds]time.Time
	holders map[string]holder
}

type holder struct {
	Turn   int // of its last exchange
	Seen   time.Time
	Demand [kinds]float64 // as a share of all
	Got    [kinds]grant
}

// grant is a part of an allowance: what comes in within Seconds at Pace, in units a second. It
// is used at no more than that Share of the pace, and not before Start. Lent is when a request
// that was lent is due.
type grant struct {
	Seconds, Pace, Share float64
	Start, Lent          time.Time
	// Later is how long it takes until there is anything, for who got too little.
	Later time.Duration
}

// renewal is what a holder reports, and what it asks for.
type renewal struct {
	who    string
	turn   int
	events []requestEvent
	// paces that are configured, in units a second; the one of requests is found
	// otherwise.
	paces [kinds]float64
	// left of the grants, in seconds, what the next request takes, in units, and what
	// is likely to be used, as a share of all.
	left, need, demand [kinds]float64
	// until is the end of the last pause that it knew of.
	until time.Time
}

// renew takes in what a holder saw, and returns a new grant. Called twice for one turn it
// returns the same.
func (c *allowance) renew(a renewal, now time.Time) (got [kinds]grant, slice time.Duration) {
	me := c.holders[a.who]
	slice = c.sliceFor(a.who)
	if me.Turn == a.turn {
		return me.Got, slice
	}
	for name, t := range c.holders {
		if now.Sub(t.Seen) > 2*slice {
			delete(c.holders, name)
		}
	}
	pause := c.known.until
	for _, e := range a.events {
		c.known.apply(e)
	}
	if c.known.until.After(pause) {
		c.postponeGrants()
	}
	if _, still := c.holders[a.who]; !still {
		a.left = [kinds]float64{}
	}
	me = holder{Turn: a.turn, Seen: now, Demand: a.demand, Got: me.Got}
	c.holders[a.who] = me
	a.paces[kindRequests] = float64(c.known.ctl.limit())
	for kind, pace := range a.paces {
		if me.Got[kind] = (grant{}); pace > 0 {
			me.Got[kind] = c.grant(kind, a, now, slice.Seconds())
		}
	}
	c.holders[a.who], c.at = me, now
	return me.Got, slice
}

// postponeGrants takes back what was granted for the time until a pause ends, or all of it
// would be sent at once. Requests that were lent for later keep their place.
func (c *allowance) postponeGrants() {
	for kind := range c.ahead {
		c.ahead[kind] = c.known.until
		for _, t := range c.holders {
			lent := t.Got[kind]
			if end := lent.Lent.Add(seconds(lent.Seconds)); !lent.Lent.Before(c.known.until) && end.After(c.ahead[kind]) {
				c.ahead[kind] = end
			}
		}
	}
}

func (c *allowance) sliceFor(who string) time.Duration {
	n := len(c.holders)
	if _, known := c.holders[who]; !known {
		n++
	}
	return max(minSlice, time.Duration(n)*slicePerHolder)
}

// grant fills up what a holder has to its share of a slice. Where that is less than a
// request, whole requests are lent one by one: each is sent when all that was granted before
// it came in.
func (c *allowance) grant(kind int, a renewal, now time.Time, slice float64) grant {
	g := grant{Seconds: a.left[kind], Pace: a.paces[kind], Share: c.share(kind, a.who)}
	had, until := c.holders[a.who].Got[kind], c.known.until
	if until.After(a.until) && had.Lent.Before(until) {
		g.Seconds = 0 // taken back, see pause
	}
	ahead := max(c.ahead[kind].Sub(now).Seconds(), -catchUp)
	need, most := a.need[kind]/g.Pace, g.Share*slice
	more := 0.0
	switch {
	case most >= need:
		// Who go on together after a pause do not send at once.
		if left := until.Sub(now).Seconds(); g.Seconds == 0 && left > -slice {
			left = max(0, left)
			g.Start = now.Add(seconds(left + min(1, max(0, ahead-left)/slice)*need/g.Share))
		}
		more = min(most-g.Seconds, max(0, slice-ahead))
	case g.Seconds >= 0.9*need:
		more, g.Share, g.Lent = need-g.Seconds, 1, had.Lent // the pace has changed a little
	default:
		if ahead = max(ahead-g.Seconds, -catchUp); ahead < slice {
			more, g.Lent, g.Share = need, now.Add(seconds(max(0, ahead))), 1
			g.Start = g.Lent
		}
		g.Seconds = 0
	}
	if g.Seconds, ahead = g.Seconds+more, ahead+more; g.Seconds < need {
		g.Later = seconds(ahead - slice)
	}
	c.ahead[kind] = now.Add(seconds(max(ahead, -catchUp)))
	return g
}

// share returns a holder's part: what it wants, if there is enough, and an equal part of the
// rest.
func (c *allowance) share(kind int, who string) float64 {
	var wants []float64
	for _, t := range c.holders {
		wants = append(wants, t.Demand[kind])
	}
	slices.Sort(wants)
	left, mine := 1.0, 0.0
	for i, want := range wants {
		part := min(want, left/float64(len(wants)-i))
		if want == c.holders[who].Demand[kind] {
			mine = part
		}
		left -= part
	}
	return mine + left/float64(len(wants))
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// storedAllowance is an allowance as it is kept. Paces that are not known are absent.
type storedAllowance struct {
	State        paceState
	Header, Pace *float64
	Gauge        costGauge
	Until, At    time.Time
	Unsure       bool
	Limited      int
	Ahead        [kinds]time.Time
	Takers       map[string]holder
}

// decodeAllowance returns a new allowance where none is kept, another version wrote it, none
// was used for long, or the clock was set back.
func decodeAllowance(raw []byte, ceiling float64, now time.Time) *allowance {
	c := &allowance{known: newServerState(ceiling, now), holders: map[string]holder{}}
	var w storedAllowance
	if json.Unmarshal(raw, &w) != nil || now.Sub(w.At) > maxIdle || w.At.Sub(now) > time.Second {
		return c
	}
	c.known.ctl.paceState, c.known.gauge = w.State, w.Gauge
	c.known.until, c.known.unsure, c.known.limited = w.Until, w.Unsure, w.Limited
	for to, from := range map[*float64]*float64{&c.known.ctl.header: w.Header, &c.known.ctl.pace: w.Pace} {
		if from != nil {
			*to = *from
		}
	}
	c.at, c.ahead = w.At, w.Ahead
	if w.Takers != nil {
		c.holders = w.Takers
	}
	return c
}

func (c *allowance) encode() ([]byte, error) {
	finite := func(f float64) *float64 {
		if math.IsInf(f, 0) {
			return nil
		}
		return &f
	}
	return json.Marshal(storedAllowance{
		State: c.known.ctl.paceState, Header: finite(c.known.ctl.header), Pace: finite(c.known.ctl.pace), Gauge: c.known.gauge,
		Until: c.known.until, At: c.at, Unsure: c.known.unsure, Limited: c.known.limited, Ahead: c.ahead, Takers: c.holders,
	})
}
