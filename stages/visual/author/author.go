// Package author has a model write questions about the pictures of conversations, for
// cells of MemEye's grid (C.3), and checks by rules what can be checked without seeing
// the pictures. It works on simulated conversations and on those of a folder alike.
package author

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/dialogue"
)

const (
	promptName = "visual.author"
	authorRole = "author"
)

// Question types, by the depth of reasoning.
const (
	TypeRecall  = "visual_authored_recall"  // Y1
	TypeLink    = "visual_authored_link"    // Y2
	TypeCurrent = "visual_authored_current" // Y3
)

func questionType(y string) string {
	return map[string]string{schemas.ReasonSingle: TypeRecall, schemas.ReasonJoined: TypeLink, schemas.ReasonEvolving: TypeCurrent}[y]
}

// Labels of these questions, besides those that all families share.
const (
	labelScenario = "scenario"
	labelError    = "error_type"
	labelUpdate   = "update_in"
)

// Codes of rejections.
const (
	codeNoPicture = "no-pictures"  // a conversation that shares none
	codeDeclined  = "declined"     // the author sees no question
	codeBad       = "bad-question" // no answer of the author can be used
	codeNone      = "no-question"  // nothing came of any cell
)

// Config configures visual.author.
type Config struct {
	Cells    []string `json:"cells" doc:"cells of the grid to write questions for, such as X3/Y2; empty means all twelve"`
	PerCell  int      `json:"per_cell" doc:"questions of each cell about each conversation"`
	Attempts int      `json:"attempts" doc:"how often a question is asked for, with the reasons against the earlier answers, before it is given up"`
	Pictures int      `json:"pictures" doc:"most pictures that the author sees for one question; no more than its model takes"`
	Chars    int      `json:"chars" doc:"most characters of rounds that the author reads for one question; those with the pictures it sees are always among them"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() {
	*c = Config{Cells: []string{}, PerCell: 1, Attempts: 2, Pictures: 8, Chars: 24_000}
}

const (
	maxPerCell  = 1000
	maxAttempts = 5
	maxPictures = 64
	maxChars    = 1_000_000
)

// gridCell is a place on MemEye's grid.
type gridCell struct{ x, y string }

func (c gridCell) String() string { return c.x + "/" + c.y }

func gridCells() []gridCell {
	var out []gridCell
	for _, x := range []string{schemas.GrainScene, schemas.GrainRegion, schemas.GrainInstance, schemas.GrainPixel} {
		for _, y := range []string{schemas.ReasonSingle, schemas.ReasonJoined, schemas.ReasonEvolving} {
			out = append(out, gridCell{x, y})
		}
	}
	return out
}

// selectedCells returns the configured cells in the order of the grid.
func (c Config) selectedCells() ([]gridCell, error) {
	all := gridCells()
	if len(c.Cells) == 0 {
		return all, nil
	}
	for i, name := range c.Cells {
		if !slices.ContainsFunc(all, func(k gridCell) bool { return k.String() == name }) || slices.Contains(c.Cells[:i], name) {
			return nil, fmt.Errorf("cells holds %q; want each of X1/Y1 to X4/Y3 at most once", name)
		}
	}
	return slices.DeleteFunc(all, func(k gridCell) bool { return !slices.Contains(c.Cells, k.String()) }), nil
}

type authorStage struct {
	cfg   Config
	cells []gridCell
	task  *model.Job[Input, Draft]
}

// Register adds the stage and its question types.
func Register(r *pipeline.Registry) {
	pipeline.AddStage(r, "visual.author", "5", "have an author write questions about the pictures of a conversation, in cells of the grid (MemEye C.3)", newStage)
	for _, y := range []string{schemas.ReasonSingle, schemas.ReasonJoined, schemas.ReasonEvolving} {
		r.AddQuestionType(pipeline.QuestionType{Name: questionType(y), Options: map[string]int{schemas.RoleCorrect: 1, schemas.RoleDistractor: wrongOptionCount}})
	}
}

func newStage(c Config) (pipeline.Stage, error) {
	if err := cmp.Or(pipeline.CheckRange("per_cell", c.PerCell, 1, maxPerCell), pipeline.CheckRange("attempts", c.Attempts, 1, maxAttempts), pipeline.CheckRange("pictures", c.Pictures, 1, maxPictures), pipeline.CheckRange("chars", c.Chars, 1, maxChars)); err != nil {
		return nil, err
	}
	cells, err := c.selectedCells()
	if err != nil {
		return nil, err
	}
	t, err := model.NewJob[Input, Draft](promptName)
	if err != nil {
		return nil, err
	}
	return &authorStage{c, cells, t}, nil
}

func (s *authorStage) Spec() pipeline.Spec {
	ask := s.task.For(authorRole)
	ask.Otherwise = "use visual.ask, which asks about simulated lives without a model"
	return pipeline.Spec{
		Accepts: []string{dialogue.Name}, Emits: []string{schemas.NameQuestion}, Resource: pipeline.Model, Asks: []pipeline.Ask{ask},
		Types: []string{TypeRecall, TypeLink, TypeCurrent},
	}
}

// Map writes questions about a conversation. A question that cannot be written becomes
// a rejection of its own; the conversation is rejected if it gets no question at all.
func (s *authorStage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	d, err := pipeline.Decode[dialogue.Dialogue](in)
	if err != nil {
		return nil, err
	}
	w := &dialogueWriter{authorStage: s, scope: scope, dialogue: d, rounds: d.Rounds()}
	for i, r := range w.rounds {
		if len(r.Pictures()) > 0 {
			w.pictureRounds = append(w.pictureRounds, i)
		}
	}
	if len(w.pictureRounds) == 0 {
		return nil, pipeline.Reject(codeNoPicture, "none of its %d rounds shares a picture that is there, so no question can rest on one", len(w.rounds))
	}
	for _, c := range s.cells {
		if err := w.writeCell(ctx, c); err != nil {
			return nil, fmt.Errorf("write questions of %s: %w", c, err)
		}
	}
	if len(w.questions) == 0 {
		return nil, w.rejectEmpty()
	}
	var out pipeline.RecordBuilder
	for _, q := range w.questions {
		out.Add(schemas.NameQuestion, q.QuestionID, q)
	}
	for _, l := range w.rejections {
		scope.Reject(l.ID, l)
	}
	return out.Records()
}

// dialogueWriter writes the questions about one conversation.
type dialogueWriter struct {
	*authorStage
	scope         *pipeline.Scope
	dialogue      dialogue.Dialogue
	rounds        []dialogue.Round
	pictureRounds []int // rounds with pictures
	questions     []schemas.Question
	rejections    []*pipeline.Rejection
}

// writeCell writes the questions of a cell. A request that waits for an answer ends the
// cell, because the next prompt lists the question to come. Other cells continue, so
// that one batch holds as many requests as possible.
func (w *dialogueWriter) writeCell(ctx context.Context, c gridCell) error {
	asked := []string{}
	for n := range w.cfg.PerCell {
		q, err := w.writeQuestion(ctx, c, n, asked)
		var why *pipeline.Rejection
		switch {
		case errors.As(err, &why) && ctx.Err() == nil:
			lost := *why
			lost.ID, lost.Flagged = questionID(w.dialogue.Task.TaskID, c, n), true
			w.rejections = append(w.rejections, &lost)
			if lost.Transient {
				return nil
			}
		case err != nil:
			return err
		default:
			asked = append(asked, q.Question)
			w.questions = append(w.questions, q)
		}
	}
	return nil
}

func questionID(of string, c gridCell, n int) string {
	return fmt.Sprintf("%s/A-%s%s-%03d", of, c.x, c.y, n+1)
}

// rejectEmpty rejects a conversation without any question. A transient reason comes
// first: there may be a question once the answer arrives.
func (w *dialogueWriter) rejectEmpty() *pipeline.Rejection {
	if why := pipeline.FirstTransient(w.rejections); why != nil {
		return why
	}
	last := w.rejections[len(w.rejections)-1]
	return pipeline.Reject(codeNone, "none of its %d questions could be written; the last: %s: %s", len(w.rejections), last.Code, last.Reason)
}
