package catalog

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/memforge/memforge/pipeline/kit/atomicfile"
)

// indexMemory is the memory above which a child that indexes collects garbage all the time.
const indexMemory = "GOMEMLIMIT=220MiB"

// keptIndexes is how many files of indexes stay in the cache.
const keptIndexes = 10

// indexEnding ends names of indexes; files that are being written have another.
const indexEnding = ".index"

// startIndex opens the index in the cache, or begins to build it. Lists do without, so that what
// goes wrong is said by those who search.
func (c *Catalog) startIndex(ctx context.Context, o Options) {
	if o.NoIndex {
		c.state.Err = errors.New("it was not asked for")
		close(c.done)
		return
	}
	file := filepath.Join(o.Cache, fmt.Sprintf("%s-%d%s", c.Digest, indexFormat, indexEnding))
	if err := os.MkdirAll(o.Cache, 0o700); err != nil {
		c.state.Err = fmt.Errorf("folder of the index: %w; name another with MEMFORGE_CACHE", err)
		close(c.done)
		return
	}
	if x, err := openIndex(ctx, file, c.Digest, c.state.Rows); err == nil {
		c.index, c.state.Ready = x, true
		close(c.done)
		return
	}
	building, stop := context.WithCancel(context.WithoutCancel(ctx))
	c.stop = stop
	go func() {
		defer close(c.done)
		x, err := c.buildIndex(building, o, file)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.index, c.state.Ready, c.state.Err = x, err == nil, err
	}()
}

func (c *Catalog) buildIndex(ctx context.Context, o Options, file string) (*index, error) {
	temp, err := os.CreateTemp(o.Cache, filepath.Base(file)+".*.new")
	if err != nil {
		return nil, err
	}
	defer os.Remove(temp.Name()) // where it did not get its name
	report := func(done int64) {
		c.mu.Lock()
		c.state.Done = done
		c.mu.Unlock()
	}
	if err = temp.Close(); err == nil && len(o.Command) > 0 {
		err = runIndexChild(ctx, o.Command, c.Dir, temp.Name(), report)
	} else if err == nil {
		err = buildIndex(ctx, c.Dir, temp.Name(), report)
	}
	if err == nil {
		err = errors.Join(atomicfile.Sync(temp.Name()), os.Rename(temp.Name(), file))
	}
	if err != nil {
		return nil, err
	}
	removeOldIndexes(o.Cache)
	return openIndex(ctx, file, c.Digest, c.state.Rows)
}

// removeOldIndexes leaves the newest indexes. What cannot be removed stays.
func removeOldIndexes(dir string) {
	names, _ := filepath.Glob(filepath.Join(dir, "*"+indexEnding)) // the pattern is sound
	modified := func(name string) time.Time {
		info, err := os.Stat(name)
		if err != nil {
			return time.Time{}
		}
		return info.ModTime()
	}
	slices.SortFunc(names, func(a, b string) int { return modified(b).Compare(modified(a)) })
	for _, name := range names[min(len(names), keptIndexes):] {
		_ = os.Remove(name)
	}
}

// runIndexChild builds an index in a child process, which prints how many rows it has taken in.
func runIndexChild(ctx context.Context, command []string, dir, file string, report func(int64)) error {
	c, out, err := startChild(ctx, command, indexMemory, childIndex, dir, file)
	if err != nil {
		return err
	}
	defer c.end()
	defer c.in.Close()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var done int64
		if _, err := fmt.Sscan(lines.Text(), &done); err == nil {
			report(done)
		}
	}
	if err := errors.Join(lines.Err(), c.cmd.Wait()); err != nil {
		return fmt.Errorf("the process that indexes ended: %w: %s", err, strings.TrimSpace(c.tail.String()))
	}
	return nil
}

// indexChild builds an index for a child process, until in ends.
func indexChild(ctx context.Context, dir, file string, in io.Reader, out io.Writer) error {
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 10) // pages come first; refused, it goes on
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, in) // it ends when the parent does
		stop()
	}()
	err := buildIndex(ctx, dir, file, func(done int64) { fmt.Fprintln(out, done) })
	if err != nil {
		_ = os.Remove(file) // the parent may be gone
	}
	return err
}
