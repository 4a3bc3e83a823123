package client

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/limit"
)

// SharedState is where clients of several processes keep what they share.
type SharedState interface {
	limit.SharedState
	// Conceal is a name for a secret, the same for all, from which the secret cannot
	// be found.
	Conceal(secret string) string
}

const (
	// reportInterval is how often a worker says what it spent, and gives back what it does not
	// need.
	reportInterval = time.Second
	// shareLease is how long a worker lives that says nothing. What was set aside for
	// it counts as spent from then on: its calls may have been paid for.
	shareLease = time.Minute
	// closeTimeout is how long a client that ends tries to say so.
	closeTimeout = 10 * time.Second
)

// workerShares is what the workers of a run have spent and set aside, by worker.
type workerShares map[string]workerShare

type workerShare struct {
	// Allotted is all that the worker may have spent, with what it has spent. It counts
	// for good, so that all together never have more than the budget.
	Allotted, Spent float64
	Until           time.Time
}

// fundsRequest is what a worker has spent, has spent or set aside, needs in all, and will
// probably need soon after.
type fundsRequest struct{ spent, committed, need, ahead float64 }

// allot allots what a worker needs. over says that the budget has no more, and no worker
// anything to give back.
func (s workerShares) allot(who string, w fundsRequest, budget float64, now time.Time) (mine workerShare, spent float64, over bool) {
	free, alive, pending := budget, 1.0, false
	for name, other := range s {
		if name == who {
			continue
		}
		free -= max(other.Allotted, other.Spent)
		spent += other.Spent
		if other.Until.After(now) {
			alive++
			pending = pending || other.Allotted > other.Spent
		}
	}
	mine = workerShare{Allotted: w.committed, Spent: w.spent, Until: now.Add(shareLease)}
	if w.need <= free {
		// The last of it is set aside when it is needed.
		mine.Allotted = w.need + min(w.ahead, (free-w.need)/(2*alive))
	}
	s[who] = mine
	return mine, spent + w.spent, w.need > free && !pending
}

// sharedBudget is a worker's share of a budget. The account's mu guards it, except turn, which
// one update at a time holds.
type sharedBudget struct {
	state     SharedState
	name, who string
	turn      chan struct{}
	end       context.Context // of the client
	stop      func()

	workerShare          // as of the last exchange
	chargedSince float64 // since then
	at           time.Time
	denied       time.Time // when the budget last had too little
	reporting    bool
	finished     chan struct{} // closed when the tending ended
}

func newSharedBudget(o Options, currency string) *sharedBudget {
	p := &sharedBudget{state: o.Shared, name: "budget\n" + o.Run + "\n" + currency, who: rand.Text(), turn: make(chan struct{}, 1)}
	p.end, p.stop = context.WithCancel(context.Background())
	return p
}

// budgetPoll is how long to wait before asking a budget that had too little.
const budgetPoll = 250 * time.Millisecond

// requestFunds asks for more. It returns the error that the budget is used up; else the caller
// looks again.
func (a *account) requestFunds(ctx context.Context, amount float64) (*model.BudgetError, error) {
	p := a.shared
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-p.turn }()
	a.mu.Lock()
	enough, wait, over := a.committed()+amount <= p.Allotted, budgetPoll-time.Since(p.denied), a.exhausted
	a.mu.Unlock()
	if enough || over != nil {
		return over, nil
	}
	if err := limit.Sleep(ctx, wait); err != nil {
		return nil, err
	}
	spent, none, err := a.updateShare(ctx, amount)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !p.reporting {
		p.reporting, p.finished = true, make(chan struct{})
		go a.reportPeriodically(p.finished)
	}
	if none && a.running == 0 && a.exhausted == nil {
		a.exhausted = &model.BudgetError{Spent: spent, Max: *a.max, Currency: a.currency}
	}
	return a.exhausted, nil
}

// committed is what was spent and set aside; a.mu is held.
func (a *account) committed() float64 { return a.all.Cost[a.currency] + a.reserved }

// updateShare reports what was spent and asks for more than is committed. It needs the turn.
func (a *account) updateShare(ctx context.Context, amount float64) (spent float64, over bool, err error) {
	p := a.shared
	a.mu.Lock()
	w := fundsRequest{spent: a.all.Cost[a.currency], committed: a.committed()}
	w.need = w.committed + amount
	if a.running > 0 || amount > 0 {
		w.ahead = p.chargedSince / max(time.Since(p.at).Seconds(), reportInterval.Seconds())
	}
	p.Allotted = w.committed // until it is known what is left
	a.mu.Unlock()
	var mine workerShare
	err = p.state.Change(ctx, p.name, func(kept []byte, now time.Time) ([]byte, error) {
		all := workerShares{}
		if len(kept) > 0 {
			if err := json.Unmarshal(kept, &all); err != nil {
				return nil, err
			}
		}
		mine, spent, over = all.allot(p.who, w, *a.max, now)
		return json.Marshal(all)
	})
	if err != nil {
		return 0, false, fmt.Errorf("share the budget of the build: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	p.workerShare, p.chargedSince, p.at = mine, 0, time.Now()
	if mine.Allotted < w.need {
		p.denied = p.at
	}
	return spent, over, nil
}

// reportPeriodically keeps what others see of this worker up to date while it has money set aside.
func (a *account) reportPeriodically(finished chan struct{}) {
	p := a.shared
	defer close(finished)
	for limit.Sleep(p.end, reportInterval) == nil {
		p.turn <- struct{}{}
		a.mu.Lock()
		changed := p.Allotted != a.committed() || p.Spent != a.all.Cost[a.currency] || time.Since(p.at) > shareLease/3
		a.mu.Unlock()
		if changed {
			// What fails now is said a second later, or runs out.
			_, _, _ = a.updateShare(p.end, 0)
		}
		a.mu.Lock()
		done := a.running == 0 && p.Allotted == p.Spent && p.Spent == a.all.Cost[a.currency]
		p.reporting = !done
		a.mu.Unlock()
		<-p.turn
		if done {
			return
		}
	}
}

func (a *account) close() {
	p := a.shared
	if p == nil {
		return
	}
	p.stop()
	a.mu.Lock()
	finished := p.finished
	a.mu.Unlock()
	if finished == nil {
		return
	}
	<-finished
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	p.turn <- struct{}{}
	defer func() { <-p.turn }()
	// Where it cannot be said, it runs out.
	_, _, _ = a.updateShare(ctx, 0)
}
