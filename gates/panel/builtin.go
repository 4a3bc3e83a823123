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

// guessRule returns the built-in rule of a job. Its random choices follow from name, role,
// sample and input.
func guessRule[In, Out any](name string, guess func(In, *rand.Rand) (Out, error)) pipeline.Rule {
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

// guessAnswer counts words and sees no picture. Where the passages favour no option it chooses
// at random for every role, order and sample, so that a panel of two is right by luck in all
// four orders once in 65,536 items, not once in 16.
func guessAnswer(in answerInput, lots *rand.Rand) (answerResponse, error) {
	if len(in.Options) == 0 {
		return answerResponse{}, errors.New("it has no options")
	}
	options := make([]string, len(in.Options))
	for i, o := range in.Options {
		options[i] = o.Text
	}
	best := favouredOptions(options, in.Passages)
	at := best[lots.IntN(len(best))]
	out := answerResponse{Answer: in.Options[at].Letter}
	switch {
	case len(in.Passages) == 0:
		out.Why = "Drawn by lot: nothing is shown."
	case len(best) == 1:
		out.Why = "The words that tell it from the other options stand in the passages most often. " + notLookedSuffix
	default:
		out.Why = fmt.Sprintf("Drawn by lot among %d options: the passages name them equally. %s", len(best), notLookedSuffix)
	}
	return out, nil
}

// notLookedSuffix ends why the guesser chose an option of something that it was shown.
const notLookedSuffix = "Pictures were not looked at."

// allGuessed reports that the built-in guesser gave every answer, so that a wrong one tells
// nothing.
func allGuessed(probes []schemas.Probe) bool {
	return len(probes) > 0 && !slices.ContainsFunc(probes, func(p schemas.Probe) bool {
		var given answerResponse
		return p.Model != pipeline.BuiltInModel || json.Unmarshal([]byte(p.Response), &given) != nil || !strings.HasSuffix(given.Why, notLookedSuffix)
	})
}

// favouredOptions returns the options with the largest share of their own words in the
// passages.
func favouredOptions(options []string, passages []passage) []int {
	told := map[string]bool{}
	for _, p := range passages {
		for _, w := range words.Words(p.Text + " " + p.Caption) {
			told[w] = true
		}
	}
	uses := map[string]int{}
	for _, o := range options {
		for _, w := range words.WordSet(o) {
			uses[w]++
		}
	}
	var best []int
	most := -1.0
	for i, o := range options {
		own, found := 0, 0
		for _, w := range words.WordSet(o) {
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

// guessSupport says yes when every word of the answer stands in the passages, and no passage
// in which something is said not to occur has every word of the question. It sees no picture.
func guessSupport(in supportInput, _ *rand.Rand) (supportResponse, error) {
	var told []string
	var absent []passage
	for _, p := range in.Passages {
		switch {
		case p.Absence:
			absent = append(absent, p)
			continue
		case p.Rest:
			continue // what it says may be no answer to the question
		}
		told = append(told, words.Words(p.Text+" "+p.Caption)...)
	}
	if n, _ := findPassage(in, absent); n > 0 {
		return supportResponse{Supported: answerNo, Why: fmt.Sprintf("Every word that the question asks about stands in passage %d, where it must not occur. Pictures were not looked at.", n)}, nil
	}
	out := supportResponse{Supported: answerYes, Why: "Every word of the answer stands in the passages. Pictures were not looked at."}
	answer := words.Words(in.Proposed)
	missing := slices.IndexFunc(answer, func(w string) bool { return !slices.Contains(told, w) })
	if len(answer) == 0 || missing >= 0 {
		out = supportResponse{Supported: answerNo, Why: "Not every word of the answer stands in the passages. Pictures were not looked at."}
	}
	return out, nil
}

// guessContradiction says yes when a passage has what is said to occur nowhere, and where
// there is nothing to read.
func guessContradiction(in supportInput, _ *rand.Rand) (contradictionResponse, error) {
	n, read := findPassage(in, in.Passages)
	if n > 0 {
		return contradictionResponse{Contradicted: answerYes, Why: fmt.Sprintf("Every word that the question asks about stands in passage %d. Pictures were not looked at.", n)}, nil
	}
	if !read {
		return contradictionResponse{Contradicted: answerYes, Why: "There is nothing to read, and pictures were not looked at, so it cannot be ruled out."}, nil
	}
	return contradictionResponse{Contradicted: answerNo, Why: "No passage has every word that the question asks about. Pictures were not looked at."}, nil
}

// findPassage returns the number of the first passage that has every word that the question
// asks about, or 0; read says that there is text. Words of the phrasing, the options and the
// setting do not count.
func findPassage(in supportInput, list []passage) (number int, read bool) {
	form := append(words.Words(strings.Join(in.Options, " ")+" "+in.Proposed+" "+in.Setting), words.Words(phrasingWords)...)
	asked := slices.DeleteFunc(words.WordSet(in.Question), func(w string) bool { return slices.Contains(form, w) })
	for _, p := range list {
		told := words.Words(p.Text + " " + p.Caption)
		read = read || len(told) > 0
		missing := slices.ContainsFunc(asked, func(w string) bool { return !slices.Contains(told, w) })
		if len(told) > 0 && !missing {
			return p.Number, true
		}
	}
	return 0, read
}

// phrasingWords are words of how questions are put.
const phrasingWords = "a an and any are at be by can did do does for from has have how in into is it its of on or that the there this to was were what when where which who whose with"

// guessCall names the tool whose words stand in question and passages most, without arguments.
// Among tools alike it chooses at random.
func guessCall(in openInput, lots *rand.Rand) (callResponse, error) {
	if len(in.Tools) == 0 {
		return callResponse{Call: answerUnknown, Why: "There is no tool."}, nil
	}
	var tools []string
	for _, t := range in.Tools {
		tools = append(tools, t.Name+" "+t.Description)
	}
	best := favouredOptions(tools, append(slices.Clone(in.Passages), passage{Text: in.Question}))
	at := best[lots.IntN(len(best))]
	call, err := pipeline.Canonical(map[string]any{"name": in.Tools[at].Name, "arguments": map[string]any{}})
	if err != nil {
		return callResponse{}, err
	}
	return callResponse{Call: string(call), Why: "The words of this tool stand in question and passages most. Pictures were not looked at."}, nil
}

// maxOpenAnswer bounds an answer in words, in characters.
const maxOpenAnswer = 400

// guessOpen answers with the passage that has most words of the question.
func guessOpen(in openInput, _ *rand.Rand) (answerResponse, error) {
	best, most := "", 0
	asked := words.WordSet(in.Question)
	for _, p := range in.Passages {
		text := strings.TrimSpace(p.Text + " " + p.Caption)
		told, n := words.Words(text), 0
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
		return answerResponse{Answer: answerUnknown, Why: "There is nothing to read, and pictures were not looked at."}, nil
	}
	if long := []rune(best); len(long) > maxOpenAnswer {
		best = string(long[:maxOpenAnswer])
	}
	return answerResponse{Answer: best, Why: "This passage has most words of the question. Pictures were not looked at."}, nil
}

// guessGrade says yes when the given answer has every word of the right one.
func guessGrade(in gradeInput, _ *rand.Rand) (gradeResponse, error) {
	given, gold := words.Words(in.Answer), words.Words(in.Gold)
	if len(gold) == 0 || slices.ContainsFunc(gold, func(w string) bool { return !slices.Contains(given, w) }) {
		return gradeResponse{Correct: answerNo, Why: "Not every word of the right answer stands in it."}, nil
	}
	return gradeResponse{Correct: answerYes, Why: "Every word of the right answer stands in it."}, nil
}

// guessLabel takes the value whose meaning has most words of the explanation, at random among
// values alike.
func guessLabel(in labelInput, lots *rand.Rand) (labelResponse, error) {
	if len(in.Values) == 0 {
		return labelResponse{}, errors.New("it has no values")
	}
	var meanings []string
	for _, v := range in.Values {
		meanings = append(meanings, v.Meaning)
	}
	best := favouredOptions(meanings, []passage{{Text: in.Explanation}})
	at := best[lots.IntN(len(best))]
	return labelResponse{Value: in.Values[at].Value, Why: "The words of its meaning stand in the explanation most, or it was drawn by lot among those that do."}, nil
}
