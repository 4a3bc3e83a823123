// Package written holds lives whose content a model writes from a plan. The plan says what
// is so from when until when, what is shown and what is said, and what only looks like a
// fact. A session tells its part of the plan in free words. A second reader, blind to the
// plan, lists what the session says; the comparison of both gives the evidence. Memory
// points, questions and gold follow from the plan alone, so an audit works them out again;
// that the turns say so is what readers judged, and their readings are kept.
package written

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// Names of the schemas of a brief, of a plan without words, and of a finished life.
const (
	NameBrief = "lifelong.brief"
	NamePlan  = "lifelong.plan"
	NameLife  = "lifelong.written"
)

// Kinds of values. A rule compares all but states, whose words a judge compares.
const (
	Date   = "date"   // 2026-03-02
	Hour   = "hour"   // 07:35
	Money  = "money"  // 18,640 euros
	Number = "number" // 14, or with a unit: 14 m2
	Person = "person"
	Place  = "place"
	Name   = "name"
	Rule   = "rule"
	State  = "state"
)

// Told facts are said in words; Shown facts stand in a picture and in no words.
const (
	Told  = "told"
	Shown = "shown"
)

// Operations of facts. Append tells what was not known; the others change what held.
const (
	Append = "append"
	Revise = "revise"
	Split  = "split"
	Merge  = "merge"
	Delete = "delete"
)

// Plan is what happens in a life, before a word of it is written.
type Plan struct {
	ID          string         `json:"id"`
	Domain      string         `json:"domain"`
	Persona     Persona        `json:"persona"`
	Assistant   string         `json:"assistant"` // its manner
	Cast        []CastMember   `json:"cast"`
	Goals       []string       `json:"goals"`
	Constraints []string       `json:"constraints"`
	Preferences []string       `json:"preferences"`
	Arcs        []Arc          `json:"arcs"`
	Sessions    []PlanSession  `json:"sessions"`
	Facts       []Fact         `json:"facts"`
	Interfering []Interference `json:"interference"`
	Pictures    []Picture      `json:"pictures"`
	Outside     []Outside      `json:"outside"`
	Absent      []Absent       `json:"absent"`
}

// Persona is the user. Voice tells habits of speech.
type Persona struct {
	Name  string `json:"name"`
	Age   int    `json:"age"`
	Work  string `json:"work"`
	Place string `json:"place"`
	Voice string `json:"voice"`
}

// CastMember is a person of the user's life.
type CastMember struct {
	Name     string `json:"name"`
	Relation string `json:"relation"`
}

// Arc is a storyline with its turning points.
type Arc struct {
	ID     string   `json:"id"`
	Thing  string   `json:"thing"`
	Main   bool     `json:"main"`
	Points []string `json:"turning_points"`
	End    string   `json:"end"`
}

// PlanSession is a day on which the user talks to the assistant. Sessions count from 0.
type PlanSession struct {
	Date  string `json:"date"` // 2026-02-11
	Hour  string `json:"hour"` // 07:35
	Arc   string `json:"arc"`
	Event string `json:"event"`
	Mood  string `json:"mood"`
}

// Fact is one value of one aspect of a thing, from a session on.
type Fact struct {
	ID      string `json:"id"`
	Session int    `json:"session"`
	Thing   string `json:"thing"`
	Aspect  string `json:"aspect"`
	Value   string `json:"value"` // empty where the operation is delete
	Kind    string `json:"kind"`
	// When is the date on which it happens or happened, where the fact is an event.
	When string `json:"when,omitempty"`
	Mode string `json:"mode"`
	// Picture is the id of the picture that shows it, Row the name of its row.
	Picture    string   `json:"picture,omitempty"`
	Row        string   `json:"row,omitempty"`
	Op         string   `json:"op"`
	Supersedes []string `json:"supersedes,omitempty"`
	Cause      string   `json:"cause,omitempty"`
	Importance int      `json:"importance"` // 1 to 3
	// Near are three plausible wrong values in the form of the value.
	Near []string `json:"near,omitempty"`
	// Rule is set for facts of kind rule.
	Rule *RuleFact `json:"rule,omitempty"`
}

// RuleFact is how the user wants something done: up to the limit one way, above it
// another, and in the exception a third way whatever the amount.
type RuleFact struct {
	Quantity  string `json:"quantity"` // "the price of a repair"
	Unit      string `json:"unit"`     // "euros"
	Limit     int    `json:"limit"`
	Within    string `json:"within"` // what is done up to the limit
	Above     string `json:"above"`
	Exception string `json:"exception"` // when neither counts
	Then      string `json:"then"`      // what is done then
}

// Kinds of interference: what only looks like a fact.
const (
	Hearsay     = "hearsay"
	Joke        = "joke"
	OtherAffair = "other_affair"
	FellThrough = "fell_through"
	Slip        = "slip"
	OldDocument = "old_document"
	Error       = "assistant_error"
)

// Interference is what a careless memory would take for a value of the key of a fact.
type Interference struct {
	ID       string `json:"id"`
	Session  int    `json:"session"`
	Kind     string `json:"kind"`
	Value    string `json:"value"`
	UndoneBy string `json:"undone_by"`
	Against  string `json:"against"` // id of a fact: same thing, aspect and kind
}

// Kinds of pictures.
const (
	Card  = "card"
	Table = "sheet"
	Chart = "chart"
)

// Picture is drawn, and sent in a session. Occasion is all that words may say of it.
type Picture struct {
	ID       string      `json:"id"`
	Session  int         `json:"session"`
	Kind     string      `json:"kind"`
	Occasion string      `json:"occasion"`
	Title    string      `json:"title"`
	Unit     string      `json:"unit,omitempty"` // of the bars of a chart
	Rows     [][2]string `json:"rows"`
}

// Outside is a fact of the world that no session tells. It joins the value of a fact to
// another value.
type Outside struct {
	ID       string   `json:"id"`
	Fact     string   `json:"fact"`
	Relation string   `json:"relation"` // "the country in which it lies"
	Value    string   `json:"value"`
	Near     []string `json:"near"`
}

// Absent is a key of which no session says anything.
type Absent struct {
	Thing  string   `json:"thing"`
	Aspect string   `json:"aspect"`
	Near   []string `json:"near"` // three plausible values
}

// Life is a plan that was written, read again and asked about.
type Life struct {
	Plan      Plan       `json:"plan"`
	Origin    Origin     `json:"origin"`
	Sessions  []Session  `json:"sessions"`
	Questions []Question `json:"questions"`
}

// Origin says who wrote and who read: models by name or "undisclosed", the digests of the
// prompts and the month.
type Origin struct {
	Kind    string            `json:"kind"` // OriginWritten
	Author  string            `json:"author"`
	Readers []string          `json:"readers"`
	Prompts map[string]string `json:"prompts"`
	Month   string            `json:"month"` // 2026-11
}

// OriginWritten marks content that a model wrote.
const OriginWritten = "written"

// Session is what is said on a day, and what readers found in it.
type Session struct {
	Turns    []Turn    `json:"turns"`
	Readings []Reading `json:"readings"`
	// Mended counts how often turns were written again.
	Mended int `json:"mended"`
}

// Turn is what the user or the assistant says. Turns count from 1.
type Turn struct {
	By       string   `json:"by"` // schemas.TurnUser or schemas.TurnAssistant
	Text     string   `json:"text"`
	Pictures []string `json:"pictures,omitempty"`
}

// Reading is what one reader found, for the keys that were asked and beside them, and what
// the judge said of it.
type Reading struct {
	Reader string   `json:"reader"`
	Form   []Key    `json:"form"`
	Found  []Found  `json:"found"`
	Beside []Beside `json:"beside"`
}

// Found is what a reader filled in for a key of the form, by its number from 1.
type Found struct {
	Number int    `json:"number"`
	Status string `json:"status"`
	Value  string `json:"value"`
	Turns  []int  `json:"turns"`
	// Same are the ids of facts and interferences whose value the judge took it to say, in
	// other words.
	Same []string `json:"same,omitempty"`
}

// Statuses of what is found.
const (
	Holds   = "holds"
	Before  = "held_before"
	NotReal = "not_real" // joked, rumoured, somebody else's, taken back, fell through
	Ended   = "ended"
)

// Beside is a lasting statement that no key asks for. Answer is the judge's: known,
// incidental, contradicts or reveals.
type Beside struct {
	Says   string `json:"says"`
	Turns  []int  `json:"turns"`
	Answer string `json:"answer"`
	Why    string `json:"why,omitempty"`
}

// Question is a question in a model's words. Type, key and gold follow from the plan.
type Question struct {
	Type string `json:"type"`
	End  int    `json:"end"` // last session that its checkpoint covers
	// Facts are ids of facts, or of an outside record or an interference, as the type takes
	// them; Absent is the place of the key in Plan.Absent, from 1.
	Facts  []string `json:"facts,omitempty"`
	Absent int      `json:"absent,omitempty"`
	// Amount and Excepted are the new case to which a rule is applied.
	Amount   int    `json:"amount,omitempty"`
	Excepted bool   `json:"excepted,omitempty"`
	Text     string `json:"text"`
	// Asked is the key that a reader, who saw keys and no values, took the text to ask for.
	Asked Key `json:"asked"`
}

// TurnID returns the id of a turn of a session, from 1.
func TurnID(task string, session, turn int) string {
	return schemas.TurnIDOf(schemas.SessionIDOf(task, session), turn)
}

// Key is a thing and one of its aspects.
type Key struct {
	Thing  string `json:"thing"`
	Aspect string `json:"aspect"`
}

func (k Key) String() string { return fmt.Sprintf("%s of %s", k.Aspect, k.Thing) }

// Key returns what the fact is of.
func (f Fact) Key() Key { return Key{f.Thing, f.Aspect} }

// Limits of a life, against strangers' files.
const (
	mostQuestions = 2000
	mostKeys      = 150 // of a form
	mostReaders   = 5
)

// License of what is written.
const License = "CC0-1.0"

var lifeName = regexp.MustCompile(`^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$`)

// Domains are the six verticals of WorldMemArena and the life course.
func Domains() []string { return simulate.Domains() }

// TurnOfPicture returns the number of the turn that sends a picture, 0 if none does.
func (s Session) TurnOfPicture(id string) int {
	return 1 + slices.IndexFunc(s.Turns, func(t Turn) bool { return slices.Contains(t.Pictures, id) })
}

// Check returns what is wrong with a life: with its plan, with what readers found, or with
// what a question asks for.
func (l Life) Check() []string {
	p := l.Plan
	why := p.Check()
	if len(why) > 0 {
		return why
	}
	if len(l.Questions) > mostQuestions {
		return []string{fmt.Sprintf("it has %d questions; %d fit", len(l.Questions), mostQuestions)}
	}
	if len(l.Sessions) != len(p.Sessions) {
		return append(why, fmt.Sprintf("%d sessions are written, and the plan has %d", len(l.Sessions), len(p.Sessions)))
	}
	if l.Origin.Kind != OriginWritten || l.Origin.Author == "" || len(l.Origin.Readers) == 0 {
		why = append(why, "it does not say who wrote it, and who read it")
	}
	for n, s := range l.Sessions {
		why = append(why, l.checkSession(n, s)...)
	}
	disputed := l.disputed()
	for i, q := range l.Questions {
		g, err := p.Gold(q)
		switch {
		case err != nil:
			why = append(why, fmt.Sprintf("question %d: %v", i+1, err))
		case !slices.Contains(g.Keys, q.Asked):
			why = append(why, fmt.Sprintf("question %d: a reader took it to ask for the %s, and it is of the %s", i+1, q.Asked, g.Key))
		case l.isDisputed(disputed, g):
			why = append(why, fmt.Sprintf("question %d rests on what readers do not agree about", i+1))
		case checkWording(q, g) != "":
			why = append(why, fmt.Sprintf("question %d: %s", i+1, checkWording(q, g)))
		}
	}
	return why
}

func (l Life) checkSession(n int, s Session) (why []string) {
	tooLarge := func(r Reading) bool {
		return len(r.Form) > mostKeys || len(r.Found) > 2*mostKeys || len(r.Beside) > 2*mostKeys
	}
	if len(s.Turns) == 0 || len(s.Turns) > 200 || len(s.Readings) == 0 || len(s.Readings) > mostReaders || slices.ContainsFunc(s.Readings, tooLarge) {
		return []string{fmt.Sprintf("session %d has %d turns and %d readings", n, len(s.Turns), len(s.Readings))}
	}
	sends := func(id string) bool {
		return slices.ContainsFunc(l.Plan.Pictures, func(x Picture) bool { return x.ID == id && x.Session == n })
	}
	for _, t := range s.Turns {
		if t.By != schemas.TurnUser && t.By != schemas.TurnAssistant || !slices.Equal(slices.Compact(slices.Sorted(slices.Values(t.Pictures))), slices.Sorted(slices.Values(t.Pictures))) {
			why = append(why, fmt.Sprintf("session %d: a turn is by %q, or sends a picture twice", n, t.By))
		}
		for _, id := range t.Pictures {
			if !sends(id) {
				why = append(why, fmt.Sprintf("session %d: a turn sends picture %q, which is not planned for it", n, id))
			}
		}
	}
	for _, x := range l.Plan.Pictures {
		if x.Session == n && s.TurnOfPicture(x.ID) == 0 {
			why = append(why, fmt.Sprintf("session %d sends no picture %s", n, x.ID))
		}
	}
	for _, r := range s.Readings {
		for _, f := range r.Found {
			if len(f.Turns) == 0 || !slices.Contains([]string{Holds, Before, NotReal, Ended}, f.Status) {
				return append(why, fmt.Sprintf("session %d: a reading names no turn, or has the status %q", n, f.Status))
			}
			if f.Number < 1 || f.Number > len(r.Form) || slices.ContainsFunc(f.Turns, func(t int) bool { return t < 1 || t > len(s.Turns) }) {
				return append(why, fmt.Sprintf("session %d: a reading names a key or a turn that is not there", n))
			}
		}
		for _, f := range l.Plan.Compare(n, r) {
			if f.Spoils() {
				why = append(why, fmt.Sprintf("session %d: %s", n, f.Reason))
			}
		}
	}
	return why
}
