package question

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/scene"
)

// explain names the decisive detail with what each picture shows of it, and says what
// it takes to see it and to join it: why the cell of the grid fits (MemEye C.3). It does
// not name the cell, for who audits labels reads it (A.5).
func (a *draftWriter) explain(d Draft) string {
	first, _ := a.simulation.Scenes[d.Clues[0].Scene].Find(d.Clues[0].Thing)
	told := a.describeSightings(d)
	if d.Form == First {
		told = a.describeOrder(d)
	}
	return fmt.Sprintf("%s %s %s", strings.ToUpper(told[:1])+told[1:], describeEffort(first, d.Aspect), a.describeReasoning(d))
}

// describeSightings says what each picture shows of the decisive detail.
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
		fmt.Fprintf(&out, "\"%s\" in %s", t.Look[d.Aspect], a.pictureNames[c.Scene])
	}
	return out.String() + "."
}

// describeOrder says in which pictures the things of a question are first seen.
func (a *draftWriter) describeOrder(d Draft) string {
	var seen []string
	for _, c := range d.Clues {
		seen = append(seen, fmt.Sprintf("%s is first seen in %s", c.Thing, a.pictureNames[c.Scene]))
	}
	return strings.Join(seen, ", ") + "."
}

// describeDetail is what has to be made out of a thing; what it turns out to be follows.
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

// describeReasoning says what is done with what the pictures show.
func (a *draftWriter) describeReasoning(d Draft) string {
	last := d.Clues[len(d.Clues)-1]
	switch {
	case Reasoning(d.Form) == schemas.ReasonSingle:
		return "No other picture is needed."
	case d.Form == Current:
		return fmt.Sprintf("What earlier pictures show has been replaced by the time of %s, so only that still counts.", a.pictureNames[last.Scene])
	case d.Form == Before:
		return fmt.Sprintf("That %s shows something new says when it was replaced, and the picture before that what it replaced.", a.pictureNames[last.Scene])
	case d.Form == Sum:
		return "Both numbers are added up."
	case d.Form == First:
		return "Their dates are compared, and all of them go together."
	}
	return "Neither picture tells it alone: what the first shows is looked for in the others, and they all hold at once."
}
