package temporal

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/cluster"
	"github.com/memforge/memforge/pipeline/pipelinetest/temporalserver"
)

// driven starts workers for builds in processes of their own.
func driven(t *testing.T, s *temporalserver.Server, count int) (d diary, o orders) {
	t.Helper()
	d = diary{dir: t.TempDir()}
	o = orders{Queues: []cluster.Queue{{Name: t.Name(), Drives: true, Slots: 2}}, Dir: d.dir, Drain: 2 * time.Second}
	for range count {
		child(t, s, o)
	}
	return d, o
}

// pids are the processes whose notes have a word.
func pids(t testing.TB, d diary, build, word string) (all []int) {
	t.Helper()
	for _, n := range d.notes(t, build) {
		if after, is := strings.CutPrefix(n, word+"-"); is {
			pid, err := strconv.Atoi(after)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, pid)
		}
	}
	return all
}

func letEnd(t testing.TB, d diary, build string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(d.dir, "end-"+build), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// The driver of a build is killed, stopped, or asked to end: another one drives.
func TestDriverFails(t *testing.T) {
	s := temporalserver.Started(t)
	for _, how := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP, syscall.SIGTERM} {
		t.Run(how.String(), func(t *testing.T) {
			d, _ := driven(t, s, 2)
			e := dial(t, s)
			build := "b-" + strconv.Itoa(int(how))
			for range 3 { // a build that runs is left as it is
				if err := e.Start(t.Context(), t.Name(), build); err != nil {
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
			if err := e.client.GetWorkflow(t.Context(), buildName(build), "").Get(t.Context(), nil); err != nil {
				t.Errorf("the build ended with %v", err)
			}
			if moved := pids(t, d, build, "moved"); how == syscall.SIGTERM && !slices.Contains(moved, first) {
				t.Errorf("the driver whose worker ends heard nothing: %v", d.notes(t, build))
			}
		})
	}
}

// A build that is cancelled ends its driver, and may be started again.
func TestBuildIsCancelled(t *testing.T) {
	s := temporalserver.Started(t)
	d, _ := driven(t, s, 1)
	e := dial(t, s)
	if err := e.Cancel(t.Context(), "none"); err != nil {
		t.Errorf("cancel a build that does not run: %v", err)
	}
	for n := 1; n <= 2; n++ {
		if err := e.Start(t.Context(), t.Name(), "c"); err != nil {
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
		if err := e.client.GetWorkflow(t.Context(), buildName("c"), "").Get(t.Context(), nil); !stopped(err) {
			t.Errorf("a build that was cancelled ended with %v", err)
		}
	}
	letEnd(t, d, "c")
	until(t, "the end", func() bool { return len(pids(t, d, "c", "done")) == 1 })
}

// A build whose worker restarts with the server goes on as if nothing had happened.
func TestDriverOutlivesTheServer(t *testing.T) {
	s := temporalserver.Started(t)
	d, _ := driven(t, s, 1)
	e := dial(t, s)
	if err := e.Start(t.Context(), t.Name(), "r"); err != nil {
		t.Fatal(err)
	}
	until(t, "the driver", func() bool { return len(pids(t, d, "r", "begun")) == 1 })
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * quick().silence)
	letEnd(t, d, "r")
	until(t, "the end", func() bool { return len(pids(t, d, "r", "done")) > 0 })
	if err := e.client.GetWorkflow(t.Context(), buildName("r"), "").Get(t.Context(), nil); err != nil {
		t.Errorf("the build ended with %v", err)
	}
}
