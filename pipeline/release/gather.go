package release

import (
	"context"
	"errors"
	"fmt"

	"github.com/memforge/memforge/pipeline/internal/extsort"
)

// gather puts all rows in order and checks that they are a release. Where records are
// against a rule, it begins again without them.
func (w *writer) gather(ctx context.Context, opts *Options) error {
	for {
		broken, err := w.broken(ctx)
		if err != nil || len(broken) == 0 {
			return err
		}
		if w.in.Without == nil {
			return &ReferenceError{Problems: broken}
		}
		if w.in, opts.Gallery, err = w.in.Without(ctx, broken); err != nil {
			return err
		}
		if err := w.set.Close(); err != nil {
			return err
		}
		w.set = extsort.New(w.scratch, rowMemory)
		w.content, w.refused = content{}, nil
		if w.shapes, err = withPlugged(w.in.withFlagged()); err != nil {
			return err
		}
	}
}

// broken puts all rows in order and tells what is against a rule. What no table can hold
// is told alone: what refers to it is not to blame.
func (w *writer) broken(ctx context.Context) ([]Breach, error) {
	if err := w.collect(w.in); err != nil {
		return nil, err
	}
	if why := Beyond(float64(w.set.Len(mediaAlone().name))); why != "" {
		return nil, errors.New(why)
	}
	if err := w.addRows(ctx); err != nil || len(w.refused) > 0 {
		return w.refused, err
	}
	found := references(w.shapes, w.each, true)
	return found, w.failed
}

// refuse notes why a row cannot stand in its table.
func (w *writer) refuse(t table, r row, why string) {
	name := t.name
	if name == mediaAlone().name {
		name = tableMedia
	}
	w.refused = append(w.refused, Breach{name, fmt.Sprint(r[0]), why})
}
