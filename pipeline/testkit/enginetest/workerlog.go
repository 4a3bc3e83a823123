package enginetest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/cluster"
)

// workerLog is a worker that writes down what it does.
type workerLog struct {
	dir   string
	takes time.Duration
}

func (d workerLog) write(name, word string) error {
	f, err := os.OpenFile(filepath.Join(d.dir, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(word + " " + strconv.Itoa(os.Getpid()) + "\n")
	return errors.Join(err, f.Close())
}

// Handle notes that a batch was begun.
func (d workerLog) Handle(ctx context.Context, batch pipeline.Digest) (pipeline.Digest, error) {
	if err := d.write(string(batch), "begun"); err != nil {
		return "", err
	}
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case <-time.After(d.takes):
		return ReplyTo(batch), nil
	}
}

// Coordinate ends when a file says so.
func (d workerLog) Coordinate(ctx context.Context, build string) error {
	if err := d.write(build, "begun"); err != nil {
		return err
	}
	for {
		if _, err := os.Stat(filepath.Join(d.dir, "end-"+build)); err == nil {
			return d.write(build, "done")
		}
		select {
		case <-ctx.Done():
			word := "moved"
			if errors.Is(context.Cause(ctx), cluster.ErrCancelled) {
				word = "cancelled"
			}
			return errors.Join(d.write(build, word), ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// read are what workers wrote down of a name, one entry a line.
func (d workerLog) read(t testing.TB, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(d.dir, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Fields(strings.ReplaceAll(string(text), " ", "-"))
}

var _ cluster.Handlers = workerLog{}

// workerPIDs are the processes whose notes have a word.
func workerPIDs(t testing.TB, d workerLog, build, word string) (all []int) {
	t.Helper()
	for _, n := range d.read(t, build) {
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

func endBuild(t testing.TB, d workerLog, build string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(d.dir, "end-"+build), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}
