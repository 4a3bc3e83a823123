package sessions

import (
	"slices"

	"github.com/memforge/memforge/schemas"
)

// Chain lists what is wrong with the updates of one session, as far as its
// record tells: see History for what only all sessions of a task tell.
//
// An update is marked and names existing, earlier, real points of its own
// subject that nothing had superseded; it says something else than they do. A
// point that holds is superseded before another of its subject is introduced.
func Chain(s schemas.Session) []Fault {
	c := chain{session: s, turns: turnPlaces(s), points: pointsByID(s), earlier: earlierByID(s)}
	for _, p := range s.Points {
		if p.IsInterference {
			if p.IsUpdate || len(p.Supersedes) > 0 {
				c.add("interference-updates", p.MemoryID, "the interference point %s supersedes something; only what holds does", Quote(p.Content))
			}
			continue
		}
		c.checkUpdateType(p)
		for i, id := range p.Supersedes {
			if slices.Contains(p.Supersedes[:i], id) {
				c.add("same-point", p.MemoryID, "it supersedes %q twice", id)
				continue
			}
			c.checkLink(p, id)
		}
		c.checkUnlinked(p)
	}
	c.checkForks()
	return c.faultList
}

type chain struct {
	faultList
	session schemas.Session
	turns   map[string]int
	points  map[string]schemas.MemoryPoint
	earlier map[string]schemas.EarlierPoint
}

func (c *chain) checkUpdateType(p schemas.MemoryPoint) {
	n := len(p.Supersedes)
	switch {
	case n > 0 && !p.IsUpdate:
		c.add("unmarked-update", p.MemoryID, "the point %s supersedes %q, but is not marked as an update", Quote(p.Content), p.Supersedes)
	case n == 0 && p.IsUpdate:
		c.add("update-of-nothing", p.MemoryID, "the point %s is marked as an update, but supersedes nothing", Quote(p.Content))
	case n == 0 && p.UpdateType != "":
		c.add("wrong-update-type", p.MemoryID, "it has the update type %q, but supersedes nothing", p.UpdateType)
	}
	if n == 0 {
		return
	}
	switch p.UpdateType {
	case "", schemas.UpdateRevise, schemas.UpdateSplit, schemas.UpdateDelete:
		if n > 1 {
			c.add("wrong-update-type", p.MemoryID, "it supersedes %d points; only the update type %q does", n, schemas.UpdateMerge)
		}
	case schemas.UpdateMerge:
		if n < 2 {
			c.add("wrong-update-type", p.MemoryID, "a merge of one point is a revision")
		}
	default:
		c.add("wrong-update-type", p.MemoryID, "its update type is %q; want %q, %q, %q or %q", p.UpdateType, schemas.UpdateRevise, schemas.UpdateMerge, schemas.UpdateSplit, schemas.UpdateDelete)
	}
}

func (c *chain) checkLink(p schemas.MemoryPoint, id string) {
	old, here := c.points[id]
	e, before := c.earlier[id]
	content, subject := e.Content, e.Subject
	switch {
	case here:
		content, subject = old.Content, old.Subject
		if old.IsInterference {
			c.add("supersedes-interference", p.MemoryID, "it supersedes %q, which never held", id)
		}
		if c.leadsTo(p.MemoryID, id) {
			c.add("cycle", p.MemoryID, "it supersedes %q, which supersedes it", id)
		} else if c.firstTurn(old) >= c.firstTurn(p) {
			c.add("not-earlier", p.MemoryID, "it supersedes %q, which is not said before it", id)
		}
	case before:
		if e.SessionOrder >= c.session.Order {
			c.add("not-earlier", p.MemoryID, "it supersedes %q of session %d, but its own session is %d", id, e.SessionOrder, c.session.Order)
		}
		if len(e.SupersededBy) > 0 {
			c.add("superseded-twice", p.MemoryID, "it supersedes %q, which %q had superseded already", id, e.SupersededBy)
		}
	default:
		c.add("unknown-point", p.MemoryID, "it supersedes %q, which is neither a point of the session nor among the earlier ones", id)
		return
	}
	if p.Subject == "" || p.Subject != subject {
		c.add("other-subject", p.MemoryID, "it is about %q and supersedes %q, which is about %q", p.Subject, id, subject)
	}
	if sayTheSame(p.Content, content) {
		c.add("same-content", p.MemoryID, "it says the same as what it supersedes: %s", Quote(content))
	}
}

// firstTurn is the place of the first turn that a point names, or after all turns.
func (c *chain) firstTurn(p schemas.MemoryPoint) int {
	first := len(c.session.Turns)
	for _, id := range p.EvidenceTurns {
		if i, ok := c.turns[id]; ok {
			first = min(first, i)
		}
	}
	return first
}

func (c *chain) leadsTo(goal, from string) bool {
	seen := map[string]bool{}
	for todo := []string{from}; len(todo) > 0; {
		id := todo[0]
		todo = todo[1:]
		if id == goal {
			return true
		}
		if !seen[id] {
			seen[id] = true
			todo = append(todo, c.points[id].Supersedes...)
		}
	}
	return false
}

func (c *chain) checkUnlinked(p schemas.MemoryPoint) {
	if p.Subject == "" || len(p.Supersedes) > 0 {
		return
	}
	for _, old := range c.session.Points {
		if old.MemoryID == p.MemoryID {
			break
		}
		if !old.IsInterference && old.Subject == p.Subject && old.UpdateType != schemas.UpdateDelete {
			c.add("unlinked", p.MemoryID, "it is about %q as %q is, but does not supersede it", p.Subject, old.MemoryID)
			return
		}
	}
	for _, e := range c.session.Earlier {
		if e.Subject == p.Subject && len(e.SupersededBy) == 0 {
			c.add("unlinked", p.MemoryID, "it is about %q as the earlier point %q is, but does not supersede it", p.Subject, e.MemoryID)
			return
		}
	}
}

// checkForks finds points that several points supersede without being a split.
func (c *chain) checkForks() {
	after := map[string][]schemas.MemoryPoint{}
	var ids []string
	for _, p := range c.session.Points {
		for i, id := range p.Supersedes {
			if p.IsInterference || slices.Contains(p.Supersedes[:i], id) {
				continue
			}
			if len(after[id]) == 0 {
				ids = append(ids, id)
			}
			after[id] = append(after[id], p)
		}
	}
	for _, id := range ids {
		ps := after[id]
		splits := 0
		for _, p := range ps {
			if p.UpdateType == schemas.UpdateSplit {
				splits++
			}
		}
		switch {
		case len(ps) == 1 && splits == 1:
			c.add("wrong-update-type", ps[0].MemoryID, "it is the only part that %q is split into", id)
		case len(ps) > 1 && splits < len(ps):
			for _, p := range ps[1:] {
				c.add("superseded-twice", p.MemoryID, "it supersedes %q, as %q does; only a split has several successors", id, ps[0].MemoryID)
			}
		}
	}
}
