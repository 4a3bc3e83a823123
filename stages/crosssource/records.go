package crosssource

import (
	"cmp"
	"context"

	"github.com/memforge/memforge/pipeline"
)

// eachRecord goes over the records of a schema in a collection, in order of their ids.
func eachRecord[T any](ctx context.Context, in pipeline.Collection, schema string, do func(T) error) error {
	for rec, err := range in.All {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if rec.Schema != schema {
			continue
		}
		v, err := pipeline.Decode[T](rec)
		if err != nil {
			return err
		}
		if err := do(v); err != nil {
			return err
		}
	}
	return nil
}
