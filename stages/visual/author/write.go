package author

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/gates/structural"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/dialogue"
)

// writeQuestion asks for one question until it passes the checks.
func (w *dialogueWriter) writeQuestion(ctx context.Context, c gridCell, n int, asked []string) (schemas.Question, error) {
	id := questionID(w.dialogue.Task.TaskID, c, n)
	rnd := w.scope.Rand(id)
	in, images := w.buildExcerpt(rnd, c)
	in.Asked = asked
	var q schemas.Question
	_, refused, err := w.task.AskUntilUsable(ctx, w.scope, authorRole, w.cfg.Attempts, func(r []model.RejectedAnswer[Draft]) Input {
		in.Refused = r
		return in
	}, func(got model.Answer[Draft]) (why []string, err error) {
		if reason := strings.TrimSpace(got.Value.Cannot); reason != "" {
			return nil, pipeline.Reject(codeDeclined, "%s sees no question of %s: %s", got.Model, c, reason)
		}
		d := w.normaliseDraft(got.Value)
		if why = w.checkDraft(in, d); len(why) > 0 {
			return why, nil
		}
		q = w.buildQuestion(id, d, got.Model)
		return findLeaks(q), nil
	}, images...)
	if err != nil {
		return q, err
	}
	if n := len(refused); n > 0 {
		return q, pipeline.Reject(codeBad, "%q: %s (after %d attempts)", refused[n-1].Answer.Open, strings.Join(refused[n-1].Reasons, "; "), n)
	}
	w.shuffleOptions(rnd, &q)
	return q, nil
}

// findLeaks returns what the texts of the clues reveal of the answer, by the rule of the gate
// text-leak with its defaults.
func findLeaks(q schemas.Question) []string {
	var c structural.LeakConfig
	c.SetDefaults()
	j := c.Judge(q)
	if j.Outcome != pipeline.Fail {
		return nil
	}
	return []string{fmt.Sprintf("the words of the rounds tell: %s; ask for something that only the pictures show", j.Reason)}
}

// buildQuestion converts a draft, with its options in the author's order.
func (w *dialogueWriter) buildQuestion(id string, d Draft, by string) schemas.Question {
	t := w.dialogue.Task
	q := schemas.Question{
		QuestionID: id, Family: t.Family, TaskID: t.TaskID, Type: questionType(d.Y), Question: d.Open, Explanation: d.Explanation, Split: schemas.DefaultSplit, Media: []string{},
		Labels: map[string]string{
			schemas.LabelGranularity: d.X, schemas.LabelReasoning: d.Y, schemas.LabelAuthor: by, labelScenario: t.Scenario, labelError: d.ErrorType,
		},
	}
	if d.UpdateIn != "" {
		q.Labels[labelUpdate] = d.UpdateIn
	}
	if t.Scenario == "" {
		delete(q.Labels, labelScenario)
	}
	for _, c := range d.Clues {
		i := slices.IndexFunc(w.rounds, func(r dialogue.Round) bool { return r.ID == c.Round })
		for _, e := range w.rounds[i].Evidence(c.Role) {
			e.Order = int32(len(q.Evidence) + 1)
			q.Evidence = append(q.Evidence, e)
			if e.Media != "" && !slices.Contains(q.Media, e.Media) {
				q.Media = append(q.Media, e.Media)
			}
		}
	}
	q.SetOptionsWithStem(d.Choice, buildOptions(d)...)
	return q
}

func buildOptions(d Draft) []schemas.Option {
	var out []schemas.Option
	for i, text := range d.Options {
		o := schemas.Option{Text: text, Role: schemas.RoleDistractor}
		if schemas.Letter(i) == d.Correct {
			o.Role = schemas.RoleCorrect
		}
		out = append(out, o)
	}
	return out
}

// shuffleOptions puts the options in random order.
func (w *dialogueWriter) shuffleOptions(rnd *rand.Rand, q *schemas.Question) {
	stem, _ := q.Stem()
	var right schemas.Option
	var wrong []schemas.Option
	for _, o := range q.Options {
		if o.Role == schemas.RoleCorrect {
			right = o
			continue
		}
		wrong = append(wrong, o)
	}
	rnd.Shuffle(len(wrong), func(i, j int) { wrong[i], wrong[j] = wrong[j], wrong[i] })
	q.SetOptionsWithStem(stem, slices.Insert(wrong, rnd.IntN(len(wrong)+1), right)...)
}

const wrongOptionCount = 3

// Draft is the author's reply (MemEye C.3).
type Draft struct {
	// Cannot says why there is no question; all else is then empty.
	Cannot string `json:"cannot"`
	Open   string `json:"open_question"`
	Truth  string `json:"ground_truth"`
	Choice string `json:"mcq_question"`
	// Options have no letters; Correct is the letter of the right one's place.
	Options   []string `json:"options"`
	Correct   string   `json:"correct_option"`
	ErrorType string   `json:"error_type"`
	Clues     []Clue   `json:"clue_rounds"`
	// UpdateIn says where a change is shown: in a picture or in words.
	UpdateIn    string `json:"update_in"`
	X           string `json:"target_X"`
	Y           string `json:"target_Y"`
	Explanation string `json:"explanation"`
}

// Clue names a round and its role, one of schemas.RoleClue, RoleSuperseded, RoleUpdate.
type Clue struct {
	Round string `json:"round"`
	Role  string `json:"role"`
}

// letterPrefix finds a letter before the text of an option.
var letterPrefix = regexp.MustCompile(`^\(?([A-D])[.):]\s*`)

// normaliseDraft removes harmless deviations: surrounding space, letters before options
// in their order, rounds named twice in one role, rounds out of order.
func (w *dialogueWriter) normaliseDraft(d Draft) Draft {
	for _, s := range []*string{&d.Open, &d.Truth, &d.Choice, &d.Correct, &d.Explanation, &d.X, &d.Y} {
		*s = strings.TrimSpace(*s)
	}
	d.Options = slices.Clone(d.Options)
	lettered := 0
	for i, o := range d.Options {
		d.Options[i] = strings.TrimSpace(o)
		if m := letterPrefix.FindStringSubmatch(d.Options[i]); m != nil && m[1] == schemas.Letter(i) {
			lettered++
		}
	}
	if lettered == len(d.Options) {
		for i, o := range d.Options {
			d.Options[i] = letterPrefix.ReplaceAllString(o, "")
		}
	}
	d.Correct = strings.Trim(strings.ToUpper(d.Correct), "().: ")
	at := func(c Clue) int {
		for i, r := range w.rounds {
			if r.ID == c.Round {
				return i
			}
		}
		return len(w.rounds)
	}
	d.Clues = slices.Clone(d.Clues)
	slices.SortStableFunc(d.Clues, func(a, b Clue) int { return at(a) - at(b) })
	d.Clues = slices.Compact(d.Clues)
	return d
}

// correctText returns the text of the correct option, and whether the letter names one.
func (d Draft) correctText() (string, bool) {
	for i, o := range d.Options {
		if schemas.Letter(i) == d.Correct {
			return o, true
		}
	}
	return "", false
}

func (d Draft) wrongTexts() []string {
	var out []string
	for i, o := range d.Options {
		if schemas.Letter(i) != d.Correct {
			out = append(out, o)
		}
	}
	return out
}
