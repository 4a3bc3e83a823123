package oracle

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/memforge/memforge/schemas"
)

// asked is a question in its parts: the handles that it is based on, and its words.
type asked struct {
	handles []string
	words   string
	tools   []schemas.Tool
}

// basedOn is how a question begins that names pictures: the second way where it is about
// what a card or a programme shows.
var basedOn = regexp.MustCompile(`^(According to|See) ((?:(?:Fig|Table)\. [0-9a-f]{8}(?:, | and )?)+)(,|:) `)

var aHandle = regexp.MustCompile(`(?:Fig|Table)\. [0-9a-f]{8}`)

// solver answers one form of question.
type solver struct {
	task  string
	words *regexp.Regexp
	solve func(*Task, asked, []string) (Result, error)
}

// solvers are the forms of questions, compiled for all of them.
var solvers = sync.OnceValue(func() []solver {
	const (
		who   = `(?i:who|where|which firm) is `
		about = `(` + name + `|the [a-z ]+ on the card)`
	)
	of := func(task, words string, solve func(*Task, asked, []string) (Result, error)) solver {
		return solver{task, regexp.MustCompile("^" + words + "$"), solve}
	}
	return []solver{
		of(schemas.TaskSingleHop, `[Ww]hich ([a-z ]+) is ([A-Z][a-z]+-[a-z]+)\?`, (*Task).defined),
		of(schemas.TaskConflict, `[Hh]ow large is the ([a-z ]+) of `+about+`\?`, (*Task).total),
		of(schemas.TaskPreference, `[Ww]hich entry of the programme is (.+) most likely to leave out\?`, (*Task).leftOut),
		of(schemas.TaskPreference, `[Ww]hich entry of the programme is (.+) most likely to pick\?`, (*Task).picked),
		of(schemas.TaskFunctionCall, `[Ww]hich call files a request to ([a-z]+) the [a-z ]+ on the card\?`, (*Task).call),
		of(schemas.TaskMultiHop, who+`the (.+) of `+about+`\?`, (*Task).chain),
		of(schemas.TaskMultiHop, `[Tt]he ([a-z ]+) of `+about+` has an? ([a-z ]+)\. ((?:That [a-z ]+'s [a-z ]+ has an? [a-z ]+\. )*)`+who+`the ([a-z ]+) of that ([a-z ]+?)(?:'s ([a-z ]+))?\?`, (*Task).retold),
	}
})

// Answer works a question out. An error says what in it leads nowhere: then nothing in
// the sources gives an answer, or more than one.
func (t *Task) Answer(question string, tools []schemas.Tool) (Result, error) {
	a := asked{words: question, tools: tools}
	if m := basedOn.FindStringSubmatch(question); m != nil {
		a.handles, a.words = aHandle.FindAllString(m[2], -1), question[len(m[0]):]
		shown := strings.Contains(a.words, " on the card") || strings.Contains(a.words, " of the programme ")
		if begin := m[1] + m[3]; shown != (begin == "See:") || !shown && begin != "According to," {
			return Result{}, fmt.Errorf("%q names pictures in another way than such a question does", question)
		}
	}
	for _, s := range solvers() {
		m := s.words.FindStringSubmatch(a.words)
		if m == nil {
			continue
		}
		r, err := s.solve(t, a, m[1:])
		if err != nil {
			return Result{}, fmt.Errorf("%q: %w", question, err)
		}
		r.Task = cmp.Or(r.Task, s.task)
		r.cite()
		return r, r.holdsHandles(a.handles)
	}
	return Result{}, fmt.Errorf("%q is asked in no way that is known", question)
}

// picture is the one of a kind that a question is based on.
func (t *Task) picture(a asked, kinds ...string) (*Piece, error) {
	for _, p := range t.shown {
		if slices.Contains(a.handles, p.handle) && slices.Contains(kinds, p.picture.Kind) {
			return p, nil
		}
	}
	return nil, fmt.Errorf("no picture of the kind %q is called one of %q", kinds, a.handles)
}

// one wants a single value: all that tell it agree.
func one(list []told, what string) (string, *Piece, error) {
	if len(list) == 0 {
		return "", nil, fmt.Errorf("nobody tells %s", what)
	}
	for _, f := range list[1:] {
		if f.args["v"] != list[0].args["v"] {
			return "", nil, fmt.Errorf("%s is %q and %q", what, list[0].args["v"], f.args["v"])
		}
	}
	return list[0].args["v"], list[0].from, nil
}

// holds is the single value of an attribute that nobody tells of a change of.
func (t *Task) holds(of, attribute string) (string, *Piece, error) {
	what := "the " + attribute + " of " + of
	for _, kind := range []string{"changed", "up", "down"} {
		if n := len(t.find(kind, "of", of, "a", attribute)); n > 0 {
			return "", nil, fmt.Errorf("%d changes are told of %s, and the question knows of none", n, what)
		}
	}
	return one(t.find("fact", "of", of, "a", attribute), what)
}

// defined finds the one thing on a chart that a definition fits.
func (t *Task) defined(a asked, m []string) (r Result, err error) {
	chart, err := t.picture(a, "chart")
	if err != nil {
		return r, err
	}
	terms := t.find("between", "w", m[1], "t", m[0])
	if len(terms) != 1 {
		return r, fmt.Errorf("%q is defined %d times", m[1], len(terms))
	}
	r.uses(schemas.RoleClue, chart, terms[0].from)
	low, high := number(terms[0].args["l"]), number(terms[0].args["h"])
	limits := t.find("except", "w", m[1])
	r.Offered = t.called(chart.entries(), m[0])
	for _, row := range chart.picture.Rows {
		if v := number(row[1]); chart.picture.Columns[1] != terms[0].args["m"] || v < low || v > high {
			continue
		}
		label := row[0]
		if names := t.find("fact", "of", label, "a", m[0]); len(names) > 0 {
			label = names[0].args["v"]
			r.uses(schemas.RoleClue, names[0].from)
		}
		out, err := t.excluded(label, limits, &r)
		if err != nil {
			return r, err
		}
		if out {
			continue
		}
		if r.Right != "" {
			return r, fmt.Errorf("%q and %q are both %s", r.Right, label, m[1])
		}
		r.Right = label
	}
	if r.Right == "" {
		return r, fmt.Errorf("nothing is %s", m[1])
	}
	return r, nil
}

// called are things of a kind by their names, where codes stand for these.
func (t *Task) called(list []string, kind string) (out []string) {
	for _, label := range list {
		if names := t.find("fact", "of", label, "a", kind); len(names) > 0 {
			label = names[0].args["v"]
		}
		out = append(out, label)
	}
	return out
}

// excluded reports whether an exception holds of something.
func (t *Task) excluded(of string, limits []told, r *Result) (bool, error) {
	for _, l := range limits {
		v, from, err := t.holds(of, l.args["m"])
		if err != nil {
			return false, err
		}
		r.uses(schemas.RoleClue, l.from, from)
		if number(v) > number(l.args["n"]) {
			return true, nil
		}
	}
	return false, nil
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}

// entity is what a question is about: what it names, or what its card shows.
func (t *Task) entity(a asked, named string, r *Result) (string, error) {
	if !strings.HasSuffix(named, " on the card") {
		return named, nil
	}
	card, err := t.picture(a, "card")
	if err != nil {
		return "", err
	}
	r.uses(schemas.RoleClue, card)
	return card.picture.Title, nil
}

// values are all that is told of an attribute, of whatever it is.
func (t *Task) values(attribute string) (out []string) {
	for _, kind := range []string{"fact", "changed"} {
		for _, f := range t.find(kind, "a", attribute) {
			out = append(out, f.args["v"])
		}
	}
	return out
}

// contradicted is what holds where sources disagree: what somebody says who decides on it,
// or what it was changed to.
func (t *Task) contradicted(a asked, m []string) (Result, error) {
	of, err := t.entity(a, m[1], &Result{})
	if err == nil && len(t.find("decides", "of", of, "a", m[0])) > 0 {
		return t.disputed(a, m)
	}
	return t.changed(a, m)
}

// total adds up what was changed, once or more often.
func (t *Task) total(a asked, m []string) (r Result, err error) {
	r.Variant = "total"
	of, err := t.entity(a, m[1], &r)
	if err != nil {
		return r, err
	}
	n, changes, err := t.sum(of, m[0], &r)
	if err == nil && changes == 0 {
		err = fmt.Errorf("nobody tells of a change of the %s of %s", m[0], of)
	}
	if err != nil {
		return r, err
	}
	r.Right, r.Offered = strconv.Itoa(n), t.numbers(m[0])
	r.Outdated = t.find("fact", "of", of, "a", m[0])[0].args["v"]
	return r, nil
}

// numbers are what things have of an attribute at first, and what that comes to.
func (t *Task) numbers(attribute string) []string {
	out := t.values(attribute)
	for _, f := range t.find("fact", "a", attribute) {
		if n, changes, err := t.sum(f.args["of"], attribute, &Result{}); err == nil && changes > 0 {
			out = append(out, strconv.Itoa(n))
		}
	}
	return out
}

// sum is what a number comes to, and after how many changes.
func (t *Task) sum(of, attribute string, r *Result) (sum, changes int, err error) {
	v, from, err := one(t.find("fact", "of", of, "a", attribute), "the "+attribute+" of "+of)
	if err != nil {
		return 0, 0, err
	}
	r.uses(schemas.RoleClue, from)
	sum = number(v)
	var updates []*Piece
	for sign, kind := range map[int]string{1: "up", -1: "down"} {
		for _, f := range t.find(kind, "of", of, "a", attribute) {
			sum, changes = sum+sign*number(f.args["n"]), changes+1
			updates = append(updates, f.from)
		}
	}
	r.updates(from, updates...)
	return sum, changes, nil
}

// changed is what a fact became: what held before must be there, too.
func (t *Task) changed(a asked, m []string) (r Result, err error) {
	r.Variant = "time"
	of, err := t.entity(a, m[1], &r)
	if err != nil {
		return r, err
	}
	before, from, err := one(t.find("fact", "of", of, "a", m[0]), "the "+m[0]+" of "+of)
	if err != nil {
		return r, err
	}
	r.uses(schemas.RoleSuperseded, from)
	r.Offered, r.Outdated = t.values(m[0]), before
	changes := t.find("changed", "of", of, "a", m[0])
	if len(changes) == 0 || changes[len(changes)-1].from.position() < from.position() {
		return r, fmt.Errorf("the %s of %s is %s, and nobody tells of a change", m[0], of, before)
	}
	for _, c := range changes {
		r.updates(from, c.from)
		r.Right = c.args["v"]
	}
	return r, nil
}

// disputed is what somebody says who decides, where two say different things.
func (t *Task) disputed(a asked, m []string) (r Result, err error) {
	r.Variant = "authority"
	of, err := t.entity(a, m[1], &r)
	if err != nil {
		return r, err
	}
	rules := t.find("decides", "of", of, "a", m[0])
	said := t.find("fact", "of", of, "a", m[0])
	if len(rules) != 1 || len(said) != 2 || said[0].args["v"] == said[1].args["v"] || said[0].from.speaker() == said[1].from.speaker() {
		return r, fmt.Errorf("of the %s of %s %d things are said and %d rules tell who decides; want two that differ and one", m[0], of, len(said), len(rules))
	}
	r.uses(schemas.RoleClue, rules[0].from)
	r.Offered = t.values(m[0])
	for _, f := range said {
		role := schemas.RoleSuperseded
		if f.from.speaker() == rules[0].args["p"] {
			role, r.Right = schemas.RoleClue, f.args["v"]
		} else {
			r.Outdated = f.args["v"]
		}
		r.counts(role, f.from)
	}
	if r.Right == "" {
		return r, fmt.Errorf("%s decides and says nothing", rules[0].args["p"])
	}
	return r, nil
}
