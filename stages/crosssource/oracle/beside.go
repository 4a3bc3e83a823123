package oracle

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// With is the evidence of a result together with what is told beside it, in order of time.
// Refs are turns that a question says to lead to wrong answers: each must tell of another
// thing what is told of the one that is asked about. Where the sources tell the same of
// such a thing in another text, that must be among them.
func (t *Task) With(r Result, refs []string) ([]schemas.Evidence, error) {
	if len(refs) == 0 && misleads(r) {
		return nil, fmt.Errorf("nothing is cited that leads to wrong answers")
	}
	known := t.names(r)
	all := slices.Clone(r.pieces)
	for _, ref := range refs {
		f, err := t.toldIn(ref)
		switch {
		case err != nil:
			return nil, err
		case slices.Contains(all, f.from):
			return nil, fmt.Errorf("turn %s is cited twice", ref)
		case !slices.ContainsFunc(f.names(), func(n string) bool { return known[n] }):
			return nil, fmt.Errorf("turn %s leads to no wrong answer: nothing in it is told of what is asked about", ref)
		}
		if missing := t.more(f, r, refs); missing != "" {
			return nil, fmt.Errorf("turn %s tells of the same as %s, and is not cited", missing, ref)
		}
		all = append(all, f.from)
	}
	slices.SortFunc(all, func(a, b *Piece) int { return cmp.Compare(a.position(), b.position()) })
	var out []schemas.Evidence
	for i, p := range all {
		out = append(out, p.cited(cmp.Or(r.roles[p], schemas.RoleDistractor), i+1))
	}
	return out, nil
}

// Takes is the turn among those given whose place one of them takes: the change before it
// of the same attribute of the same thing, else what that was at first. It is empty for what
// tells no change.
func (t *Task) Takes(ref string, refs []string) string {
	of, err := t.toldIn(ref)
	if err != nil || !changes(of) {
		return ""
	}
	before := t.stated(of, refs)
	for _, f := range t.told {
		own := f.from.turns[0].TurnID
		switch {
		case f.args["of"] != of.args["of"] || f.args["a"] != of.args["a"] || !slices.Contains(refs, own):
		case own == ref:
			return before
		case changes(f):
			before = own
		}
	}
	return ""
}

// stated is the turn among those given that tells what was so at first; empty for none.
func (t *Task) stated(of told, refs []string) string {
	for _, f := range t.find("fact", "of", of.args["of"], "a", of.args["a"]) {
		if ref := f.from.turns[0].TurnID; slices.Contains(refs, ref) {
			return ref
		}
	}
	return ""
}

func changes(f told) bool { return slices.Contains([]string{"changed", "up", "down"}, f.kind) }

// misleads reports a question beside whose evidence something else is told always: all but
// those that a single picture offers the answers of.
func misleads(r Result) bool {
	return r.Task != schemas.TaskSingleHop && r.Variant != "explicit"
}

// toldIn is what a turn says, in words alone.
func (t *Task) toldIn(ref string) (told, error) {
	for _, f := range t.told {
		if f.inWords() && f.from.turns[0].TurnID == ref {
			return f, nil
		}
	}
	return told{}, fmt.Errorf("turn %s tells nothing", ref)
}

// inWords reports what a turn says, and neither a picture nor a table.
func (f told) inWords() bool { return f.from.picture == nil && len(f.from.turns) == 1 }

// names are what is told, but for numbers.
func (f told) names() (out []string) {
	for _, v := range f.args {
		if number(v) < 0 {
			out = append(out, v)
		}
	}
	return out
}

// names are those in what an answer rests on.
func (t *Task) names(r Result) map[string]bool {
	out := map[string]bool{}
	for _, f := range t.told {
		if slices.Contains(r.pieces, f.from) {
			for _, n := range f.names() {
				out[n] = true
			}
		}
	}
	return out
}

// more is a turn that tells of the same attribute of the same thing and is not among those
// given; empty for none.
func (t *Task) more(of told, r Result, refs []string) string {
	for _, f := range t.told {
		same := f.args["of"] != "" && f.args["of"] == of.args["of"] && f.args["a"] == of.args["a"]
		if ref := f.from.turns[0].TurnID; same && f.inWords() && !slices.Contains(r.pieces, f.from) && !slices.Contains(refs, ref) {
			return ref
		}
	}
	return ""
}
