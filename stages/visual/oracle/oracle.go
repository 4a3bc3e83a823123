package oracle

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/wording"
)

// Result is a question as the oracle derives it.
type Result struct {
	Form, Aspect string
	// Right is the right answer.
	Right string
	// Evidence is in order of time. Needed are those pieces that the answer rests on: the
	// others show what is out of date, or true of a wrong option alone.
	Evidence, Needed []schemas.Evidence
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
	// named are the aspects by which the question names its pictures.
	named []string
}

// Version of the oracle.
const Version = "7"

// grainOf returns the granularity of an aspect, X1 to X4.
func grainOf(aspect string) string {
	switch aspect {
	case "activity", "setting", "weather":
		return "X1"
	case "place", "beside":
		return "X2"
	case "which":
		return "X3"
	}
	return "X4"
}

// Cell returns the place on the grid: X1 to X4 by the finest aspect that is asked for or
// names a picture, Y1 to Y3 by the form.
func (r Result) Cell() (granularity, reasoning string) {
	granularity = grainOf(r.Aspect)
	for _, aspect := range r.named {
		granularity = max(granularity, grainOf(aspect))
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
		out.Form, out.Aspect, out.Stem = r.Form, cmp.Or(r.Aspect, out.Aspect), r.stem
		if out.Needed == nil {
			out.Needed = out.Evidence
		}
		out.Difficulty = t.measureDifficulty(out.Needed, out.Aspect, out.updates)
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
func (t *Conversation) findAspect(called, thing, aspect string) (namedPicture, Thing, string, error) {
	p, err := t.findPicture(called)
	if err != nil {
		return p, Thing{}, "", err
	}
	th, ok := t.pictures[p.at].findThing(thing)
	if !ok || th.Tells[aspect] == "" {
		return p, Thing{}, "", fmt.Errorf("%s does not show the %s of %q", called, aspect, thing)
	}
	return p, th, th.Tells[aspect], nil
}

// factOf names what is asked of a thing in a picture.
func (t *Conversation) factOf(thing, aspect string, at int) string {
	return fmt.Sprintf("%s/%s/%d", thing, aspect, t.pictures[at].place)
}

// joinFacts names what is asked for together, in no order.
func joinFacts(facts ...string) string {
	slices.Sort(facts)
	return strings.Join(facts, "+")
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
	p, th, value, err := t.findAspect(r.When, r.Thing, r.Aspect)
	if err != nil {
		return Result{}, err
	}
	return Result{Right: value, Pattern: "steady", Evidence: t.cite([]int{p.at}), Fact: t.factOf(r.Thing, r.Aspect, p.at), holds: equals(value), named: p.aspects}, r.checkClass(th)
}

func (t *Conversation) solveSum(r Interpretation) (Result, error) {
	p, th, first, err := t.findAspect(r.When, r.Thing, "count")
	if err != nil {
		return Result{}, err
	}
	q, other, second, err := t.findAspect(r.When2, r.Thing2, "count")
	if err != nil {
		return Result{}, err
	}
	m, err := strconv.Atoi(first)
	n, err2 := strconv.Atoi(second)
	if err != nil || err2 != nil || p.at == q.at || other.Class != th.Class || other.Prep != r.prep2 {
		return Result{}, fmt.Errorf("%s and %s cannot be added", first, second)
	}
	right := strconv.Itoa(m + n)
	return Result{
		Right: right, Pattern: "steady", Evidence: t.cite([]int{p.at, q.at}), holds: equals(right), named: append(p.aspects, q.aspects...),
		Fact: joinFacts(t.factOf(r.Thing, "count", p.at), t.factOf(r.Thing2, "count", q.at)),
	}, r.checkClass(th)
}

// solveSameGist finds the one other picture with the same gist, among those that show
// one value throughout. A picture that shows it beside another gist counts as a match
// too.
func (t *Conversation) solveSameGist(r Interpretation) (Result, error) {
	from, err := t.findPicture(r.When)
	if err != nil {
		return Result{}, err
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
	gist := gists(from.at)
	same := -1
	for i := range t.pictures {
		if i == from.at || len(gist) != 1 || !slices.Contains(gists(i), gist[0]) {
			continue
		}
		if same >= 0 || len(gists(i)) != 1 {
			return Result{}, fmt.Errorf("more than one picture may be like %s", r.When)
		}
		same = i
	}
	if same < 0 {
		return Result{}, fmt.Errorf("no other picture is like %s", r.When)
	}
	cited, right, named := []int{from.at}, "", from.aspects
	for _, name := range r.options {
		p, err := t.findPicture(name)
		if err != nil || slices.Contains(cited, p.at) {
			return Result{}, fmt.Errorf("the option %q is no other picture (%v)", name, err)
		}
		if p.at == same {
			right = name
		}
		cited, named = append(cited, p.at), append(named, p.aspects...)
	}
	fact := fmt.Sprintf("like/%s/%d/%d", r.Aspect, t.pictures[min(from.at, same)].place, t.pictures[max(from.at, same)].place)
	return Result{
		Right: right, Pattern: "steady", Evidence: t.cite(cited), Needed: t.cite([]int{from.at, same}), Fact: fact, candidates: r.options, holds: equals(right), named: named,
	}, nil
}

// solveSameValue finds the thing of a second picture with the value of a thing in a
// first. No thing there of another class has it either.
func (t *Conversation) solveSameValue(r Interpretation) (Result, error) {
	from, th, value, err := t.findAspect(r.When, r.Thing, r.Aspect)
	if err != nil {
		return Result{}, err
	}
	to, err := t.findPicture(r.When2)
	if err != nil {
		return Result{}, err
	}
	name := func(x Thing) string {
		if r.Aspect == "which" {
			return x.Prep + " " + x.Name
		}
		return x.Name
	}
	var right []Thing
	var others []string
	for _, x := range t.pictures[to.at].Things {
		switch {
		case x.Tells[r.Aspect] == "":
		case x.Tells[r.Aspect] == value:
			right = append(right, x)
		case x.Class == th.Class:
			others = append(others, name(x))
		}
	}
	if len(right) != 1 || right[0].Class != th.Class {
		return Result{}, fmt.Errorf("%d things of %s have the %s of %q, or one of another kind", len(right), r.When2, r.Aspect, r.Thing)
	}
	return Result{
		Right: name(right[0]), Pattern: "steady", Evidence: t.cite([]int{from.at, to.at}), candidates: others, holds: equals(name(right[0])), named: append(from.aspects, to.aspects...),
		Fact: joinFacts(t.factOf(r.Thing, r.Aspect, from.at), t.factOf(right[0].Name, r.Aspect, to.at)),
	}, r.checkClass(th)
}

// solveFirst finds which of some things with a value is shown first. All are of one aspect
// and class.
func (t *Conversation) solveFirst(r Interpretation) (Result, error) {
	seen := map[string]int{}
	var cited []int
	var kinds [][2]string // aspect and class
	for _, name := range r.options {
		i, kind := t.findItem(name)
		if i < 0 || slices.Contains(cited, i) {
			return Result{}, fmt.Errorf("%q is shown nowhere, or with another of them", name)
		}
		seen[name] = i
		cited, kinds = append(cited, i), append(kinds, kind)
	}
	if len(slices.Compact(kinds)) != 1 {
		return Result{}, fmt.Errorf("%q are not of one kind", r.options)
	}
	right := slices.MinFunc(r.options, func(a, b string) int { return seen[a] - seen[b] })
	return Result{
		Aspect: kinds[0][0], Right: right, Pattern: "steady", Evidence: t.cite(cited), Fact: "first/" + joinFacts(slices.Clone(r.options)...), candidates: r.options, holds: equals(right),
	}, nil
}

// findItem returns the first picture that shows a thing with a value, and its kind.
func (t *Conversation) findItem(name string) (at int, kind [2]string) {
	for i, s := range t.pictures {
		for _, th := range s.Things {
			for aspect, value := range th.Tells {
				words := strings.NewReplacer("{thing}", th.Name, "{prep}", cmp.Or(th.Prep, "at"), "{value}", value).Replace(wording.Item(aspect))
				if words == name {
					return i, [2]string{aspect, th.Class}
				}
			}
		}
	}
	return -1, kind
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
	right := now
	if r.Form == "before" {
		right = runs[len(runs)-2]
	}
	var once []string
	for _, value := range runs {
		if value != "" && value != right && !slices.Contains(once, value) {
			once = append(once, value)
		}
	}
	cited := t.citeChain(all, now)
	out := Result{Right: right, Pattern: changePattern(all, runs), Evidence: t.citeAs(cited), candidates: once, updates: len(runs) - 1, holds: equals(right)}
	asked := cited[0] // the last picture, or the last that shows what it replaced
	out.Needed = t.cite(cited[:1])
	if r.Form == "before" && len(cited) > 1 {
		asked, out.Needed = cited[1], t.cite(cited[:2])
	}
	out.Fact = t.factOf(r.Thing, r.Aspect, asked)
	last, _ := t.pictures[all[len(all)-1].at].findThing(r.Thing)
	return out, r.checkClass(last)
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

// citeChain returns the last pictures of a chain, the very last first. Earlier pictures of
// the final value, with no other value after them, are left out.
func (t *Conversation) citeChain(all []sighting, now string) []int {
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
	return places
}

// citeAs cites the pictures of a chain: the last as update, the others as superseded.
func (t *Conversation) citeAs(chain []int) []schemas.Evidence {
	out := t.cite(chain)
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
	// Alike counts the other things in the needed pictures that show the same aspect.
	Alike int
	// Distance counts the sessions after the last needed picture.
	Distance int
	// Distractors counts the other pictures.
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
