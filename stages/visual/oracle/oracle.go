package oracle

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// Result is a question as the oracle derives it.
type Result struct {
	Form, Aspect string
	// Right is the right answer.
	Right string
	// Evidence is in order of time.
	Evidence []schemas.Evidence
	// Pattern says how the asked value changed.
	Pattern string
	// Stem is the choice form without options. Fact identifies what the question asks
	// about which thing.
	Stem, Fact string
	Difficulty Difficulty
	// candidates are texts that a wrong option may have: possible things, or earlier
	// values.
	candidates []string
	updates    int
	holds      func(answer string) bool
}

// Version of the oracle.
const Version = "6"

// Cell returns the place on the grid: X1 to X4 by the aspect, Y1 to Y3 by the form.
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

// maxChainPictures bounds the pictures that a question about changes cites.
const maxChainPictures = 5

// Answer derives a question. The options say which pictures a question about matching
// pictures rests on. The error says which words lead nowhere.
func (t *Conversation) Answer(question string, options []string) (Result, error) {
	var found []Result
	var why error
	for _, r := range Interpretations(question) {
		if r.Form == "match" && r.Thing == "" {
			r.options = options
		}
		out, err := t.solve(r)
		if err != nil {
			why = err
			continue
		}
		out.Form, out.Aspect, out.Stem = r.Form, r.Aspect, r.stem
		out.Difficulty = t.measureDifficulty(out.Evidence, r.Aspect, out.updates)
		found = append(found, out)
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return Result{}, fmt.Errorf("%q has %d interpretations", question, len(found))
	case why != nil:
		return Result{}, fmt.Errorf("%q: %w", question, why)
	}
	return Result{}, fmt.Errorf("the wording of %q is unknown", question)
}

func (t *Conversation) solve(r Interpretation) (Result, error) {
	switch r.Form {
	case "value":
		return t.solveValue(r)
	case "sum":
		return t.solveSum(r)
	case "first":
		return t.solveFirst(r)
	case "current", "before":
		return t.solveChange(r)
	}
	if r.Thing == "" {
		return t.solveSameGist(r)
	}
	return t.solveSameValue(r)
}

// findAspect returns a thing in a picture and its value of an aspect.
func (t *Conversation) findAspect(called, thing, aspect string) (int, Thing, string, error) {
	i, ok := t.findPicture(called)
	if !ok {
		return 0, Thing{}, "", fmt.Errorf("no picture is called %q", called)
	}
	th, ok := t.pictures[i].findThing(thing)
	if !ok || th.Tells[aspect] == "" {
		return 0, Thing{}, "", fmt.Errorf("%s does not show the %s of %q", called, aspect, thing)
	}
	return i, th, th.Tells[aspect], nil
}

func equals(right string) func(string) bool {
	return func(answer string) bool { return strings.EqualFold(answer, right) }
}

// checkClass compares class and preposition, where the words name them.
func (r Interpretation) checkClass(th Thing) error {
	if r.class != "" && (r.class != th.Class || r.prep != th.Prep) {
		return fmt.Errorf("%q has %s %s it, not %s %s", th.Name, th.Class, th.Prep, r.class, r.prep)
	}
	return nil
}

func (t *Conversation) solveValue(r Interpretation) (Result, error) {
	i, th, value, err := t.findAspect(r.When, r.Thing, r.Aspect)
	if err != nil {
		return Result{}, err
	}
	fact := fmt.Sprintf("%s/%s/%d", r.Thing, r.Aspect, i)
	return Result{Right: value, Pattern: "steady", Evidence: t.cite([]int{i}), Fact: fact, holds: equals(value)}, r.checkClass(th)
}

func (t *Conversation) solveSum(r Interpretation) (Result, error) {
	i, th, first, err := t.findAspect(r.When, r.Thing, "count")
	if err != nil {
		return Result{}, err
	}
	j, other, second, err := t.findAspect(r.When2, r.Thing2, "count")
	if err != nil {
		return Result{}, err
	}
	m, err := strconv.Atoi(first)
	n, err2 := strconv.Atoi(second)
	if err != nil || err2 != nil || i == j || other.Class != th.Class || other.Prep != r.prep2 {
		return Result{}, fmt.Errorf("%s and %s cannot be added", first, second)
	}
	right := strconv.Itoa(m + n)
	fact := fmt.Sprintf("sum/%s/%d/%s/%d", r.Thing, i, r.Thing2, j)
	return Result{Right: right, Pattern: "steady", Evidence: t.cite([]int{i, j}), Fact: fact, holds: equals(right)}, r.checkClass(th)
}

// solveSameGist finds the one other picture with the same gist, among those that show
// one value throughout. A picture that shows it beside another gist counts as a match
// too.
func (t *Conversation) solveSameGist(r Interpretation) (Result, error) {
	from, ok := t.findPicture(r.When)
	if !ok {
		return Result{}, fmt.Errorf("no picture is called %q", r.When)
	}
	gists := func(i int) []string {
		var out []string
		for _, th := range t.pictures[i].Things {
			if v := th.Tells[r.Aspect]; v != "" && !slices.Contains(out, v) {
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
		return Result{}, fmt.Errorf("%d other pictures are like %s", len(same), r.When)
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
	fact := fmt.Sprintf("like/%s/%d", r.Aspect, from)
	return Result{Right: right, Pattern: "steady", Evidence: t.cite(cited), Fact: fact, candidates: r.options, holds: equals(right)}, nil
}

// solveSameValue finds the thing of a second picture with the value of a thing in a
// first.
func (t *Conversation) solveSameValue(r Interpretation) (Result, error) {
	from, th, value, err := t.findAspect(r.When, r.Thing, r.Aspect)
	if err != nil {
		return Result{}, err
	}
	to, ok := t.findPicture(r.When2)
	if !ok {
		return Result{}, fmt.Errorf("no picture is called %q", r.When2)
	}
	name := func(x Thing) string {
		if r.Aspect == "which" {
			return x.Prep + " " + x.Name
		}
		return x.Name
	}
	var right, others []string
	for _, x := range t.pictures[to].Things {
		switch {
		case x.Class != th.Class || x.Tells[r.Aspect] == "":
		case x.Tells[r.Aspect] == value:
			right = append(right, name(x))
		default:
			others = append(others, name(x))
		}
	}
	if len(right) != 1 {
		return Result{}, fmt.Errorf("%d things of %s have the %s of %q", len(right), r.When2, r.Aspect, r.Thing)
	}
	fact := fmt.Sprintf("same/%s/%s/%d/%d", r.Aspect, r.Thing, from, to)
	return Result{Right: right[0], Pattern: "steady", Evidence: t.cite([]int{from, to}), Fact: fact, candidates: others, holds: equals(right[0])}, r.checkClass(th)
}

// solveFirst finds which of some things is shown first.
func (t *Conversation) solveFirst(r Interpretation) (Result, error) {
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

// sighting is what one picture shows of a thing, or "" if the thing is missing there.
type sighting struct {
	at    int
	value string
}

// sightings returns all pictures that show an aspect of a thing, or miss the thing.
func (t *Conversation) sightings(thing, aspect string) []sighting {
	var out []sighting
	for i, s := range t.pictures {
		if th, ok := s.findThing(thing); ok && th.Tells[aspect] != "" {
			out = append(out, sighting{i, th.Tells[aspect]})
		} else if aspect == "place" && slices.Contains(s.Absent, thing) {
			out = append(out, sighting{i, ""})
		}
	}
	return out
}

// solveChange finds the last value, or the one before the last change.
func (t *Conversation) solveChange(r Interpretation) (Result, error) {
	all := t.sightings(r.Thing, r.Aspect)
	if len(all) == 0 {
		return Result{}, fmt.Errorf("no picture shows the %s of %q", r.Aspect, r.Thing)
	}
	var runs []string // each value once for as long as it holds
	for _, l := range all {
		if len(runs) == 0 || runs[len(runs)-1] != l.value {
			runs = append(runs, l.value)
		}
	}
	now := runs[len(runs)-1]
	if len(runs) < 2 || now == "" {
		return Result{}, fmt.Errorf("the %s of %q does not change, or is gone", r.Aspect, r.Thing)
	}
	right, fact := now, "now/"+r.Thing+"/"+r.Aspect
	if r.Form == "before" {
		right, fact = runs[len(runs)-2], "before/"+r.Thing+"/"+r.Aspect
	}
	var once []string
	for _, value := range runs {
		if value != "" && value != right && !slices.Contains(once, value) {
			once = append(once, value)
		}
	}
	last, _ := t.pictures[all[len(all)-1].at].findThing(r.Thing)
	return Result{Right: right, Pattern: changePattern(all, runs), Evidence: t.citeChain(all, now), Fact: fact, candidates: once, updates: len(runs) - 1, holds: equals(right)}, r.checkClass(last)
}

func changePattern(all []sighting, runs []string) string {
	now := runs[len(runs)-1]
	earlier := runs[:len(runs)-1]
	latest := 0
	for i := len(all) - 1; i >= 0 && all[i].value == now; i-- {
		latest++
	}
	switch {
	case slices.Contains(earlier, ""):
		return "return"
	case slices.Contains(earlier, now):
		return "reversal"
	case latest == 1 && len(all) > 3:
		return "stale_majority"
	}
	return "override"
}

// citeChain cites the last pictures of a chain, the very last as update. Earlier
// pictures of the final value, with no other value after them, are left out; the others
// are superseded.
func (t *Conversation) citeChain(all []sighting, now string) []schemas.Evidence {
	var places []int
	settled := true // everything so far, from the end, shows what holds now
	for i := len(all) - 1; i >= 0 && len(places) < maxChainPictures; i-- {
		switch l := all[i]; {
		case l.value == "":
		case len(places) == 0:
			places = append(places, l.at)
		case settled && l.value == now:
		default:
			settled = false
			places = append(places, l.at)
		}
	}
	out := t.cite(places)
	for i := range out {
		out[i].Role = schemas.RoleSuperseded
	}
	if len(out) > 0 {
		out[len(out)-1].Role = schemas.RoleUpdate
	}
	return out
}

// cite returns pictures as evidence, in order of time, all as clues.
func (t *Conversation) cite(places []int) []schemas.Evidence {
	var out []schemas.Evidence
	for i, at := range slices.Sorted(slices.Values(places)) {
		s := t.pictures[at]
		text := "[" + s.session.Date + "]"
		for _, turn := range s.round {
			text += "\n" + turn.Role + ": " + turn.Text
		}
		out = append(out, schemas.Evidence{
			Kind: "turn", Ref: s.round[0].TurnID, Role: schemas.RoleClue, SessionID: s.session.SessionID, Order: int32(i + 1), Modality: schemas.ModalityImage,
			Text: text, Media: s.attachment.MediaID, Caption: s.attachment.Caption, MinimalCaption: s.attachment.MinimalCaption, TaskAwareCaption: s.attachment.TaskAwareCaption,
		})
	}
	return out
}

// Difficulty has the numbers of a question's difficulty labels.
type Difficulty struct {
	// Alike counts the other things in the cited pictures that show the same aspect.
	Alike int
	// Distance counts the sessions after the last evidence.
	Distance int
	// Distractors counts the pictures that are not cited.
	Distractors int
	// Updates counts how often the asked value changes in the pictures.
	Updates int
}

func (t *Conversation) measureDifficulty(cited []schemas.Evidence, aspect string, updates int) Difficulty {
	out := Difficulty{Alike: -len(cited), Distractors: len(t.pictures) - len(cited), Updates: updates}
	last := int32(0)
	for _, e := range cited {
		for _, s := range t.pictures {
			if s.round[0].TurnID != e.Ref || s.attachment.MediaID != e.Media {
				continue
			}
			last = max(last, s.session.Order)
			for _, th := range s.Things {
				if th.Tells[aspect] != "" {
					out.Alike++
				}
			}
		}
	}
	for _, s := range t.sessions {
		if s.Order > last {
			out.Distance++
		}
	}
	return out
}
