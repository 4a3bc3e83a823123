package lifelong_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/gates/sessions"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/oracle"
)

// defect is something wrong that is planted in a sound session of a world; plant
// reports whether the session has a place for it.
type defect struct {
	name, gate, code string
	plant            func(*schemas.Session) bool
}

func isReal(p schemas.MemoryPoint) bool {
	return !p.IsInterference && p.Type == "fact" && p.Attributes["status"] == "holds"
}

func told(p schemas.MemoryPoint) bool {
	return isReal(p) && !p.IsUpdate && p.Modality == schemas.ModalityText
}

func hidden(p schemas.MemoryPoint) bool {
	return isReal(p) && !p.IsUpdate && p.Modality == schemas.ModalityImage
}

func captioned(p schemas.MemoryPoint) bool {
	return isReal(p) && !p.IsUpdate && p.Modality == schemas.ModalityTextImage
}

// updates are revisions of points of earlier sessions.
func updates(p schemas.MemoryPoint) bool {
	return isReal(p) && p.UpdateType == schemas.UpdateRevise && p.Modality == schemas.ModalityText
}

func unmeant(p schemas.MemoryPoint) bool { return p.IsInterference && p.DiffersIn == "status" }

// jest is what is never meant, and not taken back by another turn.
func jest(p schemas.MemoryPoint) bool { return unmeant(p) && p.Attributes["status"] != "slip" }

// supposed is never meant, and worded as a change, not as the fact that it would be.
func supposed(p schemas.MemoryPoint) bool {
	return unmeant(p) && !slices.Contains([]string{"hearsay", "plan"}, p.Attributes["status"])
}

func affair(p schemas.MemoryPoint) bool { return p.IsInterference && p.DiffersIn == "who" }

// with plants in the first point of a kind.
func with(is func(schemas.MemoryPoint) bool, plant func(*schemas.Session, *schemas.MemoryPoint)) func(*schemas.Session) bool {
	return func(s *schemas.Session) bool {
		i := slices.IndexFunc(s.Points, is)
		if i >= 0 {
			plant(s, &s.Points[i])
		}
		return i >= 0
	}
}

// turn is that which a point rests on.
func turn(s *schemas.Session, p *schemas.MemoryPoint) *schemas.Turn {
	return &s.Turns[slices.IndexFunc(s.Turns, func(t schemas.Turn) bool { return t.TurnID == p.EvidenceTurns[0] })]
}

func earlier(s *schemas.Session, p *schemas.MemoryPoint) *schemas.EarlierPoint {
	return &s.Earlier[slices.IndexFunc(s.Earlier, func(e schemas.EarlierPoint) bool { return e.MemoryID == p.Supersedes[0] })]
}

// revalue lets a point state another value.
func revalue(p *schemas.MemoryPoint) {
	p.Content = strings.Replace(p.Content, p.Attributes["value"], "Quimper", 1)
	p.Attributes["value"] = "Quimper"
}

// plainly is a sentence that means what a point says.
func plainly(p *schemas.MemoryPoint) string {
	return "The " + p.Attributes["aspect"] + " of " + p.Attributes["thing"] + " is " + p.Attributes["value"] + "."
}

// defects are the 29 kinds of gates/session_test.go, and below them those that only
// worlds can have.
var defects = []defect{
	{"unknown turn", "point-coverage", "unknown-turn", with(told, func(_ *schemas.Session, p *schemas.MemoryPoint) { p.EvidenceTurns = []string{"gone"} })},
	{"no turn", "point-coverage", "no-turn", with(told, func(_ *schemas.Session, p *schemas.MemoryPoint) { p.EvidenceTurns = nil })},
	{"one id twice", "point-coverage", "same-id", with(told, func(s *schemas.Session, p *schemas.MemoryPoint) { s.Turns[1].TurnID = turn(s, p).TurnID })},
	{"never said", "point-coverage", "not-established", func(s *schemas.Session) bool {
		apart := func(p schemas.MemoryPoint) bool {
			return told(p) && !slices.ContainsFunc(s.Points, func(other schemas.MemoryPoint) bool { return other.Resembles == p.MemoryID })
		}
		return with(apart, func(_ *schemas.Session, p *schemas.MemoryPoint) { revalue(p) })(s)
	}},
	{"said in another turn", "point-coverage", "not-established", with(told, func(s *schemas.Session, p *schemas.MemoryPoint) { p.EvidenceTurns = []string{s.Turns[1].TurnID} })},
	{"not in the picture", "point-coverage", "not-shown", with(hidden, func(_ *schemas.Session, p *schemas.MemoryPoint) { revalue(p) })},
	{"picture told in words", "point-coverage", "told-in-words", with(hidden, func(s *schemas.Session, p *schemas.MemoryPoint) { s.Turns[len(s.Turns)-1].Text = plainly(p) })},
	{"no caption", "caption-coverage", "no-caption", with(hidden, func(s *schemas.Session, p *schemas.MemoryPoint) { turn(s, p).Attachments[0].Caption = " " })},
	{"one caption twice", "caption-coverage", "same-caption", func(s *schemas.Session) bool {
		var shown []*schemas.Attachment
		for i := range s.Turns {
			for j := range s.Turns[i].Attachments {
				shown = append(shown, &s.Turns[i].Attachments[j])
			}
		}
		if len(shown) < 2 {
			return false
		}
		shown[1].Caption = strings.ToUpper(shown[0].Caption)
		return true
	}},
	{"caption without the fact", "caption-coverage", "not-in-caption", with(captioned, func(s *schemas.Session, p *schemas.MemoryPoint) {
		turn(s, p).Attachments[0].Caption = "A picture from work."
	})},
	{"caption with another fact", "caption-coverage", "not-in-caption", with(captioned, func(s *schemas.Session, p *schemas.MemoryPoint) {
		a := &turn(s, p).Attachments[0]
		a.Caption = strings.ReplaceAll(a.Caption, ": "+p.Attributes["value"], ": Quimper") // two months may have one value
	})},
	{"caption tells", "caption-coverage", "told-by-caption", with(hidden, func(s *schemas.Session, p *schemas.MemoryPoint) {
		a := &turn(s, p).Attachments[0]
		a.Caption = a.TaskAwareCaption
	})},
	{"resembles nothing", "interference-detectability", "resembles-nothing", with(unmeant, func(_ *schemas.Session, p *schemas.MemoryPoint) { p.Resembles = "" })},
	{"resembles the unknown", "interference-detectability", "unknown-point", with(unmeant, func(_ *schemas.Session, p *schemas.MemoryPoint) { p.Resembles = "mp_x" })},
	{"no difference", "interference-detectability", "no-difference", with(affair, func(_ *schemas.Session, p *schemas.MemoryPoint) { p.Attributes["who"] = "user" })},
	{"unmarked", "interference-detectability", "unmarked", with(told, func(s *schemas.Session, p *schemas.MemoryPoint) { p.Resembles = s.Points[0].MemoryID })},
	{"joke in earnest", "interference-detectability", "indistinguishable", with(jest, func(s *schemas.Session, p *schemas.MemoryPoint) { turn(s, p).Text = plainly(p) })},
	{"cousin unnamed", "interference-detectability", "indistinguishable", with(affair, func(s *schemas.Session, p *schemas.MemoryPoint) { turn(s, p).Text = plainly(p) })},
	{"interference never said", "interference-detectability", "not-said", with(unmeant, func(_ *schemas.Session, p *schemas.MemoryPoint) { revalue(p) })},
	{"update not marked", "update-chain", "unmarked-update", with(updates, func(_ *schemas.Session, p *schemas.MemoryPoint) { p.IsUpdate = false })},
	{"update of nothing", "update-chain", "update-of-nothing", with(told, func(_ *schemas.Session, p *schemas.MemoryPoint) { p.IsUpdate = true })},
	{"update not linked", "update-chain", "unlinked", with(updates, func(_ *schemas.Session, p *schemas.MemoryPoint) {
		p.IsUpdate, p.UpdateType, p.Supersedes = false, "", nil
	})},
	{"update of the unknown", "update-chain", "unknown-point", with(told, func(_ *schemas.Session, p *schemas.MemoryPoint) { p.IsUpdate, p.Supersedes = true, []string{"mp_x"} })},
	{"update of another subject", "update-chain", "other-subject", with(updates, func(_ *schemas.Session, p *schemas.MemoryPoint) { p.Subject = "other" })},
	{"update of what comes later", "update-chain", "not-earlier", with(updates, func(s *schemas.Session, p *schemas.MemoryPoint) { earlier(s, p).SessionOrder = s.Order })},
	{"update that says the same", "update-chain", "same-content", with(updates, func(s *schemas.Session, p *schemas.MemoryPoint) { earlier(s, p).Content = p.Content })},
	{"superseded twice", "update-chain", "superseded-twice", with(updates, func(s *schemas.Session, p *schemas.MemoryPoint) { earlier(s, p).SupersededBy = []string{"mp_x"} })},
	{"two that supersede one", "update-chain", "superseded-twice", func(s *schemas.Session) bool {
		i, j := slices.IndexFunc(s.Points, updates), slices.IndexFunc(s.Points, told)
		if i < 0 || j < 0 {
			return false
		}
		p, old := &s.Points[j], s.Points[i]
		p.IsUpdate, p.Supersedes, p.Subject = true, old.Supersedes, old.Subject
		return true
	}},
	{"circle", "update-chain", "cycle", func(s *schemas.Session) bool {
		i := slices.IndexFunc(s.Points, told)
		j := slices.IndexFunc(s.Points, captioned)
		if i < 0 || j < 0 {
			return false
		}
		a, b := &s.Points[i], &s.Points[j]
		a.IsUpdate, a.Supersedes, b.IsUpdate, b.Supersedes, b.Subject = true, []string{b.MemoryID}, true, []string{a.MemoryID}, a.Subject
		return true
	}},
	{"two live points of a subject", "update-chain", "unlinked", func(s *schemas.Session) bool {
		i := slices.IndexFunc(s.Points, told)
		if i < 0 {
			return false
		}
		p := s.Points[i]
		p.MemoryID = s.SessionID + "/more"
		s.Points = append(s.Points, p)
		return true
	}},
	{"interference that is true", "interference-detectability", "true-interference", with(supposed, func(s *schemas.Session, p *schemas.MemoryPoint) {
		for _, e := range s.Earlier {
			if e.MemoryID == p.Resembles {
				p.Content = strings.Replace(p.Content, p.Attributes["value"], e.Attributes["value"], 1)
				p.Attributes["value"] = e.Attributes["value"]
			}
		}
		for _, r := range s.Points {
			if r.MemoryID == p.Resembles {
				p.Content = strings.Replace(p.Content, p.Attributes["value"], r.Attributes["value"], 1)
				p.Attributes["value"] = r.Attributes["value"]
			}
		}
	})},
}

// codes are what the validators say of a session, by gate; nothing of what passes.
func codes(t *testing.T, s schemas.Session, shown map[string]oracle.Picture) map[string]string {
	t.Helper()
	out := map[string]string{}
	if f := sessions.Chain(s); len(f) > 0 {
		out["update-chain"] = f[0].Code
	}
	for gate, of := range map[string]struct {
		faults []sessions.Fault
		ask    func() sessions.Inquiry
	}{
		"point-coverage":             {sessions.Coverage(s), func() sessions.Inquiry { return sessions.AskCoverage(s) }},
		"caption-coverage":           {sessions.Captions(s), func() sessions.Inquiry { return sessions.AskCaptions(s) }},
		"interference-detectability": {sessions.Interference(s), func() sessions.Inquiry { return sessions.AskInterference(s, func(int, func(i, j int)) {}) }},
	} {
		faults := of.faults
		if len(faults) == 0 {
			q := of.ask()
			findings, err := q.Read(judge{q, shown}.answer())
			if err != nil {
				t.Fatalf("%s of %s: %v", gate, s.SessionID, err)
			}
			faults = sessions.Violations(findings)
		}
		if len(faults) > 0 {
			out[gate] = faults[0].Code
		}
	}
	return out
}

// TestPlantedInWorlds plants each defect in sessions of simulated worlds, and lets a
// judge that sees the requests alone find it: its own gate does, and no other. Sessions
// as they come pass all of them.
func TestPlantedInWorlds(t *testing.T) {
	t.Parallel()
	some, exhibits := []built{made(t)}, map[string]oracle.Picture{}
	if testsize.Full() { // not every defect has a place in every session
		some = append(some, build(t, 8))
	}
	var all []schemas.Session
	for _, b := range some {
		maps.Copy(exhibits, b.exhibits)
		for _, task := range []string{"academic", "software", "health", "finance", "education", "startup", "life"} {
			all = append(all, b.sessions["lifelong/"+task+"-0000"]...)
		}
	}
	clean := 0
	for _, s := range all {
		if got := codes(t, s, exhibits); len(got) == 0 {
			clean++
		} else {
			t.Errorf("%s as it comes: %v", s.SessionID, got)
		}
	}
	t.Logf("%d of %d sessions pass at the first try", clean, len(all))
	each, planted := testsize.Choose(2, 5), 0
	for _, d := range defects {
		n := 0
		for _, s := range all[1:] {
			bad := copied(t, s)
			if n == each || !d.plant(&bad) {
				continue
			}
			n, planted = n+1, planted+1
			if got, want := codes(t, bad, exhibits), map[string]string{d.gate: d.code}; fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s in %s: %v, want %v", d.name, s.SessionID, got, want)
			}
		}
		if n < each {
			t.Errorf("%s: %d sessions have a place for it, want %d", d.name, n, each)
		}
	}
	t.Logf("%d defects of %d kinds", planted, len(defects))
}
