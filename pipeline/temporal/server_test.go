package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/cluster"
	"github.com/memforge/memforge/pipeline/pipelinetest/database"
	"github.com/memforge/memforge/pipeline/pipelinetest/temporalserver"
)

// childVariable holds the orders of a child process that is a worker.
const childVariable = "MEMFORGE_TEMPORAL_WORKER"

func TestMain(m *testing.M) {
	if orders := os.Getenv(childVariable); orders != "" {
		if err := workAsChild(orders); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	temporalserver.End()
	os.Exit(code)
}

func noVariables(string) string { return "" }

// quick is a rhythm for tests: what is dead is found dead within seconds.
func quick() rhythm { return rhythm{beat: 500 * time.Millisecond, silence: 3 * time.Second} }

func dial(t testing.TB, s *temporalserver.Server) *Engine {
	t.Helper()
	e, err := Dial(t.Context(), scheme+s.Address()+"/default", noVariables, Options{Drain: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	e.rhythm = quick()
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// orders are what a child process is told.
type orders struct {
	Address string
	Queues  []cluster.Queue
	Dir     string // where it writes what it does, and reads when a build may end
	Takes   time.Duration
	Drain   time.Duration
}

// child starts a worker in a process of its own.
func child(t *testing.T, s *temporalserver.Server, o orders) *exec.Cmd {
	t.Helper()
	o.Address = s.Address()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childVariable+"="+string(text))
	cmd.Stderr = os.Stderr
	if err := database.Child(cmd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGCONT)
		_ = cmd.Process.Signal(syscall.SIGKILL)
	})
	return cmd
}

func workAsChild(text string) error {
	var o orders
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	e, err := Dial(ctx, scheme+o.Address, noVariables, Options{
		Drain: o.Drain, Log: slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError + 1}),
	})
	if err != nil {
		return err
	}
	e.rhythm = quick()
	return errors.Join(e.Work(ctx, o.Queues, diary{o.Dir, o.Takes}), e.Close())
}

// diary is a worker that writes down what it does.
type diary struct {
	dir   string
	takes time.Duration
}

func (d diary) note(name, word string) error {
	f, err := os.OpenFile(filepath.Join(d.dir, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(word + " " + strconv.Itoa(os.Getpid()) + "\n")
	return errors.Join(err, f.Close())
}

func (d diary) Handle(ctx context.Context, parcel pipeline.Digest) (pipeline.Digest, error) {
	if err := d.note(string(parcel), "begun"); err != nil {
		return "", err
	}
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case <-time.After(d.takes):
		return replyTo(parcel), nil
	}
}

func replyTo(parcel pipeline.Digest) pipeline.Digest {
	return pipeline.DigestOf([]byte("reply to " + parcel))
}

// Drive ends when a file says so.
func (d diary) Drive(ctx context.Context, build string) error {
	if err := d.note(build, "begun"); err != nil {
		return err
	}
	for {
		if _, err := os.Stat(filepath.Join(d.dir, "end-"+build)); err == nil {
			return d.note(build, "done")
		}
		select {
		case <-ctx.Done():
			word := "moved"
			if errors.Is(context.Cause(ctx), cluster.ErrCancelled) {
				word = "cancelled"
			}
			return errors.Join(d.note(build, word), ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// notes are what workers wrote down of a name, one entry a line.
func (d diary) notes(t testing.TB, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(d.dir, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Fields(strings.ReplaceAll(string(text), " ", "-"))
}

// until waits for something that other processes do.
func until(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(60 * time.Second); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

var _ cluster.Handlers = diary{}
