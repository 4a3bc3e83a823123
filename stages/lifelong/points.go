package lifelong

import (
	"fmt"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// holds is the status of what is true, in the attributes of points.
const holds = "holds"

// addPoints gives sessions the memory points of the events of their world.
func addPoints(all []schemas.Session, a Album) {
	live := map[simulation.Key][]string{}
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
func advance(live map[simulation.Key][]string, e simulate.Event, points []schemas.MemoryPoint) {
	n := len(points)
	switch {
	case simulate.Interferes(e.Op) || simulate.Silent(e.Op):
	case e.Op == simulate.Delete:
		delete(live, e.Key)
	case e.Op == simulate.Split:
		live[e.Key] = []string{points[n-2].MemoryID, points[n-1].MemoryID}
	default:
		live[e.Key] = []string{points[n-1].MemoryID}
	}
}

// turnOf is the place of the user's turn of an event in its session.
func turnOf(e simulate.Event) int {
	if e.Session == 0 || e.Step {
		return e.Round
	}
	return 2 * e.Round
}

// pointsOf are the points of an event, given those that held of its key.
func pointsOf(e simulate.Event, live []string) []schemas.MemoryPoint {
	p := schemas.MemoryPoint{
		Subject: e.Key.String(), Type: "fact", Content: said(e),
		Attributes: map[string]string{"thing": e.Key.Entity, "aspect": e.Key.Aspect, "value": e.Value, "status": holds, "who": "user"},
	}
	if e.Session == 0 {
		p.Type = "profile"
	}
	if len(live) > 0 && !simulate.Interferes(e.Op) {
		p.IsUpdate, p.Supersedes = true, live
	}
	switch e.Op {
	case simulate.Show, simulate.Retract, simulate.Confirm:
		return nil
	case simulate.TagRule, simulate.HourRule:
		p.Type = "rule"
	case simulate.Revise:
		p.UpdateType = schemas.UpdateRevise
	case simulate.Merge:
		p.UpdateType = schemas.UpdateMerge
	case simulate.Delete:
		p.UpdateType = schemas.UpdateDelete
		p.Attributes["status"] = "ended"
		delete(p.Attributes, "value")
	case simulate.Split:
		p.UpdateType = schemas.UpdateSplit
		second := p
		second.Content = fmt.Sprintf("%s is the %s of %s for the second half of it only", e.Also, e.Key.Aspect, e.Key.Entity)
		second.Attributes = map[string]string{"thing": e.Key.Entity, "aspect": e.Key.Aspect, "value": e.Also, "status": holds, "who": "user"}
		return []schemas.MemoryPoint{p, second}
	case simulate.Joke, simulate.Hearsay, simulate.Affair, simulate.Plan, simulate.Slip, simulate.Past:
		p.Type, p.IsInterference, p.Resembles, p.DiffersIn = "interference", true, live[0], "status"
		p.Attributes["status"] = e.Op
		if e.Op == simulate.Affair {
			p.DiffersIn, p.Attributes["who"], p.Attributes["status"] = "who", e.Who, holds
		}
	}
	return []schemas.MemoryPoint{p}
}

// said is what a memory should hold of an event. An update differs from what it takes
// the place of in more than a word (E1 of the formats says why). What makes nothing true is
// said as facts are, as what a memory that was misled would hold: the sessions alone tell
// which is which.
func said(e simulate.Event) string {
	of := e.Key.Aspect + " of " + e.Key.Entity
	switch e.Op {
	case simulate.Revise, simulate.Joke, simulate.Slip, simulate.Past:
		return fmt.Sprintf("%s took the place of %s as the %s", e.Value, e.Old, of)
	case simulate.Split:
		return fmt.Sprintf("%s is the %s for the first half of it only, where %s did both", e.Value, of, e.Old)
	case simulate.Merge:
		return fmt.Sprintf("%s alone is the %s again, for both halves", e.Value, of)
	case simulate.Delete:
		return fmt.Sprintf("There is no %s any more; %s was dropped", of, e.Old)
	case simulate.TagRule:
		return "A tag is " + e.Value
	case simulate.HourRule:
		return fmt.Sprintf("Quoted hours are rounded up to the next multiple of %s, and then %s is added", e.Value, e.Also)
	}
	return fmt.Sprintf("The %s is %s", of, e.Value)
}
