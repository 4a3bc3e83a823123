package enginetest

import (
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/engine/cluster"
	"github.com/memforge/memforge/pipeline/testkit/testwait"
)

// startDrivers starts workers for builds in processes of their own.
func startDrivers(t *testing.T, s Setup, count int) (d workerLog, o workerOrders) {
	t.Helper()
	d = workerLog{dir: t.TempDir()}
	o = workerOrders{Queues: []cluster.Queue{{Name: Queue(t), Drives: true, Slots: 2}}, Dir: d.dir}
	for range count {
		child(t, s, o)
	}
	return d, o
}

// DriverFails: the driver of a build is killed, stopped, or asked to end: another one drives.
func DriverFails(t *testing.T, s Setup) {
	for _, how := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP, syscall.SIGTERM} {
		t.Run(how.String(), func(t *testing.T) {
			d, _ := startDrivers(t, s, 2)
			e := s.dial(t)
			build := "b-" + strconv.Itoa(int(how))
			for range 3 { // a build that runs is left as it is
				if err := e.Start(t.Context(), Queue(t), build); err != nil {
					t.Fatal(err)
				}
			}
			testwait.Until(t, "the first driver", func() bool { return len(workerPIDs(t, d, build, "begun")) == 1 })
			first := workerPIDs(t, d, build, "begun")[0]
			if err := syscall.Kill(first, how); err != nil {
				t.Fatal(err)
			}
			testwait.Until(t, "another driver", func() bool {
				all := workerPIDs(t, d, build, "begun")
				return len(all) > 1 && all[len(all)-1] != first
			})
			endBuild(t, d, build)
			testwait.Until(t, "the end", func() bool { return len(workerPIDs(t, d, build, "done")) == 1 })
			if stopped, err := s.Ended(t, Queue(t), build); stopped || err != nil {
				t.Errorf("the build ended with %v", err)
			}
			if moved := workerPIDs(t, d, build, "moved"); how == syscall.SIGTERM && !slices.Contains(moved, first) {
				t.Errorf("the driver whose worker ends heard nothing: %v", d.read(t, build))
			}
		})
	}
}

// BuildIsCancelled: a build that is cancelled ends its driver, and may be started again.
func BuildIsCancelled(t *testing.T, s Setup) {
	d, _ := startDrivers(t, s, 1)
	e := s.dial(t)
	if err := e.Cancel(t.Context(), "none"); err != nil {
		t.Errorf("cancel a build that does not run: %v", err)
	}
	for n := 1; n <= 2; n++ {
		if err := e.Start(t.Context(), Queue(t), "c"); err != nil {
			t.Fatal(err)
		}
		testwait.Until(t, "the driver", func() bool { return len(workerPIDs(t, d, "c", "begun")) == n })
		if n == 2 {
			break
		}
		if err := e.Cancel(t.Context(), "c"); err != nil {
			t.Fatal(err)
		}
		testwait.Until(t, "the driver's end", func() bool { return len(workerPIDs(t, d, "c", "cancelled")) == n })
		if stopped, err := s.Ended(t, Queue(t), "c"); !stopped || err != nil {
			t.Errorf("a build that was cancelled ended with %v", err)
		}
	}
	endBuild(t, d, "c")
	testwait.Until(t, "the end", func() bool { return len(workerPIDs(t, d, "c", "done")) == 1 })
}

// DriverOutlivesTheServer: a build goes on as if nothing had happened when the server
// restarts.
func DriverOutlivesTheServer(t *testing.T, s Setup) {
	d, _ := startDrivers(t, s, 1)
	e := s.dial(t)
	if err := e.Start(t.Context(), Queue(t), "r"); err != nil {
		t.Fatal(err)
	}
	testwait.Until(t, "the driver", func() bool { return len(workerPIDs(t, d, "r", "begun")) == 1 })
	s.Restart(t, 0)
	time.Sleep(2 * s.Silence) // the time after which a worker counts as dead must pass
	endBuild(t, d, "r")
	testwait.Until(t, "the end", func() bool { return len(workerPIDs(t, d, "r", "done")) > 0 })
	if stopped, err := s.Ended(t, Queue(t), "r"); stopped || err != nil {
		t.Errorf("the build ended with %v", err)
	}
}
