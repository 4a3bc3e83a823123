package pipelinetest

import (
	"fmt"
	"math"
	"net/http"
	"time"
)

// RateLimit is a limit that a model server enforces.
type RateLimit struct {
	// PerSecond is the allowance.
	PerSecond float64
	// Burst is how many requests may come at once: the size of the bucket that
	// fills at PerSecond, or of a window's quota when Window is set.
	Burst int
	// Window renews the whole quota every Burst/PerSecond seconds instead of
	// filling steadily.
	Window bool
	// Style of the headers: retry-after, retry-after-date, retry-after-ms,
	// x-ratelimit, ratelimit, or nothing at all.
	Style string

	left  float64
	since time.Time
}

// SetLimit makes the server enforce a limit from now on.
func (m *ModelServer) SetLimit(l RateLimit) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l.left, l.since = float64(l.Burst), time.Now()
	m.limit = &l
}

// limited refuses a request that exceeds the limit.
func (m *ModelServer) limited(w http.ResponseWriter) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.limit
	if l == nil {
		return false
	}
	now := time.Now()
	l.refill(now)
	refuse := l.left < 1
	if !refuse {
		l.left--
	}
	l.headers(w.Header(), refuse, now)
	if refuse {
		m.counts.Limited++
		writeError(w, http.StatusTooManyRequests, "rate_limit_exceeded", "Rate limit reached for requests")
	}
	return refuse
}

func (l *RateLimit) refill(now time.Time) {
	window := time.Duration(float64(l.Burst) / l.PerSecond * float64(time.Second))
	if !l.Window {
		l.left = math.Min(float64(l.Burst), l.left+now.Sub(l.since).Seconds()*l.PerSecond)
		l.since = now
		return
	}
	if n := now.Sub(l.since) / window; n > 0 {
		l.since, l.left = l.since.Add(n*window), float64(l.Burst)
	}
}

// next is when a request is free again, full when the whole quota is.
func (l *RateLimit) next(now time.Time) (next, full time.Duration) {
	seconds := func(s float64) time.Duration { return time.Duration(max(0, s) * float64(time.Second)) }
	if l.Window {
		end := l.since.Add(seconds(float64(l.Burst) / l.PerSecond)).Sub(now)
		return end, end
	}
	return seconds((1 - l.left) / l.PerSecond), seconds((float64(l.Burst) - l.left) / l.PerSecond)
}

func (l *RateLimit) headers(h http.Header, refused bool, now time.Time) {
	next, full := l.next(now)
	switch l.Style {
	case "x-ratelimit":
		h.Set("x-ratelimit-limit-requests", fmt.Sprint(l.Burst))
		h.Set("x-ratelimit-remaining-requests", fmt.Sprint(int(l.left)))
		h.Set("x-ratelimit-reset-requests", full.String())
		h.Set("x-ratelimit-limit-tokens", "-1")
		h.Set("x-ratelimit-remaining-tokens", "-1")
		h.Set("x-ratelimit-reset-tokens", "6m0s")
	case "ratelimit":
		h.Set("RateLimit", fmt.Sprintf(`"default";r=%d;t=%d`, int(l.left), int(math.Ceil(full.Seconds()))))
	}
	if !refused {
		return
	}
	switch l.Style {
	case "retry-after":
		h.Set("Retry-After", fmt.Sprint(int(math.Ceil(next.Seconds()))))
	case "retry-after-date":
		h.Set("Retry-After", now.Add(next+time.Second).UTC().Format(http.TimeFormat))
	case "retry-after-ms":
		h.Set("retry-after-ms", fmt.Sprint(math.Ceil(float64(next)/float64(time.Millisecond))))
	}
}
