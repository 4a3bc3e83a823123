package limit

import (
	"cmp"
	"math"
	"time"
)

// serverState is what was found out about a server: by one process, or by all that share
// an allowance.
type serverState struct {
	gauge   costGauge
	ctl     paceControl
	until   time.Time // nobody asks before
	unsure  bool      // of the last wait: one request tries first
	limited int       // pauses in a row, with no answer between
}

// newServerState knows nothing. ceiling is the configured pace, in requests a second.
func newServerState(ceiling float64, now time.Time) serverState {
	return serverState{ctl: paceControl{ceiling: ceiling, header: math.Inf(1), pace: math.Inf(1), paceState: paceState{Began: now}}}
}

// requestEvent is what became of a request.
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

// applyRefusal takes in a 429.
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

// applyHeaders takes in what the headers of a success say.
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
