package catalog

import (
	"bufio"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/memforge/memforge/pipeline/internal/extsort"
)

// read answers requests for rows of the release in dir until in ends. It is for a child process:
// a page of a hostile table that kills it kills nothing else.
func read(ctx context.Context, dir string, in io.Reader, out io.Writer) error {
	r, err := newTableReader(ctx, dir)
	w := bufio.NewWriter(out)
	enc, dec := gob.NewEncoder(w), gob.NewDecoder(bufio.NewReader(in))
	hello := reply{Next: -1}
	if err != nil {
		hello.Err = err.Error()
	}
	if err := errors.Join(enc.Encode(hello), w.Flush()); err != nil || r == nil {
		return err
	}
	for {
		var q request
		if err := dec.Decode(&q); err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return errors.Join(err, r.close())
		}
		if err := errors.Join(enc.Encode(r.answer(ctx, q)), w.Flush()); err != nil {
			return errors.Join(err, r.close())
		}
	}
}

// TableError says that a table could not be read. The next request tries again.
type TableError struct {
	Table string
	Err   error
	// Rows is set where the table can be read, and so many rows of it belong to what was asked for
	// that only these are given.
	Rows int
}

func (e *TableError) Error() string {
	if e.Rows > 0 {
		return fmt.Sprintf("table %s: only the first %d rows that belong here are shown", e.Table, e.Rows)
	}
	return fmt.Sprintf("table %s cannot be read: %v; memforge verify says whether the release is whole", e.Table, e.Err)
}

func (e *TableError) Unwrap() error { return e.Err }

// reader answers requests: in this process, or by a child.
type reader interface {
	ask(context.Context, request) (reply, error)
	close() error
}

// localReader reads in this process.
type localReader struct {
	mu sync.Mutex
	*tableReader
}

func (l *localReader) ask(ctx context.Context, q request) (reply, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.answer(ctx, q), ctx.Err()
}

// childReader keeps a child process that reads. After one died the next request starts another.
type childReader struct {
	command []string
	dir     string
	mu      sync.Mutex
	live    *child
}

// child is a running process.
type child struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	enc  *gob.Encoder
	dec  *gob.Decoder
	tail *tail
	end  context.CancelFunc
}

// readerMemory is the memory above which a child that reads collects garbage all the time.
const readerMemory = "GOMEMLIMIT=160MiB"

// startChild starts this program with words of the catalog behind command. The process ends with
// in, and reads garbage away above memory.
func startChild(ctx context.Context, command []string, memory string, words ...string) (c *child, out io.Reader, err error) {
	ctx, end := context.WithCancel(ctx)
	c = &child{cmd: exec.CommandContext(ctx, command[0], append(command[1:len(command):len(command)], words...)...), tail: &tail{}, end: end}
	c.cmd.Env, c.cmd.WaitDelay, c.cmd.Stderr = append(os.Environ(), memory), time.Second, c.tail
	c.in, err = c.cmd.StdinPipe()
	out, err2 := c.cmd.StdoutPipe()
	if err = errors.Join(err, err2); err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		end()
		return nil, nil, fmt.Errorf("start a process of this program: %w", err)
	}
	return c, out, nil
}

func (c *childReader) start() (*child, error) {
	out, stdout, err := startChild(context.Background(), c.command, readerMemory, childRead, c.dir)
	if err != nil {
		return nil, err
	}
	out.enc, out.dec = gob.NewEncoder(out.in), gob.NewDecoder(bufio.NewReader(stdout))
	var hello reply
	if err := out.dec.Decode(&hello); err != nil {
		return nil, out.died(err)
	}
	if hello.Err != "" {
		_ = out.died(nil) // it says why itself
		return nil, errors.New(hello.Err)
	}
	return out, nil
}

// died ends the process and says what it said last.
func (c *child) died(err error) error {
	c.end()
	_ = c.cmd.Wait() // killed
	if said := c.tail.String(); said != "" {
		return fmt.Errorf("the process that reads it ended: %w: %s", err, said)
	}
	return fmt.Errorf("the process that reads it ended: %w", err)
}

// replyTime is how long a request may take.
const replyTime = 2 * time.Minute

// ask waits for the reply even where ctx ends before, so that the child may go on living.
func (c *childReader) ask(ctx context.Context, q request) (reply, error) {
	c.mu.Lock()
	if err := ctx.Err(); err != nil {
		c.mu.Unlock()
		return reply{}, err
	}
	type answer struct {
		reply reply
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		defer c.mu.Unlock()
		r, err := c.exchange(q)
		done <- answer{r, err}
	}()
	select {
	case <-ctx.Done():
		return reply{}, ctx.Err()
	case a := <-done:
		return a.reply, a.err
	}
}

func (c *childReader) exchange(q request) (r reply, err error) {
	if c.live == nil {
		if c.live, err = c.start(); err != nil {
			return r, &TableError{Table: q.Table, Err: err}
		}
	}
	live := c.live
	timer := time.AfterFunc(replyTime, live.end)
	defer timer.Stop()
	if err = live.enc.Encode(q); err == nil {
		err = live.dec.Decode(&r)
	}
	if err != nil {
		c.live = nil
		return reply{}, &TableError{Table: q.Table, Err: live.died(err)}
	}
	return r, nil
}

func (c *childReader) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.live == nil {
		return nil
	}
	live := c.live
	c.live = nil
	err := live.in.Close() // it ends by itself
	timer := time.AfterFunc(10*time.Second, live.end)
	defer timer.Stop()
	return errors.Join(err, live.cmd.Wait())
}

// tail keeps the first words of what a process says on its error stream.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const mostTail = 300

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b[:min(len(b), mostTail-len(t.text))]...)
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}

// rows are cells of rows of one table, with their numbers.
type rows struct {
	cells   [][]any
	numbers []int64
	next    int64
}

// read asks for rows. A table that the release does not have has no rows.
func (c *Catalog) read(ctx context.Context, q request) (rows, error) {
	r, err := c.reader.ask(ctx, q)
	switch {
	case err != nil:
		return rows{}, err
	case r.Err != "":
		return rows{}, &TableError{Table: q.Table, Err: errors.New(r.Err)}
	}
	out := rows{numbers: r.Numbers, next: r.Next}
	for _, b := range r.Rows {
		out.cells = append(out.cells, extsort.DecodeRow(b))
	}
	return out, nil
}

// RunChild is the whole of a child process: args are the words that a catalog puts behind
// Options.Command.
func RunChild(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	if len(args) == 2 && args[0] == childRead {
		return read(ctx, args[1], in, out)
	}
	if len(args) == 3 && args[0] == childIndex {
		return indexChild(ctx, args[1], args[2], in, out)
	}
	return errors.New("this command is for memforge view and memforge review; they start it themselves")
}

// Words of children.
const (
	childRead  = "read"
	childIndex = "index"
)
