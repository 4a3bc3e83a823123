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

// Board is where clients of several processes keep what they share.
type Board interface {
	limit.Board
	// Conceal is a name for a secret, the same for all, from which the secret cannot
	// be found.
	Conceal(secret string) string
}

const (
	// tended is how often a worker says what it spent, and gives back what it does not
	// need.
	tended = time.Second
	// purseLease is how long a worker lives that says nothing. What was set aside for
	// it counts as spent from then on: its calls may have been paid for.
	purseLease = time.Minute
	// closing is how long a client that ends tries to say so.
	closing = 10 * time.Second
)

// spending is what the workers of a run have spent and set aside, by worker.
type spending map[string]worker

type worker struct {
	// Allotted is all that the worker may have spent, with what it has spent. It counts
	// for good, so that all together never have more than the budget.
	Allotted, Spent float64
	Until           time.Time
}

// wish is what a worker comes with: what it has spent, what is spent with what is set
// aside, what it needs in all, and what it is likely to need soon after.
type wish struct{ spent, committed, need, ahead float64 }

// exchange allots what a worker needs, if the budget has it. over says that nobody has
// anything to give back.
func (s spending) exchange(who string, w wish, budget float64, now time.Time) (mine worker, spent float64, over bool) {
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
	mine = worker{Allotted: w.committed, Spent: w.spent, Until: now.Add(purseLease)}
	if w.need <= free {
		// The last of it is nobody's before it is needed.
		mine.Allotted = w.need + min(w.ahead, (free-w.need)/(2*alive))
	}
	s[who] = mine
	return mine, spent + w.spent, w.need > free && !pending
}

// purse is a worker's part in a budget that several share. The account's mu guards it,
// but for turn, which one exchange at a time holds.
type purse struct {
	board     Board
	name, who string
	turn      chan struct{}
	end       context.Context // of the client
	stop      func()

	worker           // as of the last exchange
	settled  float64 // since then
	at       time.Time
	denied   time.Time // when the budget last had too little
	tending  bool
	finished chan struct{} // closed when the tending ended
}

func newPurse(o Options, currency string) *purse {
	p := &purse{board: o.Board, name: "budget\n" + o.Run + "\n" + currency, who: rand.Text(), turn: make(chan struct{}, 1)}
	p.end, p.stop = context.WithCancel(context.Background())
	return p
}

// again is how long to wait before asking a budget that had too little.
const again = 250 * time.Millisecond

// draw asks for an amount more, unless it is there meanwhile. It returns the error that
// the budget is used up; else whoever needs money looks again.
func (a *account) draw(ctx context.Context, amount float64) (*model.BudgetError, error) {
	p := a.purse
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-p.turn }()
	a.mu.Lock()
	enough, wait, over := a.committed()+amount <= p.Allotted, again-time.Since(p.denied), a.spent
	a.mu.Unlock()
	if enough || over != nil {
		return over, nil
	}
	if err := limit.Sleep(ctx, wait); err != nil {
		return nil, err
	}
	spent, none, err := a.exchange(ctx, amount)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !p.tending {
		p.tending, p.finished = true, make(chan struct{})
		go a.tend(p.finished)
	}
	if none && a.running == 0 && a.spent == nil {
		a.spent = &model.BudgetError{Spent: spent, Max: *a.max, Currency: a.currency}
	}
	return a.spent, nil
}

// committed is what was spent and set aside; a.mu is held.
func (a *account) committed() float64 { return a.all.Cost[a.currency] + a.reserved }

// exchange says what was spent, and asks for an amount more than is committed. The turn
// is held.
func (a *account) exchange(ctx context.Context, amount float64) (spent float64, over bool, err error) {
	p := a.purse
	a.mu.Lock()
	w := wish{spent: a.all.Cost[a.currency], committed: a.committed()}
	w.need = w.committed + amount
	if a.running > 0 || amount > 0 {
		w.ahead = p.settled / max(time.Since(p.at).Seconds(), tended.Seconds())
	}
	p.Allotted = w.committed // until it is known what is left
	a.mu.Unlock()
	var mine worker
	err = p.board.Change(ctx, p.name, func(kept []byte, now time.Time) ([]byte, error) {
		all := spending{}
		if len(kept) > 0 {
			if err := json.Unmarshal(kept, &all); err != nil {
				return nil, err
			}
		}
		mine, spent, over = all.exchange(p.who, w, *a.max, now)
		return json.Marshal(all)
	})
	if err != nil {
		return 0, false, fmt.Errorf("share the budget of the build: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	p.worker, p.settled, p.at = mine, 0, time.Now()
	if mine.Allotted < w.need {
		p.denied = p.at
	}
	return spent, over, nil
}

// tend keeps what others see of this worker up to date while it has money set aside.
func (a *account) tend(finished chan struct{}) {
	p := a.purse
	defer close(finished)
	for limit.Sleep(p.end, tended) == nil {
		p.turn <- struct{}{}
		a.mu.Lock()
		changed := p.Allotted != a.committed() || p.Spent != a.all.Cost[a.currency] || time.Since(p.at) > purseLease/3
		a.mu.Unlock()
		if changed {
			// What fails now is said a second later, or runs out.
			_, _, _ = a.exchange(p.end, 0)
		}
		a.mu.Lock()
		done := a.running == 0 && p.Allotted == p.Spent && p.Spent == a.all.Cost[a.currency]
		p.tending = !done
		a.mu.Unlock()
		<-p.turn
		if done {
			return
		}
	}
}

// close gives back what was not spent.
func (a *account) close() {
	p := a.purse
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
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	p.turn <- struct{}{}
	defer func() { <-p.turn }()
	// Where it cannot be said, it runs out.
	_, _, _ = a.exchange(ctx, 0)
}
