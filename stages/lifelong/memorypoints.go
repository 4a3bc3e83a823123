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
func addPoints(all []schemas.Session, a RenderedSimulation) {
	live := map[simulation.Key][]string{}
	for _, e := range a.Simulation.World.Events {
		s := &all[e.Session]
		for _, p := range eventPoints(e, live[e.Key]) {
			p.MemoryID, p.SessionID = schemas.PointIDOf(s.SessionID, len(s.Points)+1), s.SessionID
			turn := s.Turns[eventTurn(e)]
			p.EvidenceTurns, p.Modality, p.Importance = []string{turn.TurnID}, schemas.ModalityText, 0.5
			if s.ArcRole == schemas.ArcMain {
				p.Importance = 1
			}
			if e.Picture >= 0 {
				p.EvidenceMedia, p.Modality = []string{a.MediaIDs[e.Picture]}, schemas.ModalityTextImage
				if a.Simulation.World.Pictures[e.Picture].Hidden {
					p.Modality = schemas.ModalityImage
				}
			}
			s.Points = append(s.Points, p)
		}
		updateLive(live, e, s.Points)
	}
}

// updateLive says which points of a key hold after an event.
func updateLive(live map[simulation.Key][]string, e simulate.Event, points []schemas.MemoryPoint) {
	n := len(points)
	switch {
	case simulate.Interferes(e.Op) || simulate.Silent(e.Op):
	case e.Op == simulate.OpDelete:
		delete(live, e.Key)
	case e.Op == simulate.OpSplit:
		live[e.Key] = []string{points[n-2].MemoryID, points[n-1].MemoryID}
	default:
		live[e.Key] = []string{points[n-1].MemoryID}
	}
}

// eventTurn is the place of the user's turn of an event in its session.
func eventTurn(e simulate.Event) int {
	if e.Session == 0 || e.Step {
		return e.Round
	}
	return 2 * e.Round
}

// eventPoints are the points of an event, given those that held of its key.
func eventPoints(e simulate.Event, live []string) []schemas.MemoryPoint {
	p := schemas.MemoryPoint{
		Subject: e.Key.String(), Type: "fact", Content: pointContent(e),
		Attributes: map[string]string{"thing": e.Key.Entity, "aspect": e.Key.Aspect, "value": e.Value, "status": holds, "who": "user"},
	}
	if e.Session == 0 {
		p.Type = "profile"
	}
	if len(live) > 0 && !simulate.Interferes(e.Op) {
		p.IsUpdate, p.Supersedes = true, live
	}
	switch e.Op {
	case simulate.OpShow, simulate.OpRetract, simulate.OpConfirm:
		return nil
	case simulate.OpTagRule, simulate.OpHourRule:
		p.Type = "rule"
	case simulate.OpRevise:
		p.UpdateType = schemas.UpdateRevise
	case simulate.OpMerge:
		p.UpdateType = schemas.UpdateMerge
	case simulate.OpDelete:
		p.UpdateType = schemas.UpdateDelete
		p.Attributes["status"] = "ended"
		delete(p.Attributes, "value")
	case simulate.OpSplit:
		p.UpdateType = schemas.UpdateSplit
		second := p
		second.Content = fmt.Sprintf("%s is the %s of %s for the second half of it only", e.Also, e.Key.Aspect, e.Key.Entity)
		second.Attributes = map[string]string{"thing": e.Key.Entity, "aspect": e.Key.Aspect, "value": e.Also, "status": holds, "who": "user"}
		return []schemas.MemoryPoint{p, second}
	case simulate.OpJoke, simulate.OpHearsay, simulate.OpAffair, simulate.OpPlan, simulate.OpSlip, simulate.OpPast:
		p.Type, p.IsInterference, p.Resembles, p.DiffersIn = "interference", true, live[0], "status"
		p.Attributes["status"] = e.Op
		if e.Op == simulate.OpAffair {
			p.DiffersIn, p.Attributes["who"], p.Attributes["status"] = "who", e.Who, holds
		}
	}
	return []schemas.MemoryPoint{p}
}

// pointContent is what a memory should hold of an event. An update differs from what it takes
// the place of in more than a word (E1 of the formats says why). What makes nothing true is
// said as facts are, as what a memory that was misled would hold: the sessions alone tell
// which is which.
func pointContent(e simulate.Event) string {
	of := e.Key.Aspect + " of " + e.Key.Entity
	switch e.Op {
	case simulate.OpRevise, simulate.OpJoke, simulate.OpSlip, simulate.OpPast:
		return fmt.Sprintf("%s took the place of %s as the %s", e.Value, e.Old, of)
	case simulate.OpSplit:
		return fmt.Sprintf("%s is the %s for the first half of it only, where %s did both", e.Value, of, e.Old)
	case simulate.OpMerge:
		return fmt.Sprintf("%s alone is the %s again, for both halves", e.Value, of)
	case simulate.OpDelete:
		return fmt.Sprintf("There is no %s any more; %s was dropped", of, e.Old)
	case simulate.OpTagRule:
		return "A tag is " + e.Value
	case simulate.OpHourRule:
		return fmt.Sprintf("Quoted hours are rounded up to the next multiple of %s, and then %s is added", e.Value, e.Also)
	}
	return fmt.Sprintf("The %s is %s", of, e.Value)
}
