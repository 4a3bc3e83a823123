package video

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/ask"
)

// caption is a description of a section in one text.
func caption(d *schemas.Description) string {
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

// captions describe every section of both videos, where it is shown first.
func (w *writing) captions() string {
	type told struct {
		start float64
		text  string
	}
	var all []told
	for _, side := range []ask.Side{ask.A, ask.B} {
		for _, p := range w.told(side).Sections {
			if shown := w.lines[side].Spans(p.Start, p.End); len(shown) > 0 {
				all = append(all, told{shown[0].Start, fmt.Sprintf("From %.2f s: %s", shown[0].Start, caption(&p.Description))})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b told) int { return cmp.Compare(a.start, b.start) })
	lines := make([]string, len(all))
	for i, t := range all {
		lines[i] = t.text
	}
	return strings.Join(lines, "\n")
}
