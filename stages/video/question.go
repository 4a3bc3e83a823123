package video

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
	"github.com/memforge/memforge/stages/video/question"
	"github.com/memforge/memforge/stages/video/timeline"
)

func questionRow(c schemas.Composition, it question.Item, lines map[question.Side]timeline.Line) schemas.Question {
	group := contentID("m", pairID(c.Pair), it.Type, it.Target, schemas.MCQ(it.Question, it.Options), it.Answer)
	labels := questionLabels(c, it)
	labels[schemas.LabelMirror], labels[schemas.LabelPair] = group, pairID(c.Pair)
	labels[schemas.LabelFact] = factID(c, it)
	if s := c.Pair.Separability; s != nil {
		labels[schemas.LabelSeparability] = fmt.Sprintf("%.2f", s.Accuracy)
	}
	if alike := c.Pair.A.Labels[schemas.LabelLikeness]; alike != "" && alike == c.Pair.B.Labels[schemas.LabelLikeness] {
		labels[schemas.LabelLikeness] = alike
	}
	return schemas.Question{
		QuestionID: contentID("q", group, c.Media.MediaID, c.Order, fmt.Sprint(c.Swaps)),
		Family:     family, TaskID: taskID(c.Pair, c.Media.Recipe.Layout),
		Question: it.Question, QuestionMCQ: schemas.MCQ(it.Question, it.Options),
		Options: it.Options, AnswerKey: it.Key, AnswerText: it.Answer,
		Type: it.Type, Labels: labels, Media: []string{c.Media.MediaID}, Split: splitOf(c, it.Type),
		Evidence: evidenceRows(c, it, lines), Explanation: explanation(it), Setting: settingText(c, lines),
	}
}

// factID names what an item asks of a pair and its answer, whatever its words: a pair
// has the same facts in every layout and sentence.
func factID(c schemas.Composition, it question.Item) string {
	if it.Fact != nil {
		return contentID("fact", append([]string{pairID(c.Pair)}, it.Fact...)...)
	}
	asked := strings.TrimPrefix(it.Question, question.Opening(c.Media.Recipe.Layout)+" ")
	return contentID("fact", pairID(c.Pair), asked, it.Answer)
}

// splitOf returns the split of a question. Where the sides of a split screen are never
// exchanged, the name of a video tells its side: such a question is the control of
// those where they are, and tests nothing by itself.
func splitOf(c schemas.Composition, typ string) string {
	if typ == schemas.TypeSpatialGrounding && c.Swaps == 0 {
		return schemas.ControlSplit
	}
	return schemas.DefaultSplit
}

// metricLabels holds, by question type, what error a wrong answer shows and in
// which table of M3Eval (4.1, 4.3) the question counts.
var metricLabels = map[string]struct{ detail, fault string }{
	schemas.TypeSourceIdentification: {schemas.DetailStoryline, schemas.ErrorSourceConfusion},
	schemas.TypeOrderUnderstanding:   {schemas.DetailStoryline, schemas.ErrorOrderDisruption},
	schemas.TypeContentRetention:     {schemas.DetailStoryline, schemas.ErrorContentForgetting},
	schemas.TypeSpatialGrounding:     {schemas.DetailSourceMemory, schemas.ErrorSourceConfusion},
	schemas.TypeTemporalGrounding:    {schemas.DetailSourceMemory, schemas.ErrorSourceConfusion},
	schemas.TypeSourceMemory:         {schemas.DetailSourceMemory, schemas.ErrorSourceConfusion},
	schemas.TypeFalseMemory:          {schemas.DetailFalseAttribution, schemas.ErrorSourceConfusion},
}

func questionLabels(c schemas.Composition, it question.Item) map[string]string {
	labels := map[string]string{schemas.LabelTarget: it.Target, schemas.LabelEvent: it.Kind}
	if it.Detail != "" {
		labels[schemas.LabelDetail] = it.Detail
	}
	switch c.Media.Recipe.Layout {
	case schemas.LayoutConcat:
		labels[schemas.LabelDirection] = interferenceDirection(c.Order, it.Target)
		labels[schemas.LabelMetricGroup] = labels[schemas.LabelDirection]
		labels[schemas.LabelRepetition] = repeatedVideo(c.Order, it.Target)
		return labels
	case schemas.LayoutSplit:
		labels[schemas.LabelMetricGroup] = fmt.Sprintf("swap%d", c.Swaps)
		labels[schemas.LabelDimension] = schemas.DimensionSpatial
	default:
		labels[schemas.LabelMetricGroup] = schemas.GroupInterleaved
		labels[schemas.LabelDimension] = schemas.DimensionNarrative
	}
	labels[schemas.LabelMetricDetail] = metricLabels[it.Type].detail
	labels[schemas.LabelErrorType] = metricLabels[it.Type].fault
	return labels
}

// interferenceDirection returns the direction of interference: what comes
// before the target disturbs it proactively, what comes after it retroactively
// (M3Eval 3.1.2).
func interferenceDirection(order, target string) string {
	if strings.HasPrefix(order, target) {
		return schemas.Retroactive
	}
	return schemas.Proactive
}

// repeatedVideo says which video of an order is played twice (M3Eval 4.2).
func repeatedVideo(order, target string) string {
	switch {
	case len(order) == 2:
		return schemas.RepeatsNone
	case strings.Count(order, target) == 2:
		return schemas.RepeatsTarget
	}
	return schemas.RepeatsInterferer
}

// explanation says why the answer is right and when its events are, in the time
// of their own videos.
func explanation(it question.Item) string {
	s := "The answer is: " + it.Answer + "."
	for _, m := range it.Clues {
		s += " " + m.Sentence
	}
	return strings.TrimSpace(s + " " + it.Reason)
}

func sideVideo(p schemas.Pair, side question.Side) schemas.Video {
	if side == question.A {
		return p.A
	}
	return p.B
}

func mediaFragment(mediaID string, start, end float64) string {
	start = max(start, 0)
	return fmt.Sprintf("%s#t=%.2f,%.2f", mediaID, start, max(start, end))
}

// questionRecords turns questions into records; no question is a rejection.
func questionRecords(qs []schemas.Question) ([]pipeline.Record, error) {
	if len(qs) == 0 {
		return nil, pipeline.Reject("too-few-facts", "no question of the pair is unambiguous: each needs a name for its video, an answer that is true of one video only, enough answers of the same kind in the other, and one of neither; add events to the videos or videos to the collection")
	}
	var out pipeline.RecordBuilder
	for _, q := range qs {
		var blobs []pipeline.Digest
		if q.Basis != "" {
			blobs = append(blobs, pipeline.Digest(q.Basis))
		}
		out.Add(schemas.NameQuestion, q.QuestionID, q, blobs...)
	}
	return out.Records()
}

type evidenceSpan struct {
	timeline.Span
	role, source, caption string
}

// evidenceRows points at the clues, at the origins of the wrong options, each
// as often as it is shown, and at where the videos' names can be seen, in the
// order of the composed video. What happens in neither video has the whole
// composed video as evidence, since it occurs nowhere in it; what happens in
// only one has all of the other beside its clues.
func evidenceRows(c schemas.Composition, it question.Item, lines map[question.Side]timeline.Line) []schemas.Evidence {
	if len(it.Clues) == 0 {
		return []schemas.Evidence{{
			Kind: "media", Ref: c.Media.MediaID, Role: schemas.RoleAbsence, Order: 1, Modality: schemas.ModalityVideo,
			Caption: captionsWithin(it.Described, lines, timeline.Span{End: lines[question.A].Total()}), MinimalCaption: minimalCaption(c, "a video"),
		}}
	}
	var runs []evidenceSpan
	for role, ms := range map[string][]question.Moment{schemas.RoleClue: it.Clues, schemas.RoleDistractor: it.Distractors, schemas.RoleContext: it.NameMoments} {
		for _, m := range ms {
			shown := lines[m.Side].Spans(m.Event.Start, m.Event.End)
			source := singleSource(sideVideo(c.Pair, m.Side))
			if role == schemas.RoleContext {
				// A name is read once; what it names stands in no source's debt.
				shown, source = shown[:min(len(shown), 1)], ""
			}
			for _, span := range shown {
				runs = append(runs, evidenceSpan{span, role, source, m.Caption})
			}
		}
	}
	runs = append(runs, absenceSpans(c.Pair, it, lines)...)
	slices.SortFunc(runs, func(a, b evidenceSpan) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.role, b.role), cmp.Compare(a.source, b.source), cmp.Compare(a.caption, b.caption))
	})
	// Both names may be read at once, as when a split screen begins.
	runs = slices.CompactFunc(runs, func(a, b evidenceSpan) bool { return a == b })
	var out []schemas.Evidence
	for i, r := range runs {
		out = append(out, schemas.Evidence{
			Kind: "media", Ref: mediaFragment(c.Media.MediaID, r.Start, r.End), Role: r.role, SourceID: r.source,
			Order: int32(i + 1), Modality: schemas.ModalityVideo,
			Caption: r.caption, MinimalCaption: minimalCaption(c, "a few seconds of a video"),
		})
	}
	return out
}

// absenceSpans returns the spans of the video in which something does not
// happen that happens only in the other.
func absenceSpans(p schemas.Pair, it question.Item, lines map[question.Side]timeline.Line) []evidenceSpan {
	here := question.Side(it.Target)
	if it.Type != schemas.TypeSourceMemory || here != question.A && here != question.B {
		return nil
	}
	side := here.Other()
	v := sideVideo(p, side)
	of := slices.DeleteFunc(slices.Clone(it.Described), func(m question.Moment) bool { return m.Side != side })
	var out []evidenceSpan
	for _, s := range lines[side].Spans(0, playSeconds(v.Normalised)) {
		out = append(out, evidenceSpan{s, schemas.RoleAbsence, singleSource(v), captionsWithin(of, lines, s)})
	}
	return out
}

// minimalCaption says what kind of pictures there are, and nothing of what they
// show (MemEye 3.3). It leaves out the category of the videos, which would be
// said of every picture of a pair.
func minimalCaption(c schemas.Composition, of string) string {
	if c.Media.Recipe.Layout == schemas.LayoutSplit {
		of += " that shows two videos side by side"
	}
	return of
}

func captionOf(d *schemas.Description) string {
	if d == nil {
		return ""
	}
	var texts []string
	for _, t := range groundtruth.DescriptionTexts(*d) {
		if t = strings.TrimSpace(t); t == "" {
			continue
		}
		if !strings.ContainsAny(t[len(t)-1:], ".!?") {
			t += "."
		}
		texts = append(texts, t)
	}
	return strings.Join(texts, " ")
}

func (w *questionWriter) describedMoments() []question.Moment {
	var out []question.Moment
	for _, side := range []question.Side{question.A, question.B} {
		for _, p := range w.fullStory(side).Sections {
			out = append(out, sectionMoment(w.composition.Pair, side, p.Section))
		}
	}
	return out
}

// captionsWithin returns what one span of the composed video shows of some
// moments, each at its first appearance in the span.
func captionsWithin(of []question.Moment, lines map[question.Side]timeline.Line, in timeline.Span) string {
	type timedCaption struct {
		start float64
		text  string
	}
	var all []timedCaption
	for _, m := range of {
		shown := lines[m.Side].Spans(m.Event.Start, m.Event.End)
		i := slices.IndexFunc(shown, func(s timeline.Span) bool { return s.Start < in.End-1e-6 && s.End > in.Start+1e-6 })
		if i >= 0 {
			all = append(all, timedCaption{shown[i].Start, fmt.Sprintf("From %.2f s: %s", shown[i].Start, m.Caption)})
		}
	}
	slices.SortStableFunc(all, func(a, b timedCaption) int { return cmp.Compare(a.start, b.start) })
	texts := make([]string, len(all))
	for i, t := range all {
		texts[i] = t.text
	}
	return strings.Join(texts, "\n")
}

// maxRuns is how many runs of one video a setting lists.
const maxRuns = 50

// settingText says how long a composed video is and how it is laid out, so that
// a reader of single pieces can place them. It does not say which of the two
// videos is which: "the one" begins first, or is on the left.
func settingText(c schemas.Composition, lines map[question.Side]timeline.Line) string {
	a, b := lines[question.A], lines[question.B]
	out := durationText(a.Total())
	if c.Media.Recipe.Layout == schemas.LayoutSplit {
		return out + " " + swapsText(a.Swaps())
	}
	if b.StartsBefore(a) {
		a, b = b, a
	}
	return out + " It plays two videos: the one " + runsText(a.Runs()) + "; the other " + runsText(b.Runs()) + "."
}

func durationText(total float64) string {
	return fmt.Sprintf("The whole video lasts %.2f s, so its second half begins at %.2f s.", total, total/2)
}

func swapsText(swaps []float64) string {
	const halves = "Its picture shows two videos at once, the one in the left half and the other in the right half"
	if len(swaps) == 0 {
		return halves + ", all the time."
	}
	return halves + " at first; they change sides at " + joinTimes(swaps) + " s."
}

func runsText(runs []timeline.Span) string {
	if len(runs) > maxRuns {
		return fmt.Sprintf("in %d pieces, the first of them from %s", len(runs), spanText(runs[0]))
	}
	texts := make([]string, len(runs))
	for i, r := range runs {
		texts[i] = spanText(r)
	}
	return "from " + strings.Join(texts, ", from ")
}

func spanText(s timeline.Span) string { return fmt.Sprintf("%.2f s to %.2f s", s.Start, s.End) }

func joinTimes(seconds []float64) string {
	texts := make([]string, len(seconds))
	for i, t := range seconds {
		texts[i] = fmt.Sprintf("%.2f", t)
	}
	return strings.Join(texts, ", ")
}
