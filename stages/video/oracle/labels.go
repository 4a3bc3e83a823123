package oracle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// metricLabels say what a wrong answer to a type shows, and where it counts.
var metricLabels = map[string][2]string{
	schemas.TypeSourceIdentification: {schemas.DetailStoryline, schemas.ErrorSourceConfusion},
	schemas.TypeOrderUnderstanding:   {schemas.DetailStoryline, schemas.ErrorOrderDisruption},
	schemas.TypeContentRetention:     {schemas.DetailStoryline, schemas.ErrorContentForgetting},
	schemas.TypeSpatialGrounding:     {schemas.DetailSourceMemory, schemas.ErrorSourceConfusion},
	schemas.TypeTemporalGrounding:    {schemas.DetailSourceMemory, schemas.ErrorSourceConfusion},
	schemas.TypeSourceMemory:         {schemas.DetailSourceMemory, schemas.ErrorSourceConfusion},
	schemas.TypeFalseMemory:          {schemas.DetailFalseAttribution, schemas.ErrorSourceConfusion},
}

// deriveLabels sets the labels and ids of a question about two videos, and
// returns the names of those labels that are copied from q.
func (w *composition) deriveLabels(out *schemas.Question, r solution, q schemas.Question) (free []string) {
	out.Labels = map[string]string{schemas.LabelTarget: r.target, schemas.LabelEvent: r.kind}
	if r.detail != "" {
		out.Labels[schemas.LabelDetail] = r.detail
	}
	switch w.layout {
	case layoutConcat:
		direction := schemas.Proactive
		if strings.HasPrefix(r.order, r.target) {
			direction = schemas.Retroactive
		}
		out.Labels[schemas.LabelDirection], out.Labels[schemas.LabelMetricGroup] = direction, direction
		out.Labels[schemas.LabelRepetition] = repeatedVideo(r.order, r.target)
	case layoutSplit:
		out.Labels[schemas.LabelMetricGroup], out.Labels[schemas.LabelDimension] = fmt.Sprintf("swap%d", r.swaps), schemas.DimensionSpatial
	default:
		out.Labels[schemas.LabelMetricGroup], out.Labels[schemas.LabelDimension] = schemas.GroupInterleaved, schemas.DimensionNarrative
	}
	if w.layout != layoutConcat {
		out.Labels[schemas.LabelMetricDetail], out.Labels[schemas.LabelErrorType] = metricLabels[r.typ][0], metricLabels[r.typ][1]
	}
	pair, known := w.pairName(q.Labels[schemas.LabelPair])
	if !known {
		free = append(free, "labels."+schemas.LabelPair)
	}
	group := contentID("m", pair, r.typ, r.target, out.QuestionMCQ, r.answer)
	out.Labels[schemas.LabelPair], out.Labels[schemas.LabelMirror] = pair, group
	out.TaskID = contentID("task", pair, w.layout)
	out.QuestionID = contentID("q", group, out.Media[0], r.order, fmt.Sprint(r.swaps))
	out.Labels[schemas.LabelFact] = contentID("fact", append([]string{pair}, r.fact...)...)
	if l := w.commonLabel(schemas.LabelLikeness); l != "" {
		out.Labels[schemas.LabelLikeness] = l
	}
	return append(free, copyMeasured(out, q)...)
}

func copyMeasured(out *schemas.Question, q schemas.Question) (free []string) {
	for _, name := range []string{schemas.LabelSeparability, schemas.LabelReasoning} {
		if v, has := q.Labels[name]; has {
			out.Labels[name] = v
			free = append(free, "labels."+name)
		}
	}
	return free
}

func (w *composition) commonLabel(attribute string) string {
	a, b := w.videos["A"].labelValues(attribute), w.videos["B"].labelValues(attribute)
	if len(a) != 1 || !slices.Equal(a, b) {
		return ""
	}
	return a[0]
}

func repeatedVideo(order, target string) string {
	switch {
	case len(order) == 2:
		return schemas.RepeatsNone
	case strings.Count(order, target) == 2:
		return schemas.RepeatsTarget
	}
	return schemas.RepeatsInterferer
}

// pairName names the two videos together. The name follows where either is one
// stretch of one original; that of a video joined of clips, and of a cut one
// whose end is not seen, is believed.
func (w *composition) pairName(stated string) (name string, known bool) {
	for _, a := range w.videos["A"].originNames() {
		for _, b := range w.videos["B"].originNames() {
			if name := contentID("pair", a, b); name == stated {
				return name, true
			}
		}
	}
	for _, id := range w.names {
		if f := w.videos[id]; len(f.originNames()) == 0 || w.layout == layoutSplit && f.stretches[0].from > 0 {
			return stated, false
		}
	}
	return contentID("pair", w.videos["A"].originNames()[0], w.videos["B"].originNames()[0]), true
}

// originNames returns what a video of one original may be called by: the whole
// of it, or the frames that are shown.
func (f *video) originNames() []string {
	first := f.stretches[0]
	for i, s := range f.stretches[1:] {
		if s.original != first.original || s.from != f.stretches[i].to {
			return nil
		}
	}
	return []string{first.original, fmt.Sprintf("%s[%d,%d)", first.original, first.from, first.from+f.length)}
}
