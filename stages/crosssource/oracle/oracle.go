// Package oracle works out what questions of the family come to, from the sources of a
// task merged by time and what their pictures were noted to show. It knows no world
// and shares no code with what simulates one: it reads sentences.
package oracle

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/memforge/memforge/schemas"
)

// Version of what the oracle works out.
const Version = "8"

// Picture is what a picture shows.
type Picture struct {
	Kind, Title string
	Columns     []string
	Rows        [][]string
}

// Piece is what a fact was read from: a turn, or the turns of a table.
type Piece struct {
	session *schemas.Session
	turns   []schemas.Turn
	picture *Picture
	handle  string
}

func (p *Piece) position() int64 { return p.turns[0].Position }

// speaker returns the speaker of the turn, or the owner of the profile.
func (p *Piece) speaker() string {
	if s := p.turns[0].Speaker; s != "" || p.session.Kind != schemas.KindProfile || len(p.session.Participants) == 0 {
		return s
	}
	return p.session.Participants[0]
}

// Task is all that sources of a task say, in order of time.
type Task struct {
	facts    []fact
	pictures []*Piece
	// partial says that only pieces of evidence were read: what is superseded may be missing.
	partial bool
}

// fact is one thing that was read.
type fact struct {
	kind string
	args map[string]string
	from *Piece
}

// New reads the sources of a task. A turn shows at most one picture; one that is not
// known shows nothing.
func New(sessions []schemas.Session, pictures map[string]Picture) (*Task, error) {
	t := &Task{}
	for i := range sessions {
		s := &sessions[i]
		for n := 0; n < len(s.Turns); n++ {
			turn := s.Turns[n]
			switch rows := tableTurns(s.Turns[n:]); {
			case len(rows) > 1:
				p := &Piece{session: s, turns: rows}
				t.readTable(p)
				n += len(rows) - 1
			case len(turn.Attachments) > 1:
				return nil, fmt.Errorf("turn %s shows %d pictures; one is read", turn.TurnID, len(turn.Attachments))
			default:
				p := &Piece{session: s, turns: []schemas.Turn{turn}}
				t.readSentence(p, p.turns[0].Text)
				if len(turn.Attachments) == 1 {
					t.readPicture(p, turn.Attachments[0], pictures)
				}
			}
		}
	}
	slices.SortStableFunc(t.facts, func(a, b fact) int { return cmp.Compare(a.from.position(), b.from.position()) })
	return t, nil
}

// tableTurns returns the leading turns that are the name of a table and its rows.
func tableTurns(turns []schemas.Turn) []schemas.Turn {
	if len(turns) < 2 || !namedTable.MatchString(turns[0].Text) {
		return nil
	}
	n := 1
	columns := strings.Count(turns[1].Text, " | ")
	for n < len(turns) && columns > 0 && strings.Count(turns[n].Text, " | ") == columns && turns[n].Speaker == turns[0].Speaker {
		n++
	}
	return turns[:n]
}

// namedTable is the name of a table, before its rows.
var namedTable = regexp.MustCompile(`^Table\. [0-9a-f]{8} \(`)

// readTable reads rows: the value of the first cell in each column.
func (t *Task) readTable(p *Piece) {
	head := strings.Split(p.turns[1].Text, " | ")
	for _, r := range p.turns[2:] {
		t.readRow(p, head, strings.Split(r.Text, " | "))
	}
}

func (t *Task) readRow(p *Piece, head, cells []string) {
	for i := 1; i < len(cells); i++ {
		t.facts = append(t.facts, fact{"fact", map[string]string{"of": cells[0], "a": head[i], "v": cells[i]}, p})
	}
}

// readPicture reads the rows of charts and tables, or the entries of a card.
func (t *Task) readPicture(p *Piece, a schemas.Attachment, pictures map[string]Picture) {
	x, ok := pictures[a.MediaID]
	if !ok {
		return
	}
	p.picture, p.handle = &x, a.AttachmentID
	t.pictures = append(t.pictures, p)
	for _, r := range x.Rows {
		switch x.Kind {
		case "chart", "table":
			t.readRow(p, x.Columns, r)
		case "card":
			t.facts = append(t.facts, fact{"fact", map[string]string{"of": x.Title, "a": r[0], "v": r[1]}, p})
		case "page":
			t.readSentence(p, r[0])
		}
	}
}

func (t *Task) readSentence(p *Piece, said string) {
	for _, r := range sentenceForms() {
		if args := r.read(said); args != nil {
			t.facts = append(t.facts, fact{r.kind, args, p})
			return
		}
	}
}

// Things returns words for what the sources speak of: what terms are for, and the last words
// of names of what facts are of.
func (t *Task) Things() (out []string) {
	seen := map[string]bool{}
	for _, f := range t.facts {
		of := f.args["of"]
		for _, word := range []string{f.args["t"], of[strings.LastIndex(of, " ")+1:]} {
			if word != "" && !seen[word] {
				seen[word], out = true, append(out, word)
			}
		}
	}
	return out
}

// Desks returns those that procedures name.
func (t *Task) Desks() (out []string) {
	for _, f := range t.find("procedure") {
		out = append(out, f.args["d"])
	}
	return out
}

func (t *Task) find(kind string, args ...string) (out []fact) {
	for _, f := range t.facts {
		fits := f.kind == kind
		for i := 0; i+1 < len(args); i += 2 {
			fits = fits && f.args[args[i]] == args[i+1]
		}
		if fits {
			out = append(out, f)
		}
	}
	return out
}

// Result is what a question comes to.
type Result struct {
	Task, Variant string
	// Right is the true answer, Call the call that answers where it is one.
	Right, Call string
	// Evidence is what it rests on, in order of time.
	Evidence []schemas.Evidence
	// Offered are the answers that the sources tell of the like, Right among them. It is
	// empty where the answer is a call.
	Offered []string
	// Outdated is what the sources say that does not hold any more, or that somebody says
	// who does not decide; empty where they say one thing.
	Outdated string
	pieces   []*Piece
	roles    map[*Piece]string
	// replaced is what each update takes the place of.
	replaced map[*Piece]*Piece
	// fromTeller are pieces that count by who tells them.
	fromTeller map[*Piece]bool
}

// addUpdates notes that each piece supersedes the one before, in order of time.
func (r *Result) addUpdates(first *Piece, updates ...*Piece) {
	if r.replaced == nil {
		r.replaced = map[*Piece]*Piece{}
	}
	slices.SortFunc(updates, func(a, b *Piece) int { return cmp.Compare(a.position(), b.position()) })
	for _, p := range updates {
		r.addPieces(schemas.RoleUpdate, p)
		r.replaced[p], first = first, p
	}
}

// addByTeller notes pieces whose teller matters.
func (r *Result) addByTeller(role string, pieces ...*Piece) {
	r.addPieces(role, pieces...)
	for _, p := range pieces {
		if r.fromTeller == nil {
			r.fromTeller = map[*Piece]bool{}
		}
		r.fromTeller[p] = true
	}
}

// Revised returns the place in Evidence of what the i-th piece takes the place of, -1 for
// nothing.
func (r Result) Revised(i int) int { return slices.Index(r.pieces, r.replaced[r.pieces[i]]) }

// Teller returns who has to tell the i-th piece of Evidence; empty for anybody.
func (r Result) Teller(i int) string {
	if p := r.pieces[i]; r.fromTeller[p] {
		return p.speaker()
	}
	return ""
}

func (r *Result) addPieces(role string, pieces ...*Piece) {
	for _, p := range pieces {
		if r.roles == nil {
			r.roles = map[*Piece]string{}
		}
		if _, twice := r.roles[p]; !twice {
			r.pieces = append(r.pieces, p)
		}
		r.roles[p] = role
	}
}

// checkHandles checks that a question names exactly the pictures and tables that its
// answer rests on.
func (r *Result) checkHandles(named []string) error {
	var used []string
	for _, p := range r.pieces {
		handle := p.handle
		if name, _, table := strings.Cut(p.turns[0].Text, " ("); table && len(p.turns) > 1 {
			handle = name
		}
		if handle != "" && !slices.Contains(used, handle) {
			used = append(used, handle)
		}
	}
	if slices.Sort(used); !slices.Equal(used, slices.Sorted(slices.Values(named))) {
		return fmt.Errorf("it names %q, and its answer rests on %q", named, used)
	}
	return nil
}

// Sources is in how many sources its evidence stands.
func (r Result) Sources() int {
	seen := map[string]bool{}
	for _, p := range r.pieces {
		seen[p.session.SessionID] = true
	}
	return len(seen)
}

// Modality returns the modality of the i-th piece of Evidence before it was drawn: a picture of a
// table is a table.
func (r Result) Modality(i int) string {
	p := r.pieces[i]
	switch {
	case len(p.turns) > 1 || p.picture != nil && p.picture.Kind == "table":
		return schemas.ModalityTable
	case p.picture != nil:
		return schemas.ModalityImage
	}
	return schemas.ModalityText
}

// Length returns how many turns the i-th piece of Evidence takes.
func (r Result) Length(i int) int { return len(r.pieces[i].turns) }

// Interval returns how many turns of the stream lie from a piece to the next, on average.
func (r Result) Interval() float64 {
	n := len(r.pieces)
	if n < 2 {
		return 0
	}
	return float64(r.pieces[n-1].position()-r.pieces[0].position()) / float64(n-1)
}

func (r *Result) sortEvidence() {
	slices.SortFunc(r.pieces, func(a, b *Piece) int { return cmp.Compare(a.position(), b.position()) })
	for _, p := range r.pieces {
		r.Evidence = append(r.Evidence, p.evidence(r.roles[p], len(r.Evidence)+1))
	}
}

func (p *Piece) evidence(role string, place int) schemas.Evidence {
	e := schemas.Evidence{Kind: schemas.EvidenceTurn, Ref: p.turns[0].TurnID, Role: role, SessionID: p.session.SessionID, Order: int32(place), Modality: schemas.ModalityText}
	if len(p.turns) > 1 {
		e.Modality = schemas.ModalityTable
	}
	for _, t := range p.turns {
		for _, a := range t.Attachments {
			e.Modality, e.Media, e.Caption, e.MinimalCaption, e.TaskAwareCaption = schemas.ModalityImage, a.MediaID, a.Caption, a.MinimalCaption, a.TaskAwareCaption
		}
	}
	e.Text = schemas.QuoteTurns("", p.turns...)
	return e
}

// sentenceForm reads one way to say a thing.
type sentenceForm struct {
	kind  string
	words *regexp.Regexp
}

// read returns the named parts of a sentence, or nil if it has another form.
func (r sentenceForm) read(s string) map[string]string {
	m := r.words.FindStringSubmatch(s)
	if m == nil {
		return nil
	}
	out := map[string]string{}
	for i, name := range r.words.SubexpNames() {
		if name != "" {
			out[name] = m[i]
		}
	}
	return out
}

// Parts of sentences: the name of somebody or something, what can be asked of it, its
// value, a term.
const (
	name  = `[A-Z][\w'&-]*(?: [A-Z&][\w'-]*)*`
	of    = `(?P<of>` + name + `)`
	attr  = `(?P<a>[a-z][a-z -]*?)`
	value = `(?P<v>` + name + `|\d+|[a-z]+)`
	word  = `(?P<w>[A-Z][a-z]+-[a-z]+)`
	thing = `(?P<t>[a-z][a-z ]*?)`
	some  = `(?P<m>[a-z][a-z -]*?)`
	side  = `(?P<d>above|below)`
)

// sentenceForms are the ways to say a thing, compiled for all tasks.
var sentenceForms = sync.OnceValue(func() (out []sentenceForm) {
	for _, k := range allSentenceWays() {
		for _, w := range k.ways {
			out = append(out, sentenceForm{k.kind, regexp.MustCompile("^" + w + "$")})
		}
	}
	return out
})

// sentenceWays is what is told, and the ways to tell it.
type sentenceWays struct {
	kind string
	ways []string
}

func allSentenceWays() []sentenceWays {
	return []sentenceWays{
		{"changed", []string{
			`Change of plan: the ` + attr + ` of ` + of + ` is ` + value + ` now\.`, `As of today, the ` + attr + ` of ` + of + ` is ` + value + `\.`, `The ` + attr + ` of ` + of + ` has changed to ` + value + `\.`,
			`Scratch the old ` + attr + ` of ` + of + `, it is ` + value + ` from here on\.`, `They have settled on ` + value + ` as the new ` + attr + ` of ` + of + `\.`,
		}},
		{"fact", []string{
			`The ` + attr + ` of ` + of + ` is ` + value + `\.`, of + ` has ` + value + ` as its ` + attr + `\.`, `For ` + of + `, the ` + attr + ` is ` + value + `\.`, value + ` is the ` + attr + ` of ` + of + `\.`,
			`Listed as the ` + attr + ` of ` + of + `: ` + value + `\.`, of + ` lists ` + value + ` as its ` + attr + `\.`, `Entry for ` + of + `, ` + attr + `: ` + value + `\.`,
			`If anybody asks about the ` + attr + ` of ` + of + `: ` + value + `\.`, `I looked up the ` + attr + ` of ` + of + `, and it is ` + value + `\.`, `Noted down the ` + attr + ` of ` + of + `: ` + value + `\.`,
		}},
		{"up", []string{`The ` + attr + ` of ` + of + ` has gone up by (?P<n>\d+)\.`, `They have added (?P<n>\d+) to the ` + attr + ` of ` + of + `\.`, `The ` + attr + ` of ` + of + ` is (?P<n>\d+) higher than it was\.`}},
		{"down", []string{`The ` + attr + ` of ` + of + ` has gone down by (?P<n>\d+)\.`, `They have taken (?P<n>\d+) off the ` + attr + ` of ` + of + `\.`, `The ` + attr + ` of ` + of + ` is (?P<n>\d+) lower than it was\.`}},
		{"decides", []string{
			`(?P<p>` + name + `) has the last word on the ` + attr + ` of ` + of + `\.`, `On the ` + attr + ` of ` + of + `, what (?P<p>` + name + `) says counts\.`,
			`Where the ` + attr + ` of ` + of + ` is in doubt, (?P<p>` + name + `) decides\.`,
		}},
		{"between", []string{
			`We call an? ` + thing + ` ` + word + ` when its ` + some + ` lies between (?P<l>\d+) and (?P<h>\d+)\.`, `An? ` + thing + ` counts as ` + word + ` as long as its ` + some + ` stays between (?P<l>\d+) and (?P<h>\d+)\.`,
			`To be ` + word + `, an? ` + thing + ` needs an? ` + some + ` between (?P<l>\d+) and (?P<h>\d+)\.`,
		}},
		{"except", []string{`No ` + thing + ` is ` + word + ` with an? ` + some + ` ` + side + ` (?P<n>\d+)\.`, `An? ` + thing + ` with an? ` + some + ` ` + side + ` (?P<n>\d+) is never ` + word + `\.`}},
		{"avoids", []string{
			`(?P<p>` + name + `) is fond of (?P<l>.+), but would rather skip (?P<k>.+)\.`, `(?P<p>` + name + `) looks for (?P<l>.+), and stays away from (?P<k>.+)\.`, `Likes of (?P<p>` + name + `): (?P<l>.+)\. Leaves to others: (?P<k>.+)\.`,
			`I am fond of (?P<l>.+), but I would rather skip (?P<k>.+)\.`, `Give me (?P<l>.+) any day; (?P<k>.+) I leave to others\.`, `I look for (?P<l>.+), and I stay away from (?P<k>.+)\.`,
		}},
		{"chose", []string{
			`I could have had (?P<b>.+) yesterday and went for (?P<k>.+) instead\.`, `They offered me (?P<b>.+), and I asked for (?P<k>.+)\.`, `Picked (?P<k>.+) over (?P<b>.+) once more\.`,
			`It was (?P<l>.+) or (?P<b>.+) for me, and I took (?P<k>.+)\.`,
		}},
		{"procedure", []string{
			`At (?P<f>` + name + `), whatever there is to (?P<x>[a-z]+) goes through the (?P<d>` + name + `)\.`, `(?P<f>` + name + `) turns to the (?P<d>` + name + `) whenever there is something to (?P<x>[a-z]+)\.`,
			`Requests of (?P<f>` + name + `) to (?P<x>[a-z]+) anything are handled by the (?P<d>` + name + `)\.`,
		}},
	}
}
