// Package testwait lets tests wait for what other goroutines and processes do.
package testwait

import (
	"testing"
	"time"
)

// timeout is long enough for a machine that does much else.
const timeout = 2 * time.Minute

// Until waits until a condition holds, and fails the test when that takes too long.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	if !Poll(timeout, holds) {
		t.Fatalf("waited in vain for %s", what)
	}
}

// Poll waits until a condition holds and reports whether it does within a time. It asks often
// at first and then up to fifty times a second.
func Poll(within time.Duration, holds func() bool) bool {
	end := time.NewTimer(within)
	defer end.Stop()
	for pause := time.Millisecond; !holds(); pause = min(pause*5/4+1, 20*time.Millisecond) {
		select {
		case <-end.C:
			return holds()
		case <-time.After(pause):
		}
	}
	return true
}
