package agent

import (
	"cmp"
	"fmt"

	"github.com/memforge/memforge/stages/lifelong/simulate"
	"github.com/memforge/memforge/stages/lifelong/simulate/speech"
)

// How often of hundred the agent forgets to bring a thing in front, brings another one
// there, and takes up another one.
const (
	forgets   = 9
	mistakes  = 10
	misgrasps = 20
)

// mostTries bounds how often the agent tries one thing.
const mostTries = 8

// bringAbout makes an action possible: the agent brings the thing in front, sometimes by
// mistake another or none, tries, and repairs what the state reports.
func (r *run) bringAbout(a Action) error {
	if err := r.approach(a.Thing); err != nil {
		return err
	}
	carried := a.Aspect != "" && simulate.IsCarried(r.world.Domain, a.Aspect)
	if carried && r.rnd.IntN(100) < misgrasps {
		if err := r.takeWrong(a.Thing); err != nil {
			return err
		}
	}
	try := Action{Verb: Edit, Thing: a.Thing, Aspect: a.Aspect}
	if a.Verb == Look {
		try = a
	}
	for range mostTries {
		res := r.state.Do(try)
		if res.Failure == "" {
			return nil
		}
		// What can be seen without a try is not tried: that a thing must be taken up.
		if res.Failure != NotHeld {
			if err := r.write(try, res, "next", r.grammarSlots(try, res.Old), -1); err != nil {
				return err
			}
		}
		if err := r.recover(a, res.Failure); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s %s of %s: not possible after %d tries", a.Verb, a.Aspect, a.Thing, mostTries)
}

// approach brings a thing in front, as far as the agent remembers to.
func (r *run) approach(thing string) error {
	luck := r.rnd.IntN(100)
	switch {
	case r.state.front == thing || luck < forgets:
		return nil
	case luck < forgets+mistakes:
		thing = r.otherThing(thing)
	}
	return r.open(thing, "next")
}

func (r *run) recover(a Action, failure string) error {
	fix := Action{Verb: map[string]string{NotInView: Open, Locked: Unlock, NotHeld: Take}[failure], Thing: a.Thing}
	if fix.Verb == "" {
		return fmt.Errorf("%s %s of %s: %s, which nothing mends", a.Verb, a.Aspect, a.Thing, failure)
	}
	res, err := r.step(fix, "after "+failure, -1)
	if err != nil || res.Failure != HandsFull {
		return err
	}
	_, err = r.step(Action{Verb: PutBack, Thing: r.state.held}, "after "+HandsFull, -1)
	return err
}

// open brings a thing in front unless it is there.
func (r *run) open(thing, why string) error {
	if r.state.front == thing {
		return nil
	}
	_, err := r.step(Action{Verb: Open, Thing: thing}, why, -1)
	return err
}

func (r *run) takeWrong(not string) error {
	wrong := r.otherThing(not)
	if err := r.open(wrong, "slip"); err != nil {
		return err
	}
	if _, err := r.step(Action{Verb: Take, Thing: wrong}, "slip", -1); err != nil {
		return err
	}
	return r.open(not, "next")
}

func (r *run) otherThing(not string) string {
	for {
		if t := r.world.Things[r.rnd.IntN(len(r.world.Things))]; t != not {
			return t
		}
	}
}

func (r *run) step(a Action, why string, picture int) (Result, error) {
	before := r.grammarSlots(a, r.state.Holds(a.Thing, a.Aspect))
	res := r.state.Do(a)
	err := r.write(a, res, why, before, picture)
	if res.Failure == "" && picture < 0 {
		r.noteScreen()
	}
	return res, err
}

func (r *run) write(a Action, res Result, why string, slots map[string]string, picture int) error {
	did := a.Verb
	if a.Verb == Set && slots["old"] != "" {
		did = "change"
	}
	feedback := r.regime + " " + did
	if res.Failure != "" {
		feedback = r.ownRule("", "fail "+res.Failure)
	}
	if why == "next" {
		why = "next " + cmp.Or(map[string]string{Open: Open, Look: Look}[a.Verb], "change")
	}
	do := a.Verb
	if a.Aspect != "" && simulate.IsCarried(r.world.Domain, a.Aspect) {
		do = "carried " + do
	}
	return r.addStep(why, r.regime+" do "+do, feedback, slots, picture)
}

// ownRule returns the grammar rule specific to an application or place, if there is one.
func (r *run) ownRule(before, rule string) string {
	if own := before + r.regime + " " + rule; r.grammar.Has(own) {
		return own
	}
	return before + rule
}

func (r *run) addStep(reasoning, action, feedback string, slots map[string]string, picture int) error {
	step := &speech.Step{}
	for _, part := range []struct {
		into *string
		rule string
	}{{&step.Observation, r.regime + " see"}, {&step.Reasoning, r.ownRule("think ", reasoning)}, {&step.Action, action}, {&step.Feedback, feedback}} {
		text, err := r.grammar.Say(r.rnd, part.rule, slots)
		if err != nil {
			return fmt.Errorf("say %q: %w", part.rule, err)
		}
		*part.into = text
	}
	r.rounds = append(r.rounds, speech.Round{Step: step, Picture: picture})
	return nil
}
