package client_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
)

// paced has 64 workers, dealt to clients, ask a server that enforces a limit, and
// reports the share of 429s and the used share of the allowance in steady state: after
// the warm-up.
func paced(t testing.TB, server *testkit.ModelServer, clients []*bench, l testkit.RateLimit, warm, measure time.Duration) (refused, used float64) {
	t.Helper()
	server.SetLimit(l)
	server.AddFault(testkit.ModelFault{Kind: testkit.FaultSlow, Delay: 30 * time.Millisecond})
	var stop atomic.Bool
	var n atomic.Int64
	var wg sync.WaitGroup
	for i := range 64 {
		of := clients[i%len(clients)]
		b := newBench(t, of.roles, of.live)
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
	server.SetLimit(testkit.RateLimit{PerSecond: 1e6, Burst: 1 << 20})
	wg.Wait()
	limited, requests := float64(after.Limited-before.Limited), float64(after.Requests-before.Requests)
	return limited / requests, (requests - limited) / took / l.PerSecond
}

// BenchmarkPace shows the limiter through real HTTP: the share of requests that a
// server with an allowance of 10 a second refuses 64 workers, and the share of
// the allowance they use. The limiter's own tests show many more servers, in
// virtual time.
func BenchmarkPace(b *testing.B) {
	for _, style := range []string{"retry-after", "x-ratelimit"} {
		b.Run("headers="+style, func(b *testing.B) {
			limit := testkit.RateLimit{PerSecond: 10, Burst: 10, Style: style}
			server := testkit.NewModelServer(b, answerColour)
			refused, used := paced(b, server, []*bench{liveBench(b, server, "")}, limit, 45*time.Second, 60*time.Second)
			b.ReportMetric(100*refused, "%refused")
			b.ReportMetric(100*used, "%used")
			if refused > 0.03 || used < 0.95 {
				b.Errorf("refused %.2f %% (at most 3), used %.1f %% (at least 95)", 100*refused, 100*used)
			}
		})
	}
}

// BenchmarkReplay is one recorded answer, from the typed question to the checked
// answer.
func BenchmarkReplay(b *testing.B) {
	const known = 2000
	server := testkit.NewModelServer(b, answerColour)
	live := liveBench(b, server, "    limits: {requests_per_minute: 600000}\n")
	task := colourTask(b)
	ask := func(n int) {
		err := live.in(b.Context(), fmt.Sprint("round ", n), func(ctx context.Context, s *pipeline.Scope) error {
			for i := range n {
				if _, err := task.Ask(ctx, s, "captioner", thing{fmt.Sprint("thing ", i%known)}, 0); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	ask(known)
	b.ResetTimer()
	ask(b.N)
}
