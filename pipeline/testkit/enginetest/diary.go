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

// Handle notes that a parcel was begun.
func (d diary) Handle(ctx context.Context, parcel pipeline.Digest) (pipeline.Digest, error) {
	if err := d.note(string(parcel), "begun"); err != nil {
		return "", err
	}
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case <-time.After(d.takes):
		return ReplyTo(parcel), nil
	}
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

var _ cluster.Handlers = diary{}

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
