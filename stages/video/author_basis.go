package video

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/author"
)

// addQuestion keeps with a question what it was written from.
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

// descriptionFields is a description by its keys.
func descriptionFields(d schemas.Description) (map[string]string, error) {
	raw, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	return out, json.Unmarshal(raw, &out)
}

// newBasis tells what a question was written from: both videos, the one asked
// about first, and the sections that it rests on.
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

// inputFromBasis is the inverse of newBasis.
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
