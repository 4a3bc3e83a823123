package pipeline

import (
	"maps"
	"testing"

	"github.com/memforge/memforge/schemas"
)

func TestDerivationsAreRegisteredOnceAndWhole(t *testing.T) {
	whole := Derivation{
		Version: "2",
		Question: func(schemas.Question, Premises) (Derived[schemas.Question], error) {
			return Derived[schemas.Question]{}, nil
		},
		Task: func(schemas.Task, Premises) (Derived[schemas.Task], error) { return Derived[schemas.Task]{}, nil },
	}
	r := NewRegistry()
	r.AddDerivation("sums", whole)
	if _, ok := r.Derivation("sums"); !ok || r.Err() != nil || !maps.Equal(r.Derivations(), map[string]string{"sums": "2"}) {
		t.Errorf("derivations %v, %v", r.Derivations(), r.Err())
	}
	noVersion, noTask := whole, whole
	noVersion.Version, noTask.Task = "", nil
	for name, add := range map[string]func(*Registry){
		"twice":      func(r *Registry) { r.AddDerivation("sums", whole); r.AddDerivation("sums", whole) },
		"no name":    func(r *Registry) { r.AddDerivation("", whole) },
		"no version": func(r *Registry) { r.AddDerivation("sums", noVersion) },
		"no task":    func(r *Registry) { r.AddDerivation("sums", noTask) },
	} {
		r := NewRegistry()
		if add(r); r.Err() == nil {
			t.Errorf("%s: it is registered", name)
		}
	}
}
