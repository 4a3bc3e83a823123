package testkit

import (
	"fmt"
	"maps"
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
	m.limit = &l
}

// Take decides on one request at a time and gives the headers of the answer.
// The limit begins with a full quota at the first request.
func (l *RateLimit) Take(now time.Time) (ok bool, h http.Header) {
	if l.since.IsZero() {
		l.left, l.since = float64(l.Burst), now
	}
	l.refill(now)
	if ok = l.left >= 1; ok {
		l.left--
	}
	h = http.Header{}
	l.headers(h, !ok, now)
	return ok, h
}

// limited refuses a request that exceeds the limit.
func (m *ModelServer) limited(w http.ResponseWriter) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.limit == nil {
		return false
	}
	ok, h := m.limit.Take(time.Now())
	maps.Copy(w.Header(), h)
	if !ok {
		m.counts.Limited++
		m.countsChanged()
		writeError(w, http.StatusTooManyRequests, "rate_limit_exceeded", "Rate limit reached for requests")
	}
	return !ok
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
