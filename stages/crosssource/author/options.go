package author

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/answercues"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

// wrongOptions beside the right one (SMMBench E.3).
const wrongOptions = 3

// Distract asks for wrong options.
type Distract struct {
	Item
	Wrong   []string                           `json:"wrong"`
	Count   int                                `json:"count"`
	Refused []model.RejectedAnswer[Distracted] `json:"refused"`
}

// Distracted are wrong options.
type Distracted struct {
	Cannot  string   `json:"cannot"`
	Options []string `json:"options"`
}

// addOptions gives the item four options in random order: as many of its own as possible,
// the others from an author. A call has none.
func (w *itemAuthor) addOptions(ctx context.Context) error {
	q := &w.item.Question
	if w.item.Task == schemas.TaskFunctionCall {
		return nil
	}
	rnd := w.scope.Rand("options", w.item.ItemID)
	var wrong []string
	for _, o := range q.Options {
		if o.Role != schemas.RoleCorrect {
			wrong = append(wrong, o.Text)
		}
	}
	if len(wrong) == wrongOptions {
		return nil
	}
	rnd.Shuffle(len(wrong), func(i, j int) { wrong[i], wrong[j] = wrong[j], wrong[i] })
	wrong = wrong[:min(len(wrong), wrongOptions)]
	if len(wrong) < wrongOptions {
		more, err := w.writeWrongOptions(ctx, wrong)
		if err != nil {
			return err
		}
		wrong = append(wrong, more...)
		rnd.Shuffle(len(wrong), func(i, j int) { wrong[i], wrong[j] = wrong[j], wrong[i] })
	}
	var options []schemas.Option
	for _, text := range wrong {
		options = append(options, schemas.Option{Text: text, Role: schemas.RoleDistractor})
	}
	q.SetOptions(slices.Insert(options, rnd.IntN(wrongOptions+1), schemas.Option{Text: q.AnswerText, Role: schemas.RoleCorrect})...)
	return nil
}

func (w *itemAuthor) writeWrongOptions(ctx context.Context, wrong []string) ([]string, error) {
	told, shown := w.itemInput()
	in := Distract{Item: told, Wrong: append([]string{}, wrong...), Count: wrongOptions - len(wrong)}
	got, refused, err := w.distract.AskUntilUsable(ctx, w.scope, role, w.cfg.Attempts,
		func(r []model.RejectedAnswer[Distracted]) Distract {
			in.Refused = r
			return in
		},
		func(a model.Answer[Distracted]) ([]string, error) {
			if err := rejectDeclined(a.Model, a.Value.Cannot, "wrong option"); err != nil {
				return nil, err
			}
			return checkOptions(w.item.Question.AnswerText, in, a.Value), nil
		}, shown...)
	if err != nil {
		return nil, fmt.Errorf("write wrong options: %w", err)
	}
	if len(refused) > 0 {
		return nil, pipeline.Reject(codeOptions, "no wrong options can be used; the last: %s", lastRefusal(refused))
	}
	return trimAll(got.Value.Options), nil
}

func trimAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strings.TrimSpace(s)
	}
	return out
}

// checkOptions returns what is wrong with new options. Lengths are compared over all
// options.
func checkOptions(right string, in Distract, d Distracted) (why refusals) {
	if len(d.Options) != in.Count {
		why.add("there are %d options; give %d", len(d.Options), in.Count)
		return why
	}
	all := append([]string{right}, in.Wrong...)
	for _, o := range trimAll(d.Options) {
		if o == "" || answercues.HasControl(o) {
			why.add("option %q is empty, or not one line of plain text", o)
		}
		for _, other := range all {
			if o == other || len(answercues.Words(o)) > 0 && answercues.Alike(o, other) {
				why.add("options %q and %q hold one another or say the same; each must exclude the others", other, o)
			}
		}
		if answercues.HasOwnLetter(o) || answercues.FindOptionLetter(o) != "" || answercues.RefersToOptions(o) {
			why.add("option %q carries a letter or speaks of other options", o)
		}
		if m := answercues.FindNoAnswer(o); m != "" {
			why.add("option %q says %q, which is no answer", o, m)
		}
		if m := answercues.FindHedge(o); m != "" && answercues.FindHedge(right) == "" {
			why.add("option %q says %q; options must not differ in how certain they sound", o, m)
		}
		all = append(all, o)
	}
	for _, reason := range answercues.CheckLengths(right, all[1:]) {
		why.add("%s", reason)
	}
	return why
}
