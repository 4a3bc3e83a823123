package oracle

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// Result is what a question comes to.
type Result struct {
	Form, Aspect string
	// Right is the one true answer.
	Right string
	// Evidence is what it rests on, in order of time.
	Evidence []schemas.Evidence
	// Pattern says how what is asked about changed.
	Pattern string
	// Stem is what the choice form asks, Fact what is asked about what.
	Stem, Fact string
	// Difficulty is what makes it hard.
	Difficulty Difficulty
	// candidates are what a wrong option may name: things that could be meant, or what held
	// once, besides the answer.
	candidates []string
	updates    int
	// holds says whether an answer is true.
	holds func(answer string) bool
}

// Version of what the replay gives.
const Version = "6"

// Cell is the place on the grid: X1 to X4 by the aspect, Y1 to Y3 by the form.
func (r Result) Cell() (granularity, reasoning string) {
	switch r.Aspect {
	case "activity", "setting", "weather":
		granularity = "X1"
	case "place", "beside":
		granularity = "X2"
	case "which":
		granularity = "X3"
	default:
		granularity = "X4"
	}
	switch r.Form {
	case "value":
		return granularity, "Y1"
	case "current", "before":
		return granularity, "Y3"
	}
	return granularity, "Y2"
}

// Holds reports whether an answer is true.
func (r Result) Holds(answer string) bool { return r.holds(answer) }

// maxChainPictures is how many pictures a question about changes cites at most.
const maxChainPictures = 5

// Answer works a question out. Options tell which pictures a question about like ones
// rests on. An error says what in its words leads nowhere.
func (t *Conversation) Answer(question string, options []string) (Result, error) {
	var found []Result
	var why error
	for _, r := range interpret(question) {
		if r.form == "match" && r.thing == "" {
			r.options = options
		}
		out, err := t.solve(r)
		if err != nil {
			why = err
			continue
		}
		out.Form, out.Aspect, out.Stem = r.form, r.aspect, r.stem
		out.Difficulty = t.measureDifficulty(out.Evidence, r.aspect, out.updates)
		found = append(found, out)
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return Result{}, fmt.Errorf("%q can be read in %d ways", question, len(found))
	case why != nil:
		return Result{}, fmt.Errorf("%q: %w", question, why)
	}
	return Result{}, fmt.Errorf("%q is asked in no way that is known", question)
}

func (t *Conversation) solve(r interpretation) (Result, error) {
	switch r.form {
	case "value":
		return t.solveValue(r)
	case "sum":
		return t.solveSum(r)
	case "first":
		return t.solveFirst(r)
	case "current", "before":
		return t.solveChange(r)
	}
	if r.thing == "" {
		return t.solveSameGist(r)
	}
	return t.solveSameValue(r)
}

// findAspect finds a thing in a picture, and what it tells of an aspect.
func (t *Conversation) findAspect(called, thing, aspect string) (int, Thing, string, error) {
	i, ok := t.findPicture(called)
	if !ok {
		return 0, Thing{}, "", fmt.Errorf("no picture is called %q", called)
	}
	th, ok := t.pictures[i].findThing(thing)
	if !ok || th.Tells[aspect] == "" {
		return 0, Thing{}, "", fmt.Errorf("%s tells no %s of %q", called, aspect, thing)
	}
	return i, th, th.Tells[aspect], nil
}

func equals(right string) func(string) bool {
	return func(answer string) bool { return strings.EqualFold(answer, right) }
}

// checkClass checks class and preposition where words name them.
func (r interpretation) checkClass(th Thing) error {
	if r.class != "" && (r.class != th.Class || r.prep != th.Prep) {
		return fmt.Errorf("%q has %s %s it, not %s %s", th.Name, th.Class, th.Prep, r.class, r.prep)
	}
	return nil
}

func (t *Conversation) solveValue(r interpretation) (Result, error) {
	i, th, value, err := t.findAspect(r.when, r.thing, r.aspect)
	if err != nil {
		return Result{}, err
	}
	fact := fmt.Sprintf("%s/%s/%d", r.thing, r.aspect, i)
	return Result{Right: value, Pattern: "steady", Evidence: t.cite([]int{i}), Fact: fact, holds: equals(value)}, r.checkClass(th)
}

func (t *Conversation) solveSum(r interpretation) (Result, error) {
	i, th, first, err := t.findAspect(r.when, r.thing, "count")
	if err != nil {
		return Result{}, err
	}
	j, other, second, err := t.findAspect(r.when2, r.thing2, "count")
	if err != nil {
		return Result{}, err
	}
	m, err := strconv.Atoi(first)
	n, err2 := strconv.Atoi(second)
	if err != nil || err2 != nil || i == j || other.Class != th.Class || other.Prep != r.prep2 {
		return Result{}, fmt.Errorf("%s and %s cannot be added", first, second)
	}
	right := strconv.Itoa(m + n)
	fact := fmt.Sprintf("sum/%s/%d/%s/%d", r.thing, i, r.thing2, j)
	return Result{Right: right, Pattern: "steady", Evidence: t.cite([]int{i, j}), Fact: fact, holds: equals(right)}, r.checkClass(th)
}

// solveSameGist finds the one other picture with the same gist, among those whose things all
// tell the same. A picture that shows it besides another gist is like it as well.
func (t *Conversation) solveSameGist(r interpretation) (Result, error) {
	from, ok := t.findPicture(r.when)
	if !ok {
		return Result{}, fmt.Errorf("no picture is called %q", r.when)
	}
	gists := func(i int) []string {
		var out []string
		for _, th := range t.pictures[i].Things {
			if v := th.Tells[r.aspect]; v != "" && !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
		return out
	}
	gist := gists(from)
	var same []int
	for i := range t.pictures {
		if i != from && len(gist) == 1 && slices.Contains(gists(i), gist[0]) {
			same = append(same, i)
		}
	}
	if len(same) != 1 || len(gists(same[0])) != 1 {
		return Result{}, fmt.Errorf("%d other pictures are like %s", len(same), r.when)
	}
	cited := []int{from}
	for _, name := range r.options {
		i, ok := t.findPicture(name)
		if !ok || slices.Contains(cited, i) {
			return Result{}, fmt.Errorf("the option %q is no other picture", name)
		}
		cited = append(cited, i)
	}
	right := t.pictures[same[0]].name
	fact := fmt.Sprintf("like/%s/%d", r.aspect, from)
	return Result{Right: right, Pattern: "steady", Evidence: t.cite(cited), Fact: fact, candidates: r.options, holds: equals(right)}, nil
}

// solveSameValue finds what in a second picture has what a thing of a first has.
func (t *Conversation) solveSameValue(r interpretation) (Result, error) {
	from, th, value, err := t.findAspect(r.when, r.thing, r.aspect)
	if err != nil {
		return Result{}, err
	}
	to, ok := t.findPicture(r.when2)
	if !ok {
		return Result{}, fmt.Errorf("no picture is called %q", r.when2)
	}
	name := func(x Thing) string {
		if r.aspect == "which" {
			return x.Prep + " " + x.Name
		}
		return x.Name
	}
	var right, others []string
	for _, x := range t.pictures[to].Things {
		switch {
		case x.Class != th.Class || x.Tells[r.aspect] == "":
		case x.Tells[r.aspect] == value:
			right = append(right, name(x))
		default:
			others = append(others, name(x))
		}
	}
	if len(right) != 1 {
		return Result{}, fmt.Errorf("%d things of %s have the %s of %q", len(right), r.when2, r.aspect, r.thing)
	}
	fact := fmt.Sprintf("same/%s/%s/%d/%d", r.aspect, r.thing, from, to)
	return Result{Right: right[0], Pattern: "steady", Evidence: t.cite([]int{from, to}), Fact: fact, candidates: others, holds: equals(right[0])}, r.checkClass(th)
}

// solveFirst finds which of some things is shown first.
func (t *Conversation) solveFirst(r interpretation) (Result, error) {
	seen := map[string]int{}
	var cited []int
	for _, name := range r.options {
		i := slices.IndexFunc(t.pictures, func(s sharedPicture) bool {
			th, ok := s.findThing(name)
			return ok && th.Tells["which"] != ""
		})
		if i < 0 || slices.Contains(cited, i) {
			return Result{}, fmt.Errorf("%q is shown nowhere, or with another of them", name)
		}
		seen[name] = i
		cited = append(cited, i)
	}
	right := slices.MinFunc(r.options, func(a, b string) int { return seen[a] - seen[b] })
	return Result{Right: right, Pattern: "steady", Evidence: t.cite(cited), Fact: "first/" + right, candidates: r.options, holds: equals(right)}, nil
}
