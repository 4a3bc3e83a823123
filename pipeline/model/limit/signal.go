package limit

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Signal is what the headers of a response say about a server's limits.
type Signal struct {
	// Wait is how long to stay away; Told says that the server named it.
	Wait   time.Duration
	Stated bool
	// Full is when a quota that is used up is whole again, where Wait was taken
	// from that.
	Full time.Duration
	// Requests and Tokens are the x-ratelimit quotas.
	Requests, Tokens Quota
}

// Quota of one kind: Left of Limit, and the quota is whole again after Reset.
type Quota struct {
	Limit, Left int64
	Reset       time.Duration
	// Known says that all three were stated and are sensible.
	Known bool
}

// ReadSignal reads Retry-After (seconds or a date), retry-after-ms, RateLimit
// and x-ratelimit-*, whatever of them is there. Values that mean nothing, such
// as -1, count as absent.
func ReadSignal(h http.Header, now time.Time) Signal {
	s := Signal{Requests: readQuota(h, "requests"), Tokens: readQuota(h, "tokens")}
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil && ms >= 0 {
		s.Wait, s.Stated = clampSeconds(ms/1000), true
		return s
	}
	if wait, ok := parseRetryAfter(h.Get("Retry-After"), now); ok {
		s.Wait, s.Stated = wait, true
		return s
	}
	if left, wait, ok := parseRateLimit(h.Get("RateLimit")); ok && left == 0 {
		s.Wait, s.Stated = wait, true
		return s
	}
	if wait, err := strconv.ParseFloat(strings.TrimSpace(h.Get("RateLimit-Reset")), 64); err == nil && wait >= 0 && h.Get("RateLimit-Remaining") == "0" {
		s.Wait, s.Stated = clampSeconds(wait), true
		return s
	}
	for _, q := range []Quota{s.Requests, s.Tokens} {
		if q.Known && q.Left == 0 && q.Reset/time.Duration(q.Limit) > s.Wait {
			// Such a quota fills steadily: the next request is free long before
			// the whole quota is.
			s.Wait, s.Stated, s.Full = q.Reset/time.Duration(q.Limit), true, q.Reset
		}
	}
	return s
}

// maxStatedWait wait that is told apart from "much later".
const maxStatedWait = 48 * time.Hour

func clampSeconds(seconds float64) time.Duration {
	if seconds > maxStatedWait.Seconds() {
		return maxStatedWait
	}
	return time.Duration(seconds * float64(time.Second))
}

func parseRetryAfter(v string, now time.Time) (time.Duration, bool) {
	v = strings.TrimSpace(v)
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		return clampSeconds(max(0, s)), s >= 0
	}
	if at, err := http.ParseTime(v); err == nil {
		// A date is cut to a second, so the moment may lie up to one later.
		return min(maxStatedWait, max(0, at.Sub(now))) + time.Second, true
	}
	return 0, false
}

// parseRateLimit reads `"default";r=0;t=55`, and the older `limit=10, remaining=0,
// reset=55`.
func parseRateLimit(v string) (left int64, wait time.Duration, ok bool) {
	var haveLeft, haveWait bool
	for part := range strings.FieldsFuncSeq(v, func(r rune) bool { return r == ';' || r == ',' }) {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		n, err := strconv.ParseFloat(value, 64)
		if err != nil || n < 0 {
			continue
		}
		switch name {
		case "r", "remaining":
			left, haveLeft = int64(n), true
		case "t", "reset":
			wait, haveWait = clampSeconds(n), true
		}
	}
	return left, wait, haveLeft && haveWait
}

func readQuota(h http.Header, kind string) Quota {
	limit, err1 := strconv.ParseInt(h.Get("X-Ratelimit-Limit-"+kind), 10, 64)
	left, err2 := strconv.ParseInt(h.Get("X-Ratelimit-Remaining-"+kind), 10, 64)
	reset, ok := parseSpan(h.Get("X-Ratelimit-Reset-" + kind))
	if err1 != nil || err2 != nil || !ok || limit <= 0 || left < 0 || left > limit || reset <= 0 {
		return Quota{}
	}
	return Quota{Limit: limit, Left: left, Reset: reset, Known: true}
}

func parseSpan(v string) (time.Duration, bool) {
	v = strings.TrimSpace(v)
	if d, err := time.ParseDuration(v); err == nil {
		return min(d, maxStatedWait), d >= 0
	}
	s, err := strconv.ParseFloat(v, 64)
	return clampSeconds(max(0, s)), err == nil && s >= 0
}

// pace is what the quota allows a second, be it a bucket that fills steadily or a window. A
// small quota says too little.
func (q Quota) pace() float64 {
	if q.Limit < 60 {
		return math.Inf(1)
	}
	return float64(max(q.Left, q.Limit-q.Left)) / q.Reset.Seconds()
}
