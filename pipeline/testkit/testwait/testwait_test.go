package testwait_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/memforge/memforge/pipeline/testkit/testwait"
)

func TestPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		after := func(d time.Duration) func() bool { return func() bool { return time.Since(start) >= d } }
		if !testwait.Poll(0, after(0)) || time.Since(start) != 0 {
			t.Errorf("it waits %v for what holds already", time.Since(start))
		}
		if !testwait.Poll(time.Minute, after(10*time.Second)) || time.Since(start) > 10*time.Second+20*time.Millisecond {
			t.Errorf("it waits %v for what holds after 10 s", time.Since(start))
		}
		start = time.Now()
		if testwait.Poll(time.Second, after(time.Hour)) || time.Since(start) != time.Second {
			t.Errorf("it gives up after %v, want 1 s", time.Since(start))
		}
	})
}
