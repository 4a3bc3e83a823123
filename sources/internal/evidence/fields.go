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

// Fields counts what objects have beside the keys that are kept.
type Fields map[string]int

// Left counts the keys of an object at a place ("traj") that are not kept.
func (f Fields) Left(place string, o annotation.Object, kept ...string) {
	for key, value := range o {
		if !slices.Contains(kept, key) && string(value) != "null" {
			f[strings.TrimPrefix(place+"."+annotation.Short(key), ".")]++
		}
	}
}

// maxFields bounds how many fields are named: hostile files invent keys.
const maxFields = 64

// Lost yields the fields that were left out in the order of their names, each once, with
// a place and how often it is there.
func (f Fields) Lost(yield func(place string, why *pipeline.Rejection) bool) {
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

// LoseFields loses the fields of what upstream calls so.
func (g *Giver) LoseFields(upstream string, f Fields) {
	for place, why := range f.Lost {
		g.Lose(upstream+"/"+place, why)
	}
}
