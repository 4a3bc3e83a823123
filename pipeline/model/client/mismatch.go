package client

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
)

// ModelMismatch tells of a model that answers did not come from as asked: the server
// named another, or several.
type ModelMismatch struct {
	// Name in the configuration, and Asked, the id by which it was asked for.
	Name, Asked string
	// Counts counts answers, recorded ones too, by the id that the server stated.
	Counts map[string]int
}

// Names lists the ids that were stated, sorted.
func (s ModelMismatch) Names() []string { return slices.Sorted(maps.Keys(s.Counts)) }

type servedCounter struct {
	mu sync.Mutex
	by map[*endpoint]map[string]int
}

// count counts an answer, unless the server did not name its model.
func (r *servedCounter) count(e *endpoint, stated string) {
	if stated == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.by == nil {
		r.by = map[*endpoint]map[string]int{}
	}
	if r.by[e] == nil {
		r.by[e] = map[string]int{}
	}
	r.by[e][stated]++
}

// ModelMismatches lists, by name, the models of which answers came from another than was
// asked for, or from several.
func (c *Client) ModelMismatches() []ModelMismatch {
	c.servedCounts.mu.Lock()
	defer c.servedCounts.mu.Unlock()
	var out []ModelMismatch
	for e, by := range c.servedCounts.by {
		odd := len(by) > 1
		for stated := range by {
			odd = odd || !sameModel(stated, e.Model.Model)
		}
		if odd {
			out = append(out, ModelMismatch{Name: e.Name, Asked: e.Model.Model, Counts: maps.Clone(by)})
		}
	}
	slices.SortFunc(out, func(a, b ModelMismatch) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// sameModel reports that the stated id is the one asked for, without its folder, or a version
// of it (name-2025-04-14).
func sameModel(stated, asked string) bool {
	base := func(s string) string { return strings.ToLower(s[strings.LastIndexAny(s, `/\`)+1:]) }
	s, a := base(stated), base(asked)
	rest, ok := strings.CutPrefix(s, a)
	return ok && (rest == "" || strings.ContainsAny(rest[:1], "-:@."))
}
