package panel

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// Eyes look at the pictures of a family in the place of the built-in model, which sees
// none: by rules, without a language model.
type Eyes struct {
	// Family names them, Version changes when their answers do.
	Family, Version string
	// Look answers a question from what is shown of its evidence; ok is false of
	// questions that are not theirs. It may be called from several goroutines.
	Look func(ctx context.Context, s *pipeline.Scope, asked Asked) (seen Seen, ok bool, err error)
}

// Asked is a question with what is shown.
type Asked struct {
	Question string
	Options  []string
	Passages []Exhibit
}

// Exhibit is a passage with its pictures.
type Exhibit struct {
	Text     string
	Pictures []pipeline.Digest
}

// Seen is what eyes make of a question. Option is the place of the right one, -1 where
// what is shown does not tell; Unread says that this is for want of skill: something
// could not be made out. Why is a sentence.
type Seen struct {
	Option int
	Unread bool
	Why    string
}

const kindEyes = "built-in eyes"

// AddEyes lets the built-in model look at the pictures of a family. The gates are
// registered after all eyes, for the version of its rule names them.
func AddEyes(r *pipeline.Registry, e Eyes) {
	if r.Answers(taskAnswer) {
		r.Extend(kindEyes, "", e) // refused: too late
		return
	}
	r.Extend(kindEyes, e.Family, e)
}

// looks is the built-in model's rule for questions with options: who has eyes for a
// question looks, for others it guesses.
func looks(r *pipeline.Registry) (version string, rule pipeline.Rule) {
	all := pipeline.Extensions[Eyes](r, kindEyes)
	version = "1"
	for _, e := range all {
		version += fmt.Sprintf(" %s %s", e.Family, e.Version)
	}
	guess := ruled("guess", guessAnswer)
	return version, func(ctx context.Context, s *pipeline.Scope, q pipeline.Request) (json.RawMessage, error) {
		var in answerInput
		if err := json.Unmarshal(q.Input, &in); err != nil {
			return nil, fmt.Errorf("input of %s: %w", q.Task, err)
		}
		for _, e := range all {
			if in.Pictures == 0 {
				break
			}
			seen, ok, err := e.Look(ctx, s, in.asked(q.Images))
			if err != nil {
				return nil, fmt.Errorf("look at the pictures of %s: %w", q.Task, err)
			}
			if ok {
				return pipeline.Canonical(in.given(seen))
			}
		}
		return guess(ctx, s, q)
	}
}

func (in answerInput) asked(images []pipeline.Digest) Asked {
	out := Asked{Question: in.Question}
	for _, o := range in.Options {
		out.Options = append(out.Options, o.Text)
	}
	for _, p := range in.Passages {
		e := Exhibit{Text: p.Text}
		for _, n := range p.Pictures {
			if n > 0 && n <= len(images) {
				e.Pictures = append(e.Pictures, images[n-1])
			}
		}
		out.Passages = append(out.Passages, e)
	}
	return out
}

// notMadeOut begins why an answer is unknown that eyes could not read.
const notMadeOut = "Not made out: "

func (in answerInput) given(s Seen) answerGiven {
	switch {
	case s.Option >= 0 && s.Option < len(in.Options):
		return answerGiven{Answer: in.Options[s.Option].Letter, Why: s.Why}
	case s.Unread:
		return answerGiven{Answer: answerUnknown, Why: notMadeOut + s.Why}
	}
	return answerGiven{Answer: answerUnknown, Why: s.Why}
}

// unread reports that built-in eyes gave every answer and could make nothing out: no
// verdict rests on what they lack.
func unread(probes []schemas.Probe) bool {
	return len(probes) > 0 && !slices.ContainsFunc(probes, func(p schemas.Probe) bool {
		var given answerGiven
		return p.Model != pipeline.BuiltInModel || p.Answer != answerUnknown ||
			json.Unmarshal([]byte(p.Response), &given) != nil || !strings.HasPrefix(given.Why, notMadeOut)
	})
}
