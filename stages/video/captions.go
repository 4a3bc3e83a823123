package video

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
	ask "github.com/memforge/memforge/stages/video/question"
	"github.com/memforge/memforge/stages/video/timeline"
)

// captionOf is a description of a section in one text.
func captionOf(d *schemas.Description) string {
	if d == nil {
		return ""
	}
	var told []string
	for _, t := range []string{d.MainStoryline, d.SpatialRelationBinding, d.ShortTermActionState, d.ToolProp, d.FineVisualAttribute, d.TextSymbol} {
		if t = strings.TrimSpace(t); t == "" {
			continue
		}
		if !strings.ContainsAny(t[len(t)-1:], ".!?") {
			t += "."
		}
		told = append(told, t)
	}
	return strings.Join(told, " ")
}

// describedMoments are the described sections of both videos.
func (w *questionWriter) describedMoments() []ask.Moment {
	var out []ask.Moment
	for _, side := range []ask.Side{ask.A, ask.B} {
		for _, p := range w.fullStory(side).Sections {
			out = append(out, sectionMoment(w.composition.Pair, side, p.Section))
		}
	}
	return out
}

// captionsWithin describes what a run of the composed video shows of some moments, each
// where the run shows it first.
func captionsWithin(of []ask.Moment, lines map[ask.Side]timeline.Line, in timeline.Span) string {
	type told struct {
		start float64
		text  string
	}
	var all []told
	for _, m := range of {
		shown := lines[m.Side].Spans(m.Event.Start, m.Event.End)
		i := slices.IndexFunc(shown, func(s timeline.Span) bool { return s.Start < in.End-1e-6 && s.End > in.Start+1e-6 })
		if i >= 0 {
			all = append(all, told{shown[i].Start, fmt.Sprintf("From %.2f s: %s", shown[i].Start, m.Caption)})
		}
	}
	slices.SortStableFunc(all, func(a, b told) int { return cmp.Compare(a.start, b.start) })
	texts := make([]string, len(all))
	for i, t := range all {
		texts[i] = t.text
	}
	return strings.Join(texts, "\n")
}
