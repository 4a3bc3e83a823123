package client_test

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/pipelinetest"
)

// paceRun has 64 workers ask a server that enforces a limit, and reports the
// share of 429s and the used share of the allowance in steady state: after the
// warm-up.
func paceRun(t testing.TB, l pipelinetest.RateLimit, add string, warm, measure time.Duration) (refused, used float64) {
	t.Helper()
	server := pipelinetest.NewModelServer(t, answerColour)
	server.SetLimit(l)
	server.AddFault(pipelinetest.ModelFault{Kind: pipelinetest.FaultSlow, Delay: 30 * time.Millisecond})
	first := liveBench(t, server, add)
	var stop atomic.Bool
	var n atomic.Int64
	var wg sync.WaitGroup
	for range 64 {
		b := newBench(t, first.roles, first.live)
		wg.Go(func() {
			for !stop.Load() {
				if _, err := b.colour(fmt.Sprint("thing ", n.Add(1))); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	time.Sleep(warm)
	before, began := server.Counts(), time.Now()
	time.Sleep(measure)
	after, took := server.Counts(), time.Since(began).Seconds()
	stop.Store(true)
	server.SetLimit(pipelinetest.RateLimit{PerSecond: 1e6, Burst: 1 << 20})
	wg.Wait()
	limited, requests := float64(after.Limited-before.Limited), float64(after.Requests-before.Requests)
	return limited / requests, (requests - limited) / took / l.PerSecond
}

// TestPace shows the limiter in full: at most 3 % of requests refused and at
// least 95 % of the allowance used, whatever headers the server sends. It takes
// minutes of wall time, so it runs when MEMFORGE_PACE is set; make bench does.
func TestPace(t *testing.T) {
	if os.Getenv("MEMFORGE_PACE") == "" {
		t.Skip("slow: set MEMFORGE_PACE=1")
	}
	for _, tc := range []struct {
		name  string
		limit pipelinetest.RateLimit
		add   string
	}{
		{"retry-after", pipelinetest.RateLimit{PerSecond: 10, Burst: 10, Style: "retry-after"}, ""},
		{"retry-after-date", pipelinetest.RateLimit{PerSecond: 10, Burst: 10, Style: "retry-after-date"}, ""},
		{"retry-after-ms", pipelinetest.RateLimit{PerSecond: 10, Burst: 10, Style: "retry-after-ms"}, ""},
		{"x-ratelimit", pipelinetest.RateLimit{PerSecond: 10, Burst: 10, Style: "x-ratelimit"}, ""},
		{"RateLimit", pipelinetest.RateLimit{PerSecond: 10, Burst: 10, Style: "ratelimit"}, ""},
		{"no header", pipelinetest.RateLimit{PerSecond: 10, Burst: 10}, ""},
		{"window", pipelinetest.RateLimit{PerSecond: 10, Burst: 10, Window: true, Style: "retry-after"}, ""},
		{"window of a minute", pipelinetest.RateLimit{PerSecond: 10, Burst: 600, Window: true, Style: "x-ratelimit"}, ""},
		{"bucket of a minute", pipelinetest.RateLimit{PerSecond: 10, Burst: 600, Style: "x-ratelimit"}, ""},
		{"configured", pipelinetest.RateLimit{PerSecond: 10, Burst: 10, Style: "retry-after"}, "    limits: {requests_per_minute: 600}\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			warm, measure := 20*time.Second, 120*time.Second
			if tc.limit.Burst > 100 {
				warm = 75 * time.Second // what had been saved up is used first
			}
			refused, used := paceRun(t, tc.limit, tc.add, warm, measure)
			t.Logf("%-20s %5.2f %% refused, %6.2f %% of the allowance used", tc.name, 100*refused, 100*used)
			if refused > 0.03 || used < 0.95 {
				t.Errorf("refused %.2f %% (at most 3), used %.1f %% (at least 95)", 100*refused, 100*used)
			}
		})
	}
}
