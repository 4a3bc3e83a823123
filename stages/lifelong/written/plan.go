package written

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limits of a plan, against strangers' files.
const (
	mostSessions = 100
	mostFacts    = 1000
	mostText     = 600 // characters of a field
	mostName     = 120 // characters of an id
	mostReasons  = 50
)

var (
	digits   = regexp.MustCompile(`\d+`)
	dayForm  = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
	hourForm = regexp.MustCompile(`^([01]\d|2[0-3]):[0-5]\d$`)
	// drawable are the characters that pictures can show and that their reader knows.
	drawable = regexp.MustCompile(`^[A-Za-z0-9 .,:/()'&-]{1,34}$`)
)

func kinds() []string { return []string{Date, Hour, Money, Number, Person, Place, Name, Rule, State} }
func interferences() []string {
	return []string{Hearsay, Joke, OtherAffair, FellThrough, Slip, OldDocument, Error}
}

// Check returns what is wrong with a plan as a whole.
func (p Plan) Check() []string { return p.CheckUntil(len(p.Sessions) - 1) }

// CheckUntil returns what is wrong with the part of a plan up to a session.
func (p Plan) CheckUntil(last int) []string {
	c := planCheck{plan: p, facts: map[string]Fact{}, pictures: map[string]Picture{}}
	if c.checkFrame(); len(c.why) > 0 {
		return c.why
	}
	for _, x := range p.Pictures {
		c.checkPicture(x, last)
	}
	for _, f := range p.Facts {
		c.checkFact(f, last)
	}
	for _, i := range p.Interfering {
		c.checkInterference(i, last)
	}
	for _, o := range p.Outside {
		if f, ok := c.facts[o.Fact]; !ok || f.Op == Delete {
			c.add("outside record %s names the fact %q; name one that has a value", o.ID, o.Fact)
		}
		c.checkNear("outside record "+o.ID, o.Value, o.Near, State)
	}
	c.checkKeysAgainstAbsent()
	return c.why
}

// planCheck collects reasons.
type planCheck struct {
	plan     Plan
	facts    map[string]Fact // before the one that is checked
	pictures map[string]Picture
	why      []string
}

func (c *planCheck) add(format string, args ...any) {
	if len(c.why) < mostReasons {
		c.why = append(c.why, fmt.Sprintf(format, args...))
	}
}

// checkFrame checks sessions, cast and absent keys.
func (c *planCheck) checkFrame() {
	p := c.plan
	if len(p.Sessions) < 2 || len(p.Sessions) > mostSessions || len(p.Facts) > mostFacts || len(p.Interfering) > mostFacts || len(p.Pictures) > mostFacts || len(p.Outside) > mostFacts || len(p.Absent) > mostFacts {
		c.add("it has %d sessions, %d facts, %d interferences and %d pictures; 2 to %d sessions and at most %d of each of the others fit", len(p.Sessions), len(p.Facts), len(p.Interfering), len(p.Pictures), mostSessions, mostFacts)
		return
	}
	if p.Persona.Name == "" || p.Domain == "" || p.ID == "" {
		c.add("the plan has no id, no domain, or no persona with a name")
	}
	arcs, last := map[string]bool{}, ""
	for _, a := range p.Arcs {
		arcs[a.ID] = true
	}
	for n, s := range p.Sessions {
		if _, err := time.Parse(time.DateOnly, s.Date); err != nil || !hourForm.MatchString(s.Hour) {
			c.add("session %d is on %q at %q; write 2026-02-11 and 07:35", n, s.Date, s.Hour)
		}
		if s.Date <= last {
			c.add("session %d on %s is not after the one before it, on %s", n, s.Date, last)
		}
		if !arcs[s.Arc] {
			c.add("session %d is of the arc %q, which is not there", n, s.Arc)
		}
		last = s.Date
	}
	for i, a := range p.Absent {
		if a.Thing == "" || a.Aspect == "" {
			c.add("absent key %d names no thing or no aspect", i+1)
		}
		c.checkNear(fmt.Sprintf("absent key %d", i+1), "", a.Near, State)
	}
}

func (c *planCheck) checkPicture(x Picture, last int) {
	if _, twice := c.pictures[x.ID]; twice || x.ID == "" {
		c.add("two pictures are called %q", x.ID)
	}
	c.pictures[x.ID] = x
	if x.Session < 0 || x.Session > last {
		c.add("picture %s is of session %d, which is not there", x.ID, x.Session)
	}
	if !slices.Contains([]string{Card, Table, Chart}, x.Kind) || len(x.Rows) < 2 || len(x.Rows) > 8 || x.Occasion == "" {
		c.add("picture %s is a %q with %d rows and the occasion %q; it is a card, sheet or chart of 2 to 8 rows", x.ID, x.Kind, len(x.Rows), x.Occasion)
	}
	if !drawable.MatchString(x.Title) {
		c.add("the title %q of picture %s cannot be drawn: letters from A to Z without accents, digits and plain signs, 34 at most", x.Title, x.ID)
	}
	names := map[string]bool{}
	for _, r := range x.Rows {
		if !drawable.MatchString(r[0]) || !drawable.MatchString(r[1]) || names[r[0]] {
			c.add("row %q of picture %s cannot be drawn, or stands there twice: letters without accents, digits and plain signs, 34 at most", r, x.ID)
		}
		names[r[0]] = true
		if x.Kind == Chart && (!chartValue.MatchString(r[1]) || x.Unit == "") {
			c.add("row %q of chart %s has no whole number from 1 to 9999, or the chart no unit", r, x.ID)
		}
	}
}

var chartValue = regexp.MustCompile(`^[1-9]\d{0,3}$`)

// checkFact checks a fact against those before it.
func (c *planCheck) checkFact(f Fact, last int) {
	where := fmt.Sprintf("fact %s (%s)", f.ID, f.Key())
	if _, twice := c.facts[f.ID]; twice || f.ID == "" || len(f.ID) > mostName || len(f.Supersedes) > 5 {
		c.add("fact %.40q: the id is taken or too long, or it supersedes more than five facts", f.ID)
		return
	}
	switch {
	case f.Session < 0 || f.Session > last:
		c.add("%s is of session %d, which is not there", where, f.Session)
	case !slices.Contains(kinds(), f.Kind):
		c.add("%s is of the kind %q; there are %s", where, f.Kind, strings.Join(kinds(), ", "))
	case f.Thing == "" || f.Aspect == "" || (f.Value == "") != (f.Op == Delete) || tooLong(f.Thing, f.Aspect, f.Value):
		c.add("%s lacks a thing, an aspect or a value, or has one where it ends, or one of over %d characters", where, mostText)
	case f.Op != Delete && !fitsKind(f.Kind, f.Value):
		c.add("%s: %q is no %s; write %s", where, f.Value, f.Kind, kindForm(f.Kind))
	}
	if f.When != "" && !dayForm.MatchString(f.When) {
		c.add("%s happens on %q; write 2026-03-02", where, f.When)
	}
	if f.Op != Delete && f.Kind != Rule {
		c.checkNear(where, f.Value, f.Near, f.Kind)
	}
	if (f.Kind == Rule) != (f.Rule != nil) {
		c.add("%s: a fact of kind rule has a rule, and no other has one", where)
	}
	if f.Rule != nil {
		c.checkRule(where, f)
	}
	c.checkMode(where, f)
	c.checkChain(where, f)
	c.facts[f.ID] = f
}

// checkRule checks that the near values of a rule stand beside what it says is to be done.
func (c *planCheck) checkRule(where string, f Fact) {
	if !slices.Contains(wholeNumbers(f.Value), f.Rule.Limit) {
		c.add("%s: its value %q does not say the limit %d", where, f.Value, f.Rule.Limit)
	}
	most := 0
	for _, o := range []string{f.Rule.Within, f.Rule.Above, f.Rule.Then} {
		most = max(most, len(strings.Fields(o)))
	}
	for _, n := range f.Near {
		if len(strings.Fields(n)) > most+3 {
			c.add("%s: the near value %q is longer than what the rule says is to be done; write three short actions, no whole rule", where, n)
		}
	}
}

// wholeNumbers returns the numbers in a text, without separators of thousands.
func wholeNumbers(text string) (out []int) {
	for _, run := range digits.FindAllString(strings.ReplaceAll(text, ",", ""), -1) {
		if n, err := strconv.Atoi(run); err == nil {
			out = append(out, n)
		}
	}
	return out
}

func tooLong(texts ...string) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return len(s) > mostText })
}

// checkMode checks that a shown fact stands in a row of a picture of its session.
func (c *planCheck) checkMode(where string, f Fact) {
	if f.Mode == Told && f.Picture == "" {
		return
	}
	x, ok := c.pictures[f.Picture]
	at := slices.IndexFunc(x.Rows, func(r [2]string) bool { return r[0] == f.Row })
	if f.Mode != Shown || !ok || x.Session != f.Session || at < 0 || x.Rows[at][1] != f.Value {
		c.add("%s is %s by %q, row %q; a told fact has no picture, and a shown one a picture of its session that has the value %q in that row, letter by letter", where, f.Mode, f.Picture, f.Row, f.Value)
	}
}

// checkChain checks what a fact supersedes: the last facts of its key, no more and no less.
func (c *planCheck) checkChain(where string, f Fact) {
	live := map[string]bool{}
	for _, before := range c.plan.Facts {
		if before.ID == f.ID {
			break
		}
		if before.Key() != f.Key() {
			continue
		}
		if before.Session > f.Session {
			c.add("%s of session %d stands after %s of session %d; facts stand in the order of sessions", where, f.Session, before.ID, before.Session)
		}
		for _, s := range before.Supersedes {
			delete(live, s)
		}
		if before.Op != Delete {
			live[before.ID] = true
		}
	}
	want := slices.Sorted(maps.Keys(live))
	got := slices.Sorted(slices.Values(f.Supersedes))
	switch f.Op {
	case Append:
		if len(want) > 0 || len(got) > 0 {
			c.add("%s is appended, and %s hold already for this thing and aspect; revise them, or name another aspect", where, strings.Join(want, ", "))
		}
	case Revise, Merge, Delete, Split:
		if len(want) == 0 || !slices.Equal(want, got) {
			c.add("%s supersedes [%s]; by then [%s] hold for this thing and aspect", where, strings.Join(got, ", "), strings.Join(want, ", "))
		}
		for _, id := range got {
			if old := c.facts[id]; equalValues(f.Kind, old.Value, f.Value) && f.Op == Revise {
				c.add("%s changes %s to the value that it has", where, id)
			}
		}
	default:
		c.add("%s: the operation is %q; there are append, revise, split, merge, delete", where, f.Op)
	}
}

// checkNear checks three wrong values: of the kind of the value, unlike it and each other.
func (c *planCheck) checkNear(where, value string, near []string, kind string) {
	if len(near) != 3 {
		c.add("%s has %d near values; write three", where, len(near))
		return
	}
	all := append([]string{value}, near...)
	for i, n := range all {
		if i > 0 && (n == "" || !fitsKind(kind, n)) {
			c.add("%s: the near value %q is no %s; write %s", where, n, kind, kindForm(kind))
		}
		for _, other := range all[:i] {
			if equalValues(kind, n, other) {
				c.add("%s: %q stands twice among its value and the near ones", where, n)
			}
		}
	}
}

func (c *planCheck) checkInterference(i Interference, last int) {
	f, ok := c.facts[i.Against]
	if i.Session < 0 || i.Session > last || !slices.Contains(interferences(), i.Kind) || i.UndoneBy == "" {
		c.add("interference %s is of session %d and kind %q, and undone by %q; kinds are %s", i.ID, i.Session, i.Kind, i.UndoneBy, strings.Join(interferences(), ", "))
	}
	switch {
	case !ok || f.Session > i.Session || f.Op == Delete || f.Kind == Rule:
		c.add("interference %s is against %q; name a fact with a value that is no rule, of its session or an earlier one", i.ID, i.Against)
	case !fitsKind(f.Kind, i.Value):
		c.add("interference %s: %q is no %s, as the fact %s is; write %s", i.ID, i.Value, f.Kind, f.ID, kindForm(f.Kind))
	default:
		for _, same := range c.plan.Facts {
			if same.Key() == f.Key() && equalValues(f.Kind, same.Value, i.Value) {
				c.add("interference %s: %q is true of %s in fact %s", i.ID, i.Value, f.Key(), same.ID)
			}
		}
	}
}

func (c *planCheck) checkKeysAgainstAbsent() {
	for _, a := range c.plan.Absent {
		for _, f := range c.plan.Facts {
			if strings.EqualFold(f.Thing, a.Thing) && strings.EqualFold(f.Aspect, a.Aspect) {
				c.add("nothing may be said of the %s of %s, and fact %s says it", a.Aspect, a.Thing, f.ID)
			}
		}
	}
}

// FactByID returns a fact of the plan.
func (p Plan) FactByID(id string) (Fact, bool) {
	i := slices.IndexFunc(p.Facts, func(f Fact) bool { return f.ID == id })
	if i < 0 {
		return Fact{}, false
	}
	return p.Facts[i], true
}

// Live returns the facts that hold after a session, in the order of the plan.
func (p Plan) Live(end int) []Fact {
	ended := map[string]bool{}
	for _, f := range p.Facts {
		if f.Session <= end {
			for _, s := range f.Supersedes {
				ended[s] = true
			}
		}
	}
	var out []Fact
	for _, f := range p.Facts {
		if f.Session <= end && !ended[f.ID] && f.Op != Delete {
			out = append(out, f)
		}
	}
	return out
}

// Chain returns the facts of a key up to a session, the latest last.
func (p Plan) Chain(k Key, end int) []Fact {
	var out []Fact
	for _, f := range p.Facts {
		if f.Key() == k && f.Session <= end {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b Fact) int { return cmp.Compare(a.Session, b.Session) })
	return out
}

// Drawable reports whether a picture can show a text.
func Drawable(text string) bool { return drawable.MatchString(text) }
