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

// PictureReader look at the pictures of a family in the place of the built-in model, which sees
// none: by rules, without a language model.
type PictureReader struct {
	// Family names them, Version changes when their answers do.
	Family, Version string
	// Answer answers a question from what is shown of its evidence; ok is false of
	// questions that are not theirs. It may be called from several goroutines.
	Answer func(ctx context.Context, s *pipeline.Scope, asked PictureQuestion) (seen PictureAnswer, ok bool, err error)
}

// PictureQuestion is a question with what is shown.
type PictureQuestion struct {
	Question string
	Options  []string
	Passages []PicturePassage
}

// PicturePassage is a passage with its pictures.
type PicturePassage struct {
	Text     string
	Pictures []pipeline.Digest
}

// PictureAnswer is the answer of a picture reader. Option is the place of the right one, -1 where
// what is shown does not tell; Unread says that this is for want of skill: something
// could not be made out. Why is a sentence.
type PictureAnswer struct {
	Option     int
	Unreadable bool
	Why        string
}

const kindPictureReader = "built-in eyes"

// AddPictureReader lets the built-in model look at the pictures of a family. The gates are
// registered after all readers, for the version of its rule names them.
func AddPictureReader(r *pipeline.Registry, e PictureReader) {
	if r.HasRule(jobAnswer) {
		r.Extend(kindPictureReader, "", e) // refused: too late
		return
	}
	r.Extend(kindPictureReader, e.Family, e)
}

// pictureRule uses the reader that knows a question, and guesses where there is none.
func pictureRule(r *pipeline.Registry) (version string, rule pipeline.Rule) {
	all := pipeline.Extensions[PictureReader](r, kindPictureReader)
	version = "1"
	for _, e := range all {
		version += fmt.Sprintf(" %s %s", e.Family, e.Version)
	}
	guess := guessRule("guess", guessAnswer)
	return version, func(ctx context.Context, s *pipeline.Scope, q pipeline.Request) (json.RawMessage, error) {
		var in answerInput
		if err := json.Unmarshal(q.Input, &in); err != nil {
			return nil, fmt.Errorf("input of %s: %w", q.Task, err)
		}
		for _, e := range all {
			if in.Pictures == 0 {
				break
			}
			seen, ok, err := e.Answer(ctx, s, in.pictureQuestion(q.Images()))
			if err != nil {
				return nil, fmt.Errorf("look at the pictures of %s: %w", q.Task, err)
			}
			if ok {
				return pipeline.Canonical(in.response(seen))
			}
		}
		return guess(ctx, s, q)
	}
}

func (in answerInput) pictureQuestion(images []pipeline.Digest) PictureQuestion {
	out := PictureQuestion{Question: in.Question}
	for _, o := range in.Options {
		out.Options = append(out.Options, o.Text)
	}
	for _, p := range in.Passages {
		e := PicturePassage{Text: p.Text}
		for _, n := range p.Pictures {
			if n > 0 && n <= len(images) {
				e.Pictures = append(e.Pictures, images[n-1])
			}
		}
		out.Passages = append(out.Passages, e)
	}
	return out
}

// unreadablePrefix begins the reason of an answer that a reader could not make out.
const unreadablePrefix = "Not made out: "

func (in answerInput) response(s PictureAnswer) answerResponse {
	switch {
	case s.Option >= 0 && s.Option < len(in.Options):
		return answerResponse{Answer: in.Options[s.Option].Letter, Why: s.Why}
	case s.Unreadable:
		return answerResponse{Answer: answerUnknown, Why: unreadablePrefix + s.Why}
	}
	return answerResponse{Answer: answerUnknown, Why: s.Why}
}

// allUnreadable reports that built-in readers gave every answer and made nothing out.
func allUnreadable(probes []schemas.Probe) bool {
	return len(probes) > 0 && !slices.ContainsFunc(probes, func(p schemas.Probe) bool {
		var given answerResponse
		return p.Model != pipeline.BuiltInModel || p.Answer != answerUnknown ||
			json.Unmarshal([]byte(p.Response), &given) != nil || !strings.HasPrefix(given.Why, unreadablePrefix)
	})
}
