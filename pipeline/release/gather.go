package release

import (
	"context"
	"errors"
	"fmt"

	"github.com/memforge/memforge/pipeline/internal/extsort"
)

// collectValid puts all rows in order and checks that they are a release. Where records are
// against a rule, it begins again without them.
func (w *writer) collectValid(ctx context.Context, opts *Options) error {
	for {
		broken, err := w.violations(ctx)
		if err != nil || len(broken) == 0 {
			return err
		}
		if w.in.Exclude == nil {
			return &ReferenceError{Problems: broken}
		}
		if w.in, opts.Gallery, err = w.in.Exclude(ctx, broken); err != nil {
			return err
		}
		if err := w.set.Close(); err != nil {
			return err
		}
		w.set = extsort.New(w.scratch, rowMemory)
		w.content, w.refused = content{}, nil
		if w.shapes, err = withDeclared(w.in.withFlagged()); err != nil {
			return err
		}
	}
}

// violations puts all rows in order and tells what is against a rule. What no table can hold
// is told alone: what refers to it is not to blame.
func (w *writer) violations(ctx context.Context) ([]Violation, error) {
	if err := w.collect(w.in); err != nil {
		return nil, err
	}
	if why := TooManyMedia(float64(w.set.Len(mediaRecords().name))); why != "" {
		return nil, errors.New(why)
	}
	if err := w.addRows(ctx); err != nil || len(w.refused) > 0 {
		return w.refused, err
	}
	found := checkReferences(w.shapes, w.each, true)
	return found, w.failed
}

// refuseRow notes why a row cannot stand in its table.
func (w *writer) refuseRow(t table, r row, why string) {
	name := t.name
	if name == mediaRecords().name {
		name = tableMedia
	}
	w.refused = append(w.refused, Violation{name, fmt.Sprint(r[0]), why})
}
