package lifelong

import (
	"fmt"

	"github.com/memforge/memforge/pipeline/world"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/worlds"
)

// holds is the status of what is true, in the attributes of points.
const holds = "holds"

// addPoints gives sessions the memory points of the events of their world.
func addPoints(all []schemas.Session, a Album) {
	live := map[world.Key][]string{}
	for _, e := range a.Life.World.Events {
		s := &all[e.Session]
		for _, p := range pointsOf(e, live[e.Key]) {
			p.MemoryID, p.SessionID = schemas.PointIDOf(s.SessionID, len(s.Points)+1), s.SessionID
			turn := s.Turns[turnOf(e)]
			p.EvidenceTurns, p.Modality, p.Importance = []string{turn.TurnID}, schemas.ModalityText, 0.5
			if s.ArcRole == schemas.ArcMain {
				p.Importance = 1
			}
			if e.Picture >= 0 {
				p.EvidenceMedia, p.Modality = []string{a.Pictures[e.Picture]}, schemas.ModalityTextImage
				if a.Life.World.Exhibits[e.Picture].Hidden {
					p.Modality = schemas.ModalityImage
				}
			}
			s.Points = append(s.Points, p)
		}
		advance(live, e, s.Points)
	}
}

// advance says which points of a key hold after an event.
func advance(live map[world.Key][]string, e worlds.Event, points []schemas.MemoryPoint) {
	n := len(points)
	switch {
	case worlds.Interferes(e.Op) || worlds.Silent(e.Op):
	case e.Op == worlds.Delete:
		delete(live, e.Key)
	case e.Op == worlds.Split:
		live[e.Key] = []string{points[n-2].MemoryID, points[n-1].MemoryID}
	default:
		live[e.Key] = []string{points[n-1].MemoryID}
	}
}

// turnOf is the place of the user's turn of an event in its session.
func turnOf(e worlds.Event) int {
	if e.Session == 0 || e.Step {
		return e.Round
	}
	return 2 * e.Round
}

// pointsOf are the points of an event, given those that held of its key.
func pointsOf(e worlds.Event, live []string) []schemas.MemoryPoint {
	p := schemas.MemoryPoint{
		Subject: e.Key.String(), Type: "fact", Content: said(e),
		Attributes: map[string]string{"thing": e.Key.Entity, "aspect": e.Key.Aspect, "value": e.Value, "status": holds, "who": "user"},
	}
	if e.Session == 0 {
		p.Type = "profile"
	}
	if len(live) > 0 && !worlds.Interferes(e.Op) {
		p.IsUpdate, p.Supersedes = true, live
	}
	switch e.Op {
	case worlds.Show, worlds.Retract, worlds.Confirm:
		return nil
	case worlds.TagRule, worlds.HourRule:
		p.Type = "rule"
	case worlds.Revise:
		p.UpdateType = schemas.UpdateRevise
	case worlds.Merge:
		p.UpdateType = schemas.UpdateMerge
	case worlds.Delete:
		p.UpdateType = schemas.UpdateDelete
		p.Attributes["status"] = "ended"
		delete(p.Attributes, "value")
	case worlds.Split:
		p.UpdateType = schemas.UpdateSplit
		second := p
		second.Content = fmt.Sprintf("%s is the %s of %s for the second half of it only", e.Also, e.Key.Aspect, e.Key.Entity)
		second.Attributes = map[string]string{"thing": e.Key.Entity, "aspect": e.Key.Aspect, "value": e.Also, "status": holds, "who": "user"}
		return []schemas.MemoryPoint{p, second}
	case worlds.Joke, worlds.Hearsay, worlds.Affair, worlds.Plan, worlds.Slip, worlds.Past:
		p.Type, p.IsInterference, p.Resembles, p.DiffersIn = "interference", true, live[0], "status"
		p.Attributes["status"] = e.Op
		if e.Op == worlds.Affair {
			p.DiffersIn, p.Attributes["who"], p.Attributes["status"] = "who", e.Who, holds
		}
	}
	return []schemas.MemoryPoint{p}
}

// said is what a memory should hold of an event. An update differs from what it takes
// the place of in more than a word (E1 of the formats says why). What makes nothing true is
// said as facts are, as what a memory that was misled would hold: the sessions alone tell
// which is which.
func said(e worlds.Event) string {
	of := e.Key.Aspect + " of " + e.Key.Entity
	switch e.Op {
	case worlds.Revise, worlds.Joke, worlds.Slip, worlds.Past:
		return fmt.Sprintf("%s took the place of %s as the %s", e.Value, e.Old, of)
	case worlds.Split:
		return fmt.Sprintf("%s is the %s for the first half of it only, where %s did both", e.Value, of, e.Old)
	case worlds.Merge:
		return fmt.Sprintf("%s alone is the %s again, for both halves", e.Value, of)
	case worlds.Delete:
		return fmt.Sprintf("There is no %s any more; %s was dropped", of, e.Old)
	case worlds.TagRule:
		return "A tag is " + e.Value
	case worlds.HourRule:
		return fmt.Sprintf("Quoted hours are rounded up to the next multiple of %s, and then %s is added", e.Value, e.Also)
	}
	return fmt.Sprintf("The %s is %s", of, e.Value)
}
