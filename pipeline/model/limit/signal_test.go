package limit_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/model/limit"
)

func TestReadSignal(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	quota := func(limit, left, reset string) http.Header {
		h := http.Header{}
		h.Set("x-ratelimit-limit-requests", limit)
		h.Set("x-ratelimit-remaining-requests", left)
		h.Set("x-ratelimit-reset-requests", reset)
		return h
	}
	one := func(name, value string) http.Header {
		h := http.Header{}
		h.Set(name, value)
		return h
	}
	both := one("Retry-After", "60")
	both.Set("retry-after-ms", "250")
	for _, tc := range []struct {
		name   string
		header http.Header
		wait   time.Duration
		told   bool
		known  bool
	}{
		{"nothing", http.Header{}, 0, false, false},
		{"seconds", one("Retry-After", "7"), 7 * time.Second, true, false},
		{"a fraction", one("Retry-After", "0.5"), 500 * time.Millisecond, true, false},
		{"a date", one("Retry-After", now.Add(9*time.Second).Format(http.TimeFormat)), 10 * time.Second, true, false},
		{"a date gone by", one("Retry-After", now.Add(-time.Hour).Format(http.TimeFormat)), time.Second, true, false},
		{"negative", one("Retry-After", "-1"), 0, false, false},
		{"words", one("Retry-After", "soon"), 0, false, false},
		{"huge", one("Retry-After", "1e300"), 48 * time.Hour, true, false},
		{"not a number", one("Retry-After", "NaN"), 0, false, false},
		{"milliseconds", one("retry-after-ms", "120"), 120 * time.Millisecond, true, false},
		{"milliseconds before seconds", both, 250 * time.Millisecond, true, false},
		{"RateLimit", one("RateLimit", `"default";r=0;t=30`), 30 * time.Second, true, false},
		{"RateLimit with some left", one("RateLimit", `"default";r=4;t=30`), 0, false, false},
		{"the older RateLimit", one("RateLimit", "limit=10, remaining=0, reset=12"), 12 * time.Second, true, false},
		{"quota used up", quota("60", "0", "6m0s"), 6 * time.Second, true, true},
		{"quota left", quota("60", "59", "1s"), 0, false, true},
		{"quota in seconds", quota("10", "0", "20"), 2 * time.Second, true, true},
		{"quota of -1", quota("-1", "-1", "6m0s"), 0, false, false},
		{"more left than there is", quota("10", "11", "1s"), 0, false, false},
		{"no reset", quota("10", "0", ""), 0, false, false},
	} {
		got := limit.ReadSignal(tc.header, now)
		if got.Wait != tc.wait || got.Stated != tc.told || got.Requests.Known != tc.known {
			t.Errorf("%s: %+v, want a wait of %s (told %t), quota known %t", tc.name, got, tc.wait, tc.told, tc.known)
		}
	}
}

func FuzzReadSignal(f *testing.F) {
	for _, v := range []string{"7", "6m0s", "-1", `"d";r=0;t=9`, "NaN", "Inf", "1e400", "Fri, 02 Jan 2026 03:04:05 GMT"} {
		f.Add(v)
	}
	names := []string{"Retry-After", "retry-after-ms", "RateLimit", "RateLimit-Reset", "x-ratelimit-limit-requests", "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"}
	f.Fuzz(func(t *testing.T, v string) {
		for _, name := range names {
			h := http.Header{"Ratelimit-Remaining": {"0"}, "X-Ratelimit-Limit-Requests": {"10"}, "X-Ratelimit-Remaining-Requests": {"0"}, "X-Ratelimit-Reset-Requests": {"1s"}}
			h.Set(name, v)
			if s := limit.ReadSignal(h, time.Unix(0, 0)); s.Wait < 0 || s.Wait > 49*time.Hour {
				t.Errorf("%s: %q means a wait of %s", name, v, s.Wait)
			}
		}
	})
}
