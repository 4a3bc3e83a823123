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

type account struct {
	max      *float64 // nil without a budget
	currency string

	mu         sync.Mutex
	all        Total
	steps      map[string]Total
	unreported map[string]Total // of nodes, not told yet
	reserved   float64
	running    int
	mean       map[*endpoint]float64 // cost of a call, on average
	exhausted  *model.BudgetError    // one error for all who meet it
	changed    chan struct{}         // closed when money set aside was booked or given back
	shared     *sharedBudget         // nil where the budget is this client's alone
}

// newAccount checks that a budget can be kept.
func newAccount(models map[string]*endpoint, o Options) (*account, error) {
	most := o.MaxCost
	a := &account{max: most, steps: map[string]Total{}, unreported: map[string]Total{}, mean: map[*endpoint]float64{}, changed: make(chan struct{})}
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
			return nil, &model.BudgetError{Max: *most, Currency: a.currency, Unpriced: e.Name}
		}
	}
	if o.Shared != nil && o.Run != "" {
		a.shared = newSharedBudget(o, a.currency)
	}
	return a, nil
}

// tokenEstimate is how many tokens a call will take; an output of 0 is not known.
type tokenEstimate struct{ input, output int }

type reservation struct {
	account  *account
	endpoint *endpoint
	amount   float64
	placed   bool
}

// reserve sets aside what a call will probably cost, so that the calls on their way do not
// exceed the budget together. It waits while others may cost less than thought; until one has
// shown what a call costs, calls go one at a time.
func (a *account) reserve(ctx context.Context, e *endpoint, g tokenEstimate) (*reservation, error) {
	h := &reservation{account: a, endpoint: e}
	if a.max == nil {
		return h, nil
	}
	for {
		a.mu.Lock()
		alone, settled := a.tryReserve(h, g), a.changed
		over, fits := a.exhausted, h.placed
		a.mu.Unlock()
		switch {
		case over != nil:
			return nil, over
		case fits:
			return h, nil
		}
		var poll <-chan time.Time
		if a.shared != nil && !alone {
			over, err := a.requestFunds(ctx, h.amount)
			if err != nil {
				return nil, err
			}
			if over != nil {
				return nil, over
			}
			poll = time.After(a.pollDelay(h.amount))
		}
		select {
		case <-settled:
		case <-poll:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// tryReserve reports that a call has to wait until another shows what one costs. It needs
// a.mu.
func (a *account) tryReserve(h *reservation, g tokenEstimate) (alone bool) {
	e := h.endpoint
	h.amount = a.mean[e]
	if h.amount == 0 {
		h.amount = Cost(e.Price, pipeline.Usage{Input: int64(g.input), Output: int64(g.output)})
	}
	most := *a.max
	if a.shared != nil {
		most = a.shared.Allotted
	}
	alone = a.mean[e] == 0 && h.amount > 0 && a.running > 0
	switch {
	case a.exhausted == nil && !alone && a.committed()+h.amount <= most:
		a.reserved += h.amount
		a.running++
		h.placed = true
	case a.running == 0 && a.exhausted == nil && a.shared == nil:
		a.exhausted = &model.BudgetError{Spent: a.all.Cost[a.currency], Max: *a.max, Currency: a.currency}
	}
	return alone
}

// pollDelay is how long to leave a budget alone that may have too little for an amount.
func (a *account) pollDelay(amount float64) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.committed()+amount <= a.shared.Allotted {
		return 0
	}
	return budgetPoll
}

func (h *reservation) release() {
	h.account.mu.Lock()
	defer h.account.mu.Unlock()
	h.releaseLocked()
}

func (h *reservation) releaseLocked() {
	a := h.account
	if a.max == nil {
		return
	}
	a.running--
	if a.reserved -= h.amount; a.running == 0 {
		a.reserved = 0 // not what is left of rounding
	}
	close(a.changed)
	a.changed = make(chan struct{})
}

func (h *reservation) charge(node string, u pipeline.Usage) {
	a := h.account
	a.mu.Lock()
	defer a.mu.Unlock()
	defer h.releaseLocked()
	t := Total{Calls: 1, Usage: u}
	if p := h.endpoint.Price; p != nil {
		amount := Cost(p, u)
		t.Cost = map[string]float64{p.Currency: amount}
		if a.shared != nil {
			a.shared.chargedSince += amount
		}
		a.mean[h.endpoint] = max(amount, 0.9*a.mean[h.endpoint]+0.1*amount)
	} else {
		t.Unpriced = 1
	}
	a.addTotal(node, t)
}

func (a *account) countReplayed(node string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.addTotal(node, Total{Replayed: 1})
}

// addTotal needs a.mu.
func (a *account) addTotal(node string, t Total) {
	a.all = a.all.Plus(t)
	a.steps[node] = a.steps[node].Plus(t)
	a.unreported[node] = a.unreported[node].Plus(t)
}

// Plus adds two totals. What waits at a moment is no sum.
func (t Total) Plus(u Total) Total {
	t.Calls += u.Calls
	t.Replayed += u.Replayed
	t.Unpriced += u.Unpriced
	t.Usage.Input += u.Usage.Input
	t.Usage.Cached += u.Usage.Cached
	t.Usage.Output += u.Usage.Output
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

func (a *account) perStep() map[string]Total {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.steps)
}

func (a *account) takeUnreported() map[string]Total {
	a.mu.Lock()
	defer a.mu.Unlock()
	since := a.unreported
	a.unreported = map[string]Total{}
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
