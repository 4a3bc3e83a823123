package client_test

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/model/sharedlimit"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testpostgres"
)

func TestMain(m *testing.M) { os.Exit(testpostgres.RunTests(m)) }

// onDatabase are boards of processes that share a database.
func onDatabase(t *testing.T, n int) []client.SharedState {
	t.Helper()
	url := testpostgres.URL(t)
	boards := make([]client.SharedState, n)
	for i := range boards {
		b, err := sharedlimit.Open(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = b.Close() })
		boards[i] = b
	}
	return boards
}

// TestFourWorkersUseOneAllowance has four clients with ledgers and connections of their
// own ask a server that enforces 20 requests a second and says so by 429 alone.
func TestFourWorkersUseOneAllowance(t *testing.T) {
	boards := onDatabase(t, 4)
	server := testkit.NewModelServer(t, answerColour)
	var clients []*bench
	for _, b := range boards {
		clients = append(clients, liveBenchWith(t, server, "", client.Options{Ledger: openLedger(t, t.TempDir()), Shared: b}))
	}
	limit := testkit.RateLimit{PerSecond: 20, Burst: 20, Style: "retry-after"}
	refused, used := paced(t, server, clients, limit, 15*time.Second, 20*time.Second)
	t.Logf("%.2f %% refused, %.1f %% of the allowance used", 100*refused, 100*used)
	if refused > 0.03 || used < 0.95 {
		t.Errorf("refused %.2f %% (at most 3), used %.1f %% (at least 95)", 100*refused, 100*used)
	}
}

// spend has workers ask until their budget is used up, and returns what all spent.
func spend(t *testing.T, boards []client.SharedState, budget float64, slots int) (spent float64) {
	t.Helper()
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		said := answerColour(a)
		said.Input, said.Output = 900, 100
		return said
	})
	var mu sync.Mutex
	var n atomic.Int64
	var work sync.WaitGroup
	for _, b := range boards {
		first := liveBenchWith(t, server, pricedModel, client.Options{Ledger: openLedger(t, t.TempDir()), Shared: b, Run: "the build", MaxCost: &budget})
		var slot sync.WaitGroup
		for range slots {
			bench := newBench(t, first.roles, first.live)
			slot.Go(func() {
				for {
					_, err := bench.colour(fmt.Sprint("thing ", n.Add(1)))
					var over *model.BudgetError
					if errors.As(err, &over) {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		work.Go(func() {
			slot.Wait()
			live := first.live.(*client.Client)
			live.Close()
			mu.Lock()
			spent += live.Total().Cost["USD"]
			mu.Unlock()
		})
	}
	work.Wait()
	return spent
}

// Each call costs this much, whatever it says of itself beforehand.
const (
	pricedModel = "    price: {input: 1, output: 1, currency: USD}\n    limits: {requests_per_minute: 6000000}\n"
	callCost    = 0.001
)

// TestBudgetOfFourWorkers: what four workers spend is one budget, to within what was in
// flight when nobody knew yet what a call costs: a call of each.
func TestBudgetOfFourWorkers(t *testing.T) {
	for name, boards := range map[string]func(*testing.T) []client.SharedState{
		"in memory": func(*testing.T) []client.SharedState {
			b := &testkit.SharedState{Again: 5}
			return []client.SharedState{b, b, b, b}
		},
		"in a database": func(t *testing.T) []client.SharedState { return onDatabase(t, 4) },
	} {
		t.Run(name, func(t *testing.T) {
			const budget = 40 * callCost
			spent := spend(t, boards(t), budget, 3)
			t.Logf("spent %.4f of %.4f", spent, budget)
			if spent > budget+4*callCost || spent < budget-2*callCost {
				t.Errorf("spent %.4f of %.4f", spent, budget)
			}
		})
	}
}
