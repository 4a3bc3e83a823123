package video

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/author"
	"github.com/memforge/memforge/stages/video/question"
)

// checkRewrite applies the checks of drafts to a question in new words. A
// question written by rule has no descriptions to compare with, so checkForm
// compares it with its old form.
func checkRewrite(old, next schemas.Question, basis *schemas.Basis) []string {
	if basis == nil {
		return checkForm(old, next)
	}
	asked, ok := strings.CutPrefix(next.Question, basis.Opening+" ")
	if !ok {
		return []string{fmt.Sprintf("the question must begin with %q, letter by letter", basis.Opening)}
	}
	in, cited, err := inputFromBasis(basis)
	if err != nil {
		return []string{err.Error()}
	}
	if g, ok := question.GroundingFor(old.Type); ok {
		return checkGrounding(g, in, cited, asked, next.Explanation)
	}
	// The right option stays with what it rests on; wrong ones may be of any part.
	d := author.Draft{Question: asked, Evidence: in.AddSections(author.RoleOther, cited), Explanation: next.Explanation}
	was := author.Draft{}
	for i, o := range next.Options {
		d.Options = append(d.Options, author.Option{Text: o.Text, Role: o.Role})
		was.Options = append(was.Options, author.Option{Text: old.Options[i].Text, Role: o.Role})
	}
	return append(author.CheckDraft(old.Type, in, author.AddFixedOptions(old.Type, in, d)), author.CheckSameFact(was, d)...)
}

// checkGrounding checks a question about where something happens, of which only
// the event is written by the author.
func checkGrounding(g question.Grounding, in author.Input, cited []author.Evidence, asked, explanation string) []string {
	rest := strings.TrimSuffix(asked, g.Form())
	if rest == asked || rest == "" {
		return []string{fmt.Sprintf("the question must be one statement of what happens, followed by %q", g.Form())}
	}
	event := author.EventInput{Target: in.Target, Other: in.Other}
	for _, e := range cited {
		if e.Video == author.RoleTarget {
			event.Section = e.Section
		}
	}
	return author.CheckEvent(event, author.Event{Event: rest, Explanation: explanation})
}

// checkForm demands that a question written by rule keeps its opening, its form
// and the names in it, and says no place or time.
func checkForm(old, next schemas.Question) []string {
	var why []string
	opening := ""
	for _, l := range pairLayouts() {
		for _, o := range []string{question.Opening(l), author.LayoutSentence(l)} {
			if strings.HasPrefix(old.Question, o+" ") && len(o) > len(opening) {
				opening = o
			}
		}
	}
	was := strings.TrimPrefix(old.Question, opening)
	asked, ok := strings.CutPrefix(next.Question, opening)
	if !ok {
		return []string{fmt.Sprintf("the question must begin with %q, letter by letter", opening)}
	}
	if g, ok := question.GroundingFor(old.Type); ok && !strings.HasSuffix(asked, g.Form()) {
		why = append(why, fmt.Sprintf("the question must end with %q", g.Form()))
	}
	for _, name := range author.NamesIn(was) {
		if strings.Count(asked, name) != strings.Count(was, name) {
			why = append(why, fmt.Sprintf("the question must name %q as often as before, letter by letter", name))
		}
	}
	if m := author.FindMoment(asked); m != "" && author.FindMoment(was) == "" {
		why = append(why, fmt.Sprintf("the question says %q; a video or moment must not be named by its place, time or number", m))
	}
	return why
}

// addQuestion stores with a question what it was written from.
func (w *questionWriter) addQuestion(ctx context.Context, q schemas.Question, opening string, target, other author.Story, cited []author.Evidence) error {
	b, err := newBasis(opening, target, other, cited)
	if err != nil {
		return fmt.Errorf("keep what question %s was written from: %w", q.QuestionID, err)
	}
	raw, err := pipeline.Canonical(b)
	if err != nil {
		return fmt.Errorf("keep what question %s was written from: %w", q.QuestionID, err)
	}
	blob, err := w.scope.PutBlob(ctx, bytes.NewReader(raw))
	if err != nil {
		return fmt.Errorf("keep what question %s was written from: %w", q.QuestionID, err)
	}
	q.Basis = string(blob.Digest)
	w.questions = append(w.questions, q)
	return nil
}

func descriptionFields(d schemas.Description) (map[string]string, error) {
	raw, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	return out, json.Unmarshal(raw, &out)
}

// newBasis records what a question was written from: both videos, the one asked
// about first, and the sections it cites.
func newBasis(opening string, target, other author.Story, cited []author.Evidence) (schemas.Basis, error) {
	b := schemas.Basis{Opening: opening}
	for _, s := range []struct {
		role  string
		story author.Story
	}{{author.RoleTarget, target}, {author.RoleOther, other}} {
		src := schemas.BasisSource{Role: s.role, Name: s.story.Name, Parts: []schemas.BasisPart{}}
		for _, p := range s.story.Sections {
			texts, err := descriptionFields(p.Description)
			if err != nil {
				return b, err
			}
			src.Parts = append(src.Parts, schemas.BasisPart{
				Part: p.Section, Start: p.Start, End: p.End, Cut: p.Cut, Told: texts,
				Cited: slices.Contains(cited, author.Evidence{Video: s.role, Section: p.Section}),
			})
		}
		b.Sources = append(b.Sources, src)
	}
	return b, nil
}

func inputFromBasis(b *schemas.Basis) (author.Input, []author.Evidence, error) {
	in := author.Input{Shown: b.Opening, Asked: []string{}, Refused: []author.Refusal{}}
	var cited []author.Evidence
	for _, s := range b.Sources {
		story := author.Story{Name: s.Name}
		for _, p := range s.Parts {
			raw, err := json.Marshal(p.Told)
			if err != nil {
				return in, nil, err
			}
			part := author.Part{Section: p.Part, Start: p.Start, End: p.End, Cut: p.Cut}
			if err := json.Unmarshal(raw, &part.Description); err != nil {
				return in, nil, fmt.Errorf("what the question was written from cannot be read: %w", err)
			}
			story.Sections = append(story.Sections, part)
			if p.Cited {
				cited = append(cited, author.Evidence{Video: s.Role, Section: p.Part})
			}
		}
		if s.Role == author.RoleTarget {
			in.Target = story
		} else {
			in.Other = story
		}
	}
	return in, cited, nil
}
