package video

import (
	"fmt"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	ask "github.com/memforge/memforge/stages/video/question"
	"github.com/memforge/memforge/stages/video/timeline"
)

// questionRow writes an item down as a row about one composition.
func questionRow(c schemas.Composition, it ask.Item, lines map[ask.Side]timeline.Line) schemas.Question {
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
		Type: it.Type, Labels: labels, Media: []string{c.Media.MediaID}, Split: "test",
		Evidence: evidenceRows(c, it, lines), Explanation: explanation(it), Setting: settingText(c, lines),
	}
}

// factID names what an item asks of a pair and its answer. The sentence that
// says how the layout shows the videos is no part of it: a pair has the same
// facts in every layout.
func factID(c schemas.Composition, it ask.Item) string {
	asked := strings.TrimPrefix(it.Question, ask.Opening(c.Media.Recipe.Layout)+" ")
	return contentID("fact", pairID(c.Pair), asked, it.Answer)
}

// metricLabels say, by type, what error a wrong answer shows and in which table of
// M3Eval (4.1, 4.3) the question counts.
var metricLabels = map[string]struct{ detail, fault string }{
	schemas.TypeSourceIdentification: {schemas.DetailStoryline, schemas.ErrorSourceConfusion},
	schemas.TypeOrderUnderstanding:   {schemas.DetailStoryline, schemas.ErrorOrderDisruption},
	schemas.TypeContentRetention:     {schemas.DetailStoryline, schemas.ErrorContentForgetting},
	schemas.TypeSpatialGrounding:     {schemas.DetailSourceMemory, schemas.ErrorSourceConfusion},
	schemas.TypeTemporalGrounding:    {schemas.DetailSourceMemory, schemas.ErrorSourceConfusion},
	schemas.TypeSourceMemory:         {schemas.DetailSourceMemory, schemas.ErrorSourceConfusion},
	schemas.TypeFalseMemory:          {schemas.DetailFalseAttribution, schemas.ErrorSourceConfusion},
}

// questionLabels labels an item by the condition that it is asked under.
func questionLabels(c schemas.Composition, it ask.Item) map[string]string {
	labels := map[string]string{schemas.LabelTarget: it.Target, schemas.LabelEvent: it.Kind}
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

// interferenceDirection of interference: what comes before the target disturbs it
// proactively, what comes after it retroactively (M3Eval 3.1.2).
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

// explanation says why the answer is right and when its events are, in the time of
// their own videos.
func explanation(it ask.Item) string {
	s := "The answer is: " + it.Answer + "."
	for _, m := range it.Clues {
		s += " " + m.Sentence
	}
	return strings.TrimSpace(s + " " + it.Reason)
}

func sideVideo(p schemas.Pair, side ask.Side) schemas.Video {
	if side == ask.A {
		return p.A
	}
	return p.B
}

// mediaFragment names a span of a video in seconds.
func mediaFragment(mediaID string, start, end float64) string {
	start = max(start, 0)
	return fmt.Sprintf("%s#t=%.2f,%.2f", mediaID, start, max(start, end))
}

// questionRecords turns questions into records; none is a rejection.
func questionRecords(qs []schemas.Question) ([]pipeline.Record, error) {
	if len(qs) == 0 {
		return nil, pipeline.Reject("too-few-facts", "no question of the pair is unambiguous: each needs a name for its video, an answer that is true of one video only, enough answers of the same kind in the other, and one of neither; add events to the videos or videos to the collection")
	}
	out := make([]pipeline.Record, len(qs))
	for i, q := range qs {
		var blobs []pipeline.Digest
		if q.Basis != "" {
			blobs = append(blobs, pipeline.Digest(q.Basis))
		}
		r, err := pipeline.NewRecord(schemas.NameQuestion, q.QuestionID, q, blobs...)
		if err != nil {
			return nil, err
		}
		out[i] = r
	}
	return out, nil
}
