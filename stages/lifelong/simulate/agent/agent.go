// Package agent plays the agentic regime offline (WorldMemArena 4.1): an agent works
// in an application or a place that has a state, takes legal actions and refuses
// others. What is to be done comes from a world; whether it gets done, and what stood
// before, the state says. The agent errs, is refused, and recovers, and every step says
// what it saw, thought and did, and what followed.
package agent

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/grammar"
	"github.com/memforge/memforge/stages/lifelong/simulate"
	"github.com/memforge/memforge/stages/lifelong/simulate/speech"
)

//go:embed steps.txt
var rules string

// Agent plays worlds.
type Agent struct {
	grammar grammar.Grammar
	speech  speech.Writer
}

// New reads the grammar of steps.
func New() (Agent, error) {
	g, err := grammar.Parse(rules)
	if err != nil {
		return Agent{}, fmt.Errorf("read the grammar of steps: %w", err)
	}
	w, err := speech.New()
	return Agent{g, w}, err
}

// Act has an agent do what a world of an agentic domain holds. The world that it gives
// has the same events at the steps that brought them about, and screens of the state:
// in a hundred sessions as many as asked for, besides those that tell something new.
func (p Agent) Act(rnd *rand.Rand, of simulate.World, screens int) (simulate.World, [][]speech.Round, error) {
	if simulate.Regime(of.Domain) == "" || len(of.Things) < 2 {
		return of, nil, fmt.Errorf("no agent acts in the domain %q with %d things; there are %q, and it takes two things", of.Domain, len(of.Things), simulate.Agentic())
	}
	profile := of
	profile.Sessions = of.Sessions[:1]
	said, err := p.speech.Sessions(rnd, profile)
	if err != nil {
		return of, nil, err
	}
	r := &run{Agent: p, rnd: rnd, world: of, state: NewState(of.Domain, of.Things), regime: simulate.Regime(of.Domain), setting: settingOf(of.Domain), keptScreens: map[string]bool{}, read: map[string]simulate.Picture{}}
	r.out = of
	r.out.Sessions, r.out.Pictures = slices.Clone(of.Sessions), slices.Clone(of.Pictures)
	r.out.Events = slices.DeleteFunc(slices.Clone(of.Events), func(e simulate.Event) bool { return e.Session > 0 })
	for _, e := range of.Events {
		if e.Op == simulate.OpPlan {
			r.state.refuses[e.Key] = append(r.state.refuses[e.Key], e.Value)
		}
	}
	for n := 1; n < len(of.Sessions); n++ {
		if err := r.playSession(n); err != nil {
			return of, nil, fmt.Errorf("session %d: %w", n, err)
		}
		r.keepScreens(n * screens / 100)
		said = append(said, r.rounds)
		r.out.Sessions[n].Rounds = len(r.rounds)
	}
	return r.out, said, nil
}

// run simulates one world's agent.
type run struct {
	Agent
	rnd     *rand.Rand
	world   simulate.World
	out     simulate.World
	state   *State
	regime  string
	setting setting
	n       int
	rounds  []speech.Round
	// saved counts the changes of the session, refused names what was not accepted in it;
	// reports says that it ends with a report.
	saved   int
	refused []string
	reports bool
	// screens are the states of the session that no screen of the run showed before; kept
	// tells what screens of it show, given how many it has.
	screens     []screenAfter
	keptScreens map[string]bool
	given       int
	// read is what the last look at a thing found on it.
	read map[string]simulate.Picture
}

func (r *run) playSession(n int) error {
	r.n, r.rounds, r.screens, r.state.front = n, nil, nil, ""
	events := slices.DeleteFunc(slices.Clone(r.world.Events), func(e simulate.Event) bool { return e.Session != n })
	if err := r.giveOrder(events); err != nil {
		return err
	}
	if thing := r.world.Things[r.rnd.IntN(len(r.world.Things))]; r.state.filled(thing) == 0 { // what is in use stays open
		r.state.locked[thing] = true
	}
	for round := range r.world.Sessions[n].Rounds {
		mine := slices.DeleteFunc(slices.Clone(events), func(e simulate.Event) bool { return e.Round != round })
		if err := r.playRound(mine); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
	}
	return r.report()
}

// giveOrder begins a session with the user's request. It names what to change, refused
// changes included, but not the new values; a session without changes asks for a look.
func (r *run) giveOrder(events []simulate.Event) error {
	r.saved, r.refused = 0, nil
	var tried, seen []string
	for _, e := range events {
		list := &tried
		switch {
		case e.Op == simulate.OpShow:
			list = &seen
		case simulate.Interferes(e.Op) && e.Op != simulate.OpPlan:
			continue
		}
		if slices.Contains(r.world.Things, e.Key.Entity) && !slices.Contains(*list, e.Key.Entity) {
			*list = append(*list, e.Key.Entity)
		}
	}
	if len(tried) == 0 {
		tried = append(seen, r.world.Things[0])[:max(1, len(seen))]
	}
	err := r.addUserTurn("order", map[string]string{"thing": joinThings(tried)})
	if r.reports = r.rnd.IntN(2) == 0; err != nil || !r.reports {
		return err
	}
	asked, err := r.grammar.Say(r.rnd, "report asked", nil)
	r.rounds[0].User += " " + asked
	return err
}

// report says what was done and what was refused, if the user asked for a report.
func (r *run) report() error {
	if !r.reports {
		return nil
	}
	slots := r.grammarSlots(Action{Thing: r.world.Things[0]}, "")
	if len(r.refused) > 0 {
		slots["refused"] = joinThings(r.refused)
		return r.addStep("report", r.regime+" do report refused", r.regime+" report answer", slots, -1)
	}
	return r.addStep("report", r.regime+" do report", r.regime+" report answer", slots, -1)
}

func joinThings(things []string) string {
	last := len(things) - 1
	if last == 0 {
		return things[0]
	}
	return strings.Join(things[:last], ", ") + " and " + things[last]
}

func (r *run) addUserTurn(rule string, slots map[string]string) error {
	text, err := r.grammar.Say(r.rnd, rule, slots)
	if err != nil {
		return err
	}
	r.rounds = append(r.rounds, speech.Round{User: text, Picture: -1})
	return nil
}

func (r *run) playRound(events []simulate.Event) error {
	if len(events) == 0 {
		return r.addStep("idle", r.regime+" idle", r.regime+" idle answer", r.grammarSlots(Action{Thing: r.world.Things[0]}, ""), -1)
	}
	e := events[0]
	switch {
	case e.Op == simulate.OpTagRule || e.Op == simulate.OpHourRule:
		r.addEvent(e, len(r.rounds))
		return r.addUserTurn(e.Op, map[string]string{"value": e.Value, "also": e.Also})
	case e.Op == simulate.OpShow:
		return r.lookAtThing(events)
	case !slices.Contains(r.world.Things, e.Key.Entity):
		r.addEvent(e, len(r.rounds)) // of the user: only the user says it
		if err := r.addUserTurn("self "+e.Op, r.grammarSlots(Action{Thing: e.Key.Entity, Aspect: e.Key.Aspect, Value: e.Value, Also: e.Also}, e.Old)); err != nil {
			return err
		}
		said := &r.rounds[len(r.rounds)-1].User
		*said = speech.FirstPerson(*said, e.Key, r.world.Person)
		return nil
	case e.Op == simulate.OpJoke || e.Op == simulate.OpHearsay || e.Op == simulate.OpAffair:
		return r.overhear(e)
	}
	return r.performChange(e)
}

func (r *run) addEvent(e simulate.Event, step int) {
	e.Session, e.Round, e.Step = r.n, step, true
	r.out.Events = append(r.out.Events, e)
}

// performChange carries out a change, or a refused attempt.
func (r *run) performChange(e simulate.Event) error {
	a := Action{Verb: map[string]string{simulate.OpDelete: Clear, simulate.OpSplit: Share, simulate.OpMerge: Join}[e.Op], Thing: e.Key.Entity, Aspect: e.Key.Aspect, Value: e.Value, Also: e.Also}
	if a.Verb == "" {
		a.Verb = Set
	}
	if err := r.bringAbout(a); err != nil {
		return err
	}
	before := r.state.Holds(a.Thing, a.Aspect)
	res, err := r.step(a, "next", -1)
	if err != nil {
		return err
	}
	wanted := ""
	if e.Op == simulate.OpPlan {
		wanted = Refused
	}
	if res.Failure != wanted || before != e.Old && e.Op != simulate.OpPlan {
		return fmt.Errorf("%s %s of %s: %q with %q before; the world has it %q with %q before", a.Verb, a.Aspect, a.Thing, res.Failure, before, e.Op, e.Old)
	}
	r.addEvent(e, len(r.rounds)-1)
	if res.Failure == "" {
		r.saved++
	} else {
		r.refused = append(r.refused, "the "+a.Aspect+" of "+a.Thing)
	}
	if r.state.held != "" { // refused where it was to go
		_, err = r.step(Action{Verb: PutBack, Thing: a.Thing}, "after "+Refused, -1)
	}
	return err
}

// lookAtThing looks at a thing; the picture shows its state and its visual-only facts.
func (r *run) lookAtThing(events []simulate.Event) error {
	a := Action{Verb: Look, Thing: events[0].Key.Entity}
	if err := r.bringAbout(a); err != nil {
		return err
	}
	x := &r.out.Pictures[events[0].Picture]
	r.read[a.Thing] = simulate.Picture{Rows: x.Rows, Hidden: x.Hidden}
	now := r.screenOf(a.Thing)
	x.Rows, x.Around = now.Rows, now.Around
	r.keptScreens[screenText(*x)] = true
	if _, err := r.step(a, "next", events[0].Picture); err != nil {
		return err
	}
	x.Session, x.Round = r.n, len(r.rounds)-1
	for _, e := range events {
		r.addEvent(e, x.Round)
	}
	return nil
}

// overhear adds a step in which the agent reads or hears something that changes nothing.
func (r *run) overhear(e simulate.Event) error {
	slots := r.grammarSlots(Action{Thing: e.Key.Entity, Aspect: e.Key.Aspect, Value: e.Value}, "")
	slots["who"] = e.Who
	if err := r.addStep("pause", r.regime+" pause "+e.Op, r.regime+" "+e.Op, slots, -1); err != nil {
		return err
	}
	r.addEvent(e, len(r.rounds)-1)
	return nil
}

func (r *run) grammarSlots(a Action, old string) map[string]string {
	front := r.setting.start
	if r.state.front != "" {
		front = r.state.front
	}
	hand := "nothing"
	if r.state.held != "" {
		hand = r.state.held
	}
	filled := "nothing chosen yet"
	if r.state.front != "" {
		filled = countOf(r.state.filled(r.state.front), "entry", "entries")
	}
	if r.state.front != "" && r.regime == simulate.Embodied {
		filled += " on its board"
	}
	return map[string]string{
		"thing": a.Thing, "aspect": a.Aspect, "value": a.Value, "also": a.Also, "old": old, "name": strings.TrimPrefix(a.Thing, "the "),
		"filled": filled, "saved": countOf(r.saved, "change", "changes"), "step": strconv.Itoa(len(r.rounds)),
		"front": front, "hand": hand, "app": r.setting.app, "hit": r.setting.hit, "start": r.setting.start,
	}
}

func countOf(n int, one, many string) string {
	switch n {
	case 0:
		return "no " + one
	case 1:
		return "one " + one
	}
	return strconv.Itoa(n) + " " + many
}

// setting holds the words of steps in an application or place.
type setting struct {
	// app is its name, start what is in front when a session begins, hit how a mouse, a
	// finger or a body acts.
	app, start, hit string
}

func settingOf(domain string) setting {
	return map[string]setting{
		"spreadsheet": {"the spreadsheet program", "the list of workbooks", "CLICK"},
		"files":       {"the file manager", "the home folder", "DOUBLE_CLICK"},
		"pictures":    {"the picture editor", "an empty canvas", "CLICK"},
		"documents":   {"the word processor", "the list of recent documents", "CLICK"},
		"shop":        {"the shop's site", "the page of all orders", "CLICK"},
		"admin":       {"the admin site", "the dashboard", "CLICK"},
		"styles":      {"the style editor", "the list of style sheets", "CLICK"},
		"phone":       {"the phone", "the home screen", "TAP"},
		"household":   {"the flat", "the hallway", "GOTO"},
		"navigation":  {"the depot", "the gate", "NAVIGATE"},
		"crafting":    {"the base", "the spawn point", "WALK"},
		"workshop":    {"the garden shed", "the path", "GOTO"},
	}[domain]
}

// screenAfter is the screen after a step.
type screenAfter struct {
	round  int
	screen simulate.Picture
}

// screenOf returns the screen of a thing with others around it: its changed aspects, then
// visual-only facts once a look has found them. A board keeps its rows.
func (r *run) screenOf(thing string) simulate.Picture {
	x := simulate.Picture{Kind: simulate.Screen, App: r.world.Domain, Thing: thing, Title: strings.TrimPrefix(thing, "the ")}
	for _, aspect := range simulate.ToldAspects(r.world.Domain) {
		if v := r.state.Holds(thing, aspect); v != "" {
			x.Rows = append(x.Rows, [2]string{aspect, v})
		}
	}
	read := r.read[thing]
	x.Rows, x.Hidden = append(x.Rows, read.Rows...), read.Hidden
	for _, t := range r.world.Things {
		if t != thing {
			x.Around = append(x.Around, strings.TrimPrefix(t, "the "))
		}
	}
	return x
}

// screenText returns equal texts for screens with equal content.
func screenText(x simulate.Picture) string { return fmt.Sprintf("%s %q", x.Title, x.Rows) }

// minRows returns how many rows a kept screen needs. Menus and lists of a window form
// columns too, so a single row would be ambiguous.
func minRows(regime string) int {
	if regime == simulate.GUI {
		return 2
	}
	return 1
}

// noteScreen records the screen after the last step if the step changed it.
func (r *run) noteScreen() {
	if r.state.front == "" {
		return
	}
	x := r.screenOf(r.state.front)
	if len(x.Rows) < minRows(r.regime) || r.keptScreens[screenText(x)] {
		return
	}
	for _, v := range r.screens {
		if screenText(v.screen) == screenText(x) {
			return
		}
	}
	r.screens = append(r.screens, screenAfter{len(r.rounds) - 1, x})
}

// keepScreens assigns screens to steps of the session until the run has enough, spread
// evenly over those with new content. Captions are complete except for visual-only facts,
// since everything else was told before.
func (r *run) keepScreens(upto int) {
	views := r.distinctScreens()
	n := min(upto-r.given, len(views))
	for i := range n {
		v := views[i*len(views)/n]
		r.keptScreens[screenText(v.screen)] = true
		r.rounds[v.round].Picture = len(r.out.Pictures)
		v.screen.Session, v.screen.Round = r.n, v.round
		r.out.Pictures = append(r.out.Pictures, v.screen)
	}
	r.given += n
}

// distinctScreens returns the screens of the session whose captions differ from those of
// its other pictures: the caption of a hidden one has only names.
func (r *run) distinctScreens() []screenAfter {
	caption := func(x simulate.Picture) string {
		out := x.Title
		for _, row := range x.Rows {
			out += "/" + row[0]
		}
		return out
	}
	taken := map[string]bool{}
	for _, x := range r.out.Pictures {
		if x.Hidden && x.Session == r.n {
			taken[caption(x)] = true
		}
	}
	var out []screenAfter
	for _, v := range r.screens {
		c := caption(v.screen)
		if v.screen.Hidden && taken[c] {
			continue
		}
		taken[c] = taken[c] || v.screen.Hidden
		out = append(out, v)
	}
	return out
}
