// Package simulate plays the agentic regime offline (WorldMemArena 4.1): an agent works
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

// Player plays worlds.
type Player struct {
	g grammar.Grammar
	w speech.Writer
}

// New reads the grammar of steps.
func New() (Player, error) {
	g, err := grammar.Parse(rules)
	if err != nil {
		return Player{}, fmt.Errorf("read the grammar of steps: %w", err)
	}
	w, err := speech.New()
	return Player{g, w}, err
}

// Play has an agent do what a world of an agentic domain holds. The world that it gives
// has the same events at the steps that brought them about, and screens of the state:
// in a hundred sessions as many as asked for, besides those that tell something new.
func (p Player) Play(rnd *rand.Rand, of simulate.World, screens int) (simulate.World, [][]speech.Round, error) {
	if simulate.Regime(of.Domain) == "" || len(of.Things) < 2 {
		return of, nil, fmt.Errorf("no agent acts in the domain %q with %d things; there are %q, and it takes two things", of.Domain, len(of.Things), simulate.Agentic())
	}
	profile := of
	profile.Sessions = of.Sessions[:1]
	said, err := p.w.Sessions(rnd, profile)
	if err != nil {
		return of, nil, err
	}
	r := &play{Player: p, rnd: rnd, of: of, state: NewState(of.Domain, of.Things), regime: simulate.Regime(of.Domain), at: settingOf(of.Domain), kept: map[string]bool{}, read: map[string]simulate.Exhibit{}}
	r.out = of
	r.out.Sessions, r.out.Exhibits = slices.Clone(of.Sessions), slices.Clone(of.Exhibits)
	r.out.Events = slices.DeleteFunc(slices.Clone(of.Events), func(e simulate.Event) bool { return e.Session > 0 })
	for _, e := range of.Events {
		if e.Op == simulate.Plan {
			r.state.refuses[e.Key] = append(r.state.refuses[e.Key], e.Value)
		}
	}
	for n := 1; n < len(of.Sessions); n++ {
		if err := r.session(n); err != nil {
			return of, nil, fmt.Errorf("session %d: %w", n, err)
		}
		r.keep(n * screens / 100)
		said = append(said, r.rounds)
		r.out.Sessions[n].Rounds = len(r.rounds)
	}
	return r.out, said, nil
}

// play is a run on its way.
type play struct {
	Player
	rnd    *rand.Rand
	of     simulate.World
	out    simulate.World
	state  *State
	regime string
	at     setting
	n      int
	rounds []speech.Round
	// saved counts the changes of the session; reports says that it ends with a report.
	saved   int
	reports bool
	// views are the states of the session that no screen of the run showed before; kept
	// tells what screens of it show, given how many it has.
	views []view
	kept  map[string]bool
	given int
	// read is what the last look at a thing found on it.
	read map[string]simulate.Exhibit
}

// session plays what a world has in a session, round after round.
func (r *play) session(n int) error {
	r.n, r.rounds, r.views, r.state.front = n, nil, nil, ""
	events := slices.DeleteFunc(slices.Clone(r.of.Events), func(e simulate.Event) bool { return e.Session != n })
	if err := r.order(events); err != nil {
		return err
	}
	if thing := r.of.Things[r.rnd.IntN(len(r.of.Things))]; r.state.filled(thing) == 0 { // nobody shuts what is in use
		r.state.locked[thing] = true
	}
	for round := range r.of.Sessions[n].Rounds {
		mine := slices.DeleteFunc(slices.Clone(events), func(e simulate.Event) bool { return e.Round != round })
		if err := r.round(mine); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
	}
	return r.report()
}

// order is what the user asks for as a session begins: what is to be changed, also where
// that is refused, and never to what. Where nothing is, it is what is looked at.
func (r *play) order(events []simulate.Event) error {
	r.saved = 0
	var tried, seen []string
	for _, e := range events {
		list := &tried
		switch {
		case e.Op == simulate.Show:
			list = &seen
		case simulate.Interferes(e.Op) && e.Op != simulate.Plan:
			continue
		}
		if slices.Contains(r.of.Things, e.Key.Entity) && !slices.Contains(*list, e.Key.Entity) {
			*list = append(*list, e.Key.Entity)
		}
	}
	if len(tried) == 0 {
		tried = append(seen, r.of.Things[0])[:max(1, len(seen))]
	}
	err := r.user("order", map[string]string{"thing": listed(tried)})
	if r.reports = r.rnd.IntN(2) == 0; err != nil || !r.reports {
		return err
	}
	asked, err := r.g.Say(r.rnd, "report asked", nil)
	r.rounds[0].User += " " + asked
	return err
}

// report says that all is done, where the user asked for it.
func (r *play) report() error {
	if !r.reports {
		return nil
	}
	return r.say("report", r.regime+" do report", r.regime+" report answer", r.slots(Action{Thing: r.of.Things[0]}, ""), -1)
}

// listed names things as a sentence does.
func listed(things []string) string {
	last := len(things) - 1
	if last == 0 {
		return things[0]
	}
	return strings.Join(things[:last], ", ") + " and " + things[last]
}

// user adds a turn of the user's.
func (r *play) user(rule string, slots map[string]string) error {
	text, err := r.g.Say(r.rnd, rule, slots)
	if err != nil {
		return err
	}
	r.rounds = append(r.rounds, speech.Round{User: text, Picture: -1})
	return nil
}

// round plays one round of a world.
func (r *play) round(events []simulate.Event) error {
	if len(events) == 0 {
		return r.idle()
	}
	e := events[0]
	switch {
	case e.Op == simulate.TagRule || e.Op == simulate.HourRule:
		r.note(e, len(r.rounds))
		return r.user(e.Op, map[string]string{"value": e.Value, "also": e.Also})
	case e.Op == simulate.Show:
		return r.show(events)
	case !slices.Contains(r.of.Things, e.Key.Entity):
		r.note(e, len(r.rounds)) // of the user: only the user says it
		if err := r.user("self "+e.Op, r.slots(Action{Thing: e.Key.Entity, Aspect: e.Key.Aspect, Value: e.Value, Also: e.Also}, e.Old)); err != nil {
			return err
		}
		said := &r.rounds[len(r.rounds)-1].User
		*said = speech.Mine(*said, e.Key, r.of.Person)
		return nil
	case e.Op == simulate.Joke || e.Op == simulate.Hearsay || e.Op == simulate.Affair:
		return r.overhear(e)
	}
	return r.act(e)
}

// note adds an event at a step.
func (r *play) note(e simulate.Event, step int) {
	e.Session, e.Round, e.Step = r.n, step, true
	r.out.Events = append(r.out.Events, e)
}

// act brings a change about, and fails where the state refuses it.
func (r *play) act(e simulate.Event) error {
	a := Action{Verb: map[string]string{simulate.Delete: Clear, simulate.Split: Share, simulate.Merge: Join}[e.Op], Thing: e.Key.Entity, Aspect: e.Key.Aspect, Value: e.Value, Also: e.Also}
	if a.Verb == "" {
		a.Verb = Set
	}
	if err := r.reach(a); err != nil {
		return err
	}
	before := r.state.Holds(a.Thing, a.Aspect)
	res, err := r.step(a, "next", -1)
	if err != nil {
		return err
	}
	wanted := ""
	if e.Op == simulate.Plan {
		wanted = Refused
	}
	if res.Failure != wanted || before != e.Old && e.Op != simulate.Plan {
		return fmt.Errorf("%s %s of %s: %q with %q before; the world has it %q with %q before", a.Verb, a.Aspect, a.Thing, res.Failure, before, e.Op, e.Old)
	}
	r.note(e, len(r.rounds)-1)
	if res.Failure == "" {
		r.saved++
	}
	if r.state.held != "" { // refused where it was to go
		_, err = r.step(Action{Verb: PutBack, Thing: a.Thing}, "after "+Refused, -1)
	}
	return err
}

// show looks at a thing, and the picture shows its state and what only eyes can tell.
func (r *play) show(events []simulate.Event) error {
	a := Action{Verb: Look, Thing: events[0].Key.Entity}
	if err := r.reach(a); err != nil {
		return err
	}
	x := &r.out.Exhibits[events[0].Picture]
	r.read[a.Thing] = simulate.Exhibit{Rows: x.Rows, Hidden: x.Hidden}
	now := r.screen(a.Thing)
	x.Rows, x.Around = now.Rows, now.Around
	r.kept[shows(*x)] = true
	if _, err := r.step(a, "next", events[0].Picture); err != nil {
		return err
	}
	x.Session, x.Round = r.n, len(r.rounds)-1
	for _, e := range events {
		r.note(e, x.Round)
	}
	return nil
}

// overhear is a step in which something is read or heard that makes nothing true.
func (r *play) overhear(e simulate.Event) error {
	slots := r.slots(Action{Thing: e.Key.Entity, Aspect: e.Key.Aspect, Value: e.Value}, "")
	slots["who"] = e.Who
	if err := r.say("pause", r.regime+" pause "+e.Op, r.regime+" "+e.Op, slots, -1); err != nil {
		return err
	}
	r.note(e, len(r.rounds)-1)
	return nil
}

// idle is a step that changes nothing.
func (r *play) idle() error {
	return r.say("idle", r.regime+" idle", r.regime+" idle answer", r.slots(Action{Thing: r.of.Things[0]}, ""), -1)
}

// slots are what rules of the grammar may say of an action.
func (r *play) slots(a Action, old string) map[string]string {
	front := r.at.start
	if r.state.front != "" {
		front = r.state.front
	}
	hand := "nothing"
	if r.state.held != "" {
		hand = r.state.held
	}
	filled := "nothing chosen yet"
	if r.state.front != "" {
		filled = counted(r.state.filled(r.state.front), "entry", "entries")
	}
	if r.state.front != "" && r.regime == simulate.Embodied {
		filled += " on its board"
	}
	return map[string]string{
		"thing": a.Thing, "aspect": a.Aspect, "value": a.Value, "also": a.Also, "old": old, "name": strings.TrimPrefix(a.Thing, "the "),
		"filled": filled, "saved": counted(r.saved, "change", "changes"), "step": strconv.Itoa(len(r.rounds)),
		"front": front, "hand": hand, "app": r.at.app, "hit": r.at.hit, "start": r.at.start,
	}
}

// counted is a number of something.
func counted(n int, one, many string) string {
	switch n {
	case 0:
		return "no " + one
	case 1:
		return "one " + one
	}
	return strconv.Itoa(n) + " " + many
}
