//go:build unix

package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"syscall"
	"time"
	"unicode"
)

const killGrace = 5 * time.Second

const maxStderr = 64 << 10

type command struct {
	op      string // what it does, for errors
	probe   bool   // run ffprobe, not ffmpeg
	args    []string
	stdin   io.Reader
	stdout  io.Writer
	more    []io.Writer // get what the program writes to descriptors 3, 4, ...
	timeout time.Duration
	hide    []string // paths to strip from messages
}

// outcome is how a program that could be started ended.
type outcome struct {
	exit     int // -1 when a signal ended it
	timedOut bool
	messages []string // its stderr, without paths and addresses
}

// RunError says that a tool failed: by exit code, by signal, by running out of
// time, or by printing an error and exiting with 0 all the same.
type RunError struct {
	Op       string
	Exit     int // -1: ended by a signal
	TimedOut bool
	// Messages are the lines the tool printed, at most 64 KiB, without the
	// paths and addresses that differ between machines.
	Messages []string
}

func (e *RunError) Error() string {
	switch {
	case e.TimedOut:
		return fmt.Sprintf("%s: ffmpeg did not end in time and was stopped; raise the timeout or use a shorter input", e.Op)
	case len(e.Messages) > 0:
		return fmt.Sprintf("%s: %s", e.Op, e.Messages[0])
	case e.Exit < 0:
		return fmt.Sprintf("%s: ffmpeg was killed from outside, perhaps for want of memory", e.Op)
	}
	return fmt.Sprintf("%s: ffmpeg left with exit code %d and no message", e.Op, e.Exit)
}

// check accepts nothing but exit code 0 and silence.
func (o outcome) check(op string) error {
	if o.exit != 0 || o.timedOut || len(o.messages) > 0 {
		return &RunError{Op: op, Exit: o.exit, TimedOut: o.timedOut, Messages: o.messages}
	}
	return nil
}

// run executes a command, whose outputs go to reads, and accepts nothing but
// exit code 0 and silence.
func (t *Tools) run(ctx context.Context, c command, reads ...func(io.Reader) error) error {
	out, err := t.streams(ctx, c, reads...)
	if err != nil {
		return err
	}
	return out.check(c.op)
}

// exec is the one place that starts a program. An error means that it could
// not be started, that ctx was cancelled, or that stdin or stdout failed; how
// the program judged its input is in the outcome.
func (t *Tools) exec(ctx context.Context, c command) (outcome, error) {
	paths, err := t.locate()
	if err != nil {
		return outcome{}, fmt.Errorf("%s: %w", c.op, err)
	}
	limited, cancel := ctx, context.CancelFunc(func() {})
	if c.timeout > 0 {
		limited, cancel = context.WithTimeout(ctx, c.timeout)
	}
	defer cancel()
	program := paths.ffmpeg
	if c.probe {
		program = paths.ffprobe
	}
	cmd := exec.CommandContext(limited, program, c.args...)
	messages := &limitedBuffer{max: maxStderr}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.stdin, c.stdout, messages
	cmd.Env = environment(os.Environ())
	release := stopGently(cmd, t.grace)
	err = c.start(cmd)
	release()
	return judgeRun(ctx, limited, c, cmd, err, messages)
}

func (c command) start(cmd *exec.Cmd) error {
	if len(c.more) == 0 {
		return cmd.Run()
	}
	ends, err := c.pipes(cmd)
	if err != nil {
		return err
	}
	err = cmd.Start()
	closeAll(cmd.ExtraFiles)
	if err != nil {
		closeAll(ends)
		return err
	}
	read := make(chan error, len(ends))
	for i, r := range ends {
		go func() {
			_, err := io.Copy(c.more[i], r)
			read <- err
		}()
	}
	err = cmd.Wait()
	for _, r := range ends {
		// A grandchild that left the group may still hold the pipe.
		_ = r.SetReadDeadline(time.Now().Add(10 * time.Second))
	}
	for range ends {
		err = errors.Join(err, <-read)
	}
	closeAll(ends)
	return err
}

// pipes gives a program a descriptor for each of more and returns our ends.
func (c command) pipes(cmd *exec.Cmd) (ends []*os.File, err error) {
	for range c.more {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(append(ends, cmd.ExtraFiles...))
			return nil, err
		}
		ends, cmd.ExtraFiles = append(ends, r), append(cmd.ExtraFiles, w)
	}
	return ends, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

func judgeRun(ctx, limited context.Context, c command, cmd *exec.Cmd, err error, messages *limitedBuffer) (outcome, error) {
	if ctx.Err() != nil {
		return outcome{}, fmt.Errorf("%s: %w", c.op, context.Cause(ctx))
	}
	if cmd.ProcessState == nil && limited.Err() != nil && errors.Is(err, context.DeadlineExceeded) {
		return outcome{exit: -1, timedOut: true}, nil // before it had begun
	}
	if cmd.ProcessState == nil {
		return outcome{}, fmt.Errorf("%s: start %s: %w", c.op, cmd.Args[0], err)
	}
	out := outcome{exit: cmd.ProcessState.ExitCode(), messages: cleanMessages(messages.kept.String(), c.hide)}
	if limited.Err() != nil && err != nil {
		out.timedOut = true
		return out, nil
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return outcome{}, fmt.Errorf("%s: %w", c.op, err)
	}
	return out, nil
}

// environment drops what changes ffmpeg's behaviour from outside and fixes the
// language of messages.
func environment(all []string) []string {
	var kept []string
	for _, kv := range all {
		name, _, _ := strings.Cut(kv, "=")
		if name == "FFREPORT" || name == "LANGUAGE" || strings.HasPrefix(name, "AV_LOG_") || strings.HasPrefix(name, "LC_") {
			continue
		}
		kept = append(kept, kv)
	}
	return append(kept, "LC_ALL=C", "AV_LOG_FORCE_NOCOLOR=1")
}

// limitedBuffer keeps the first max bytes written to it and swallows the rest. The
// buffer is no embedded field: its ReadFrom would go past the limit.
type limitedBuffer struct {
	kept bytes.Buffer
	max  int
}

func (h *limitedBuffer) Write(p []byte) (int, error) {
	if room := h.max - h.kept.Len(); room > 0 {
		h.kept.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func globalArgs() []string {
	return []string{"-hide_banner", "-nostdin", "-v", "error", "-y", "-filter_threads", "1", "-filter_complex_threads", "1"}
}

// stopGently gives the command a process group of its own. When its context
// ends the group is interrupted, so that ffmpeg can close its files, and
// killed after the grace period. The returned function must be called when the
// command has ended.
func stopGently(cmd *exec.Cmd, grace time.Duration) (release func()) {
	cmd.SysProcAttr = childAttributes()
	// Wait gives up on the pipes one second after the kill, should a
	// grandchild that left the group hold them open.
	cmd.WaitDelay = grace + time.Second
	done := make(chan struct{})
	cmd.Cancel = func() error {
		group := -cmd.Process.Pid
		if err := syscall.Kill(group, syscall.SIGINT); err != nil {
			return alreadyGone(err)
		}
		go func() {
			select {
			case <-done:
			case <-time.After(grace):
				// The group still exists: its leader has not been waited for.
				_ = syscall.Kill(group, syscall.SIGKILL)
			}
		}()
		return nil
	}
	return func() { close(done) }
}

func alreadyGone(err error) error {
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

var address = regexp.MustCompile(` @ 0x[0-9a-f]+`)

// cleanMessages splits a tool's stderr into lines that are the same on every machine:
// paths become "input", memory addresses and control characters go.
func cleanMessages(stderr string, hide []string) []string {
	hide = append([]string(nil), hide...)
	sort.Slice(hide, func(i, j int) bool { return len(hide[i]) > len(hide[j]) })
	var lines []string
	for _, line := range strings.FieldsFunc(stderr, func(r rune) bool { return r == '\n' || r == '\r' }) {
		for _, path := range hide {
			if path == "" || path == "." || path == "/" {
				continue
			}
			line = strings.ReplaceAll(line, "file:"+path, "input")
			line = strings.ReplaceAll(line, path, "input")
		}
		line = strings.Map(printable, strings.ToValidUTF8(address.ReplaceAllString(line, ""), "?"))
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

func printable(r rune) rune {
	if unicode.IsControl(r) {
		return -1
	}
	return r
}

// inputURL returns the path in the form every command gets it: absolute, with
// the protocol spelled out so that no part of the name is taken for one.
func inputURL(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return "file:" + abs, nil
}

// ffmpegPart is one thing that ffmpeg is asked for: inputs and an output of its
// own. Starting the program costs more than most parts do, so one run takes
// several: none sees the inputs of another, and each gives what it gives alone.
type ffmpegPart struct {
	op string
	// inputs are options of an input, up to its "-i" and file.
	inputs [][]string
	// output is the output without its destination; the part's inputs are
	// numbered from first.
	output func(first int) []string
	stdin  io.Reader // at most one part of a run has one
	// read takes the output; nil where only messages count.
	read func(io.Reader) error
	hide []string
}

// unthreaded has inputs read in turn. Else each of several has a thread of its
// own, which hands every packet over: of eight videos this took 0.07 to 0.18 s of
// system time each, and takes 0.03 to 0.07 s in turn.
var unthreaded = []string{"-thread_queue_size", "0"}

// runParts makes one run of parts and accepts nothing but exit code 0 and
// silence. Only what it accepts was read whole.
func (t *Tools) runParts(ctx context.Context, lim Limits, parts ...ffmpegPart) error {
	c := command{args: globalArgs(), timeout: lim.Timeout}
	var outputs []string
	var reads []func(io.Reader) error
	inputs := 0
	for _, p := range parts {
		c.op = p.op
		for _, in := range p.inputs {
			c.args = append(append(c.args, unthreaded...), in...)
		}
		outputs = append(outputs, p.output(inputs)...)
		inputs += len(p.inputs)
		c.hide = append(c.hide, p.hide...)
		if p.stdin != nil {
			c.stdin = p.stdin
		}
		if p.read == nil {
			outputs = append(outputs, "-f", "null", "-")
			continue
		}
		// Descriptors 0 to 2 are taken, but the first output is 1.
		pipe := 1
		if len(reads) > 0 {
			pipe = 2 + len(reads)
		}
		outputs = append(outputs, fmt.Sprintf("pipe:%d", pipe))
		reads = append(reads, p.read)
	}
	c.args = append(c.args, outputs...)
	return t.run(ctx, c, reads...)
}
