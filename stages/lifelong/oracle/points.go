package oracle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// contentTemplate returns the wording of a point's content: A aspect, T thing, V value, O
// old value, P person, W second value.
func contentTemplate(kind string) string {
	const changed = "V took the place of O as the A of T" // interference says what a memory that was misled would hold
	return map[string]string{
		"append": "The A of T is V", "revise": changed, "merge": "V alone is the A of T again, for both halves",
		"delete": "There is no A of T any more; O was dropped", "split": "V is the A of T for the first half of it only, where O did both",
		"second": "V is the A of T for the second half of it only", "joke": changed, "slip": changed, "past": changed,
		"hearsay": "The A of T is V", "affair": "The A of T is V", "plan": "The A of T is V",
		"tag":   "A tag is V",
		"hours": "Quoted hours are rounded up to the next multiple of V, and then W is added",
	}[kind]
}

func (s statement) content(kind, value string) string {
	with := map[string]string{"A": s.aspect, "T": s.thing, "V": value, "O": s.old, "P": s.who, "W": s.also}
	rule, cut := strings.CutPrefix(contentTemplate(kind), "A tag")
	said := slot.ReplaceAllStringFunc(rule, func(name string) string { return with[name] })
	if cut {
		return "A tag" + said
	}
	return said
}

// pointWriter writes the points of a task, session by session.
type pointWriter struct {
	*Task
	live map[string][]schemas.MemoryPoint
	out  [][]schemas.MemoryPoint
}

// Points returns the memory points that each session should state, as they follow from
// what is said and shown.
func (t *Task) Points() [][]schemas.MemoryPoint {
	l := pointWriter{t, map[string][]schemas.MemoryPoint{}, make([][]schemas.MemoryPoint, len(t.sessions))}
	for _, s := range t.statements {
		l.addStatement(s)
	}
	return l.out
}

func (l *pointWriter) addStatement(s statement) {
	if s.kind == "tag" || s.kind == "hours" {
		s.thing, s.aspect = "rule", map[string]string{"tag": "tags", "hours": "hours"}[s.kind]
	}
	before := l.live[s.subject()]
	if (s.shownBefore || !s.changesState()) && len(before) > 0 {
		s.old = before[0].Attributes["value"]
	}
	first := l.newPoint(s, s.value, before)
	first.Content = s.content(s.kind, s.value)
	now := []schemas.MemoryPoint{first}
	if s.kind == "split" {
		second := l.newPoint(s, s.also, before)
		second.Content = s.content("second", s.also)
		now = append(now, second)
	}
	for i := range now {
		now[i].MemoryID = schemas.PointIDOf(now[i].SessionID, len(l.out[s.session])+1)
		l.out[s.session] = append(l.out[s.session], now[i])
	}
	switch {
	case s.kind == "delete":
		delete(l.live, s.subject())
	case !first.IsInterference:
		l.live[s.subject()] = now
	}
}

// newPoint returns the point of a statement without id and content.
func (l *pointWriter) newPoint(s statement, value string, before []schemas.MemoryPoint) schemas.MemoryPoint {
	of := l.sessions[s.session]
	p := schemas.MemoryPoint{
		SessionID: of.SessionID, Type: "fact", Importance: 0.5, Subject: s.subject(), Modality: schemas.ModalityText, EvidenceTurns: []string{of.Turns[s.turn].TurnID},
		Attributes: map[string]string{"thing": s.thing, "aspect": s.aspect, "value": value, "status": "holds", "who": "user"},
	}
	if s.retractedBy > 0 {
		p.EvidenceTurns = append(p.EvidenceTurns, of.Turns[s.retractedBy].TurnID)
	}
	if of.ArcRole == schemas.ArcMain {
		p.Importance = 1
	}
	switch {
	case s.thing == "rule":
		p.Type = "rule"
	case of.Kind == schemas.KindProfile:
		p.Type = "profile"
	}
	if s.shownBefore {
		l.attachPicture(&p, s)
	}
	if !s.changesState() && s.thing != "rule" {
		markInterference(&p, s, before)
		return p
	}
	for _, old := range before {
		p.IsUpdate, p.UpdateType, p.Supersedes = true, s.kind, append(p.Supersedes, old.MemoryID)
	}
	if s.kind == "delete" {
		p.Attributes["status"] = "ended"
		delete(p.Attributes, "value")
	}
	return p
}

// attachPicture cites the picture of a point. What the caption tells is available without
// the picture.
func (l *pointWriter) attachPicture(p *schemas.MemoryPoint, s statement) {
	turn := l.sessions[s.session].Turns[s.turn]
	at := turn.Attachments[slices.IndexFunc(turn.Attachments, func(a schemas.Attachment) bool { return a.MediaID == s.picture })]
	p.EvidenceMedia, p.Modality = []string{at.MediaID}, schemas.ModalityImage
	if strings.Contains(at.Caption, s.aspect+": "+s.value) {
		p.Modality = schemas.ModalityTextImage
	}
}

// markInterference marks a point that only resembles one that holds.
func markInterference(p *schemas.MemoryPoint, s statement, before []schemas.MemoryPoint) {
	p.Type, p.IsInterference, p.DiffersIn = "interference", true, "status"
	if len(before) > 0 {
		p.Resembles = before[0].MemoryID
	}
	if s.kind == "affair" {
		p.DiffersIn, p.Attributes["who"] = "who", s.who
		return
	}
	p.Attributes["status"] = s.kind
}

// CheckPoints compares the stated memory points with those that follow.
func (t *Task) CheckPoints() error {
	for n, want := range t.Points() {
		s := t.sessions[n]
		if len(s.Points) != len(want) {
			return fmt.Errorf("session %s states %d points to remember, and %d follow from what is said and shown in it", s.SessionID, len(s.Points), len(want))
		}
		for i, p := range s.Points {
			if stated, follows := fmt.Sprintf("%+v", p), fmt.Sprintf("%+v", want[i]); stated != follows {
				return fmt.Errorf("point %s is %s, and from what is said and shown follows %s", p.MemoryID, stated, follows)
			}
		}
	}
	return nil
}
