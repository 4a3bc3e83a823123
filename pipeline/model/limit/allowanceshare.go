package limit

import (
	"context"
	"crypto/rand"
	"fmt"
	"math"
	"slices"
	"time"
)

// SharedState holds what processes on several machines share, each thing under a name.
type SharedState interface {
	// Change replaces what is kept under a name by what change makes of it; nothing is
	// kept at first. now is one clock for all. While the board is away for a while it
	// waits. change may be called more than once, also after it was done: then what it
	// finds is its own.
	Change(ctx context.Context, name string, change func(kept []byte, now time.Time) ([]byte, error)) error
}

// allowanceShare is the part that a limiter has in an allowance. What is marked is guarded by
// the limiter's mu, all else belongs to who has its turn.
type allowanceShare struct {
	state  SharedState
	name   string
	who    string
	paces  [kinds]float64
	turn   int
	slice  time.Duration
	held   [kinds]heldGrant
	waited time.Duration // for its turn in the allowance, since the last exchange

	anchor, at time.Time      // mu: the own clock at the last exchange, and that of all
	until      time.Time      // end of the last pause that the last exchange told of
	events     []requestEvent // mu: that others do not know of
	refused    bool           // mu: one of them is a refusal
}

type heldGrant struct {
	grant
	next time.Time // by the own clock
	used float64   // seconds since the last exchange
}

func newShare(c Config) *allowanceShare {
	s := &allowanceShare{state: c.Shared, name: c.Name, who: rand.Text()}
	s.paces[kindTokens] = float64(c.TokensPerMinute) / 60
	return s
}

// time converts the own clock to that of all holders.
func (s *allowanceShare) time(now time.Time) time.Time {
	if s.anchor.IsZero() {
		return now
	}
	return s.at.Add(now.Sub(s.anchor))
}

func (s *allowanceShare) addEvent(e requestEvent) {
	s.events = append(s.events, e)
	s.refused = s.refused || e.refused
}

// waitForShare waits until this process holds enough of the allowance, and uses it.
func (l *Limiter) waitForShare(ctx context.Context, p *Permit) error {
	s, need := l.share, [kinds]float64{p.cost, max(1, p.size)}
	for {
		l.mu.Lock()
		refused := s.refused
		l.mu.Unlock()
		if !refused { // else others are to hear of it first
			began := l.cfg.Now()
			if err := l.waitForPause(ctx); err != nil {
				return err
			}
			s.waited += l.cfg.Now().Sub(began)
		}
		now := l.cfg.Now()
		wait, due := s.nextStep(now, need, refused)
		switch {
		case wait > 0:
			s.waited += wait
			if err := Sleep(ctx, wait); err != nil {
				return err
			}
		case due:
			if err := l.renewShare(ctx, need); err != nil {
				return err
			}
		default:
			s.consume(now, need)
			return nil
		}
	}
}

// nextStep says how long to wait before anything else, and whether an exchange is due.
func (s *allowanceShare) nextStep(now time.Time, need [kinds]float64, refused bool) (wait time.Duration, due bool) {
	age := now.Sub(s.anchor)
	soon := s.slice / 8
	switch covered, later := s.covered(need); {
	case s.anchor.IsZero() || age >= s.slice:
		return 0, true
	case refused:
		return soon - age, true
	case !covered:
		return min(max(soon, later), s.slice) - age, true
	case age >= s.slice/4:
		return 0, true
	}
	var start time.Time
	for kind := range kinds {
		if s.held[kind].next.After(start) {
			start = s.held[kind].next
		}
	}
	return min(start.Sub(now), s.slice/4-age), false
}

func (s *allowanceShare) covered(need [kinds]float64) (ok bool, later time.Duration) {
	ok = true
	for kind, h := range s.held {
		if h.Pace > 0 && h.Seconds < 0.999*need[kind]/h.Pace {
			ok, later = false, max(later, h.Later)
		}
	}
	return ok, later
}

// consume takes a request from what is held, and spreads requests evenly.
func (s *allowanceShare) consume(now time.Time, need [kinds]float64) {
	for kind := range s.held {
		h := &s.held[kind]
		if h.Pace == 0 {
			continue
		}
		took := need[kind] / h.Pace
		h.Seconds, h.used = h.Seconds-took, h.used+took
		// What a busy machine was late for is sent at once, but no more than a little.
		if earliest := now.Add(-s.slice / 4); h.next.Before(earliest) {
			h.next = earliest
		}
		// Shares change meanwhile, so no wait is longer than a slice.
		h.next = h.next.Add(min(seconds(took/h.Share), s.slice))
	}
}

// renewShare tells all what was seen here and brings what they know.
func (l *Limiter) renewShare(ctx context.Context, need [kinds]float64) error {
	s := l.share
	a := s.newRenewal(l.cfg.Now(), need)
	l.mu.Lock()
	a.events = slices.Clone(s.events)
	ceiling := l.known.ctl.ceiling
	l.mu.Unlock()
	var all *allowance
	var got [kinds]grant
	var slice time.Duration
	var anchor, at time.Time
	err := s.state.Change(ctx, s.name, func(kept []byte, now time.Time) ([]byte, error) {
		anchor, at = l.cfg.Now(), now
		all = decodeAllowance(kept, ceiling, now)
		got, slice = all.renew(a, now)
		return all.encode()
	})
	if err != nil {
		return fmt.Errorf("share the limits of a model's server: %w", err)
	}
	s.acceptGrants(got, at, anchor)
	l.mu.Lock()
	defer l.mu.Unlock()
	s.slice, s.anchor, s.at, s.waited = slice, anchor, at, 0
	s.events = slices.Delete(s.events, 0, len(a.events))
	s.refused, s.until = false, all.known.until
	l.known = all.known
	for _, e := range s.events {
		s.refused = s.refused || e.refused
		l.known.apply(e) // others will hear of it
	}
	return nil
}

// newRenewal is what to come with to an exchange.
func (s *allowanceShare) newRenewal(now time.Time, need [kinds]float64) renewal {
	s.turn++
	a := renewal{who: s.who, turn: s.turn, paces: s.paces, need: need, until: s.until}
	gone := now.Sub(s.anchor)
	covered, _ := s.covered(need)
	for kind, h := range s.held {
		switch rate := h.used / gone.Seconds(); {
		case s.anchor.IsZero() || s.waited > gone/10:
			a.demand[kind] = 1 // all that one can get
		case !covered:
			a.demand[kind] = min(1, 2*rate+need[kind]/h.Pace/s.slice.Seconds())
		default:
			a.demand[kind] = min(1, max(1.25*rate, need[kind]/h.Pace/s.slice.Seconds()))
		}
		if gone < s.slice {
			a.left[kind] = math.Max(0, h.Seconds)
		}
	}
	return a
}

func (s *allowanceShare) acceptGrants(got [kinds]grant, at, anchor time.Time) {
	for kind, g := range got {
		h := &s.held[kind]
		h.grant, h.used = g, 0
		if start := anchor.Add(g.Start.Sub(at)); !g.Start.IsZero() && start.After(h.next) {
			h.next = start
		}
	}
}
