package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/schemas"
)

// plan checks how the nodes hang together and puts them in order.
func (l *loader) plan() engine.Plan {
	names := slices.Sorted(maps.Keys(l.drafts))
	for _, name := range names {
		l.edges(l.drafts[name], names)
		l.onFail(l.drafts[name])
	}
	if at := l.tree.get("release").get("from"); at != nil {
		l.upstreams("release", l.file.Release.From, at, names)
	}
	l.reportAbsent(names)
	if len(names) == 0 && l.tree.kind == mapping {
		l.problems.add(l.tree.at, "the file has no nodes; add sources and stages")
	}
	nodes := l.order(names)
	l.types(nodes)
	l.release(nodes)
	if len(l.problems.list) == 0 && l.unroll() {
		nodes = l.order(slices.Sorted(maps.Keys(l.drafts)))
	}
	models := l.models()
	l.warnSharedModels(nodes, models)
	return engine.Plan{Seed: l.file.Seed, Steps: nodes, Models: models, Release: l.file.Release}
}

// edges checks the from of one node.
func (l *loader) edges(d *draftStep, names []string) {
	if d.Kind == pipeline.KindSource || d.tree.kind != mapping {
		return
	}
	from := d.tree.get("from")
	if isMisspelt(d.tree, "from") {
		return
	}
	if from == nil || from.kind == list && len(from.items) == 0 {
		l.problems.add(d.tree.where("from"), "%s %q needs from: a list of the nodes it reads", d.Kind, d.Name)
		return
	}
	for i, up := range l.upstreams(d.Name, d.From, from, names) {
		if up != nil {
			l.checkSchemas(d, up, from.items[i].at)
		}
	}
}

// upstreams looks up the nodes of a from list; those that are wrong are nil.
func (l *loader) upstreams(reader string, from []string, at *node, names []string) []*draftStep {
	if at.kind != list || len(at.items) != len(from) {
		return nil
	}
	ups := make([]*draftStep, len(from))
	for i, name := range from {
		where := at.items[i].at
		switch up, ok := l.drafts[name]; {
		case at.items[i].kind != text:
			// The decoder has complained.
		case !ok:
			l.absent[name] = append(l.absent[name], where)
		case name == reader:
			l.problems.add(where, "node %q reads itself", name)
		case slices.Index(from, name) < i:
			l.problems.add(where, "node %q is named twice", name)
		default:
			ups[i] = up
		}
	}
	return ups
}

// reportAbsent names each node that is read and is not there once, where it is first
// read: there is one mistake, however many read it. Where the key of a whole block
// is misspelt, all that would stand there is absent, and that has been said.
func (l *loader) reportAbsent(names []string) {
	if slices.ContainsFunc([]string{"sources", "stages", "gates"}, func(block string) bool { return isMisspelt(l.tree, block) }) {
		return
	}
	for name, places := range l.absent {
		first := slices.MinFunc(places, func(a, b place) int {
			return cmp.Or(strings.Compare(a.source, b.source), cmp.Compare(a.line, b.line), cmp.Compare(a.col, b.col))
		})
		more := ""
		if n := len(places) - 1; n > 0 {
			more = fmt.Sprintf(" (read in %d more places)", n)
		}
		l.problems.add(first, "no node is called %q%s%s", shorten(name), suggest(name, names, "there are"), more)
	}
}

// checkSchemas makes sure that something of what up gives is accepted by d.
func (l *loader) checkSchemas(d, up *draftStep, at place) {
	if !d.sound || !up.sound {
		return
	}
	emits := up.spec.Emits
	if up.Kind == pipeline.KindGate {
		emits = append(slices.Clone(up.spec.Accepts), schemas.NameVerdict, schemas.NameProbes)
		if up.OnFail == pipeline.OnFailRevise {
			emits = append(emits, schemas.NameFlagged)
		}
	}
	for _, s := range d.spec.Accepts {
		if slices.Contains(emits, s) {
			return
		}
	}
	l.problems.add(at, "%s %q accepts %s, but %q gives %s: nothing would reach it",
		d.Kind, d.Name, schemaList(d.spec.Accepts), up.Name, schemaList(emits))
}

// order sorts topologically, by name where the order is free. Nodes on a cycle
// are reported and left out.
func (l *loader) order(names []string) []engine.Step {
	var nodes []engine.Step
	placed := map[string]bool{}
	ready := func(name string) bool {
		waits := func(up string) bool { return l.drafts[up] != nil && !placed[up] }
		return !placed[name] && !slices.ContainsFunc(l.drafts[name].From, waits)
	}
	for {
		i := slices.IndexFunc(names, ready)
		if i < 0 {
			break
		}
		placed[names[i]] = true
		nodes = append(nodes, l.drafts[names[i]].Step)
	}
	if len(placed) < len(names) {
		l.cycle(names, placed)
	}
	return nodes
}

// cycle follows unplaced upstreams until one repeats.
func (l *loader) cycle(names []string, placed map[string]bool) {
	stuck := func(name string) bool { return l.drafts[name] != nil && !placed[name] }
	at := names[slices.IndexFunc(names, stuck)]
	var path []string
	for !slices.Contains(path, at) {
		path = append(path, at)
		from := l.drafts[at].From
		at = from[slices.IndexFunc(from, stuck)]
	}
	path = path[slices.Index(path, at):]
	if len(path) == 1 {
		return // reported as a node that reads itself
	}
	slices.Reverse(path)
	// Begin at the first name, so that the message does not depend on the way
	// the cycle was entered.
	least := slices.Index(path, slices.Min(path))
	path = append(path[least:], path[:least]...)
	d := l.drafts[path[0]]
	l.problems.add(d.tree.where("from"), "the nodes form a cycle: %s", strings.Join(append(path, path[0]), " -> "))
}
