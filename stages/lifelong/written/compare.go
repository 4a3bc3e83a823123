package written

import (
	"fmt"
	"slices"
)

// States of what a session was to say, as a reading finds them.
const (
	Stated       = "stated"
	Missing      = "missing"
	Contradicted = "contradicted"
	Early        = "early"
	Leaked       = "leaked"
	Misread      = "misread"
)

// Finding is the state of a fact, an interference or a key in one reading of a session.
type Finding struct {
	Of     string // id of a fact or interference; empty where nothing is planned
	State  string
	Turns  []int
	Reason string // for the author, who does not know what pictures show
}

// Spoils reports whether a session cannot stand with the finding.
func (f Finding) Spoils() bool {
	return slices.Contains([]string{Contradicted, Early, Leaked}, f.State)
}

// formKeys returns the keys of which readers of a session are asked: those of its facts and
// interferences, those that the next session begins, some that hold, and those of which
// nothing is ever said. pick orders them and chooses among those that hold.
func (p Plan) formKeys(n int, pick func(n int) []int) []Key {
	var own, standing []Key
	add := func(to *[]Key, k Key) {
		if !slices.Contains(own, k) && !slices.Contains(standing, k) {
			*to = append(*to, k)
		}
	}
	for _, f := range p.Facts {
		if f.Session == n || f.Session == n+1 {
			add(&own, f.Key())
		}
	}
	for _, i := range p.Interfering {
		if f, ok := p.FactByID(i.Against); ok && i.Session == n {
			add(&own, f.Key())
		}
	}
	for _, a := range p.Absent {
		add(&own, Key{a.Thing, a.Aspect})
	}
	for _, f := range p.Live(n - 1) {
		add(&standing, f.Key())
	}
	for i, at := range pick(len(standing)) {
		if i < mostStanding {
			own = append(own, standing[at])
		}
	}
	out := make([]Key, len(own))
	for i, at := range pick(len(own)) {
		out[i] = own[at]
	}
	return out
}

// mostStanding is how many keys that hold a form asks for.
const mostStanding = 8

// says reports whether what was found for a key is the value of a fact or interference, by
// rule or as the judge said.
func (f Found) says(id, kind, value string) bool {
	return equalValues(kind, f.Value, value) || slices.Contains(f.Same, id)
}

// Compare holds a reading of a session against the plan.
func (p Plan) Compare(n int, r Reading) []Finding {
	byKey := map[Key][]Found{}
	for _, f := range r.Found {
		if f.Number >= 1 && f.Number <= len(r.Form) {
			k := r.Form[f.Number-1]
			byKey[k] = append(byKey[k], f)
		}
	}
	var out []Finding
	for _, k := range r.Form {
		out = append(out, p.compareKey(n, k, byKey[k])...)
	}
	for _, b := range r.Beside {
		switch b.Answer {
		case "contradicts":
			out = append(out, Finding{State: Contradicted, Turns: b.Turns, Reason: fmt.Sprintf("turns %v say %q, which cannot be so: %s", b.Turns, b.Says, b.Why)})
		case "reveals":
			out = append(out, Finding{State: Leaked, Turns: b.Turns, Reason: fmt.Sprintf("turns %v say %q, which a picture shows or a later day brings; leave it open", b.Turns, b.Says)})
		}
	}
	return out
}

// compareKey compares what a reader found for one key of a form.
func (p Plan) compareKey(n int, k Key, found []Found) (out []Finding) {
	used := make([]bool, len(found))
	take := func(status string, id, kind, value string) []int {
		for i, f := range found {
			if f.Status == status && f.says(id, kind, value) {
				used[i] = true
				return f.Turns
			}
		}
		return nil
	}
	for _, f := range p.Facts {
		if f.Key() == k && f.Session == n {
			out = append(out, compareFact(f, found, take))
		}
	}
	for _, i := range p.Interfering {
		if i.Session != n {
			continue
		}
		f, ok := p.FactByID(i.Against)
		if !ok || f.Key() != k {
			continue
		}
		if turns := take(Holds, i.ID, f.Kind, i.Value); turns != nil {
			out = append(out, Finding{i.ID, Misread, turns, fmt.Sprintf("a reader took it as so that the %s is %q; it is %s: undone by %s", k, i.Value, i.Kind, i.UndoneBy)})
		} else if turns := slices.Concat(take(NotReal, i.ID, f.Kind, i.Value), take(Before, i.ID, f.Kind, i.Value)); len(turns) > 0 {
			slices.Sort(turns)
			out = append(out, Finding{i.ID, Stated, slices.Compact(turns), ""})
		} else {
			out = append(out, Finding{i.ID, Missing, nil, fmt.Sprintf("no reader finds that %q is said of the %s (%s), and that it does not hold", i.Value, k, i.Kind)})
		}
	}
	return append(out, p.compareRest(n, k, found, used)...)
}

func compareFact(f Fact, found []Found, take func(status, id, kind, value string) []int) Finding {
	if f.Op == Delete {
		for _, x := range found {
			if x.Status == Ended {
				return Finding{f.ID, Stated, x.Turns, ""}
			}
		}
		return Finding{f.ID, Missing, nil, fmt.Sprintf("it does not come through that the %s ended", f.Key())}
	}
	turns := take(Holds, f.ID, f.Kind, f.Value)
	switch {
	case f.Mode == Shown && turns != nil:
		return Finding{f.ID, Leaked, turns, fmt.Sprintf("turns %v tell the %s, which only the picture may show; speak of the picture without it", turns, f.Key())}
	case f.Mode == Shown:
		return Finding{f.ID, Stated, nil, ""}
	case turns == nil:
		return Finding{f.ID, Missing, nil, fmt.Sprintf("it does not come through that the %s is %q", f.Key(), f.Value)}
	}
	return Finding{f.ID, Stated, turns, ""}
}

// compareRest looks at what was found as so and is no fact or interference of the session:
// it must be what holds already.
func (p Plan) compareRest(n int, k Key, found []Found, used []bool) (out []Finding) {
	own := slices.ContainsFunc(p.Facts, func(f Fact) bool { return f.Key() == k && f.Session == n })
	before := p.liveOf(k, n-1)
	for i, x := range found {
		if used[i] || x.Status != Holds {
			continue
		}
		again := slices.IndexFunc(before, func(f Fact) bool { return x.says(f.ID, f.Kind, f.Value) })
		later := slices.ContainsFunc(p.Facts, func(f Fact) bool { return f.Key() == k && f.Session > n && x.says(f.ID, f.Kind, f.Value) })
		switch {
		case again >= 0 && !own:
			continue
		case later:
			out = append(out, Finding{"", Early, x.Turns, fmt.Sprintf("turns %v say that the %s is %q, which only a later day brings", x.Turns, k, x.Value)})
		case again >= 0:
			out = append(out, Finding{"", Contradicted, x.Turns, fmt.Sprintf("turns %v say that the %s is still %q", x.Turns, k, x.Value)})
		default:
			out = append(out, Finding{"", Contradicted, x.Turns, fmt.Sprintf("turns %v say that the %s is %q, which is not planned", x.Turns, k, x.Value)})
		}
	}
	return out
}

// Agreement is how readers found what a session was to say.
type Agreement struct {
	// Turns is the smallest set of turns that a reader gave for it.
	Turns []int
	// Found counts the readers who found it as planned, of Readers.
	Found, Readers int
}

// Agreements returns, by id, how the readers of a session agree on its facts and
// interferences. It works out everything from the readings.
func (p Plan) Agreements(n int, s Session) map[string]Agreement {
	out := map[string]Agreement{}
	for _, r := range s.Readings {
		for _, f := range p.Compare(n, r) {
			if f.Of == "" {
				continue
			}
			a := out[f.Of]
			a.Readers++
			if f.State == Stated {
				a.Found++
				if a.Turns == nil || len(f.Turns) < len(a.Turns) {
					a.Turns = f.Turns
				}
			}
			out[f.Of] = a
		}
	}
	return out
}

// Agreed reports whether all readers found it.
func (a Agreement) Agreed() bool { return a.Readers > 0 && a.Found == a.Readers }
