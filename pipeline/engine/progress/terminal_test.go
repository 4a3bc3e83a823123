package progress

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"

	"github.com/memforge/memforge/pipeline/engine"
)

const rows = 12

// terminal is a pseudo-terminal whose screen a test reads.
type terminal struct {
	*Reporter
	clock  *clock
	screen vt10x.Terminal
	end    func()
}

func newTerminal(t *testing.T, columns int) *terminal {
	t.Helper()
	shown, out, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(out, &pty.Winsize{Rows: rows, Cols: uint16(columns)}); err != nil {
		t.Fatal(err)
	}
	c := &clock{t: time.Unix(0, 0)}
	term := &terminal{Reporter: New(out, Bar, c.now), clock: c, screen: vt10x.New(vt10x.WithSize(columns, rows))}
	read := make(chan error, 1)
	go func() {
		_, err := io.Copy(term.screen, shown)
		read <- err
	}()
	term.end = func() {
		out.Close()
		<-read // the other side is closed: an error that says no more
		shown.Close()
	}
	return term
}

// observe shows counts after a second more.
func (t *terminal) observe(counts ...engine.Count) {
	t.clock.t = t.clock.t.Add(time.Second)
	t.Observe(counts)
}

// lines of the screen, without those that are empty.
func (t *terminal) lines() (lines []string) {
	for l := range strings.SplitSeq(t.screen.String(), "\n") {
		if l = strings.TrimRight(l, " "); l != "" {
			lines = append(lines, l)
		}
	}
	return lines
}

func step(name string, done, known, flagged int) engine.Count {
	s := engine.Summary{In: known, Units: done, Out: done, Flagged: flagged}
	if flagged > 0 {
		s.Reasons = map[string]int{"leak": flagged}
	}
	return engine.Count{Step: name, Running: 1, Known: known, Closed: true, Complete: done == known, Summary: s}
}

// TestTerminal: while a build runs its bar is the last line, however narrow the terminal is;
// what is complete stands above it, and at the end nothing else is left.
func TestTerminal(t *testing.T) {
	for _, columns := range []int{30, 60, 80, 200} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			term := newTerminal(t, columns)
			term.observe(step("films", 10, 20, 0), step("gate", 0, 0, 0))
			term.observe(step("films", 20, 20, 0), step("gate", 15, 20, 1))
			term.end()
			lines := term.lines()
			last := lines[len(lines)-1]
			if !strings.HasPrefix(last, "88 %") || len([]rune(last)) >= columns || strings.Count(strings.Join(lines, "\n"), " %") != 1 {
				t.Errorf("the bar is not the last line alone:\n%s", strings.Join(lines, "\n"))
			}
			if columns >= 80 && !strings.Contains(last, "35 / 40 tasks, ETA ") {
				t.Errorf("the bar is %q", last)
			}
			if columns == 200 && !strings.HasSuffix(last, "at work: gate") {
				t.Errorf("the bar is %q", last)
			}
		})
	}
}

// TestTerminalAfterABuild has the lines of the steps, what gates flagged among them, and
// nothing of the bar.
func TestTerminalAfterABuild(t *testing.T) {
	term := newTerminal(t, 100)
	term.observe(step("films", 20, 20, 0), step("gate", 15, 20, 1))
	term.observe(step("films", 20, 20, 0), step("gate", 20, 20, 17))
	term.Close()
	term.end()
	want := []string{
		"films                   20 in      20 out  20 built, 0 reused",
		"gate                    20 in      20 out  20 built, 0 reused; 0 lost, 17 flagged leak=17",
	}
	if got := term.lines(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the screen has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestTerminalWhileTheReleaseIsWritten: all steps are complete, and the build goes on.
func TestTerminalWhileTheReleaseIsWritten(t *testing.T) {
	term := newTerminal(t, 100)
	term.observe(step("gate", 20, 20, 0))
	term.end()
	if lines := term.lines(); len(lines) != 2 || !strings.HasPrefix(lines[1], "100 %") || !strings.HasSuffix(lines[1], "20 / 20 tasks, writing the release") {
		t.Errorf("the screen has\n%s", strings.Join(lines, "\n"))
	}
}

// TestTerminalOfAnInterruptedBuild: what is said has its own line.
func TestTerminalOfAnInterruptedBuild(t *testing.T) {
	term := newTerminal(t, 140)
	drain := make(chan struct{})
	term.Draining(drain, func() string { return "" })
	term.observe(step("gate", 10, 20, 0))
	close(drain)
	term.observe(step("gate", 11, 20, 0))
	term.end()
	lines := term.lines()
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "interrupted: ") || !strings.HasPrefix(lines[1], "55 %") {
		t.Errorf("the screen has\n%s", strings.Join(lines, "\n"))
	}
}
