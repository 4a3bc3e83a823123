package pipeline

import (
	"context"
	"fmt"
	"math/rand/v2"
)

// Generated is a source that fetches nothing: Count records of a schema, each made
// from random numbers of its own, so that a larger count adds records and changes
// none. License is that of what is made.
type Generated[T any] struct {
	Schema, License string
	Count           int
	Make            func(*rand.Rand) T
}

// Spec implements Source.
func (g Generated[T]) Spec() Spec { return Spec{Emits: []string{g.Schema}, License: g.License} }

// Needs implements Source: there is nothing to fetch.
func (Generated[T]) Needs() []Need { return nil }

// Forecast implements Forecaster.
func (g Generated[T]) Forecast(Volume) Forecast {
	return Forecast{Out: Volume{g.Schema: Amount{Records: float64(g.Count)}}}
}

// Read implements Source. Ids are the name of the node and a number.
func (g Generated[T]) Read(ctx context.Context, scope *Scope, _ []Asset, emit func(Record) error) error {
	for i := range g.Count {
		if err := ctx.Err(); err != nil {
			return err
		}
		id := fmt.Sprintf("%s-%06d", scope.Name(), i)
		r, err := NewRecord(g.Schema, id, g.Make(scope.Rand(id)))
		if err != nil {
			return err
		}
		if err := emit(r); err != nil {
			return err
		}
	}
	return nil
}
