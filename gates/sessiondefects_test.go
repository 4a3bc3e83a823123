package gates

import (
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// defect is something wrong that is planted in a session that was sound.
type defect struct {
	name, gate, code string
	// structural ones are found without asking.
	structural bool
	plant      func(s *schemas.Session)
}

// of is the session's first point of a trait, real or not.
func of(s *schemas.Session, trait string, interference bool) *schemas.MemoryPoint {
	i := slices.IndexFunc(s.Points, func(p schemas.MemoryPoint) bool { return p.Type == trait && p.IsInterference == interference })
	return &s.Points[i]
}

func real(s *schemas.Session, trait string) *schemas.MemoryPoint { return of(s, trait, false) }

func noise(s *schemas.Session, trait string) *schemas.MemoryPoint { return of(s, trait, true) }

func turnOf(s *schemas.Session, p *schemas.MemoryPoint) *schemas.Turn {
	i := slices.IndexFunc(s.Turns, func(t schemas.Turn) bool { return t.TurnID == p.EvidenceTurns[0] })
	return &s.Turns[i]
}

func earlier(s *schemas.Session, p *schemas.MemoryPoint) *schemas.EarlierPoint {
	i := slices.IndexFunc(s.Earlier, func(e schemas.EarlierPoint) bool { return e.MemoryID == p.Supersedes[0] })
	return &s.Earlier[i]
}

// other is a value of a trait that the text does not hold.
func other(trait, text string) string {
	values := traitOf(trait).values
	return values[slices.IndexFunc(values, func(v string) bool { return !strings.Contains(text, v) })]
}

func setContent(p *schemas.MemoryPoint, value string) {
	who, _, _ := strings.Cut(p.Content, " ")
	p.Content = who + " " + fill(traitOf(p.Type).states, value)
	p.Attributes = maps.Clone(p.Attributes)
	p.Attributes["value"] = value
}

// defects are planted in the second session of a life.
var defects = []defect{
	{"unknown turn", "point-coverage", "unknown-turn", true, func(s *schemas.Session) { real(s, "hobby").EvidenceTurns = []string{"gone"} }},
	{"no turn", "point-coverage", "no-turn", true, func(s *schemas.Session) { real(s, "hobby").EvidenceTurns = nil }},
	{"one id twice", "point-coverage", "same-id", true, func(s *schemas.Session) { s.Turns[3].TurnID = s.Turns[1].TurnID }},
	{"never said", "point-coverage", "not-established", false, func(s *schemas.Session) {
		p := real(s, "hobby")
		setContent(p, other("hobby", p.Content))
	}},
	{"said in another turn", "point-coverage", "not-established", false, func(s *schemas.Session) { real(s, "hobby").EvidenceTurns = []string{s.Turns[0].TurnID} }},
	{"not in the picture", "point-coverage", "not-shown", false, func(s *schemas.Session) {
		p := real(s, "bike")
		setContent(p, other("bike", p.Content+earlier(s, p).Content))
	}},
	{"picture told in words", "point-coverage", "told-in-words", false, func(s *schemas.Session) {
		p := real(s, "bike")
		s.Turns[len(s.Turns)-1].Text = "As I see, " + strings.Replace(fill(traitOf("bike").says, p.Attributes["value"]), "my", "your", 1) + "."
	}},
	{"no caption", "caption-coverage", "no-caption", true, func(s *schemas.Session) { turnOf(s, real(s, "bike")).Attachments[0].Caption = " " }},
	{"one caption twice", "caption-coverage", "same-caption", true, func(s *schemas.Session) {
		turnOf(s, real(s, "bike")).Attachments[0].Caption = strings.ToUpper(turnOf(s, real(s, "car")).Attachments[0].Caption)
	}},
	{"caption without the fact", "caption-coverage", "not-in-caption", false, func(s *schemas.Session) {
		turnOf(s, real(s, "car")).Attachments[0].Caption = traitOf("car").bare
	}},
	{"caption with another fact", "caption-coverage", "not-in-caption", false, func(s *schemas.Session) {
		p := real(s, "car")
		turnOf(s, p).Attachments[0].Caption = fill(traitOf("car").caption, other("car", p.Content))
	}},
	{"caption tells", "caption-coverage", "told-by-caption", false, func(s *schemas.Session) {
		p := real(s, "bike")
		turnOf(s, p).Attachments[0].Caption = fill(traitOf("bike").caption, p.Attributes["value"])
	}},
	{"resembles nothing", "interference-detectability", "resembles-nothing", true, func(s *schemas.Session) { noise(s, "job").Resembles = "" }},
	{"resembles the unknown", "interference-detectability", "unknown-point", true, func(s *schemas.Session) { noise(s, "job").Resembles = "mp_x" }},
	{"no difference", "interference-detectability", "no-difference", true, func(s *schemas.Session) {
		noise(s, "job").Attributes["who"] = real(s, "home").Attributes["who"]
	}},
	{"unmarked", "interference-detectability", "unmarked", true, func(s *schemas.Session) {
		real(s, "hobby").Resembles = real(s, "home").MemoryID
	}},
	{"joke in earnest", "interference-detectability", "indistinguishable", false, func(s *schemas.Session) {
		t := turnOf(s, noise(s, "home"))
		t.Text = strings.Replace(t.Text, jokeCue, ".", 1)
	}},
	{"cousin unnamed", "interference-detectability", "indistinguishable", false, func(s *schemas.Session) {
		t := turnOf(s, noise(s, "job"))
		t.Text = strings.Replace(t.Text, cousinCue, ".", 1)
	}},
	{"interference never said", "interference-detectability", "not-said", false, func(s *schemas.Session) {
		p := noise(s, "job")
		setContent(p, other("job", p.Content+s.Earlier[len(s.Earlier)-1].Content))
	}},
	{"update not marked", "update-chain", "unmarked-update", true, func(s *schemas.Session) { real(s, "home").IsUpdate = false }},
	{"update of nothing", "update-chain", "update-of-nothing", true, func(s *schemas.Session) { real(s, "hobby").IsUpdate = true }},
	{"update not linked", "update-chain", "unlinked", true, func(s *schemas.Session) {
		real(s, "home").IsUpdate, real(s, "home").Supersedes = false, nil
	}},
	{"update of the unknown", "update-chain", "unknown-point", true, func(s *schemas.Session) {
		p := real(s, "hobby")
		p.IsUpdate, p.Supersedes = true, []string{"mp_x"}
	}},
	{"update of another subject", "update-chain", "other-subject", true, func(s *schemas.Session) { real(s, "home").Subject = "other" }},
	{"update of what comes later", "update-chain", "not-earlier", true, func(s *schemas.Session) { earlier(s, real(s, "home")).SessionOrder = s.Order }},
	{"update that says the same", "update-chain", "same-content", true, func(s *schemas.Session) { earlier(s, real(s, "home")).Content = real(s, "home").Content }},
	{"superseded twice", "update-chain", "superseded-twice", true, func(s *schemas.Session) { earlier(s, real(s, "home")).SupersededBy = []string{"mp_x"} }},
	{"two that supersede one", "update-chain", "superseded-twice", true, func(s *schemas.Session) {
		p := real(s, "hobby")
		p.IsUpdate, p.Supersedes, p.Subject = true, real(s, "home").Supersedes, real(s, "home").Subject
	}},
	{"circle", "update-chain", "cycle", true, func(s *schemas.Session) {
		a, b := real(s, "hobby"), real(s, "car")
		a.IsUpdate, a.Supersedes, b.IsUpdate, b.Supersedes = true, []string{b.MemoryID}, true, []string{a.MemoryID}
		b.Subject = a.Subject
	}},
}
