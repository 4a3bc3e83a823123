package runner

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Command is a system that is a program: it reads requests from its standard input, a
// line each, and writes a line for each to its standard output. What it writes to its
// standard error is shown where it dies. It is started in a group of its own, which is
// killed as one.
func Command(argv []string, limit time.Duration) System {
	return newRemote(func(context.Context) (transport, error) { return start(argv) }, limit)
}

type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan reply // closed when the program writes no more
	quit   chan struct{}
	stderr *tail
}

type reply struct {
	line []byte
	err  error
}

func start(argv []string) (*process, error) {
	if len(argv) == 0 {
		return nil, errors.New("no program is named")
	}
	p := &process{cmd: exec.Command(argv[0], argv[1:]...), lines: make(chan reply), quit: make(chan struct{}), stderr: &tail{}}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.Stderr = p.stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", argv[0], err)
	}
	p.in = in
	go p.read(out)
	return p, nil
}

// read passes lines on until the program closes its output or the process is closed.
func (p *process) read(out io.Reader) {
	defer close(p.lines)
	in := bufio.NewReaderSize(out, 1<<16)
	for {
		line, err := readLine(in)
		if err != nil && len(line) == 0 && !errors.Is(err, errTooLong) {
			return
		}
		select {
		case p.lines <- reply{line, err}:
		case <-p.quit:
			return
		}
		if err != nil {
			return
		}
	}
}

// readLine is one line without its end, of at most maxLine bytes.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return nil, errTooLong
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// roundTrip implements link. The write has an owner of its own: a program that reads
// nothing would hold it up for ever.
func (p *process) roundTrip(ctx context.Context, line []byte) ([]byte, error) {
	written := make(chan error, 1)
	go func() {
		_, err := p.in.Write(append(line, '\n'))
		written <- err
	}()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case err := <-written:
			if err != nil {
				return nil, p.endError(err)
			}
			written = nil
		case r, more := <-p.lines:
			switch {
			case !more:
				return nil, p.endError(io.ErrUnexpectedEOF)
			case r.err != nil && !errors.Is(r.err, io.EOF):
				return nil, r.err
			}
			return r.line, nil
		}
	}
}

// endError says what a program that is gone left behind.
func (p *process) endError(err error) error {
	if said := p.stderr.String(); said != "" {
		return fmt.Errorf("it ended; its last words: %s", said)
	}
	return fmt.Errorf("it ended (%w) and said nothing on its standard error", err)
}

// close implements link: the program may end by itself for a moment, then its whole
// group is killed.
func (p *process) close() error {
	close(p.quit)
	err := p.in.Close()
	gone := make(chan struct{})
	go func() {
		// How a program ends that is asked nothing any more is its own affair.
		_ = p.cmd.Wait()
		close(gone)
	}()
	select {
	case <-gone:
	case <-time.After(time.Second):
	}
	// Its children may live on; a group that is gone is no error.
	if kill := syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL); kill != nil && !errors.Is(kill, syscall.ESRCH) {
		err = errors.Join(err, kill)
	}
	<-gone
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b[max(0, len(b)-maxDetail):]...)
	t.kept = t.kept[max(0, len(t.kept)-maxDetail):]
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return shorten(string(t.kept))
}
