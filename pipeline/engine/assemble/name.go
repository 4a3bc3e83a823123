package assemble

import "hash/maphash"

// name stands for a text, or two: a hash that nobody can foresee in place of the ids
// themselves, which would take most of the memory where records are many. 0 is the
// name of no text.
type name uint64

// namer gives names, of one text always the same.
type namer struct{ seed maphash.Seed }

func newNamer() namer { return namer{maphash.MakeSeed()} }

func (n namer) of(text string) name {
	if text == "" {
		return 0
	}
	return name(maphash.String(n.seed, text))
}

// item is the name of what has a schema and an id.
func (n namer) item(schema, id string) name {
	return name(maphash.Comparable(n.seed, [2]string{schema, id}))
}

// names is a set of names.
type names map[name]struct{}

func (s names) add(n name) { s[n] = struct{}{} }

func (s names) has(n name) bool {
	_, ok := s[n]
	return ok
}
