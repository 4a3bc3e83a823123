package fetch

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// limitError asks for a wait before the next attempt.
type limitError struct{ wait time.Duration }

func (e *limitError) Error() string { return fmt.Sprintf("rate limit: wait %s", e.wait) }

// limited tells whether an answer is about the rate and how long to wait.
func (c *client) limited(a *answer) (time.Duration, bool) {
	h := a.Header
	spent := h.Get("X-RateLimit-Remaining") == "0"
	switch {
	case a.StatusCode == http.StatusTooManyRequests:
	case a.StatusCode == http.StatusForbidden && (spent || h.Get("Retry-After") != ""):
	case a.StatusCode == http.StatusServiceUnavailable && h.Get("Retry-After") != "":
	default:
		return 0, false
	}
	if left, wait, ok := rateLimit(h.Get("RateLimit")); ok && left == 0 {
		return wait + time.Second, true
	}
	if wait, ok := c.retryAfter(h.Get("Retry-After")); ok {
		return wait, true
	}
	if at, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64); err == nil && spent {
		return max(0, time.Unix(at, 0).Sub(c.opts.Now())) + time.Second, true
	}
	return 0, true
}

// retryAfter reads seconds or an HTTP date.
func (c *client) retryAfter(v string) (time.Duration, bool) {
	if s, ok := seconds(v); ok {
		return s, true
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, at.Sub(c.opts.Now())), true
	}
	return 0, false
}

// seconds reads a whole number of seconds. What a duration cannot hold is
// cut to a day, which exceeds every patience.
func seconds(v string) (time.Duration, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
	if err != nil || n < 0 {
		return 0, false
	}
	return time.Duration(min(n, 86400)) * time.Second, true
}

// rateLimit reads the header `"resolvers";r=0;t=55`: r requests are left and
// the window ends in t seconds.
func rateLimit(v string) (left int64, wait time.Duration, ok bool) {
	var haveLeft, haveWait bool
	for part := range strings.SplitSeq(v, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "r":
			n, err := strconv.ParseInt(value, 10, 64)
			left, haveLeft = n, err == nil && n >= 0
		case "t":
			wait, haveWait = seconds(value)
		}
	}
	return left, wait, haveLeft && haveWait
}

// noteLimits remembers that a class of requests has none left.
func (c *client) noteLimits(class string, h http.Header) {
	if left, wait, ok := rateLimit(h.Get("RateLimit")); ok && left == 0 {
		c.delayClass(class, wait+time.Second)
	}
}

// delayClass keeps a class of requests back for a time. What one worker is told holds
// for all of them.
func (c *client) delayClass(class string, wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if until := c.opts.Now().Add(wait); until.After(c.until[class]) {
		c.until[class] = until
	}
}

// hostClass is the class of all requests to one host.
func hostClass(u *url.URL) string { return "host " + origin(u) }

// await sleeps until a class of requests may go on.
func (c *client) await(ctx context.Context, class string) error {
	c.mu.Lock()
	wait := c.until[class].Sub(c.opts.Now())
	c.mu.Unlock()
	if wait <= 0 {
		return nil
	}
	if wait > c.opts.MaxWait {
		return &limitError{wait}
	}
	return c.opts.Sleep(ctx, wait)
}
