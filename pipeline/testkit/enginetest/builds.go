package enginetest

import (
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/engine/cluster"
)

// driven starts workers for builds in processes of their own.
func driven(t *testing.T, s Site, count int) (d diary, o orders) {
	t.Helper()
	d = diary{dir: t.TempDir()}
	o = orders{Queues: []cluster.Queue{{Name: Queue(t), Drives: true, Slots: 2}}, Dir: d.dir}
	for range count {
		child(t, s, o)
	}
	return d, o
}

// DriverFails: the driver of a build is killed, stopped, or asked to end: another one drives.
func DriverFails(t *testing.T, s Site) {
	for _, how := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP, syscall.SIGTERM} {
		t.Run(how.String(), func(t *testing.T) {
			d, _ := driven(t, s, 2)
			e := s.dial(t)
			build := "b-" + strconv.Itoa(int(how))
			for range 3 { // a build that runs is left as it is
				if err := e.Start(t.Context(), Queue(t), build); err != nil {
					t.Fatal(err)
				}
			}
			until(t, "the first driver", func() bool { return len(pids(t, d, build, "begun")) == 1 })
			first := pids(t, d, build, "begun")[0]
			if err := syscall.Kill(first, how); err != nil {
				t.Fatal(err)
			}
			until(t, "another driver", func() bool {
				all := pids(t, d, build, "begun")
				return len(all) > 1 && all[len(all)-1] != first
			})
			letEnd(t, d, build)
			until(t, "the end", func() bool { return len(pids(t, d, build, "done")) == 1 })
			if stopped, err := s.Ended(t, Queue(t), build); stopped || err != nil {
				t.Errorf("the build ended with %v", err)
			}
			if moved := pids(t, d, build, "moved"); how == syscall.SIGTERM && !slices.Contains(moved, first) {
				t.Errorf("the driver whose worker ends heard nothing: %v", d.notes(t, build))
			}
		})
	}
}

// BuildIsCancelled: a build that is cancelled ends its driver, and may be started again.
func BuildIsCancelled(t *testing.T, s Site) {
	d, _ := driven(t, s, 1)
	e := s.dial(t)
	if err := e.Cancel(t.Context(), "none"); err != nil {
		t.Errorf("cancel a build that does not run: %v", err)
	}
	for n := 1; n <= 2; n++ {
		if err := e.Start(t.Context(), Queue(t), "c"); err != nil {
			t.Fatal(err)
		}
		until(t, "the driver", func() bool { return len(pids(t, d, "c", "begun")) == n })
		if n == 2 {
			break
		}
		if err := e.Cancel(t.Context(), "c"); err != nil {
			t.Fatal(err)
		}
		until(t, "the driver's end", func() bool { return len(pids(t, d, "c", "cancelled")) == n })
		if stopped, err := s.Ended(t, Queue(t), "c"); !stopped || err != nil {
			t.Errorf("a build that was cancelled ended with %v", err)
		}
	}
	letEnd(t, d, "c")
	until(t, "the end", func() bool { return len(pids(t, d, "c", "done")) == 1 })
}

// DriverOutlivesTheServer: a build goes on as if nothing had happened when the server
// restarts.
func DriverOutlivesTheServer(t *testing.T, s Site) {
	d, _ := driven(t, s, 1)
	e := s.dial(t)
	if err := e.Start(t.Context(), Queue(t), "r"); err != nil {
		t.Fatal(err)
	}
	until(t, "the driver", func() bool { return len(pids(t, d, "r", "begun")) == 1 })
	s.Restart(t, 0)
	time.Sleep(2 * s.Silence)
	letEnd(t, d, "r")
	until(t, "the end", func() bool { return len(pids(t, d, "r", "done")) > 0 })
	if stopped, err := s.Ended(t, Queue(t), "r"); stopped || err != nil {
		t.Errorf("the build ended with %v", err)
	}
}
