package schemas

import (
	"cmp"
	"slices"
)

// Group returns the id that sessions share whose points make up Earlier: their task.
func (s Session) Group() string { return s.TaskID }

// DeriveFields returns the session with its Earlier, computed from the sessions of its
// task (which may include itself): of the real points of earlier sessions those that
// its own points supersede or resemble, and those that hold when it begins and share a
// subject with it; by session and id. Writers of sessions fill in Earlier with it,
// readers of a release do again.
func (s Session) DeriveFields(task []Session) Session {
	wanted, subjects := map[string]bool{}, map[string]bool{}
	for _, p := range s.Points {
		wanted[p.Resembles] = true
		for _, id := range p.Supersedes {
			wanted[id] = true
		}
		subjects[p.Subject] = true
	}
	gold := GoldBefore(task, s.Order)
	s.Earlier = nil
	for _, p := range gold {
		holds := p.Subject != "" && subjects[p.Subject] && len(p.SupersededBy) == 0
		if p.MemoryID != "" && (wanted[p.MemoryID] || holds && !p.ended) {
			s.Earlier = append(s.Earlier, p.EarlierPoint)
		}
	}
	return s
}

// GoldPoint is a real point at some place of its task.
type GoldPoint struct {
	EarlierPoint
	ended bool
}

// Holds reports whether a memory should have the point: nothing superseded it, and it
// is not itself an end.
func (p GoldPoint) Holds() bool { return len(p.SupersededBy) == 0 && !p.ended }

// GoldBefore returns the cumulative gold state of a task (WorldMemArena C.3): all real
// points of the sessions whose order is below the given one, by session and id, each
// with the points that superseded it by then.
func GoldBefore(task []Session, order int32) []GoldPoint {
	var out []GoldPoint
	after := map[string][]string{}
	for _, s := range task {
		if s.Order >= order {
			continue
		}
		for _, p := range s.Points {
			if p.IsInterference {
				continue
			}
			out = append(out, GoldPoint{EarlierPoint{
				MemoryID: p.MemoryID, SessionID: s.SessionID, SessionOrder: s.Order, Content: p.Content, Subject: p.Subject, Attributes: p.Attributes,
			}, p.UpdateType == UpdateDelete})
			for _, id := range p.Supersedes {
				after[id] = append(after[id], p.MemoryID)
			}
		}
	}
	for i := range out {
		ids := after[out[i].MemoryID]
		slices.Sort(ids)
		out[i].SupersededBy = slices.Clip(slices.Compact(ids))
	}
	slices.SortFunc(out, func(a, b GoldPoint) int {
		return cmp.Or(cmp.Compare(a.SessionOrder, b.SessionOrder), cmp.Compare(a.MemoryID, b.MemoryID))
	})
	return out
}
