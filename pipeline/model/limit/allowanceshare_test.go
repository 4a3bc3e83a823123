package limit_test

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memforge/memforge/pipeline/model/limit"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
)

// process is one of several that share an allowance, in virtual time.
type process struct {
	workers int
	from    time.Duration // when it starts
	until   time.Duration // when it ends, without a word
	good    int
}

// shared has processes ask one server, and measures after a warm-up.
type shared struct {
	cfg           limit.Config
	server        testkit.RateLimit
	board         testkit.SharedState
	latency       time.Duration
	tokens        int // of a request
	warm, measure time.Duration
	processes     []process
}

func (s *shared) run(t *testing.T) (refused, used, exchanges float64) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		bad := 0
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for i := range s.processes {
			p := &s.processes[i]
			cfg := s.cfg
			cfg.Shared, cfg.Name = &s.board, "the server"
			l := limit.New(cfg)
			ask := func(ctx context.Context) bool {
				permit, err := l.Wait(ctx, s.tokens)
				if err != nil {
					return false
				}
				time.Sleep(s.latency / 2)
				mu.Lock()
				ok, h := s.server.Take(time.Now())
				if ok {
					p.good++
				} else {
					bad++
				}
				mu.Unlock()
				time.Sleep(s.latency / 2)
				if signal := limit.ReadSignal(h, time.Now()); ok {
					permit.Answered(signal, int64(s.tokens))
				} else {
					permit.Limited(signal)
				}
				return true
			}
			for range p.workers {
				wg.Go(func() {
					ctx, stop := ctx, context.CancelFunc(func() {})
					if p.until > 0 {
						ctx, stop = context.WithTimeout(ctx, p.until)
					}
					defer stop()
					time.Sleep(p.from)
					for ask(ctx) {
					}
				})
			}
		}
		time.Sleep(s.warm)
		mu.Lock()
		bad = 0
		for i := range s.processes {
			s.processes[i].good = 0
		}
		mu.Unlock()
		before := s.board.Changes()
		time.Sleep(s.measure)
		mu.Lock()
		good := 0
		for _, p := range s.processes {
			good += p.good
		}
		refused = float64(bad) / float64(good+bad)
		used = float64(good) / s.measure.Seconds() / s.server.PerSecond
		mu.Unlock()
		exchanges = float64(s.board.Changes()-before) / s.measure.Seconds() / float64(len(s.processes))
		cancel()
		wg.Wait()
	})
	return refused, used, exchanges
}

func many(n, workers int) []process {
	all := make([]process, n)
	for i := range all {
		all[i].workers = workers
	}
	return all
}

func styled(style string, perSecond float64, burst int, window bool) testkit.RateLimit {
	return testkit.RateLimit{PerSecond: perSecond, Burst: burst, Style: style, Window: window}
}

// TestSharedPace is the promise of TestPace for processes that share an allowance: it
// is one, whatever the server says. Their clocks are an hour from the board's, and
// every seventh change of it happens twice.
func TestSharedPace(t *testing.T) {
	cases := []struct {
		name   string
		server testkit.RateLimit
		cfg    limit.Config
		of     int
		least  float64 // used of the allowance; 0 is 95 %
	}{
		{"found, 4", styled("retry-after", 10, 10, false), limit.Config{}, 4, 0},
		{"configured, 4, one a second", styled("retry-after", 1, 2, false), limit.Config{RequestsPerMinute: 60}, 4, 0},
		{"found, 2", styled("retry-after", 10, 10, false), limit.Config{}, 2, 0},
		{"found, 20", styled("retry-after", 10, 10, false), limit.Config{}, 20, 0},
		{"configured, 4", styled("retry-after", 10, 10, false), limit.Config{RequestsPerMinute: 600}, 4, 0},
		{"configured, 20", styled("retry-after", 10, 10, false), limit.Config{RequestsPerMinute: 600}, 20, 0},
		{"configured tokens, 4", styled("retry-after", 10, 10, false), limit.Config{TokensPerMinute: 60000}, 4, 0},
		{"ms, 4", styled("retry-after-ms", 10, 10, false), limit.Config{}, 4, 0},
		{"x-ratelimit, 4", styled("x-ratelimit", 10, 10, false), limit.Config{}, 4, 0},
		{"no header, 4", styled("", 10, 10, false), limit.Config{}, 4, 0},
		{"quick, 4", styled("retry-after-ms", 100, 100, false), limit.Config{}, 4, 0},
		{"quick, seconds, 4", styled("retry-after", 100, 100, false), limit.Config{}, 4, 0},
		{"quick, configured, 4", styled("retry-after-ms", 100, 100, false), limit.Config{RequestsPerMinute: 6000}, 4, 0},
		// One process alone uses 89 % of it: it is told to wait for longer than the window.
		{"window of a second, 4", styled("retry-after", 10, 10, true), limit.Config{}, 4, 0.65},
		{"window of a minute, 4", styled("retry-after", 10, 600, true), limit.Config{}, 4, 0},
		{"window of a minute, x-ratelimit, 4", styled("x-ratelimit", 10, 600, true), limit.Config{}, 4, 0},
	}
	for _, tc := range cases[:testsize.Choose(2, len(cases))] {
		t.Run(tc.name, func(t *testing.T) {
			s := shared{
				cfg: tc.cfg, server: tc.server, latency: 200 * time.Millisecond, tokens: 100,
				board: testkit.SharedState{Off: time.Hour, Latency: 4 * time.Millisecond, Again: 7},
				warm:  time.Minute, measure: 2 * time.Minute, processes: many(tc.of, 64/tc.of),
			}
			if tc.server.Burst > 100 {
				s.warm, s.measure = 4*time.Minute, 6*time.Minute
			}
			s.check(t, cmp.Or(tc.least, 0.95))
		})
	}
}

func (s *shared) check(t *testing.T, least float64) {
	t.Helper()
	refused, used, exchanges := s.run(t)
	t.Logf("%5.2f %% refused, %6.2f %% of the allowance used, %.1f exchanges a second and process", 100*refused, 100*used, exchanges)
	if refused > 0.03 || used < least {
		t.Errorf("%.2f %% refused (at most 3), %.1f %% used (at least %.0f)", 100*refused, 100*used, 100*least)
	}
	// Four, and one before its time where a process uses up what it holds.
	if exchanges > 6 {
		t.Errorf("%.1f exchanges a second and process", exchanges)
	}
}

// TestShareOfOthers: what a process does not use, and what one held that is gone, the
// others get.
func TestShareOfOthers(t *testing.T) {
	cases := []struct {
		name      string
		least     float64
		processes []process
	}{
		// It holds a request for the next time it wants one.
		{"one wants little", 0.9, []process{{workers: 1}, {workers: 48}}},
		{"one dies", 0.95, []process{{workers: 24, until: 70 * time.Second}, {workers: 24}}},
		{"one comes later", 0.95, []process{{workers: 16, from: 70 * time.Second}, {workers: 16}}},
		{"many die", 0.95, append(many(2, 16), process{workers: 16, until: 65 * time.Second}, process{workers: 16, until: 70 * time.Second})},
	}
	for _, tc := range cases[:testsize.Choose(2, len(cases))] {
		t.Run(tc.name, func(t *testing.T) {
			s := shared{
				cfg: limit.Config{RequestsPerMinute: 1200}, server: styled("retry-after", 20, 20, false), latency: time.Second,
				board: testkit.SharedState{Off: -time.Hour, Latency: 4 * time.Millisecond}, tokens: 100,
				warm: time.Minute, measure: time.Minute, processes: tc.processes,
			}
			s.check(t, tc.least)
		})
	}
}

// TestNothingIsSentWithoutTheBoard: where processes cannot agree they wait.
func TestNothingIsSentWithoutTheBoard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		board := &testkit.SharedState{}
		l := limit.New(limit.Config{Shared: board, Name: "the server", RequestsPerMinute: 6000})
		ctx, cancel := context.WithCancel(t.Context())
		var sent atomic.Int64
		ended := make(chan error)
		go func() {
			for {
				p, err := l.Wait(ctx, 1)
				if err != nil {
					ended <- err
					return
				}
				sent.Add(1)
				p.Answered(limit.Signal{}, 1)
			}
		}()
		time.Sleep(10 * time.Second)
		board.Delay(time.Minute)
		time.Sleep(time.Second)
		before := sent.Load()
		time.Sleep(58 * time.Second)
		if n := sent.Load() - before; before < 900 || n > 0 {
			t.Errorf("%d requests were sent, and %d while nobody could agree", before, n)
		}
		time.Sleep(10 * time.Second)
		if n := sent.Load() - before; n < 800 || n > 1000 {
			t.Errorf("%d requests in 9 seconds then", n)
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// TestRefusalStopsAll: what one is told by a 429 holds for all who share the allowance.
func TestRefusalStopsAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		board := &testkit.SharedState{Off: time.Hour}
		one := limit.New(limit.Config{Shared: board, Name: "the server"})
		other := limit.New(limit.Config{Shared: board, Name: "the server"})
		stranger := limit.New(limit.Config{Shared: board, Name: "another server"})
		send := func(l *limit.Limiter) time.Duration {
			t.Helper()
			began := time.Now()
			p, err := l.Wait(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			p.Answered(limit.Signal{}, 1)
			return time.Since(began)
		}
		send(other)
		send(stranger)
		p, err := one.Wait(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		p.Limited(limit.ReadSignal(http.Header{"Retry-After": {"30"}}, time.Now()))
		var back sync.WaitGroup
		back.Go(func() { send(one) }) // and so tells the others
		time.Sleep(time.Second)
		if took := send(other); took < 28*time.Second || took > 40*time.Second {
			t.Errorf("the other waited %v, want the rest of 30 seconds and its turn", took)
		}
		if took := send(stranger); took > time.Second {
			t.Errorf("who asks another server waited %v", took)
		}
		back.Wait()
	})
}
