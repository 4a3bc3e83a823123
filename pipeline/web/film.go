package web

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline/web/catalog"
	"github.com/memforge/memforge/schemas"
)

// Film is a video with its time line: how it was composed, and where its evidence is.
type Film struct {
	// ID is that of the element, Media the digest of the file.
	ID, Media string
	Facts     string
	Width     int32
	Height    int32
	FPS       float64
	Frames    int64
	// Open is the fragment that opens the file at its first span.
	Open string
	// Missing says why there is no file to play.
	Missing string
	Lanes   []lane
	Axis    []mark
	Spans   []Span
}

// lane is one row of a time line, Label what it shows in words. Role is that of its element:
// a picture, or a group of links.
type lane struct {
	Name, Label, Role string
	Bars              []bar
	Ticks             []mark
}

// bar is a stretch of a lane, with X and Width in per cent. Span is its row in Spans, from 1,
// From and To are its seconds.
type bar struct {
	X, Width, Class, Text string
	Span                  int
	From, To              float64
}

// mark is a point of a lane. Right says that the clue is there.
type mark struct {
	X, Text, Anchor string
	Right           bool
}

// Span is one row of the table of spans.
type Span struct {
	Number   int
	From, To float64
	Role     string
	Class    string
	Stated   []string
}

// show says what of an item is shown. What gives gold away is left out unless Gold is set.
type show struct{ Gold, Captions bool }

var refPattern = regexp.MustCompile(`^([0-9a-f]{64})(?:#t=([0-9.]+),([0-9.]+))?$`)

// mediaSpan returns the medium that evidence shows and its seconds. A whole medium has none.
func mediaSpan(e schemas.Evidence) (id string, from, to float64, ok bool) {
	m := refPattern.FindStringSubmatch(cmp.Or(e.Media, e.Ref))
	if m == nil {
		return "", 0, 0, false
	}
	from, err := strconv.ParseFloat(cmp.Or(m[2], "0"), 64)
	to, err2 := strconv.ParseFloat(cmp.Or(m[3], "0"), 64)
	return m[1], from, to, err == nil && err2 == nil && from <= to
}

// roleClasses are the classes of the style sheet for roles of evidence.
var roleClasses = map[string]string{
	schemas.RoleClue: "clue", schemas.RoleUpdate: "clue", schemas.RoleAbsence: "abs", schemas.RoleAlternative: "clue",
	schemas.RoleSuperseded: "old", schemas.RoleDistractor: "dis", schemas.RoleContext: "ctx",
}

// NewFilm returns the n-th video of a page without a time line. m is the medium of an id, if
// the release has it.
func NewFilm(n int, id string, m catalog.Medium) Film {
	return Film{ID: fmt.Sprint("film", n), Media: id, Width: m.Width, Height: m.Height, FPS: m.FPS, Frames: m.Frames, Facts: filmFacts(m.Media), Missing: absent(m)}
}

// newFilm returns the n-th video of a question with its time line.
func newFilm(n int, m catalog.Medium, q *schemas.Question, s show) Film {
	f := NewFilm(n, m.MediaID, m)
	if m.Duration <= 0 {
		return f
	}
	at := timeScale{m.Duration}
	f.Spans = filmSpans(m, q, s)
	f.Lanes = recipeLanes(m, at)
	if len(f.Spans) > 0 {
		f.Open = fmt.Sprintf("#t=%.3f,%.3f", f.Spans[0].From, f.Spans[0].To)
		f.Lanes = append(f.Lanes, spanLane(f.Spans, at))
	}
	if kind := q.Labels[schemas.LabelEvent]; kind != "" && s.Gold {
		f.Lanes = append(f.Lanes, eventLane(kind, m.Shown, f.Spans, at))
	}
	f.Axis = axis(m.Duration)
	return f
}

// absent says why the file of a medium cannot be shown, or nothing.
func absent(m catalog.Medium) string {
	if m.Path != "" {
		return ""
	}
	return cmp.Or(m.Missing, "This file is not in the release.")
}

func filmFacts(m schemas.Media) string {
	facts := []string{fmt.Sprintf("%d × %d", m.Width, m.Height)}
	if m.FPS > 0 {
		facts = append(facts, strconv.FormatFloat(m.FPS, 'f', -1, 64)+" fps")
	}
	facts = append(facts, fmt.Sprintf("%.2f s", m.Duration))
	if m.HasAudio {
		facts = append(facts, "sound")
	}
	return strings.Join(facts, ", ")
}

// timeScale turns seconds into per cent of a time line.
type timeScale struct{ duration float64 }

func (t timeScale) percent(seconds float64) string {
	return strconv.FormatFloat(min(100, max(0, 100*seconds/t.duration)), 'f', 3, 64) + "%"
}

func (t timeScale) bar(from, to float64) bar {
	return bar{X: t.percent(from), Width: t.percent(max(to-from, t.duration/200))}
}

// filmSpans returns the evidence in a video: what an answer rests on in the order of time,
// then context.
func filmSpans(m catalog.Medium, q *schemas.Question, s show) (out []Span) {
	for _, e := range q.Evidence {
		id, from, to, ok := mediaSpan(e)
		if !ok || id != m.MediaID {
			continue
		}
		if to == 0 {
			to = m.Duration
		}
		sp := Span{From: from, To: to}
		if s.Gold {
			sp.Role, sp.Class = e.Role, roleClasses[e.Role]
			for _, p := range m.Shown {
				if p.Begin < to && p.End > from && to-from < m.Duration/2 && len(sp.Stated) < maxStated {
					sp.Stated = append(sp.Stated, eventText(p.StatedEvent))
				}
			}
			sp.Stated = slices.Compact(sp.Stated)
		}
		out = append(out, sp)
	}
	context := func(sp Span) int {
		if sp.Role == schemas.RoleContext {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(out, func(a, b Span) int {
		return cmp.Or(cmp.Compare(context(a), context(b)), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	for i := range out {
		out[i].Number = i + 1
	}
	return out
}

func spanLane(spans []Span, at timeScale) lane {
	l := lane{Name: "Evidence", Label: "Spans of evidence", Role: "group"}
	for _, s := range spans {
		b := at.bar(s.From, s.To)
		b.Class, b.Span, b.From, b.To = s.Class, s.Number, s.From, s.To
		b.Text = fmt.Sprintf("%.2f to %.2f s", s.From, s.To)
		l.Bars = append(l.Bars, b)
	}
	return l
}

// recipeLanes returns the lane of the segments, or those of the left and of the right, where
// sides change places as the recipe says.
func recipeLanes(m catalog.Medium, at timeScale) (out []lane) {
	if m.FPS <= 0 {
		return nil
	}
	titles, runs := map[string]string{}, map[string][]run{}
	for _, part := range m.Parts {
		titles[part.Original] = part.Title
		for _, r := range splitAtSwaps(part.Segment, m.Recipe.SwapFrames) {
			list := runs[r.region]
			if n := len(list); n > 0 && list[n-1].video == r.video && list[n-1].original == r.original && list[n-1].to == r.from {
				list[n-1].to = r.to
			} else {
				list = append(list, r)
			}
			runs[r.region] = list
		}
	}
	for _, region := range []struct{ name, lane string }{{"full", "Recipe"}, {"left", "Left"}, {"right", "Right"}} {
		list := runs[region.name]
		if len(list) == 0 {
			continue
		}
		slices.SortFunc(list, func(a, b run) int { return cmp.Compare(a.from, b.from) })
		l := lane{Name: region.lane, Role: "img"}
		told := []string{}
		for _, r := range list {
			b := at.bar(float64(r.from)/m.FPS, float64(r.to)/m.FPS)
			b.Class, b.Text = segmentClass(r.video), showLine(r.video, 20)
			if title := titles[r.original]; title != "" {
				b.Text = strings.TrimPrefix(b.Text+" · "+showLine(title, 60), " · ")
			}
			told = append(told, fmt.Sprintf("%s from %.2f s", cmp.Or(b.Text, "a part"), float64(r.from)/m.FPS))
			l.Bars = append(l.Bars, b)
		}
		l.Label = joinSome(told, 12)
		out = append(out, l)
	}
	return out
}

// run is a stretch of frames in which a region shows one video.
type run struct {
	region, video, original string
	from, to                int64
}

// splitAtSwaps returns a segment in the regions where it is seen.
func splitAtSwaps(s schemas.Segment, swaps []int64) (out []run) {
	begin, end := s.At, s.At+s.To-s.From
	region := s.Region
	other := map[string]string{"left": "right", "right": "left"}
	for _, swap := range swaps {
		if other[region] == "" || swap >= end {
			break
		}
		if swap > begin {
			out = append(out, run{region, s.Video, s.Original, begin, swap})
			begin = swap
		}
		region = other[region]
	}
	return append(out, run{region, s.Video, s.Original, begin, end})
}

// segmentClass gives neighbours different colours: A and B of a pair, odd and even clips.
func segmentClass(video string) string {
	if n, err := strconv.Atoi(video); err == nil {
		return [2]string{"B", "A"}[n&1]
	}
	if video == "B" {
		return "B"
	}
	return "A"
}

// maxStated bounds the statements about one span, maxTicks the events of a time line.
const (
	maxStated = 12
	maxTicks  = 500
)

func eventText(e schemas.StatedEvent) string {
	parts := []string{strings.Join(e.Actors, ", "), e.Kind, strings.Join(e.Objects, ", ")}
	if e.Text != "" {
		parts = append(parts, "“"+e.Text+"”")
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

// eventLane marks the events of a kind; those in a clue are right.
func eventLane(kind string, shown []catalog.Statement, spans []Span, at timeScale) lane {
	l := lane{Name: showLine(kind, 16), Role: "img"}
	told := []string{}
	for _, e := range shown {
		if e.Kind != kind || len(l.Ticks) == maxTicks {
			continue
		}
		right := slices.ContainsFunc(spans, func(s Span) bool { return s.Class == "clue" && e.Begin < s.To && e.End > s.From })
		l.Ticks = append(l.Ticks, mark{X: at.percent(e.Begin), Right: right})
		told = append(told, fmt.Sprintf("%.2f", e.Begin))
	}
	l.Label = fmt.Sprintf("%s of the kind asked about, at %s s", plural(int64(len(l.Ticks)), "event"), joinSome(told, 24))
	return l
}

// axis returns four to six even marks of a time line.
func axis(duration float64) (out []mark) {
	at := timeScale{duration}
	step := niceStep(duration / 4)
	for t := 0.0; t < duration-step/3; t += step {
		out = append(out, mark{X: at.percent(t), Text: seconds(t), Anchor: "middle"})
	}
	out[0].Anchor = "start"
	return append(out, mark{X: "100%", Text: seconds(duration) + " s", Anchor: "end"})
}

// seconds writes a time to the hundredth, without zeros at the end.
func seconds(t float64) string { return strconv.FormatFloat(math.Round(t*100)/100, 'f', -1, 64) }

// niceStep returns the largest of 1, 2, 5, 15, 30 and their multiples of ten within a step.
func niceStep(most float64) float64 {
	best := most
	for unit := 0.01; unit < 1e6; unit *= 10 {
		for _, f := range []float64{1, 1.5, 2, 3, 5} {
			if f*unit <= most+1e-9 {
				best = f * unit
			}
		}
	}
	return best
}

// joinSome joins at most n words of a list.
func joinSome(all []string, n int) string {
	if len(all) <= n {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:n], ", "), len(all)-n)
}
