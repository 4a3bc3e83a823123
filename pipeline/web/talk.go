package web

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline/web/catalog"
	"github.com/memforge/memforge/schemas"
)

// talk is a session with its evidence: a conversation, a document, the steps of an agent.
type talk struct {
	Session, Title, Facts string
	// Steps says that the turns are steps of an agent, Captions that a picture has some.
	Steps, Captions bool
	Blocks          []block
	Jumps           []jump
	// Map shows where the evidence stands in the session.
	Map   []bar
	Turns int
	unit  string
}

// block is a run of turns. Those far from evidence are folded under the words of Gap.
type block struct {
	// From is the id of the first turn.
	Gap, From string
	Turns     []turnView
}

// jump leads to a piece of evidence.
type jump struct{ Turn, Text, Role, Class string }

// turnView is a turn of a session, with the evidence that it holds.
type turnView struct {
	ID, Who, When string
	// Number is the turn's place, Last that of the last one if several are shown as a table.
	Number, Last int32
	Said         []part
	Rows         []tableRow
	Pictures     []Picture
	// Related says that it speaks of what evidence speaks of, see relatedTurns.
	Related bool
	// Piece numbers the evidence from 1, 0 is none. Role, Class and Points are with gold.
	Piece       int
	Badge       string
	Role, Class string
	Points      []string
}

// tableRow is a turn that is a row of a table.
type tableRow struct {
	ID    string
	Cells []string
}

// part is what is said, or one part of a step.
type part struct{ Name, Text string }

// Picture is a picture with its captions by level; equal levels are one.
type Picture struct {
	Media, Name, Type string
	Alt               string
	Width, Height     int32
	Captions          []part
	Missing           string // why there is no file to show
}

// near is how many turns around evidence are not folded, minFold how many are worth folding.
const (
	near    = 2
	minFold = 4
)

// sessionWords are the words for kinds of sessions, and for their turns.
var sessionWords = map[string][2]string{
	schemas.KindDialogue: {"conversation", "turn"}, schemas.KindGroupChat: {"group chat", "turn"}, schemas.KindPrivateChat: {"private chat", "turn"},
	schemas.KindDocument: {"document", "page"}, schemas.KindTable: {"table", "row"}, schemas.KindProfile: {"profile", "entry"},
	schemas.KindImage: {"picture", "turn"}, schemas.KindTrajectory: {"run of an agent", "step"},
}

// pieceIn is a piece of evidence in a session.
type pieceIn struct {
	schemas.Evidence
	number int
}

// newTalk returns a session with the evidence of a question in it, nil for none.
func newTalk(s catalog.Session, evidence []pieceIn, with show) talk {
	t := talk{Session: s.SessionID, Title: cmp.Or(s.Title, s.SessionID), Facts: sessionFacts(s.Session), unit: cmp.Or(sessionWords[s.Kind][1], "turn"), Steps: s.Kind == schemas.KindTrajectory, Turns: len(s.Turns)}
	of := piecesByTurn(s.Session, evidence)
	shown := make([]turnView, len(s.Turns))
	for i, turn := range s.Turns {
		shown[i] = newTurn(turn, i > 0 && turn.Timestamp == s.Turns[i-1].Timestamp, s.Media, with)
		t.Captions = t.Captions || slices.ContainsFunc(shown[i].Pictures, func(p Picture) bool { return len(p.Captions) > 0 })
		if p, ok := of[i]; ok {
			shown[i].mark(p, with)
			b := timeScale{float64(len(s.Turns))}.bar(float64(i), float64(i+1))
			b.Class = shown[i].Class
			t.Map = append(t.Map, b)
			if i > 0 && shown[i-1].Piece == p.number {
				shown[i].Badge = ""
			} else {
				t.Jumps = append(t.Jumps, jump{turn.TurnID, shown[i].Badge, shown[i].Role, shown[i].Class})
			}
		}
		if with.Gold {
			shown[i].Points = pointsOf(s.Session, turn.TurnID)
		}
	}
	t.Blocks = []block{{Turns: joinRows(shown)}}
	return t
}

func sessionFacts(s schemas.Session) string {
	words := sessionWords[s.Kind]
	facts := []string{cmp.Or(words[0], s.Kind), plural(int64(len(s.Turns)), cmp.Or(words[1], "turn"))}
	if n := len(s.Participants); n > 2 {
		facts = append(facts, fmt.Sprintf("%d people", n))
	}
	if s.Date != "" {
		facts = append(facts, showDate(s.Date))
	} else if n := len(s.Turns); n > 0 && s.Turns[0].Timestamp != "" {
		from, to := showDay(s.Turns[0].Timestamp), showDay(s.Turns[n-1].Timestamp)
		if from != to {
			from += " to " + to
		}
		facts = append(facts, from)
	}
	return strings.Join(facts, ", ")
}

// piecesByTurn maps the places of turns to the evidence in them. A piece may quote several
// turns from its first on.
func piecesByTurn(s schemas.Session, evidence []pieceIn) map[int]pieceIn {
	of := map[int]pieceIn{}
	for _, p := range evidence {
		first := slices.IndexFunc(s.Turns, func(t schemas.Turn) bool { return t.TurnID == p.Ref })
		if first < 0 && p.Media != "" {
			first = slices.IndexFunc(s.Turns, func(t schemas.Turn) bool {
				return slices.ContainsFunc(t.Attachments, func(a schemas.Attachment) bool { return a.MediaID == p.Media })
			})
		}
		for i := max(first, 0); i < len(s.Turns) && (i == first || first >= 0 && strings.Contains(p.Text, "\n"+s.Turns[i].Line())); i++ {
			if _, taken := of[i]; !taken {
				of[i] = p
			}
		}
	}
	return of
}

func (t *turnView) mark(p pieceIn, with show) {
	t.Piece, t.Badge = p.number, fmt.Sprintf("evidence %d", p.number)
	if with.Gold {
		t.Role, t.Class = p.Role, cmp.Or(roleClasses[p.Role], "ctx")
	}
}

func newTurn(t schemas.Turn, sameTime bool, media map[string]catalog.Medium, with show) turnView {
	v := turnView{ID: t.TurnID, Who: cmp.Or(t.Speaker, t.Role), Number: t.Order}
	if !sameTime {
		v.When = showTime(t.Timestamp)
	}
	for _, p := range []part{{"", t.Text}, {"observation", t.Observation}, {"reasoning", t.Reasoning}, {"action", t.Action}, {"feedback", t.Feedback}} {
		if p.Text != "" {
			v.Said = append(v.Said, p)
		}
	}
	for _, a := range t.Attachments {
		v.Pictures = append(v.Pictures, newPicture(a, media, with))
	}
	return v
}

func newPicture(a schemas.Attachment, media map[string]catalog.Medium, with show) Picture {
	m := media[a.MediaID]
	p := Picture{Media: a.MediaID, Name: a.AttachmentID, Type: a.Type, Width: m.Width, Height: m.Height, Missing: absent(m)}
	p.Alt = cmp.Or(a.Type, "picture")
	if !with.Captions {
		return p
	}
	p.Alt = cmp.Or(a.MinimalCaption, p.Alt)
	for _, c := range []part{{"minimal", a.MinimalCaption}, {"full", a.Caption}, {"task-aware", a.TaskAwareCaption}} {
		if i := slices.IndexFunc(p.Captions, func(o part) bool { return o.Text == c.Text }); c.Text != "" && i >= 0 {
			p.Captions[i].Name += ", " + c.Name
		} else if c.Text != "" {
			p.Captions = append(p.Captions, c)
		}
	}
	return p
}

// joinRows shows turns of one speaker that are rows of a table, cells divided by bars, as
// one, together with the turn that names the table.
func joinRows(turns []turnView) (out []turnView) {
	cells := func(t turnView) []string {
		if len(t.Said) != 1 || t.Said[0].Name != "" || len(t.Pictures) > 0 {
			return nil
		}
		return strings.Split(t.Said[0].Text, " | ")
	}
	for i := 0; i < len(turns); {
		row := cells(turns[i])
		j := i + 1
		for len(row) > 1 && j < len(turns) && turns[j].Who == turns[i].Who && len(cells(turns[j])) == len(row) {
			j++
		}
		if j-i < 2 {
			out, i = append(out, turns[i]), i+1
			continue
		}
		whole := turns[i]
		if n := len(out); n > 0 && out[n-1].Who == whole.Who && out[n-1].Rows == nil && out[n-1].Piece == whole.Piece && strings.HasPrefix(strings.Join(cells(out[n-1]), ""), "Table") {
			whole, out = out[n-1], out[:n-1]
		} else {
			whole.Said = nil
		}
		for ; i < j; i++ {
			whole.Rows = append(whole.Rows, tableRow{turns[i].ID, cells(turns[i])})
			whole.Last = turns[i].Number
			if whole.ID == turns[i].ID {
				whole.Rows[len(whole.Rows)-1].ID = ""
			}
		}
		out = append(out, whole)
	}
	return out
}

// pointsOf returns the memory points that a turn introduces, in words.
func pointsOf(s schemas.Session, turn string) (out []string) {
	for _, p := range s.Points {
		if !slices.Contains(p.EvidenceTurns, turn) {
			continue
		}
		kind := "memory point"
		switch {
		case p.IsInterference:
			kind = "not to be kept"
		case p.IsUpdate:
			kind = cmp.Or(p.UpdateType, schemas.UpdateRevise)
		}
		out = append(out, kind+": "+p.Content)
	}
	return out
}

// relatedTurns returns the turns that speak of what evidence in the sessions speaks of: they say
// it again, replace it, mislead about it or take it back. Memory points tell what most turns are
// about. What takes a slip back introduces none, so turns that name the same aspect of the same
// thing count as well.
func relatedTurns(sessions []catalog.Session, in map[string][]pieceIn) map[string]bool {
	subjects, named := map[string]bool{}, map[[2]string]bool{}
	for _, s := range sessions {
		for i := range piecesByTurn(s.Session, in[s.SessionID]) {
			for _, p := range s.Points {
				if p.Subject == "" || !slices.Contains(p.EvidenceTurns, s.Turns[i].TurnID) {
					continue
				}
				subjects[p.Subject] = true
				if thing, aspect := p.Attributes[schemas.PointThing], p.Attributes[schemas.PointAspect]; thing != "" && aspect != "" {
					named[[2]string{strings.ToLower(thing), strings.ToLower(aspect)}] = true
				}
			}
		}
	}
	out := map[string]bool{}
	for _, s := range sessions {
		for _, p := range s.Points {
			for _, id := range p.EvidenceTurns {
				out[id] = out[id] || subjects[p.Subject]
			}
		}
		for _, t := range s.Turns {
			text := strings.ToLower(t.Text)
			for of := range named {
				out[t.TurnID] = out[t.TurnID] || strings.Contains(text, of[0]) && strings.Contains(text, of[1])
			}
		}
	}
	return out
}

// fold divides turns into blocks and folds those far from evidence, except related ones. Of a
// long session it leaves them out.
func (t *talk) fold(leaveOut bool, related map[string]bool) {
	turns := t.Blocks[0].Turns
	isNear := make([]bool, len(turns))
	for i, turn := range turns {
		turns[i].Related = related[turn.ID] && turn.Piece == 0
		isNear[i] = isNear[i] || turns[i].Related
		for j := max(0, i-near); turn.Piece > 0 && j < min(len(turns), i+near+1); j++ {
			isNear[j] = true
		}
	}
	if !slices.Contains(isNear, true) && !leaveOut {
		return
	}
	t.Blocks = nil
	for i := 0; i < len(turns); {
		j := i
		for j < len(turns) && isNear[j] == isNear[i] {
			j++
		}
		b := block{Turns: turns[i:j]}
		if !isNear[i] && j-i >= minFold {
			b.Gap, b.From = plural(int64(j-i), t.unit)+" without evidence", turns[i].ID
			if leaveOut {
				b.Turns = nil
			}
		}
		t.Blocks = append(t.Blocks, b)
		i = j
	}
}

// ShowMinute returns an RFC 3339 time for people.
func ShowMinute(text string) string { return formatTime(text, "2 January 2006, 15:04") }

// showTime returns an RFC 3339 time for people, without the year, which the session states.
func showTime(text string) string { return formatTime(text, "2 January, 15:04") }

func showDay(text string) string { return formatTime(text, "2 January 2006") }

// showDate is showDay for a day, or a time.
func showDate(text string) string {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day.Format("2 January 2006")
	}
	return showDay(text)
}

func formatTime(text, layout string) string {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.Format(layout)
	}
	return text
}
