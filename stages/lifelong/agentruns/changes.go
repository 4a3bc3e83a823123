package agentruns

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/memforge/memforge/schemas"
)

// What can be otherwise about a thing.
const (
	aspectPlace  = "place"
	aspectSwitch = "switch"
	aspectDoor   = "door"
	aspectForm   = "form"
)

// inHand is the place of what the agent holds.
const inHand = "hand"

// Change is what one action made true.
type Change struct {
	// Session is the place of its session in the task, Turn the id of the step.
	Session int
	Turn    string
	// Thing is what changed, in words ("desk lamp", "second book").
	Thing, Aspect, Value string
}

// Subject is what the change is about: one value of it holds at a time.
func (c Change) Subject() string { return c.Thing + "/" + c.Aspect }

// Content says the change in words.
func (c Change) Content() string {
	switch {
	case c.Value == inHand:
		return fmt.Sprintf("The agent holds the %s.", c.Thing)
	case c.Aspect == aspectPlace:
		return fmt.Sprintf("The %s was put down at the %s.", c.Thing, c.Value)
	}
	return fmt.Sprintf("The %s is %s now.", c.Thing, c.Value)
}

// Weight is its importance: where things are and what became of them matters more than
// what was opened on the way.
func (c Change) Weight() float64 {
	if c.Aspect == aspectPlace || c.Aspect == aspectForm {
		return 1
	}
	return 0.5
}

// verbEffects are what verbs of actions do; a place is named by the action.
func verbEffects() map[string]struct{ aspect, value string } {
	return map[string]struct{ aspect, value string }{
		"PickupObject":    {aspectPlace, inHand},
		"PutObject":       {aspectPlace, ""},
		"SliceObject":     {aspectForm, "sliced"},
		"ToggleObjectOn":  {aspectSwitch, "on"},
		"ToggleObjectOff": {aspectSwitch, "off"},
		"OpenObject":      {aspectDoor, "open"},
		"CloseObject":     {aspectDoor, "closed"},
	}
}

// Changes are what the actions of a task made true, in order. An action that is none of
// the known ones, or whose thing or place has no name, changes nothing.
func Changes(task []schemas.Session) (out []Change) {
	all, names := verbEffects(), newThingNames()
	for n, s := range task {
		for _, t := range s.Turns {
			parts := strings.Fields(t.Action)
			if len(parts) < 2 {
				continue
			}
			does, known := all[parts[0]]
			c := Change{Session: n, Turn: t.TurnID, Aspect: does.aspect, Value: does.value}
			if !known || kindOf(parts[1]) == "" {
				continue
			}
			if c.Value == "" && (len(parts) < 3 || kindOf(parts[2]) == "") {
				continue
			}
			c.Thing = names.nameOf(parts[1])
			if c.Value == "" {
				c.Value = names.nameOf(parts[2])
			}
			out = append(out, c)
		}
	}
	return out
}

// thingNames calls things by their kind, and by their number where a task has several:
// "book", "second book". Upstream tells them apart by where they were at first.
type thingNames struct {
	ids   map[string]string
	kinds map[string]int
}

func newThingNames() thingNames { return thingNames{map[string]string{}, map[string]int{}} }

func (n thingNames) nameOf(id string) string {
	if name, known := n.ids[id]; known {
		return name
	}
	name := kindOf(id)
	n.kinds[name]++
	switch k := n.kinds[name]; {
	case k == 2:
		name = "second " + name
	case k == 3:
		name = "third " + name
	case k > 3:
		name = fmt.Sprintf("%s number %d", name, k)
	}
	n.ids[id] = name
	return name
}

// kindOf is what an id like DeskLamp|-01.85|+00.59|-00.79 is of; what was cut off
// something is named behind it: Apple|-00.12|+00.84|+01.22|AppleSliced_3. It is empty
// for an id that begins with its place.
func kindOf(id string) string {
	parts := strings.Split(id, "|")
	piece, _, _ := strings.Cut(parts[len(parts)-1], "_")
	if whole, sliced := strings.CutSuffix(piece, "Sliced"); sliced && whole != "" && len(parts) > 1 {
		return "slice of " + splitName(whole)
	}
	return splitName(parts[0])
}

// splitName parts a name like DeskLamp.
func splitName(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
