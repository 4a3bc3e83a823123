package release

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/schemas"
)

// UnreviewedError says why a release that is to be marked reviewed is not.
type UnreviewedError struct{ Problems []string }

func (e *UnreviewedError) Error() string {
	parts := "1 part"
	if n := len(e.Problems); n != 1 {
		parts = fmt.Sprintf("%d parts", n)
	}
	return fmt.Sprintf("release.reviewed is true, and %s of what people had to decide does not hold: %s. "+
		"Let review.settle be the last stage that changes what is released, list what is open with `memforge sample --open`, or set release.reviewed: false",
		parts, joinFirst(e.Problems))
}

// schemaRecords decodes the rows of the table that holds a schema, if the release has
// one.
func schemaRecords[T any](schema string, shapes []table, rows rowSource) iter.Seq[T] {
	i := slices.IndexFunc(shapes, func(t table) bool {
		return t.declared != nil && t.declared.Schema == schema && t.declared.Part == nil
	})
	if i < 0 {
		return func(func(T) bool) {}
	}
	return declaredRecords[T](rows, shapes[i])
}

func reviewTables(shapes []table, rows rowSource) review.Tables {
	return review.Tables{
		Drawn:    schemaRecords[schemas.Sampled](schemas.NameSampled, shapes, rows),
		Reviews:  schemaRecords[schemas.Review](schemas.NameReview, shapes, rows),
		Released: func(schema string) iter.Seq[review.Entry] { return entries(schema, shapes, rows) },
	}
}

// entries yields the released records of a schema as samples see them.
func entries(schema string, shapes []table, rows rowSource) iter.Seq[review.Entry] {
	own := map[string]string{schemas.NameQuestion: tableQuestions, schemas.NameTask: tableTasks, schemas.NameMedia: tableMedia}
	i := slices.IndexFunc(shapes, func(t table) bool {
		return t.declared == nil && t.name == own[schema] || t.declared != nil && t.declared.Schema == schema && t.declared.Part == nil
	})
	return func(yield func(review.Entry) bool) {
		if i < 0 {
			return
		}
		for r := range rows(shapes[i]) {
			if !yield(entryOf(shapes[i], r)) {
				return
			}
		}
	}
}

// entryOf reads a row as review.EntryOf reads the record.
func entryOf(t table, r row) review.Entry {
	id, _ := r[0].(string)
	e := review.Entry{ID: id, Values: map[string]string{}}
	for i, c := range t.columns {
		e.Set(c.Name, r[i])
	}
	at, ok := t.column("labels")
	if !ok {
		return e
	}
	labels, _ := r[at].([]any)
	for _, label := range labels {
		if pair, _ := label.([]any); len(pair) == 2 {
			if key, _ := pair[0].(string); e.Values[key] == "" {
				e.Set(key, pair[1])
			}
		}
	}
	return e
}

func reviewProblems(marks []review.SampleMark, s review.Tables) (out []string, err error) {
	for _, m := range marks {
		found, failed := s.Check(m)
		out, err = append(out, found...), errors.Join(err, failed)
	}
	return out, err
}

// CheckReviewed lists what is wrong with the marks of a release that was read.
func CheckReviewed(c Contents) ([]string, error) {
	out, err := reviewProblems(c.Manifest.Reviewed, reviewTables(currentShapes(c.Manifest), c.rows))
	return out, errors.Join(err, c.ended())
}

// CheckDecisions holds what became of the records of a release against what people decided.
func CheckDecisions(c Contents, f review.Removals) (review.DecisionCheck, error) {
	out, err := reviewTables(currentShapes(c.Manifest), c.rows).CheckDecisions(c.Manifest.Reviewed, f)
	return out, errors.Join(err, c.ended())
}

// SampledReviews are the decisions about what was drawn.
func (c Contents) SampledReviews() []schemas.Review {
	return reviewTables(currentShapes(c.Manifest), c.rows).Sampled()
}

func (v *verifier) checkReviewed(m manifest.Manifest) error {
	problems, err := reviewProblems(m.Reviewed, reviewTables(currentShapes(m), v.each))
	for _, p := range problems {
		v.add(manifest.FileName, "reviewed: %s", p)
	}
	return errors.Join(err, v.failed)
}

// checkReviewMarks works out what the manifest states of the samples and of the people
// who decided, and refuses a mark that does not hold.
func (w *writer) checkReviewMarks() error {
	stated := reviewTables(w.shapes, w.each)
	w.in.Reviewed = slices.Clone(w.in.Reviewed)
	for i, m := range w.in.Reviewed {
		mark, err := stated.Mark(m.Step, m.ReviewSample)
		if err != nil {
			return err
		}
		w.in.Reviewed[i] = mark
	}
	problems, err := reviewProblems(w.in.Reviewed, stated)
	switch {
	case errors.Join(err, w.failed) != nil:
		return errors.Join(err, w.failed)
	case len(problems) > 0:
		return &UnreviewedError{problems}
	}
	return nil
}
