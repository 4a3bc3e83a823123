package oracle

import (
	"fmt"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// sighting is what one picture shows of a thing; nothing where it is missed there.
type sighting struct {
	at    int
	value string
}

// sightings are all pictures that show an aspect of a thing, or miss the thing.
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

// solveChange answers what holds at the end, or held before the last change.
func (t *Conversation) solveChange(r interpretation) (Result, error) {
	all := t.sightings(r.thing, r.aspect)
	if len(all) == 0 {
		return Result{}, fmt.Errorf("no picture shows the %s of %q", r.aspect, r.thing)
	}
	var runs []string // each value once for as long as it holds
	for _, l := range all {
		if len(runs) == 0 || runs[len(runs)-1] != l.value {
			runs = append(runs, l.value)
		}
	}
	now := runs[len(runs)-1]
	if len(runs) < 2 || now == "" {
		return Result{}, fmt.Errorf("the %s of %q does not change, or is gone", r.aspect, r.thing)
	}
	right := now
	if r.form == "before" {
		right = runs[len(runs)-2]
	}
	var once []string
	for _, value := range runs {
		if value != "" && value != right && !slices.Contains(once, value) {
			once = append(once, value)
		}
	}
	last, _ := t.pictures[all[len(all)-1].at].findThing(r.thing)
	fact := map[string]string{"current": "now", "before": "before"}[r.form] + "/" + r.thing + "/" + r.aspect
	return Result{Right: right, Pattern: changePattern(all, runs), Evidence: t.citeChain(all, now), Fact: fact, candidates: once, updates: len(runs) - 1, holds: equals(right)}, r.checkClass(last)
}

// changePattern names how a value changed.
func changePattern(all []sighting, runs []string) string {
	now := runs[len(runs)-1]
	earlier := runs[:len(runs)-1]
	gone := slices.Contains(earlier, "")
	latest := 0
	for i := len(all) - 1; i >= 0 && all[i].value == now; i-- {
		latest++
	}
	switch {
	case gone:
		return "return"
	case slices.Contains(earlier, now):
		return "reversal"
	case latest == 1 && len(all) > 3:
		return "stale_majority"
	}
	return "override"
}

// citeChain cites the last pictures that show a value. The last updates; of those
// before it, what shows the same as it with nothing else after is left out, and the
// others are superseded.
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

// cite is the evidence of some shots, in order of time, all as clues.
func (t *Conversation) cite(places []int) []schemas.Evidence {
	sorted := slices.Clone(places)
	slices.Sort(sorted)
	var out []schemas.Evidence
	for i, at := range sorted {
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
