package limit_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memforge/memforge/pipeline/model/limit"
	"github.com/memforge/memforge/pipeline/testkit"
)

// simulation has workers ask a server that enforces a limit, in virtual time.
type simulation struct {
	cfg           limit.Config
	server        testkit.RateLimit
	latency       time.Duration
	warm, measure time.Duration
	// refuse is the share of requests that are refused for no reason.
	refuse float64
	// then changes the allowance after the warm-up.
	then float64
}

// run returns the share of refused requests and the used share of the allowance
// after the warm-up.
func (s simulation) run(t *testing.T) (refused, used float64) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := limit.New(s.cfg)
		ctx, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex
		var good, bad int
		chance := rand.New(rand.NewPCG(1, 1))
		take := func() (bool, http.Header) {
			mu.Lock()
			defer mu.Unlock()
			ok, h := s.server.Take(time.Now())
			if ok && chance.Float64() < s.refuse {
				ok, h = false, http.Header{"Retry-After-Ms": {"20"}}
			}
			if ok {
				good++
			} else {
				bad++
			}
			return ok, h
		}
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() {
				for {
					p, err := l.Wait(ctx, 100)
					if err != nil {
						return
					}
					time.Sleep(s.latency / 2)
					ok, h := take()
					time.Sleep(s.latency / 2)
					if signal := limit.ReadSignal(h, time.Now()); ok {
						p.Answered(signal, 100)
					} else {
						p.Limited(signal)
					}
				}
			})
		}
		time.Sleep(s.warm)
		mu.Lock()
		good, bad = 0, 0
		if s.then > 0 {
			s.server.PerSecond = s.then
		}
		mu.Unlock()
		time.Sleep(s.measure)
		mu.Lock()
		refused = float64(bad) / float64(good+bad)
		used = float64(good) / s.measure.Seconds() / s.server.PerSecond
		mu.Unlock()
		cancel()
		wg.Wait()
	})
	return refused, used
}

// TestPace is the limiter's promise: with 64 workers and a server that allows 10
// requests a second, at most 3 % are refused in steady state and at least 95 %
// of the allowance is used, whatever the server says in its headers.
func TestPace(t *testing.T) {
	bucket := func(style string) testkit.RateLimit {
		return testkit.RateLimit{PerSecond: 10, Burst: 10, Style: style}
	}
	window := func(style string) testkit.RateLimit {
		l := bucket(style)
		l.Window = true
		return l
	}
	minute := func(l testkit.RateLimit) testkit.RateLimit {
		l.Burst *= 60
		return l
	}
	for _, tc := range []struct {
		name   string
		server testkit.RateLimit
		cfg    limit.Config
	}{
		{"bucket, Retry-After", bucket("retry-after"), limit.Config{}},
		{"bucket, Retry-After as a date", bucket("retry-after-date"), limit.Config{}},
		{"bucket, retry-after-ms", bucket("retry-after-ms"), limit.Config{}},
		{"bucket, x-ratelimit", bucket("x-ratelimit"), limit.Config{}},
		{"bucket, RateLimit", bucket("ratelimit"), limit.Config{}},
		{"bucket, no header", bucket(""), limit.Config{}},
		{"window, Retry-After", window("retry-after"), limit.Config{}},
		{"window, retry-after-ms", window("retry-after-ms"), limit.Config{}},
		{"window, x-ratelimit", window("x-ratelimit"), limit.Config{}},
		{"window, RateLimit", window("ratelimit"), limit.Config{}},
		{"window, no header", window(""), limit.Config{}},
		{"bucket of a minute, Retry-After", minute(bucket("retry-after")), limit.Config{}},
		{"bucket of a minute, x-ratelimit", minute(bucket("x-ratelimit")), limit.Config{}},
		{"window of a minute, Retry-After", minute(window("retry-after")), limit.Config{}},
		{"window of a minute, x-ratelimit", minute(window("x-ratelimit")), limit.Config{}},
		{"configured", bucket("retry-after"), limit.Config{RequestsPerMinute: 600}},
		{"tokens configured", bucket("retry-after"), limit.Config{TokensPerMinute: 60000}},
	} {
		for _, latency := range []time.Duration{10 * time.Millisecond, time.Second} {
			t.Run(tc.name+", "+latency.String(), func(t *testing.T) {
				s := simulation{cfg: tc.cfg, server: tc.server, latency: latency, warm: time.Minute, measure: 10 * time.Minute}
				if tc.server.Burst > 100 {
					s.warm = 4 * time.Minute // what had been saved up is used first
				}
				refused, used := s.run(t)
				t.Logf("%5.2f %% refused, %6.2f %% of the allowance used", 100*refused, 100*used)
				if refused > 0.03 || used < 0.95 {
					t.Errorf("%.2f %% refused (at most 3), %.1f %% used (at least 95)", 100*refused, 100*used)
				}
			})
		}
	}
}

func TestPaceFollowsTheServer(t *testing.T) {
	for _, then := range []float64{5, 20} {
		s := simulation{
			server:  testkit.RateLimit{PerSecond: 10, Burst: 10, Style: "retry-after"},
			latency: 50 * time.Millisecond, warm: 2 * time.Minute, measure: 20 * time.Minute, then: then,
		}
		refused, used := s.run(t)
		t.Logf("from 10 to %g a second: %.2f %% refused, %.1f %% used over 20 minutes", then, 100*refused, 100*used)
		if refused > 0.05 || used < 0.85 {
			t.Errorf("from 10 to %g a second: %.2f %% refused, %.1f %% used", then, 100*refused, 100*used)
		}
	}
}

func TestRefusalsForNoReasonDoNotStopIt(t *testing.T) {
	s := simulation{
		server:  testkit.RateLimit{PerSecond: 1e5, Burst: 1000},
		latency: 5 * time.Millisecond, warm: time.Second, measure: time.Minute, refuse: 0.05,
	}
	_, used := s.run(t)
	t.Logf("%.1f requests a second", used*1e5)
	if used*1e5 < 10 {
		t.Errorf("%.2f requests a second are left", used*1e5)
	}
}

func TestFailingServerIsAskedByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limit.New(limit.Config{})
		ctx, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex
		running, most, sent := 0, 0, 0
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() {
				for {
					p, err := l.Wait(ctx, 1)
					if err != nil {
						return
					}
					mu.Lock()
					running++
					if sent++; sent > 32 {
						most = max(most, running)
					}
					mu.Unlock()
					time.Sleep(10 * time.Millisecond)
					mu.Lock()
					running--
					mu.Unlock()
					p.Failed()
					time.Sleep(time.Second)
				}
			})
		}
		time.Sleep(5 * time.Second)
		cancel()
		wg.Wait()
		if most > 1 {
			t.Errorf("%d requests at once go to a server that keeps failing", most)
		}
	})
}

func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limit.New(limit.Config{MaxWait: time.Minute})
		p, err := l.Wait(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		p.Limited(limit.ReadSignal(http.Header{"Retry-After": {"7200"}}, time.Now()))
		var late *limit.TooLongError
		if _, err := l.Wait(t.Context(), 1); !errors.As(err, &late) || late.Wait != 2*time.Hour {
			t.Errorf("error %v, want to be told of a wait of 2 hours", err)
		}
	})
}

func TestConcurrencyAndCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limit.New(limit.Config{Concurrency: 2})
		a, _ := l.Wait(t.Context(), 1)
		_, _ = l.Wait(t.Context(), 1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := l.Wait(ctx, 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a third request at once: %v", err)
		}
		a.Answered(limit.Signal{}, 1)
		if _, err := l.Wait(t.Context(), 1); err != nil {
			t.Error(err)
		}
	})
}
