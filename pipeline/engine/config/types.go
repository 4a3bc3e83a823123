package config

import (
	"fmt"
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/schemas"
)

// arrival is what is known of the types of questions on their way: any says that
// some may have a type that no plugin states.
type arrival struct {
	types []string
	any   bool
}

func (a arrival) with(b arrival) arrival {
	types := slices.Concat(a.types, b.types)
	slices.Sort(types)
	return arrival{slices.Compact(types), a.any || b.any}
}

// types holds the question types that gates judge against those that can reach
// them. The nodes are in order.
func (l *loader) types(nodes []engine.Step) {
	if len(l.problems.list) > 0 {
		return
	}
	gives := map[string]arrival{}
	for _, n := range nodes {
		d := l.drafts[n.Name]
		var in arrival
		for _, up := range d.From {
			in = in.with(gives[up])
		}
		if d.Kind == pipeline.KindGate && len(d.spec.Types) > 0 {
			l.judges(d, in)
		}
		gives[n.Name] = d.givesOf(in)
	}
}

// givesQuestions reports whether a node has questions among its output.
func (d *draftStep) givesQuestions() bool {
	if d.Kind == pipeline.KindGate {
		return d.readsQuestions()
	}
	return slices.Contains(d.spec.Emits, schemas.NameQuestion)
}

func (d *draftStep) readsQuestions() bool {
	return slices.Contains(d.spec.Accepts, schemas.NameQuestion)
}

// givesOf are the types of the questions that a node gives when such arrive.
func (d *draftStep) givesOf(in arrival) arrival {
	switch {
	case !d.givesQuestions():
		return arrival{}
	case d.Kind == pipeline.KindGate:
		return in
	case len(d.spec.Types) > 0:
		return arrival{types: d.spec.Types}
	case len(in.types) > 0 && (d.readsQuestions() || slices.Contains(d.spec.Accepts, schemas.NameFlagged)):
		return in
	}
	return arrival{any: true}
}

// judges checks the types of one gate. A word that is no type is a mistake; a
// type that cannot arrive, or a gate that nothing arrives for, is a warning.
func (l *loader) judges(d *draftStep, in arrival) {
	missing := slices.DeleteFunc(slices.Clone(d.spec.Types), func(t string) bool { return slices.Contains(in.types, t) })
	if l.isUnchanged(d) {
		if len(missing) == len(d.spec.Types) && !in.any {
			l.warn(l.tree.get("gates").keyAt(d.Name), "gate %q judges questions of type %s, and none of these can reach it%s: it would judge nothing",
				d.Name, schemaList(d.spec.Types), arriving(in))
		}
		return
	}
	if len(missing) == 0 {
		return
	}
	known := l.knownTypes()
	for _, t := range missing {
		at := d.typeAt(t)
		_, isKnown := slices.BinarySearch(known, t)
		switch {
		case isKnown && !in.any:
			l.warn(at, "gate %q judges questions of type %q, and none can reach it%s", d.Name, shorten(t), arriving(in))
		case isKnown:
		case in.any:
			l.warn(at, "gate %q judges questions of type %q, which no plugin is known to give%s", d.Name, shorten(t), suggest(t, known, "known are"))
		default:
			l.problems.add(at, "gate %q judges questions of type %q, which no plugin gives%s", d.Name, shorten(t), suggest(t, known, "known are"))
		}
	}
}

func arriving(in arrival) string {
	if len(in.types) == 0 {
		return ""
	}
	return fmt.Sprintf(" (what reaches it: %s)", schemaList(in.types))
}

// typeAt is where a type stands in the configuration of a gate.
func (d *draftStep) typeAt(name string) place {
	written := d.tree.get("with").get("types")
	if written != nil && written.kind == list {
		for _, item := range written.items {
			if item.scalar == name {
				return item.at
			}
		}
	}
	return d.tree.where("with", "types")
}

// isUnchanged reports whether a gate judges the types that its plugin is made for,
// rather than some that the file names.
func (l *loader) isUnchanged(d *draftStep) bool {
	spec, ok := l.reg.DefaultSpec(d.Kind, d.Use)
	return ok && slices.Equal(spec.Types, d.spec.Types)
}

// knownTypes are all question types that a plugin declares or states, and those of
// the file's own nodes, sorted.
func (l *loader) knownTypes() []string {
	known := map[string]bool{}
	add := func(types []string) {
		for _, t := range types {
			known[t] = true
		}
	}
	for _, t := range l.reg.QuestionTypes() {
		known[t.Name] = true
	}
	for _, k := range []pipeline.Kind{pipeline.KindSource, pipeline.KindStage, pipeline.KindGate} {
		for _, name := range l.reg.Names(k) {
			if spec, ok := l.reg.DefaultSpec(k, name); ok {
				add(spec.Types)
			}
		}
	}
	for _, d := range l.drafts {
		if d.Kind != pipeline.KindGate {
			add(d.spec.Types)
		}
	}
	return slices.Sorted(maps.Keys(known))
}
