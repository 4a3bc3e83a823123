// Package question writes questions about simulations from what their pictures show: by
// form of reasoning and aspect, for every cell of the grid of granularity and reasoning
// (MemEye 3.1). It does not depend on the scenario.
package question

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/scene"
	"github.com/memforge/memforge/stages/visual/simulate"
)

// OptionCount is the number of options of a question.
const OptionCount = 4

// Forms of questions. Value asks what one picture shows (Y1). Match, Sum and First join
// several pictures without contradictions (Y2). Current and Before ask about changes
// (Y3).
const (
	Value   = "value"
	Match   = "match"
	Sum     = "sum"
	First   = "first"
	Current = "current"
	Before  = "before"
)

// Forms lists the forms.
func Forms() []string { return []string{Value, Match, Sum, First, Current, Before} }

// Reasoning returns the depth of reasoning of a form, Y1 to Y3 (MemEye 3.1).
func Reasoning(form string) string {
	switch form {
	case Value:
		return schemas.ReasonSingle
	case Match, Sum, First:
		return schemas.ReasonJoined
	}
	return schemas.ReasonEvolving
}

// Draft is a question before it belongs to a task.
type Draft struct {
	Form, Aspect                 string
	OpenQuestion, ChoiceQuestion string
	Gold                         string
	// Wrong has three options, all false and all of one error type.
	Wrong     []string
	ErrorType string
	// Clues are the pictures of the evidence, in order of time.
	Clues []Clue
	// Pattern says how the asked value changed, see the chains of the simulation.
	Pattern string
	// Updates counts how often the asked value changes in the pictures.
	Updates     int
	Explanation string
	// Fact identifies what the question asks of which thing at which time, whatever its
	// form: read backwards it is the same fact.
	Fact string

	// things are asked about, pictures are named in the question, and options are the
	// pictures that the options name, the right one first.
	things   []scene.Thing
	pictures []int
	options  []int
	// asks are the sights that answer it or that would tell its options apart.
	asks []sight
	// row names the numbers that the options are, "" for none.
	row string
	// named is set where the question names an option, which is right or wrong; hint is
	// set where the answer is what most pictures show, or is not.
	named, hint *bool
}

// Clue is a picture of the evidence and the thing in it that shows the answer.
type Clue struct {
	Scene int
	Thing string
	Role  string
	// Spare marks a picture that the answer does not rest on: what it shows is out of date
	// or true of a wrong option alone.
	Spare bool
}

// Error types of wrong options.
const (
	// ErrorStale: values that the thing had before, filled up with values of other
	// things.
	ErrorStale = "stale_state"
	// ErrorOther: values of another thing, or that no picture shows.
	ErrorOther = "other_value"
	// ErrorThing: another thing or picture than the right one.
	ErrorThing = "other_instance"
	// ErrorNumber: numbers near the right one.
	ErrorNumber = "near_number"
)

// draftWriter writes the drafts of one simulation.
type draftWriter struct {
	rnd         *rand.Rand
	simulation  simulate.Simulation
	dates       []string // names of pictures in explanations, by scene
	occasions   []string // by scene
	chains      map[simulation.Key]simulation.Observations
	things      map[simulation.Key]scene.Thing
	keys        []simulation.Key // of things, in a fixed order
	namedThings [][]scene.Thing  // by scene
	sights      [][]visibleSight // by scene
	drafts      []Draft
	// asked are the sights that a question asks for.
	asked map[sight]bool
	// turn and turns say which wording comes next, by form.
	turn  int
	turns map[string]int
}

// Quota says how many questions at most are asked of each cell and form.
type Quota struct {
	PerCell int
	// PerForm replaces it for some forms.
	PerForm map[string]int
}

func (q Quota) of(form string) int { return cmp.Or(q.PerForm[form], q.PerCell) }

// WriteDrafts returns questions about a simulation, as many of each cell and form as a
// quota allows.
func WriteDrafts(rnd *rand.Rand, l simulate.Simulation, quota Quota) []Draft {
	a := draftWriter{
		rnd: rnd, simulation: l, dates: PictureDates(l), occasions: make([]string, len(l.Scenes)), things: map[simulation.Key]scene.Thing{}, chains: l.Chains(),
		asked: map[sight]bool{}, turn: rnd.IntN(1 << 10), turns: map[string]int{},
	}
	for _, s := range l.Sessions {
		for _, r := range s.Rounds {
			if r.Scene >= 0 {
				a.occasions[r.Scene] = r.Occasion
			}
		}
	}
	for i, s := range l.Scenes {
		a.namedThings = append(a.namedThings, s.NamedThings())
		for _, t := range a.namedThings[i] {
			for _, aspect := range t.Tells {
				a.things[simulation.Key{Entity: t.Name, Aspect: aspect}] = t
			}
		}
	}
	a.keys = slices.SortedFunc(maps.Keys(a.things), func(x, y simulation.Key) int {
		return cmp.Or(strings.Compare(x.Entity, y.Entity), strings.Compare(x.Aspect, y.Aspect))
	})
	a.findSights()
	a.addValueQuestions()
	a.addMatchQuestions()
	a.addSumQuestions()
	a.addFirstQuestions()
	a.addChangeQuestions()
	return a.selectDrafts(quota)
}

// PictureDates returns the names of the pictures in explanations: the date, and the number
// within the day where a day has several. Questions name pictures by what they show.
func PictureDates(l simulate.Simulation) []string {
	type day struct{ date, noun string }
	count, place := map[day]int{}, make([]int, len(l.Scenes))
	of := make([]day, len(l.Scenes))
	for _, s := range l.Sessions {
		for _, r := range s.Rounds {
			if r.Scene < 0 {
				continue
			}
			d := day{s.Date, l.Scenes[r.Scene].Noun}
			of[r.Scene], place[r.Scene] = d, count[d]
			count[d]++
		}
	}
	out := make([]string, len(l.Scenes))
	for i, d := range of {
		which := ""
		if count[d] > 1 {
			which = simulate.Ordinal(place[i]) + " "
		}
		out[i] = "the " + which + d.noun + " of " + formatDate(d.date)
	}
	return out
}

func formatDate(date string) string {
	months := []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
	parts := strings.Split(date, "-")
	if len(parts) != 3 {
		return date
	}
	month, err := strconv.Atoi(parts[1])
	if err != nil || month < 1 || month > 12 {
		return date
	}
	return strings.TrimPrefix(parts[2], "0") + " " + months[month-1] + " " + parts[0]
}

// addDraft completes a draft and keeps it if there are enough wrong options.
func (a *draftWriter) addDraft(d Draft, wrong []string) {
	seen := []string{strings.ToLower(d.Gold)}
	for _, w := range wrong {
		if low := strings.ToLower(w); w != "" && len(d.Wrong) < OptionCount-1 && !slices.Contains(seen, low) {
			d.Wrong, seen = append(d.Wrong, w), append(seen, low)
		}
	}
	if len(d.Wrong) < OptionCount-1 && d.options == nil {
		return
	}
	slices.SortStableFunc(d.Clues, func(x, y Clue) int { return cmp.Compare(x.Scene, y.Scene) })
	d.Explanation = a.explain(d)
	a.drafts = append(a.drafts, d)
}

// candidateValues returns possible values of an aspect of a thing, in random order;
// values that pictures of this simulation show come first.
func (a *draftWriter) candidateValues(t scene.Thing, aspect string) []string {
	var shown []string
	for _, key := range a.keys {
		if key.Aspect == aspect && a.things[key].Class == t.Class {
			for _, s := range a.chains[key] {
				if s.Value != "" && !slices.Contains(shown, s.Value) {
					shown = append(shown, s.Value)
				}
			}
		}
	}
	a.rnd.Shuffle(len(shown), func(i, j int) { shown[i], shown[j] = shown[j], shown[i] })
	listed := slices.Clone(a.simulation.Pools[aspect+":"+t.Class])
	if len(listed) == 0 {
		listed = slices.Clone(a.simulation.Pools[aspect])
	}
	a.rnd.Shuffle(len(listed), func(i, j int) { listed[i], listed[j] = listed[j], listed[i] })
	return append(shown, listed...)
}

// addNumberDrafts adds a draft for each four numbers in a row, the sum of several counts of a
// class among them, that could all be such sums. selectDrafts takes of each row as many with
// the right number at each place, so the middle is no better guess than any other.
func (a *draftWriter) addNumberDrafts(d Draft, class string, counts int) {
	n, err := strconv.Atoi(d.Gold)
	if err != nil {
		return
	}
	d.ErrorType = ErrorNumber
	lowest, highest := a.countRange(class)
	for from := max(counts*lowest, n-OptionCount+1); from <= min(n, counts*highest-OptionCount+1); from++ {
		var near []string
		for v := from; v < from+OptionCount; v++ {
			if v != n {
				near = append(near, strconv.Itoa(v))
			}
		}
		a.rnd.Shuffle(len(near), func(i, j int) { near[i], near[j] = near[j], near[i] })
		d.row = fmt.Sprint(d.Form, "/", class, "/", from)
		a.addDraft(d, near)
	}
}

// countRange returns the least and the most of a class that any picture shows, at least as
// far apart as options are.
func (a *draftWriter) countRange(class string) (lowest, highest int) {
	lowest = 1 << 30
	for _, list := range a.namedThings {
		for _, t := range list {
			if n, err := strconv.Atoi(t.Look[scene.Count]); err == nil && t.Class == class && slices.Contains(t.Tells, scene.Count) {
				lowest, highest = min(lowest, n), max(highest, n)
			}
		}
	}
	return lowest, max(highest, lowest+OptionCount-1)
}

func newClue(at int, thing string) Clue { return Clue{Scene: at, Thing: thing, Role: schemas.RoleClue} }

// explain names the decisive detail with what each picture shows of it, and says why
// seeing and combining it takes what the cell of the grid claims (MemEye C.3). It does
// not name the cell: an auditor of labels reads the explanation (A.5).
func (a *draftWriter) explain(d Draft) string {
	first, _ := a.simulation.Scenes[d.Clues[0].Scene].Find(d.Clues[0].Thing)
	told := a.describeSightings(d)
	if d.Form == First {
		told = a.describeOrder(d)
	}
	return fmt.Sprintf("%s %s %s", strings.ToUpper(told[:1])+told[1:], describeEffort(first, d.Aspect), a.describeReasoning(d))
}

func (a *draftWriter) describeSightings(d Draft) string {
	var out strings.Builder
	last := ""
	for _, c := range d.Clues {
		t, _ := a.simulation.Scenes[c.Scene].Find(c.Thing)
		switch what := describeDetail(t, d.Aspect); {
		case what == last:
			out.WriteString(", then ")
		case last != "":
			out.WriteString("; " + what + " ")
			last = what
		default:
			out.WriteString(what + " ")
			last = what
		}
		fmt.Fprintf(&out, "\"%s\" in %s", t.Look[d.Aspect], a.dates[c.Scene])
	}
	return out.String() + "."
}

func (a *draftWriter) describeOrder(d Draft) string {
	var seen []string
	for _, c := range d.Clues {
		t, _ := a.simulation.Scenes[c.Scene].Find(c.Thing)
		seen = append(seen, fmt.Sprintf("%s is first seen in %s", itemOf(d.Aspect, t), a.dates[c.Scene]))
	}
	return strings.Join(seen, ", ") + "."
}

// describeDetail introduces the detail to be seen; its value follows.
func describeDetail(t scene.Thing, aspect string) string {
	prep := cmp.Or(t.Prep, "at")
	switch aspect {
	case scene.Activity:
		return fmt.Sprintf("one sees what happens %s %s:", prep, t.Name)
	case scene.Setting:
		return fmt.Sprintf("one sees what surrounds %s:", t.Name)
	case scene.Weather:
		return fmt.Sprintf("one sees what the sky over %s is like:", t.Name)
	case scene.Place:
		return fmt.Sprintf("one sees where %s is:", t.Name)
	case scene.Beside:
		return fmt.Sprintf("one sees what is next to %s:", t.Name)
	case scene.Which:
		return fmt.Sprintf("one sees which %s is %s %s:", t.Class, prep, t.Name)
	case scene.Count:
		return fmt.Sprintf("one counts the %s %s %s:", t.Class, prep, t.Name)
	case scene.Text:
		return fmt.Sprintf("one reads what %s says:", t.Name)
	}
	return fmt.Sprintf("one sees the %s of %s:", aspect, t.Name)
}

// describeEffort says how closely one has to look.
func describeEffort(t scene.Thing, aspect string) string {
	switch aspect {
	case scene.Activity, scene.Setting, scene.Weather:
		return "A glance at the whole picture is enough for that."
	case scene.Place, scene.Beside:
		return fmt.Sprintf("For that one has to find %s and look at what lies around it there; its own details do not matter.", t.Name)
	case scene.Which:
		return fmt.Sprintf("There is more than one %s that it could be, and the right one has to be recognised.", t.Class)
	case scene.Count:
		return "They are small and have to be counted one by one."
	case scene.Text:
		return "The letters are small and have to be read one by one."
	}
	return fmt.Sprintf("Other values of the %s look similar, so one has to look closely.", aspect)
}

// describeReasoning says how the pictures are combined.
func (a *draftWriter) describeReasoning(d Draft) string {
	last := d.Clues[len(d.Clues)-1]
	switch {
	case Reasoning(d.Form) == schemas.ReasonSingle:
		return "No other picture is needed."
	case d.Form == Current:
		return fmt.Sprintf("What earlier pictures show has been replaced by the time of %s, so only that still counts.", a.dates[last.Scene])
	case d.Form == Before:
		return fmt.Sprintf("That %s shows something new says when it was replaced, and the picture before that what it replaced.", a.dates[last.Scene])
	case d.Form == Sum:
		return "Both numbers are added up."
	case d.Form == First:
		return "Their dates are compared, and all of them go together."
	}
	return "Neither picture tells it alone: what the first shows is looked for in the others, and they all hold at once."
}
