package sessions

import (
	"cmp"
	"maps"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// History lists, for each of the sessions, what is wrong with its updates in
// view of all sessions of its task: what Chain finds, and whether the earlier
// points it cites exist, are said as it says, and are superseded once. Of two
// sessions that contradict each other the later is at fault.
func History(all []schemas.Session) [][]Fault {
	out := make([][]Fault, len(all))
	tasks := map[string][]int{}
	for i, s := range all {
		tasks[s.TaskID] = append(tasks[s.TaskID], i)
	}
	for _, task := range slices.Sorted(maps.Keys(tasks)) {
		members := tasks[task]
		slices.SortStableFunc(members, func(a, b int) int {
			return cmp.Or(cmp.Compare(all[a].Order, all[b].Order), cmp.Compare(all[a].SessionID, all[b].SessionID))
		})
		h := history{points: map[string]placedPoint{}, after: map[string][]string{}, current: map[string]string{}}
		for n, i := range members {
			h.faultList = Chain(all[i])
			if n > 0 && all[members[n-1]].Order == all[i].Order {
				h.add("same-order", all[i].SessionID, "session %q has the order %d too", all[members[n-1]].SessionID, all[i].Order)
			}
			h.checkSession(all[i])
			out[i] = h.faultList
		}
	}
	return out
}

type placedPoint struct {
	schemas.MemoryPoint
	order int32
}

type history struct {
	faultList
	points map[string]placedPoint
	// after names the points that superseded a point.
	after map[string][]string
	// current is a point that holds, by subject.
	current map[string]string
}

func (h *history) checkSession(s schemas.Session) {
	for _, e := range s.Earlier {
		h.checkEarlier(e)
	}
	cites := earlierByID(s)
	for _, p := range s.Points {
		if old, ok := h.points[p.MemoryID]; ok {
			h.add("same-id", p.MemoryID, "a point of session %q has this id too", old.SessionID)
		}
		if p.IsInterference || p.Subject == "" || len(p.Supersedes) > 0 {
			continue
		}
		if old, ok := h.current[p.Subject]; ok && cites[old].MemoryID == "" {
			h.add("unlinked", p.MemoryID, "it is about %q as the earlier point %q is, but does not supersede it", p.Subject, old)
		}
	}
	h.addSession(s)
}

func (h *history) addSession(s schemas.Session) {
	for _, p := range s.Points {
		if _, ok := h.points[p.MemoryID]; !ok {
			h.points[p.MemoryID] = placedPoint{p, s.Order}
		}
	}
	for _, p := range s.Points {
		if p.IsInterference {
			continue
		}
		for _, id := range p.Supersedes {
			h.after[id] = append(h.after[id], p.MemoryID)
			if old := h.points[id]; h.current[old.Subject] == id {
				delete(h.current, old.Subject)
			}
		}
	}
	for _, p := range s.Points {
		if !p.IsInterference && p.Subject != "" && p.UpdateType != schemas.UpdateDelete && len(h.after[p.MemoryID]) == 0 {
			h.current[p.Subject] = p.MemoryID
		}
	}
}

func (h *history) checkEarlier(e schemas.EarlierPoint) {
	p, ok := h.points[e.MemoryID]
	after := slices.Sorted(slices.Values(h.after[e.MemoryID]))
	switch {
	case !ok:
		h.add("lost-point", e.MemoryID, "the session builds on the point %s of session %q, which is not there; a gate may have dropped it", Quote(e.Content), e.SessionID)
	case p.IsInterference:
		h.add("supersedes-interference", e.MemoryID, "the session builds on a point that is marked as interference in session %q", p.SessionID)
	case p.Content != e.Content || p.Subject != e.Subject || p.SessionID != e.SessionID || p.order != e.SessionOrder || !maps.Equal(p.Attributes, e.Attributes):
		h.add("stale-reference", e.MemoryID, "the session has it as %s, session %q as %s, or their subject, attributes or place differ", Quote(e.Content), p.SessionID, Quote(p.Content))
	case len(after) > 0 && len(e.SupersededBy) == 0:
		h.add("superseded-twice", e.MemoryID, "the session takes the point %s to hold, but %q had superseded it", Quote(p.Content), after)
	case !slices.Equal(slices.Compact(after), slices.Compact(slices.Sorted(slices.Values(e.SupersededBy)))):
		h.add("stale-reference", e.MemoryID, "the session says that %q had superseded it; it was %q", e.SupersededBy, after)
	}
}
