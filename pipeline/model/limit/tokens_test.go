package limit_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memforge/memforge/pipeline/model/limit"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
)

// tokenServer allows so many tokens a minute, in a bucket that fills steadily or a
// window, and says when to come back.
type tokenServer struct {
	perSecond float64
	burst     float64
	window    bool
	style     string

	left  float64
	since time.Time
}

func (s *tokenServer) take(now time.Time, tokens float64) (bool, http.Header) {
	if s.since.IsZero() {
		s.left, s.since = s.burst, now
	}
	length := time.Duration(s.burst / s.perSecond * float64(time.Second))
	if s.window {
		if n := now.Sub(s.since) / length; n > 0 {
			s.since, s.left = s.since.Add(n*length), s.burst
		}
	} else {
		s.left = min(s.burst, s.left+now.Sub(s.since).Seconds()*s.perSecond)
		s.since = now
	}
	if s.left >= tokens {
		s.left -= tokens
		return true, nil
	}
	wait := time.Duration((tokens - s.left) / s.perSecond * float64(time.Second))
	if s.window {
		wait = s.since.Add(length).Sub(now)
	}
	h := http.Header{}
	switch s.style {
	case "retry-after":
		h.Set("Retry-After", strconv.Itoa(int(wait.Seconds())+1))
	case "retry-after-ms":
		h.Set("Retry-After-Ms", strconv.Itoa(int(wait.Milliseconds())+1))
	}
	return false, h
}

// sizes is how many tokens requests take, by the time that has gone.
type sizes func(r *rand.Rand, gone time.Duration) float64

// mixed requests are small, and every tenth shows pictures.
func mixed(r *rand.Rand, _ time.Duration) float64 {
	if r.IntN(10) == 0 {
		return 4000 + 4000*r.Float64()
	}
	return 200 + 800*r.Float64()
}

// inTurn are small requests for a while and large ones then, as of two nodes.
func inTurn(r *rand.Rand, gone time.Duration) float64 {
	if gone%(74*time.Second) >= 37*time.Second {
		return 4000 + 4000*r.Float64()
	}
	return 200 + 800*r.Float64()
}

// meanTokens of a mixed request.
const meanTokens = 0.9*600 + 0.1*6000

// runTokens has 64 workers ask for ten minutes after a warm-up, and returns the
// share of requests that were refused and the used share of the allowance.
func runTokens(t *testing.T, cfg limit.Config, server *tokenServer, latency, warm time.Duration, size sizes, requests bool) (refused, used float64) {
	t.Helper()
	const measure = 10 * time.Minute
	synctest.Test(t, func(t *testing.T) {
		l := limit.New(cfg)
		ctx, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex
		var good, bad, spent float64
		began := time.Now()
		chance := rand.New(rand.NewPCG(1, 1))
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() {
				for ctx.Err() == nil {
					mu.Lock()
					tokens := size(chance, time.Since(began))
					// What a client knows beforehand is off by a factor that is always the
					// same, and by one that is not.
					guess := int(0.7 * tokens * (0.8 + 0.4*chance.Float64()))
					mu.Unlock()
					for { // until it is answered
						p, err := l.Wait(ctx, guess)
						if err != nil {
							return
						}
						time.Sleep(latency / 2)
						mu.Lock()
						counted := tokens
						if requests {
							counted = meanTokens
						}
						ok, h := server.take(time.Now(), counted)
						if ok {
							good, spent = good+1, spent+counted
						} else {
							bad++
						}
						mu.Unlock()
						time.Sleep(latency / 2)
						if signal := limit.ReadSignal(h, time.Now()); ok {
							p.Answered(signal, int64(tokens))
							break
						} else {
							p.Limited(signal)
						}
					}
				}
			})
		}
		time.Sleep(warm)
		mu.Lock()
		good, bad, spent = 0, 0, 0
		mu.Unlock()
		time.Sleep(measure)
		mu.Lock()
		refused, used = bad/(good+bad), spent/measure.Seconds()/server.perSecond
		mu.Unlock()
		cancel()
		wg.Wait()
	})
	return refused, used
}

// TestTokenPace is the limiter's promise where nobody says what a server counts:
// on average over these servers 2.5 % of the requests at most are refused, and
// 95 % of the allowance are used. When large requests come right after small ones,
// and a quota comes by the minute, the pace is found anew with every change.
func TestTokenPace(t *testing.T) {
	// At small size one simulation in three: of each way to count with either latency,
	// and of each kind of requests.
	place, step := 0, testsize.Choose(3, 1)
	var all, refusedAll, usedAll float64
	for _, tc := range []struct {
		name    string
		seconds float64 // of allowance that may be saved up
		window  bool
		style   string
		warm    time.Duration
	}{
		{"bucket of a second, Retry-After", 1, false, "retry-after", time.Minute},
		{"bucket of a second, retry-after-ms", 1, false, "retry-after-ms", time.Minute},
		{"bucket of a second, no header", 1, false, "", time.Minute},
		{"bucket of six seconds, Retry-After", 6, false, "retry-after", 2 * time.Minute},
		{"bucket of a minute, Retry-After", 60, false, "retry-after", 4 * time.Minute},
		{"window of a minute, Retry-After", 60, true, "retry-after", 4 * time.Minute},
		{"window of a minute, retry-after-ms", 60, true, "retry-after-ms", 4 * time.Minute},
	} {
		for _, latency := range []time.Duration{50 * time.Millisecond, time.Second} {
			for _, kind := range []string{"mixed", "in turn"} {
				for _, requests := range []bool{false, true} {
					if place++; place%step != 0 {
						continue
					}
					const most, least = 0.2, 0.8 // of one, whose luck may be bad
					tokens := mixed
					if kind == "in turn" {
						tokens = inTurn
					}
					name := tc.name + ", " + latency.String() + ", " + kind
					if requests {
						name += ", requests counted"
					}
					t.Run(name, func(t *testing.T) {
						server := &tokenServer{perSecond: 10 * meanTokens, window: tc.window, style: tc.style}
						server.burst = max(8000, tc.seconds*server.perSecond)
						refused, used := runTokens(t, limit.Config{}, server, latency, tc.warm, tokens, requests)
						t.Logf("%5.2f %% refused, %6.2f %% of the allowance used", 100*refused, 100*used)
						if refused > most || used < least {
							t.Errorf("%.2f %% refused (at most %.0f), %.1f %% used (at least %.0f)", 100*refused, 100*most, 100*used, 100*least)
						}
						all, refusedAll, usedAll = all+1, refusedAll+refused, usedAll+used
					})
				}
			}
		}
	}
	t.Logf("%.2f %% refused, %.1f %% used on average", 100*refusedAll/all, 100*usedAll/all)
	if refusedAll/all > 0.025 || usedAll/all < 0.95 {
		t.Errorf("%.2f %% refused, %.1f %% used on average", 100*refusedAll/all, 100*usedAll/all)
	}
}

// TestConfiguredTokenPace: a limit that is configured is kept by what each request
// takes, not by what they take on average.
func TestConfiguredTokenPace(t *testing.T) {
	server := &tokenServer{perSecond: 10 * meanTokens, style: "retry-after", burst: 10 * meanTokens}
	refused, used := runTokens(t, limit.Config{TokensPerMinute: 600 * meanTokens}, server, time.Second, time.Minute, mixed, false)
	t.Logf("%5.2f %% refused, %6.2f %% of the allowance used", 100*refused, 100*used)
	if refused > 0.03 || used < 0.9 {
		t.Errorf("%.2f %% refused (at most 3), %.1f %% used (at least 90)", 100*refused, 100*used)
	}
}
