// Package progress shows how a build is getting on: a line for each step that is
// complete, and below them a bar on a terminal, or a line every few seconds elsewhere; or
// JSON lines for machines. Times and rates are only ever
// shown, never written to an output of the build.
package progress

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/cheggaaa/pb/v3"
	"golang.org/x/sys/unix"

	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/schemas"
)

// Format of the progress output.
type Format string

// The formats.
const (
	Bar  Format = "bar"
	Text Format = "text"
	JSON Format = "json"
)

// Reporter receives the counts of a running build.
type Reporter struct {
	out    io.Writer
	format Format
	now    func() time.Time
	start  time.Time
	last   time.Time
	done   map[string]bool
	bar    *pb.ProgressBar
	// barShown says that the last line of the terminal is the bar.
	barShown bool
	spent    func() string
	drain    <-chan struct{}
	awaits   func() string
	clock    *estimator
	expect   <-chan Expectation
	eta      time.Duration
	etaAt    time.Time
}

// interval is the time between two plain lines.
const interval = 5 * time.Second

// New returns a reporter that starts counting time at now().
func New(out io.Writer, format Format, now func() time.Time) *Reporter {
	return &Reporter{out: out, format: format, now: now, start: now(), last: now(), done: map[string]bool{}, clock: newEstimator()}
}

// Expect hands over what is known of the build, once that is there. Until then the
// time left is told by what was measured alone.
func (r *Reporter) Expect(when <-chan Expectation) { r.expect = when }

// Spending adds what models have cost so far to what is shown. The text is empty
// while there is nothing to say.
func (r *Reporter) Spending(text func() string) { r.spent = text }

// Draining has it said, once the channel is closed, that the build is interrupted
// and what it waits for besides the steps at work; the text may be empty.
func (r *Reporter) Draining(drain <-chan struct{}, awaits func() string) {
	r.drain, r.awaits = drain, awaits
}

// interrupted is said once.
func (r *Reporter) interrupted(s State) {
	select {
	case <-r.drain:
		r.drain = nil
	default:
		return
	}
	awaits := r.awaits()
	if r.format == JSON {
		r.json(map[string]any{"event": "interrupted", "active": s.Active, "awaits": awaits})
		return
	}
	if awaits != "" {
		awaits = "; " + awaits
	}
	r.wipeBar()
	fmt.Fprintf(r.out, "interrupted: nothing new is started, running tasks of %v may end%s; a second signal ends all at once\n", s.Active, awaits)
}

func (r *Reporter) spending() string {
	if r.spent == nil {
		return ""
	}
	return r.spent()
}

// State is the progress of the whole build.
type State struct {
	// Done units of Known ones. Known grows while sources are read.
	Done, Known int
	Reused      int
	Lost        int
	// Rate is units a second since the start.
	Rate float64
	// ETA is how long what is left will take; zero while that is not known.
	ETA time.Duration
	// Active names the unfinished steps that have begun.
	Active []string
}

// knownUnits returns how many units a step has, as far as they are known.
func knownUnits(c engine.Count) int {
	switch {
	case c.Complete:
		return c.Summary.Units
	case c.Whole: // one unit reads all records
		return 1
	}
	return max(c.Known, c.Summary.Units)
}

// Sum adds the counts of the steps up.
func Sum(counts []engine.Count, elapsed time.Duration) State {
	var s State
	for _, c := range counts {
		s.Done += c.Summary.Units
		s.Known += knownUnits(c)
		s.Reused += c.Summary.Reused
		s.Lost += c.Summary.Lost
		if c.Complete {
			continue
		}
		if c.Summary.Units > 0 || c.Known > 0 {
			s.Active = append(s.Active, c.Step)
		}
	}
	computed := s.Done - s.Reused
	if elapsed > 0 {
		s.Rate = float64(computed) / elapsed.Seconds()
	}
	return s
}

// refresh is how old the time left that is shown may be.
const refresh = time.Second

// left returns how long the build will go on.
func (r *Reporter) left(counts []engine.Count, now time.Time) time.Duration {
	select {
	case e, ok := <-r.expect:
		if r.expect = nil; ok {
			r.clock.expect = e
		}
	default:
	}
	r.clock.observe(counts, now.Sub(r.start))
	if r.etaAt.IsZero() || now.Sub(r.etaAt) >= refresh {
		r.eta, r.etaAt = r.clock.remaining(counts), now
	}
	return r.eta
}

// Observe shows the counts. It is meant for local.Options.Observe.
func (r *Reporter) Observe(counts []engine.Count) {
	now := r.now()
	s := Sum(counts, now.Sub(r.start))
	s.ETA = r.left(counts, now)
	r.interrupted(s)
	for _, c := range counts {
		if c.Complete && !r.done[c.Step] {
			r.done[c.Step] = true
			r.finished(c)
		}
	}
	if r.format == Bar {
		r.drawBar(s, now)
		return
	}
	if now.Sub(r.last) >= interval && len(s.Active) > 0 {
		r.last = now
		r.line(s)
	}
}

// Redrawing the bar: how often, and how it looks, in a line as wide as the terminal.
const (
	redraw      = 200 * time.Millisecond
	wipeLine    = "\r\x1b[K"
	barTemplate = `{{percent . "%.0f %%"}} {{bar . }} {{counters . }} tasks, {{string . "at"}}`
)

// drawBar shows the bar in the last line of the terminal, below the lines of the steps
// that are complete.
func (r *Reporter) drawBar(s State, now time.Time) {
	if r.bar == nil {
		r.bar = pb.New(s.Known).SetTemplateString(barTemplate).Set(pb.Static, true)
	} else if r.barShown && now.Sub(r.last) < redraw {
		return
	}
	r.last, r.barShown = now, true
	at := "ETA " + etaText(s.ETA)
	if spent := r.spending(); spent != "" {
		at += ", models: " + spent
	}
	if at += ", at work: " + strings.Join(s.Active, " "); len(s.Active) == 0 {
		at = "writing the release"
	}
	r.bar.SetTotal(int64(s.Known)).SetCurrent(int64(s.Done)).Set("at", at)
	fmt.Fprint(r.out, wipeLine+r.bar.SetWidth(r.columns()).String())
}

// columns returns how wide the bar may be: the last column of the terminal stays free,
// since some begin a new line after it.
func (r *Reporter) columns() int {
	if f, ok := r.out.(*os.File); ok {
		if size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ); err == nil && size.Col > 1 {
			return int(size.Col) - 1
		}
	}
	return 79
}

// wipeBar clears the line of the bar for another.
func (r *Reporter) wipeBar() {
	if r.barShown {
		fmt.Fprint(r.out, wipeLine)
		r.barShown = false
	}
}

// Close takes the bar away.
func (r *Reporter) Close() { r.wipeBar() }

// finished prints one line for a step that is complete.
func (r *Reporter) finished(c engine.Count) {
	s := c.Summary
	if r.format == JSON {
		r.json(map[string]any{"event": "node", "node": c.Step, "in": s.In, "out": s.Out, "reused": s.Reused,
			"built": s.Units - s.Reused, "lost": s.Lost, "flagged": s.Flagged, "reasons": s.Reasons, "verdicts": s.Verdicts})
		return
	}
	line := fmt.Sprintf("%-18s %7d in %7d out  %d built, %d reused", c.Step, s.In, s.Out, s.Units-s.Reused, s.Reused)
	if s.Lost+s.Flagged > 0 {
		line += fmt.Sprintf("; %d lost, %d flagged", s.Lost, s.Flagged)
		for _, code := range s.ReasonCodes() {
			line += fmt.Sprintf(" %s=%d", code, s.Reasons[code])
		}
	}
	if s.Verdicts != nil && s.Verdicts.Unjudged() != "" {
		line += "; " + s.Verdicts.Unjudged()
	}
	r.wipeBar()
	fmt.Fprintln(r.out, line)
}

func (r *Reporter) line(s State) {
	if r.format == JSON {
		event := map[string]any{"event": "progress", "done": s.Done, "known": s.Known, "reused": s.Reused,
			"lost": s.Lost, "per_second": s.Rate, "active": s.Active, "models": r.spending()}
		if s.ETA > 0 {
			event["eta_seconds"] = s.ETA.Seconds()
		}
		r.json(event)
		return
	}
	text := ""
	if spent := r.spending(); spent != "" {
		text = "; models: " + spent
	}
	fmt.Fprintf(r.out, "... %d of %d tasks, %.1f/s, ETA %s, at work: %v%s\n", s.Done, s.Known, s.Rate, etaText(s.ETA), s.Active, text)
}

func (r *Reporter) json(fields map[string]any) {
	b, err := json.Marshal(fields)
	if err != nil {
		b = []byte(`{"event":"error"}`)
	}
	fmt.Fprintf(r.out, "%s\n", b)
}

func etaText(d time.Duration) string {
	if d == 0 {
		return "estimating"
	}
	return d.String()
}

// maxShownLosses is how many lost items a person is told of; machines get all.
const maxShownLosses = 20

// ReportLosses says which items were lost, by file where they are of one.
func (r *Reporter) ReportLosses(lost []schemas.Rejection) {
	for i, l := range lost {
		if r.format == JSON {
			r.json(map[string]any{"event": "refused", "node": l.Stage, "source": l.Source, "path": l.Path, "id": l.ID, "code": l.Code, "reason": l.Reason})
			continue
		}
		if i == maxShownLosses {
			fmt.Fprintf(r.out, "and %d more; table rejections of the release has all\n", len(lost)-i)
			return
		}
		safetext.Fprintf(r.out, "refused by %s: %s: %s: %s\n", l.Stage, itemText(l), l.Code, l.Reason)
	}
}

// itemText names an item: the file that a person knows, then the id that
// `memforge explain` takes.
func itemText(l schemas.Rejection) string {
	switch {
	case l.Path == "" && l.Source == "":
		return l.ID
	case l.Path == "":
		return l.Source + " " + l.ID
	case l.Path == l.ID:
		return l.Source + " " + l.Path
	}
	return fmt.Sprintf("%s %s (%s)", l.Source, l.Path, l.ID)
}
