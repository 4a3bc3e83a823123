package agent

import (
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// Verbs of actions.
const (
	Open    = "open"    // bring a thing in front, or go to it
	Unlock  = "unlock"  // make it take changes
	Take    = "take"    // take it up
	PutBack = "putback" // put what is held where it was
	Edit    = "edit"    // begin to change an aspect
	Set     = "set"     // give an aspect a value
	Clear   = "clear"   // end it
	Share   = "share"   // give its halves a value each
	Join    = "join"    // give both halves one value again
	Look    = "look"    // have a look at the thing in front
)

// Why an action fails. What fails changes nothing.
const (
	Unknown   = "unknown"     // there is no such thing
	NotInView = "not in view" // another thing is in front, or none
	Locked    = "locked"      // the thing takes no changes
	NotHeld   = "not held"    // it must be taken up first
	HandsFull = "hands full"  // something else is held
	Refused   = "refused"     // the value is none that is taken here
	Empty     = "empty"       // there is nothing to end, share or join
)

// Action is what an agent does. Value and Also are those that hold from then on.
type Action struct{ Verb, Thing, Aspect, Value, Also string }

// Result is what comes of an action: a failure, or what held before.
type Result struct{ Failure, Old string }

// State is an application or a place as it stands.
type State struct {
	domain string
	things []string
	front  string
	held   string
	locked map[string]bool
	values map[simulation.Key][]string
	// refuses are values that the application or place takes for no good, by what they
	// are tried for. The agent doesn't know them.
	refuses map[simulation.Key][]string
}

// NewState returns a place with things of which nothing is known.
func NewState(domain string, things []string) *State {
	return &State{domain: domain, things: things, locked: map[string]bool{}, values: map[simulation.Key][]string{}, refuses: map[simulation.Key][]string{}}
}

// Do carries an action out.
func (s *State) Do(a Action) Result {
	if !slices.Contains(s.things, a.Thing) {
		return Result{Failure: Unknown}
	}
	switch a.Verb {
	case Open:
		s.front = a.Thing
		return Result{}
	case PutBack:
		if s.held != a.Thing {
			return Result{Failure: NotHeld}
		}
		s.held = ""
		return Result{}
	}
	if s.front != a.Thing {
		return Result{Failure: NotInView}
	}
	switch a.Verb {
	case Look:
		return Result{}
	case Unlock:
		delete(s.locked, a.Thing)
		return Result{}
	case Take:
		if s.held != "" {
			return Result{Failure: HandsFull}
		}
		s.held = a.Thing
		return Result{}
	}
	return s.change(a)
}

// change sets an aspect of the thing in front if nothing prevents it.
func (s *State) change(a Action) Result {
	k := simulation.Key{Entity: a.Thing, Aspect: a.Aspect}
	now := s.values[k]
	out := Result{Old: strings.Join(now, " and ")}
	carried := simulate.IsCarried(s.domain, a.Aspect)
	switch {
	case s.locked[a.Thing]:
		return Result{Failure: Locked}
	case carried && s.held != a.Thing:
		return Result{Failure: NotHeld}
	case a.Verb == Edit:
		return out
	case a.Verb != Set && len(now) == 0, a.Verb == Join && len(now) != 2:
		return Result{Failure: Empty}
	case slices.Contains(s.refuses[k], a.Value):
		return Result{Failure: Refused, Old: out.Old}
	}
	switch a.Verb {
	case Clear:
		delete(s.values, k)
	case Share:
		s.values[k] = []string{a.Value, a.Also}
	default:
		s.values[k] = []string{a.Value}
	}
	if carried {
		s.held = ""
	}
	return out
}

// Holds returns what holds of an aspect of a thing as a screen writes it, empty where
// nothing does.
func (s *State) Holds(thing, aspect string) string {
	return strings.Join(s.values[simulation.Key{Entity: thing, Aspect: aspect}], " and ")
}

// filled counts the aspects of a thing that have a value.
func (s *State) filled(thing string) int {
	n := 0
	for k := range s.values {
		if k.Entity == thing {
			n++
		}
	}
	return n
}
