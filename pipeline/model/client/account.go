package client

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/server"
)

// Total is what was asked and what it cost.
type Total struct {
	// Calls were sent and answered, Replayed found in the ledger.
	Calls, Replayed int
	Usage           pipeline.Usage
	// Cost by currency, of calls to models with a price; Unpriced counts the
	// others.
	Cost     map[string]float64
	Unpriced int
	// Waiting requests are on their way at this moment; in the total of all only.
	Waiting int
}

// account keeps the totals and the budget.
type account struct {
	max      *float64 // nil without a budget
	currency string

	mu       sync.Mutex
	all      Total
	nodes    map[string]Total
	since    map[string]Total // of nodes, not told yet
	reserved float64
	running  int
	mean     map[*endpoint]float64 // cost of a call, on average
	spent    *model.BudgetError    // one error for all who meet it
	settled  chan struct{}         // closed when money set aside was booked or given back
	purse    *purse                // nil where the budget is this client's alone
}

// newAccount checks that a budget can be kept.
func newAccount(models map[string]*endpoint, o Options) (*account, error) {
	most := o.MaxCost
	a := &account{max: most, nodes: map[string]Total{}, since: map[string]Total{}, mean: map[*endpoint]float64{}, settled: make(chan struct{})}
	if most == nil {
		return a, nil
	}
	for _, e := range models {
		if e.Price != nil && (a.currency == "" || e.Price.Currency < a.currency) {
			a.currency = e.Price.Currency
		}
	}
	for _, e := range models {
		if e.Price == nil || e.Price.Currency != a.currency {
			return nil, &model.BudgetError{Max: *most, Currency: a.currency, Unpriced: e.name}
		}
	}
	if o.Board != nil && o.Run != "" {
		a.purse = newPurse(o, a.currency)
	}
	return a, nil
}

// guess is how many tokens a call will take; an output of 0 is not known.
type guess struct{ input, output int }

// hold is money set aside for a call that is on its way.
type hold struct {
	account  *account
	endpoint *endpoint
	amount   float64
	placed   bool
}

// reserve sets money aside for what a call will cost as far as one can tell, so
// that calls on their way do not exceed the budget together. While others are
// on their way and might cost less than thought, it waits for them; until one
// has shown what a call costs, calls go one at a time.
func (a *account) reserve(ctx context.Context, e *endpoint, g guess) (*hold, error) {
	h := &hold{account: a, endpoint: e}
	if a.max == nil {
		return h, nil
	}
	for {
		a.mu.Lock()
		alone, settled := a.place(h, g), a.settled
		over, fits := a.spent, h.placed
		a.mu.Unlock()
		switch {
		case over != nil:
			return nil, over
		case fits:
			return h, nil
		}
		var poll <-chan time.Time
		if a.purse != nil && !alone {
			over, err := a.draw(ctx, h.amount)
			if err != nil {
				return nil, err
			}
			if over != nil {
				return nil, over
			}
			poll = time.After(a.wait(h.amount))
		}
		select {
		case <-settled:
		case <-poll:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// place sets money aside if it is there. It reports that a call has to wait because
// nothing has shown yet what one costs; a.mu is held.
func (a *account) place(h *hold, g guess) (alone bool) {
	e := h.endpoint
	h.amount = a.mean[e]
	if h.amount == 0 {
		h.amount = Cost(e.Price, pipeline.Usage{Input: int64(g.input), Output: int64(g.output)})
	}
	most := *a.max
	if a.purse != nil {
		most = a.purse.Allotted
	}
	alone = a.mean[e] == 0 && h.amount > 0 && a.running > 0
	switch {
	case a.spent == nil && !alone && a.committed()+h.amount <= most:
		a.reserved += h.amount
		a.running++
		h.placed = true
	case a.running == 0 && a.spent == nil && a.purse == nil:
		a.spent = &model.BudgetError{Spent: a.all.Cost[a.currency], Max: *a.max, Currency: a.currency}
	}
	return alone
}

// wait is how long to leave a budget alone that may have too little for an amount.
func (a *account) wait(amount float64) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.committed()+amount <= a.purse.Allotted {
		return 0
	}
	return again
}

// release gives back what was set aside.
func (h *hold) release() {
	h.account.mu.Lock()
	defer h.account.mu.Unlock()
	h.free()
}

// free is release with the account's lock held.
func (h *hold) free() {
	a := h.account
	if a.max == nil {
		return
	}
	a.running--
	if a.reserved -= h.amount; a.running == 0 {
		a.reserved = 0 // not what is left of rounding
	}
	close(a.settled)
	a.settled = make(chan struct{})
}

// settle books an answered call.
func (h *hold) settle(node string, u pipeline.Usage) {
	a := h.account
	a.mu.Lock()
	defer a.mu.Unlock()
	defer h.free()
	t := Total{Calls: 1, Usage: u}
	if p := h.endpoint.Price; p != nil {
		amount := Cost(p, u)
		t.Cost = map[string]float64{p.Currency: amount}
		if a.purse != nil {
			a.purse.settled += amount
		}
		a.mean[h.endpoint] = max(amount, 0.9*a.mean[h.endpoint]+0.1*amount)
	} else {
		t.Unpriced = 1
	}
	a.book(node, t)
}

func (a *account) replayed(node string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.book(node, Total{Replayed: 1})
}

// book adds to both totals; a.mu is held.
func (a *account) book(node string, t Total) {
	a.all = a.all.Plus(t)
	a.nodes[node] = a.nodes[node].Plus(t)
	a.since[node] = a.since[node].Plus(t)
}

// Plus adds two totals. What waits at a moment is no sum.
func (t Total) Plus(u Total) Total {
	t.Calls += u.Calls
	t.Replayed += u.Replayed
	t.Unpriced += u.Unpriced
	t.Usage = add(t.Usage, u.Usage)
	if len(u.Cost) == 0 {
		return t
	}
	sum := maps.Clone(t.Cost)
	if sum == nil {
		sum = map[string]float64{}
	}
	for currency, amount := range u.Cost {
		sum[currency] += amount
	}
	t.Cost = sum
	return t
}

func (a *account) total() Total {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.all
}

func (a *account) perNode() map[string]Total {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.nodes)
}

// untold gives what was booked since it was asked last, by node.
func (a *account) untold() map[string]Total {
	a.mu.Lock()
	defer a.mu.Unlock()
	since := a.since
	a.since = map[string]Total{}
	return since
}

// Cost of a usage. Cached tokens are part of the input.
func Cost(p *server.Price, u pipeline.Usage) float64 {
	cached := p.Input
	if p.CachedInput != nil {
		cached = *p.CachedInput
	}
	return (float64(u.Input-u.Cached)*p.Input + float64(u.Cached)*cached + float64(u.Output)*p.Output) / 1e6
}
