package extraction

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/gates/sessions"
	"github.com/memforge/memforge/pipeline/kit/answercues"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// Proposed is an answer.
type Proposed struct {
	Points []Point `json:"points"`
}

// Point is a point as the author writes it. Numbers are those of the request; those of
// its own points go on from the last point that holds.
type Point struct {
	Content    string `json:"content"`
	Type       string `json:"type"`
	Importance string `json:"importance"`
	Thing      string `json:"thing"`
	Aspect     string `json:"aspect"`
	Value      string `json:"value"`
	Status     string `json:"status"`
	Who        string `json:"who"`
	Update     string `json:"update"`
	Supersedes []int  `json:"supersedes"`
	Resembles  int    `json:"resembles"`
	Turns      []int  `json:"turns"`
	Pictures   []int  `json:"pictures"`
}

// Words of the answer's schema.
const (
	isInterference = "interference"
	isNew          = "new"
	statusEnded    = "ended"
)

// droppedPoint is a rejected point: its number in the answer, and why.
type droppedPoint struct {
	number   int
	why      string
	repeated bool
}

// readAnswer keeps the points of an answer that pass and returns what is wrong with the
// others. Points that already hold are dropped without a reason.
func (r *sessionAttempt) readAnswer(proposed []Point) (why []string) {
	r.kept, r.dropped = nil, nil
	points := make([]schemas.MemoryPoint, len(proposed))
	out := make([]string, len(proposed)) // why a point is not taken
	for i, p := range proposed {
		var faults []string
		points[i], faults = r.readPoint(i, p, points[:i])
		if len(faults) > 0 {
			out[i] = faults[0]
		} else if id, of := r.repeatedPoint(points[i], points[:i]); id != "" {
			r.dropped = append(r.dropped, droppedPoint{i + 1, fmt.Sprintf("%s holds already: %s", points[i].Subject, sessions.Quote(of)), true})
			points[i].MemoryID, points[i].Resembles = "", id
		}
	}
	r.keepPassing(points, out)
	for i, reason := range out {
		if reason != "" {
			why = append(why, fmt.Sprintf("point %d of your answer (%s): %s", i+1, sessions.Quote(proposed[i].Content), reason))
			r.dropped = append(r.dropped, droppedPoint{i + 1, reason, false})
		}
	}
	slices.SortFunc(r.dropped, func(a, b droppedPoint) int { return cmp.Compare(a.number, b.number) })
	return why
}

// keepPassing keeps the points that pass the gates of sessions together with all others
// kept, and assigns their ids. Points without an id are skipped.
func (r *sessionAttempt) keepPassing(points []schemas.MemoryPoint, out []string) {
	for again := true; again; {
		again = false
		s := r.session
		s.Points = nil
		for i, p := range points {
			if p.MemoryID != "" && out[i] == "" {
				s.Points = append(s.Points, p)
			}
		}
		s = s.DeriveFields(append(slices.Clone(r.before), s))
		for _, f := range slices.Concat(sessions.Coverage(s), sessions.Chain(s), sessions.Interference(s)) {
			if i := slices.IndexFunc(points, func(p schemas.MemoryPoint) bool { return p.MemoryID == f.Item }); f.Item != "" && i >= 0 && out[i] == "" {
				out[i], again = fmt.Sprintf("%s: %s", f.Code, f.Detail), true
			}
		}
		r.kept = s.Points
	}
	r.assignIDs()
}

func (r *sessionAttempt) assignIDs() {
	ids := map[string]string{}
	named := func(id string) string { return cmp.Or(ids[id], id) }
	for i := range r.kept {
		p := &r.kept[i]
		ids[p.MemoryID] = schemas.PointIDOf(r.session.SessionID, i+1)
		p.MemoryID, p.Resembles = ids[p.MemoryID], named(p.Resembles)
		for n := range p.Supersedes {
			p.Supersedes[n] = named(p.Supersedes[n])
		}
	}
}

// readPoint returns the i-th point, from 0, and its own faults: unknown numbers, and a
// value that nothing says or shows.
func (r *sessionAttempt) readPoint(i int, p Point, before []schemas.MemoryPoint) (out schemas.MemoryPoint, why []string) {
	out = schemas.MemoryPoint{
		MemoryID: schemas.PointIDOf(r.session.SessionID, i+1), SessionID: r.session.SessionID, Content: p.Content, Type: p.Type,
		Importance: map[string]float64{"high": 1, "middle": 0.5, "low": 0.25}[p.Importance],
		Subject:    r.subjectName(p.Thing, p.Aspect, before), IsInterference: p.Type == isInterference,
		Attributes: map[string]string{"thing": p.Thing, "aspect": p.Aspect, "status": p.Status, "who": p.Who},
	}
	if p.Value != "" {
		out.Attributes["value"] = p.Value
	}
	earlier := func(n int) string {
		id := r.pointID(n, before)
		if id == "" {
			why = append(why, fmt.Sprintf("there is no point %d before it", n))
		}
		return id
	}
	for _, n := range p.Supersedes {
		out.Supersedes = append(out.Supersedes, earlier(n))
	}
	if p.Update != isNew {
		out.IsUpdate, out.UpdateType = true, p.Update
	}
	if p.Resembles > 0 {
		out.Resembles, out.DiffersIn = earlier(p.Resembles), "who"
		if p.Status != "holds" {
			out.DiffersIn = "status"
		}
	}
	why = append(why, r.resolveEvidence(p, &out)...)
	if out.Content != strings.TrimSpace(out.Content) || answercues.HasControl(out.Content+p.Thing+p.Aspect+p.Value+p.Who) {
		why = append(why, "its texts must be plain, each in one line")
	}
	if (p.Status == statusEnded) != (p.Update == schemas.UpdateDelete) {
		why = append(why, `what ended has the status "ended" and the update "delete", and nothing else has either`)
	}
	return out, why
}

// pointID returns the id of a live or answered point by its number. A repetition stands
// for the point it repeats.
func (r *sessionAttempt) pointID(n int, before []schemas.MemoryPoint) string {
	switch own := n - len(r.live) - 1; {
	case n > 0 && n <= len(r.live):
		return r.live[n-1].MemoryID
	case n > 0 && own < len(before):
		return cmp.Or(before[own].MemoryID, before[own].Resembles)
	}
	return ""
}

// subjectName returns the subject of a point, reusing an earlier name with the same
// words.
func (r *sessionAttempt) subjectName(thing, aspect string, before []schemas.MemoryPoint) string {
	name := thing + "/" + aspect
	for _, p := range r.live {
		if words.SameWords(p.Subject, name) {
			return p.Subject
		}
	}
	for _, p := range before {
		if words.SameWords(p.Subject, name) {
			return p.Subject
		}
	}
	return name
}

// resolveEvidence resolves turns and pictures and checks that they contain the value. A
// picture of which only a caption is known cannot be checked by rule; a judge can
// (point-coverage).
func (r *sessionAttempt) resolveEvidence(p Point, out *schemas.MemoryPoint) (why []string) {
	said, noted, blind := "", "", false
	out.Modality = schemas.ModalityText
	for _, n := range p.Turns {
		if n > len(r.session.Turns) {
			why = append(why, fmt.Sprintf("the session has no turn %d", n))
			continue
		}
		out.EvidenceTurns = append(out.EvidenceTurns, r.session.Turns[n-1].TurnID)
		said += sessions.TurnText(r.session.Turns[n-1]) + "\n"
	}
	for _, n := range p.Pictures {
		if n > len(r.pictures) || r.pictures[n-1].MediaID == "" {
			why = append(why, fmt.Sprintf("there is no picture %d", n))
			continue
		}
		a := r.pictures[n-1]
		out.EvidenceMedia, out.Modality = append(out.EvidenceMedia, a.MediaID), schemas.ModalityImage
		said, noted = said+a.Caption+"\n", noted+a.TaskAwareCaption+"\n"
		blind = blind || a.TaskAwareCaption == "" && n <= len(r.images)
	}
	told := answercues.ContainsWords(said, p.Value)
	if told && len(out.EvidenceMedia) > 0 {
		out.Modality = schemas.ModalityTextImage
	}
	switch {
	case p.Status == statusEnded:
	case p.Value == "":
		why = append(why, "it has no value, and does not say that something ended")
	case !told && !answercues.ContainsWords(noted, p.Value) && !blind:
		why = append(why, fmt.Sprintf("its value %s stands in none of the turns and pictures that it names", sessions.Quote(p.Value)))
	}
	return why
}

// repeatedPoint returns the live point with the same subject and value, if p supersedes
// nothing.
func (r *sessionAttempt) repeatedPoint(p schemas.MemoryPoint, before []schemas.MemoryPoint) (id, content string) {
	if p.IsUpdate || p.IsInterference || len(p.Supersedes) > 0 {
		return "", ""
	}
	for _, old := range r.live {
		if old.Subject == p.Subject && words.SameWords(old.Attributes["value"], p.Attributes["value"]) {
			return old.MemoryID, old.Content
		}
	}
	for _, old := range before {
		if !old.IsInterference && old.Subject == p.Subject && words.SameWords(old.Attributes["value"], p.Attributes["value"]) {
			return old.MemoryID, old.Content
		}
	}
	return "", ""
}
