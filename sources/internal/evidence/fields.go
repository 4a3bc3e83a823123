package evidence

import (
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/sources/internal/annotation"
)

// CodeField is a field of upstream that no record has, with how often it is there.
const CodeField = "field-left-out"

// UnusedFields counts what objects have beside the keys that are kept.
type UnusedFields map[string]int

// Count counts the keys of an object at a place ("traj") that are not kept.
func (f UnusedFields) Count(place string, o annotation.Object, kept ...string) {
	for key, value := range o {
		if !slices.Contains(kept, key) && string(value) != "null" {
			f[strings.TrimPrefix(place+"."+annotation.Truncate(key), ".")]++
		}
	}
}

// maxFields bounds how many fields are named: hostile files invent keys.
const maxFields = 64

// Rejections yields the fields that were left out in the order of their names, each once, with
// a place and how often it is there.
func (f UnusedFields) Rejections(yield func(place string, why *pipeline.Rejection) bool) {
	for i, name := range slices.Sorted(maps.Keys(f)) {
		if i == maxFields {
			yield("field", pipeline.Reject(CodeField, "%d more fields that nothing reads", len(f)-i))
			return
		}
		if !yield("field:"+name, pipeline.Reject(CodeField, "no record has this field; it is there %d times", f[name])) {
			return
		}
	}
}

// RejectFields loses the fields of what upstream calls so.
func (g *Emitter) RejectFields(upstream string, f UnusedFields) {
	for place, why := range f.Rejections {
		g.RejectWith(upstream+"/"+place, why)
	}
}
