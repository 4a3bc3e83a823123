package video

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/ask"
)

// Question types of this package, and the labels that an evaluation groups by.
const (
	typeInterference = "interference"
	typeSource       = "source_identification"
	typeNBack        = "nback"

	labelMirror    = "mirror_group"
	labelDirection = "interference_direction"
	labelTarget    = "target"
	labelEvent     = "event"

	proactive   = "proactive"
	retroactive = "retroactive"
)

// maxQuestions bounds questions_per_target.
const maxQuestions = 50

// place says where a video of a pair is within a composed one.
type place struct {
	video  schemas.Video
	offset float64 // seconds
}

// question writes an item down as a row about one composition. at gives the
// place of each side.
func question(c schemas.Composition, it ask.Item, typ string, at map[ask.Side]place, labels map[string]string) schemas.Question {
	rival := ask.B
	if it.Target == ask.B {
		rival = ask.A
	}
	group := contentID("m", pairID(c.Pair), typ, string(it.Target), it.Question, it.Answer)
	q := schemas.Question{
		QuestionID: contentID("q", group, c.Media.MediaID, c.Order, fmt.Sprint(c.Swaps)),
		Family:     family, TaskID: taskID(c.Pair, c.Media.Recipe.Layout),
		Question: it.Question, QuestionMCQ: ask.MCQ(it.Question, it.Options),
		Options: it.Options, AnswerKey: it.Key, AnswerText: it.Answer,
		Type: typ, Labels: labels, Media: []string{c.Media.MediaID}, Split: "test",
		Explanation: explain(it),
	}
	labels[labelMirror], labels[labelTarget], labels[labelEvent] = group, string(it.Target), it.Kind
	q.Evidence = evidence(c.Media.MediaID, it, at[it.Target], at[rival])
	return q
}

// explain says where in its video the answer is, and what the other options
// are.
func explain(it ask.Item) string {
	s := fmt.Sprintf("%q is right: the event (%s) lasts from second %.2f to %.2f of %s.",
		it.Answer, it.Kind, max(it.Clue.Start, 0), it.Clue.End, it.Name)
	for _, o := range it.Options {
		switch o.Role {
		case schemas.RoleIntrusion, schemas.RoleDistractor:
			s += fmt.Sprintf(" %q is true of the other video.", o.Text)
		case schemas.RoleUnrelated:
			s += fmt.Sprintf(" %q is in neither.", o.Text)
		}
	}
	return s
}

// Roles of evidence.
const (
	roleClue       = "clue"
	roleDistractor = "distractor"
)

// evidence points at the clue and at what the rival options come from, in the
// order of the composed video.
func evidence(mediaID string, it ask.Item, target, rival place) []schemas.Evidence {
	type moment struct {
		start, end float64
		role       string
		source     string
	}
	moments := []moment{{target.offset + it.Clue.Start, target.offset + it.Clue.End, roleClue, oneSource(target.video)}}
	for _, e := range it.Others {
		moments = append(moments, moment{rival.offset + e.Start, rival.offset + e.End, roleDistractor, oneSource(rival.video)})
	}
	slices.SortStableFunc(moments, func(a, b moment) int { return cmp.Compare(a.start, b.start) })
	var out []schemas.Evidence
	for i, m := range moments {
		out = append(out, schemas.Evidence{
			Kind: "media", Ref: fragment(mediaID, m.start, m.end), Role: m.role, SourceID: m.source, Order: int32(i + 1),
		})
	}
	return out
}

// fragment names a span of a video in seconds.
func fragment(mediaID string, start, end float64) string {
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
		r, err := pipeline.NewRecord(schemas.NameQuestion, q.QuestionID, q)
		if err != nil {
			return nil, err
		}
		out[i] = r
	}
	return out, nil
}
