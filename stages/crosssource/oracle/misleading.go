package oracle

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// EvidenceWithMisleading returns the evidence of a result together with what is told beside it, in order of time.
// Refs are turns that a question says to lead to wrong answers: each must tell of another
// thing what is told of the one that is asked about. Where the sources tell the same of
// such a thing in another text, that must be among them.
func (t *Task) EvidenceWithMisleading(r Result, refs []string) ([]schemas.Evidence, error) {
	if len(refs) == 0 && hasMisleading(r) {
		return nil, fmt.Errorf("nothing is cited that leads to wrong answers")
	}
	known := t.namesInResult(r)
	all := slices.Clone(r.pieces)
	for _, ref := range refs {
		f, err := t.factOfTurn(ref)
		switch {
		case err != nil:
			return nil, err
		case slices.Contains(all, f.from):
			return nil, fmt.Errorf("turn %s is cited twice", ref)
		case !slices.ContainsFunc(f.names(), func(n string) bool { return known[n] }):
			return nil, fmt.Errorf("turn %s leads to no wrong answer: nothing in it is told of what is asked about", ref)
		}
		if missing := t.uncitedTurn(f, r, refs); missing != "" {
			return nil, fmt.Errorf("turn %s tells of the same as %s, and is not cited", missing, ref)
		}
		all = append(all, f.from)
	}
	slices.SortFunc(all, func(a, b *Piece) int { return cmp.Compare(a.position(), b.position()) })
	var out []schemas.Evidence
	for i, p := range all {
		out = append(out, p.evidence(cmp.Or(r.roles[p], schemas.RoleDistractor), i+1))
	}
	return out, nil
}

// ReplacedTurn returns the turn among those given whose place one of them takes: the change before it
// of the same attribute of the same thing, else what that was at first. It is empty for what
// tells no change.
func (t *Task) ReplacedTurn(ref string, refs []string) string {
	of, err := t.factOfTurn(ref)
	if err != nil || !isChange(of) {
		return ""
	}
	before := t.initialStatement(of, refs)
	for _, f := range t.facts {
		own := f.from.turns[0].TurnID
		switch {
		case f.args["of"] != of.args["of"] || f.args["a"] != of.args["a"] || !slices.Contains(refs, own):
		case own == ref:
			return before
		case isChange(f):
			before = own
		}
	}
	return ""
}

// initialStatement returns the given turn that tells the initial value, or "".
func (t *Task) initialStatement(of fact, refs []string) string {
	for _, f := range t.find("fact", "of", of.args["of"], "a", of.args["a"]) {
		if ref := f.from.turns[0].TurnID; slices.Contains(refs, ref) {
			return ref
		}
	}
	return ""
}

func isChange(f fact) bool { return slices.Contains([]string{"changed", "up", "down"}, f.kind) }

// hasMisleading reports questions with misleading texts: all but those whose answers a
// single picture offers.
func hasMisleading(r Result) bool {
	return r.Task != schemas.TaskSingleHop && r.Variant != "explicit"
}

func (t *Task) factOfTurn(ref string) (fact, error) {
	for _, f := range t.facts {
		if f.inWords() && f.from.turns[0].TurnID == ref {
			return f, nil
		}
	}
	return fact{}, fmt.Errorf("turn %s tells nothing", ref)
}

// inWords reports a fact told by a sentence, not by a picture or table.
func (f fact) inWords() bool { return f.from.picture == nil && len(f.from.turns) == 1 }

func (f fact) names() (out []string) {
	for _, v := range f.args {
		if parseNumber(v) < 0 {
			out = append(out, v)
		}
	}
	return out
}

func (t *Task) namesInResult(r Result) map[string]bool {
	out := map[string]bool{}
	for _, f := range t.facts {
		if slices.Contains(r.pieces, f.from) {
			for _, n := range f.names() {
				out[n] = true
			}
		}
	}
	return out
}

// uncitedTurn returns a turn that mentions the same attribute of the same thing but is
// not cited, or "".
func (t *Task) uncitedTurn(of fact, r Result, refs []string) string {
	for _, f := range t.facts {
		same := f.args["of"] != "" && f.args["of"] == of.args["of"] && f.args["a"] == of.args["a"]
		if ref := f.from.turns[0].TurnID; same && f.inWords() && !slices.Contains(r.pieces, f.from) && !slices.Contains(refs, ref) {
			return ref
		}
	}
	return ""
}
