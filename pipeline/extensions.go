package pipeline

import (
	"fmt"
	"maps"
	"slices"
)

// Extend registers something of a kind that this package knows nothing of, such as
// an export format. The package that knows it wraps Extend and Extensions with its
// type; others call these.
func (r *Registry) Extend(kind, name string, v any) {
	if name == "" {
		r.errs = append(r.errs, fmt.Errorf("register %s: it needs a name", kind))
		return
	}
	if _, taken := r.extensions[kind][name]; taken {
		r.errs = append(r.errs, fmt.Errorf("register %s %q: the name is taken", kind, name))
		return
	}
	if r.extensions[kind] == nil {
		r.extensions[kind] = map[string]any{}
	}
	r.extensions[kind][name] = v
}

// Extensions are what was registered of a kind, by name.
func Extensions[T any](r *Registry, kind string) (out []T) {
	for _, name := range slices.Sorted(maps.Keys(r.extensions[kind])) {
		if v, ok := r.extensions[kind][name].(T); ok {
			out = append(out, v)
		}
	}
	return out
}
