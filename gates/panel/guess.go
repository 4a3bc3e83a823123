package panel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// ruled makes a guess the built-in model's rule for a task. Its lots are drawn anew for
// every role, sample and input, and under a name of their own; guesses that draw none
// have no name.
func ruled[In, Out any](name string, guess func(In, *rand.Rand) (Out, error)) pipeline.Rule {
	return func(_ context.Context, s *pipeline.Scope, r pipeline.Request) (json.RawMessage, error) {
		var in In
		if err := json.Unmarshal(r.Input, &in); err != nil {
			return nil, fmt.Errorf("input of %s: %w", r.Task, err)
		}
		out, err := guess(in, s.Rand(name, r.Role, fmt.Sprint(r.Sample), string(pipeline.DigestOf(r.Input))))
		if err != nil {
			return nil, fmt.Errorf("input of %s: %w", r.Task, err)
		}
		return pipeline.Canonical(out)
	}
}

// guessAnswer is the built-in model as a solver: it counts words and draws lots,
// and sees no picture. Where the passages favour no option it draws anew for
// every role, placement and sample, so that a panel of two is right by luck on
// all placements of four options once in 65,536 items, not once in 16.
func guessAnswer(in answerInput, lots *rand.Rand) (answerGiven, error) {
	if len(in.Options) == 0 {
		return answerGiven{}, errors.New("it has no options")
	}
	options := make([]string, len(in.Options))
	for i, o := range in.Options {
		options[i] = o.Text
	}
	best := favoured(options, in.Passages)
	at := best[lots.IntN(len(best))]
	out := answerGiven{Answer: in.Options[at].Letter}
	switch {
	case len(in.Passages) == 0:
		out.Why = "Drawn by lot: nothing is shown."
	case len(best) == 1:
		out.Why = "The words that tell it from the other options stand in the passages most often. " + notLooked
	default:
		out.Why = fmt.Sprintf("Drawn by lot among %d options: the passages name them equally. %s", len(best), notLooked)
	}
	return out, nil
}

// notLooked ends why the guesser chose an option of something that it was shown.
const notLooked = "Pictures were not looked at."

// guessed reports that the built-in guesser gave every answer: that it is wrong tells
// nothing of a question.
func guessed(probes []schemas.Probe) bool {
	return len(probes) > 0 && !slices.ContainsFunc(probes, func(p schemas.Probe) bool {
		var given answerGiven
		return p.Model != pipeline.BuiltInModel || json.Unmarshal([]byte(p.Response), &given) != nil || !strings.HasSuffix(given.Why, notLooked)
	})
}

// favoured are the options of whose own words the largest share stands in the
// passages. A word that all options have tells nothing.
func favoured(options []string, passages []passage) []int {
	told := map[string]bool{}
	for _, p := range passages {
		for _, w := range words.Of(p.Text + " " + p.Caption) {
			told[w] = true
		}
	}
	uses := map[string]int{}
	for _, o := range options {
		for _, w := range words.Set(o) {
			uses[w]++
		}
	}
	var best []int
	most := -1.0
	for i, o := range options {
		own, found := 0, 0
		for _, w := range words.Set(o) {
			if uses[w] == len(options) {
				continue
			}
			if own++; told[w] {
				found++
			}
		}
		share := float64(found) / float64(max(own, 1))
		if share > most {
			best, most = nil, share
		}
		if share == most {
			best = append(best, i)
		}
	}
	return best
}

// guessSupport is the built-in model as a judge: it says yes when every word of
// the answer stands in the passages, and no passage in which something is said
// not to occur has every word of the question. It sees no picture, so what only
// pictures show is not established to it.
func guessSupport(in supportInput, _ *rand.Rand) (supportGiven, error) {
	var told []string
	var absent []passage
	for _, p := range in.Passages {
		if p.Absence {
			absent = append(absent, p)
			continue
		}
		told = append(told, words.Of(p.Text+" "+p.Caption)...)
	}
	if n, _ := occurs(in, absent); n > 0 {
		return supportGiven{Supported: answerNo, Why: fmt.Sprintf("Every word that the question asks about stands in passage %d, where it must not occur. Pictures were not looked at.", n)}, nil
	}
	out := supportGiven{Supported: answerYes, Why: "Every word of the answer stands in the passages. Pictures were not looked at."}
	answer := words.Of(in.Proposed)
	missing := slices.IndexFunc(answer, func(w string) bool { return !slices.Contains(told, w) })
	if len(answer) == 0 || missing >= 0 {
		out = supportGiven{Supported: answerNo, Why: "Not every word of the answer stands in the passages. Pictures were not looked at."}
	}
	return out, nil
}

// guessContradiction is the built-in model as a judge of what is said to occur
// nowhere: it says yes when it occurs in a passage. It sees no picture, so where
// there is nothing to read it does not say no.
func guessContradiction(in supportInput, _ *rand.Rand) (contradictionGiven, error) {
	n, read := occurs(in, in.Passages)
	if n > 0 {
		return contradictionGiven{Contradicted: answerYes, Why: fmt.Sprintf("Every word that the question asks about stands in passage %d. Pictures were not looked at.", n)}, nil
	}
	if !read {
		return contradictionGiven{Contradicted: answerYes, Why: "There is nothing to read, and pictures were not looked at, so it cannot be ruled out."}, nil
	}
	return contradictionGiven{Contradicted: answerNo, Why: "No passage has every word that the question asks about. Pictures were not looked at."}, nil
}

// occurs is the number of the first of some passages that has every word of the
// question which does not belong to how it is put, to its options or to the
// setting, or 0; read says whether there is anything to read.
func occurs(in supportInput, list []passage) (number int, read bool) {
	form := append(words.Of(strings.Join(in.Options, " ")+" "+in.Proposed+" "+in.Setting), words.Of(phrasing)...)
	asked := slices.DeleteFunc(words.Set(in.Question), func(w string) bool { return slices.Contains(form, w) })
	for _, p := range list {
		told := words.Of(p.Text + " " + p.Caption)
		read = read || len(told) > 0
		missing := slices.ContainsFunc(asked, func(w string) bool { return !slices.Contains(told, w) })
		if len(told) > 0 && !missing {
			return p.Number, true
		}
	}
	return 0, read
}

// phrasing are words of how questions are put.
const phrasing = "a an and any are at be by can did do does for from has have how in into is it its of on or that the there this to was were what when where which who whose with"

// guessCall is the built-in model as a caller of tools: it names the tool whose words
// stand in question and passages most, and gives no argument that it would have to
// understand. Among tools alike it draws lots.
func guessCall(in openInput, lots *rand.Rand) (callGiven, error) {
	if len(in.Tools) == 0 {
		return callGiven{Call: answerUnknown, Why: "There is no tool."}, nil
	}
	var tools []string
	for _, t := range in.Tools {
		tools = append(tools, t.Name+" "+t.Description)
	}
	best := favoured(tools, append(slices.Clone(in.Passages), passage{Text: in.Question}))
	at := best[lots.IntN(len(best))]
	call, err := pipeline.Canonical(map[string]any{"name": in.Tools[at].Name, "arguments": map[string]any{}})
	if err != nil {
		return callGiven{}, err
	}
	return callGiven{Call: string(call), Why: "The words of this tool stand in question and passages most. Pictures were not looked at."}, nil
}

// maxOpen bounds an answer in words, in characters.
const maxOpen = 400

// guessOpen is the built-in model as one who answers in words: with the passage that
// has most words of the question. It sees no picture.
func guessOpen(in openInput, _ *rand.Rand) (answerGiven, error) {
	best, most := "", 0
	asked := words.Set(in.Question)
	for _, p := range in.Passages {
		text := strings.TrimSpace(p.Text + " " + p.Caption)
		told, n := words.Of(text), 0
		for _, w := range asked {
			if slices.Contains(told, w) {
				n++
			}
		}
		if text != "" && (best == "" || n > most) {
			best, most = text, n
		}
	}
	if best == "" {
		return answerGiven{Answer: answerUnknown, Why: "There is nothing to read, and pictures were not looked at."}, nil
	}
	if long := []rune(best); len(long) > maxOpen {
		best = string(long[:maxOpen])
	}
	return answerGiven{Answer: best, Why: "This passage has most words of the question. Pictures were not looked at."}, nil
}

// guessGrade is the built-in model as who grades: it says yes when every word of the
// right answer stands in the given one, in whatever order.
func guessGrade(in gradeInput, _ *rand.Rand) (gradeGiven, error) {
	given, gold := words.Of(in.Answer), words.Of(in.Gold)
	if len(gold) == 0 || slices.ContainsFunc(gold, func(w string) bool { return !slices.Contains(given, w) }) {
		return gradeGiven{Correct: answerNo, Why: "Not every word of the right answer stands in it."}, nil
	}
	return gradeGiven{Correct: answerYes, Why: "Every word of the right answer stands in it."}, nil
}

// guessLabel is the built-in model as one who labels: it takes the value whose meaning
// has most words of the explanation, and among values alike draws lots.
func guessLabel(in labelInput, lots *rand.Rand) (labelGiven, error) {
	if len(in.Values) == 0 {
		return labelGiven{}, errors.New("it has no values")
	}
	var meanings []string
	for _, v := range in.Values {
		meanings = append(meanings, v.Meaning)
	}
	best := favoured(meanings, []passage{{Text: in.Explanation}})
	at := best[lots.IntN(len(best))]
	return labelGiven{Value: in.Values[at].Value, Why: "The words of its meaning stand in the explanation most, or it was drawn by lot among those that do."}, nil
}
