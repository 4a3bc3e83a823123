// Package oracle works out again what holds in a lifelong task: it reads the turns in
// order and what pictures were noted to show, and shares no code with the world that
// they come from.
package oracle

import (
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// Version of what the oracle works out.
const Version = "12"

// Picture is what a picture was noted to show.
type Picture struct {
	Title string
	Rows  [][2]string
}

// statement is a fact told by a turn or by a row of its picture.
type statement struct {
	session, turn int
	kind          string
	thing, aspect string
	value, also   string
	// old is what held before, who somebody else that it is about; picture is the one
	// that shows it, where one does.
	old, who, picture string
	shownBefore       bool
	// captioned says that the caption of its picture tells it; retractedBy is the turn that
	// takes it back, 0 for none.
	captioned   bool
	retractedBy int
}

func (s statement) changesState() bool {
	switch s.kind {
	case "append", "revise", "split", "merge", "delete":
		return true
	}
	return false
}

func (s statement) subject() string { return s.thing + "/" + s.aspect }

// Task is what the sessions of a task say.
type Task struct {
	sessions   []schemas.Session
	statements []statement
	// pictures are all rows of all pictures, those that tell nothing new too.
	pictures []statement
	// toldValues are the values that each aspect was told to have, forms what they look like, once somebody asks.
	toldValues map[string][]string
	forms      map[string][]int
	// partial says that all but some turns were left out, and asked is the aspect that a
	// question asks for then.
	partial bool
	asked   string
}

// New reads the sessions of a task.
func New(sessions []schemas.Session, pictures map[string]Picture) *Task {
	t := &Task{sessions: slices.Clone(sessions)}
	t.read(pictures)
	return t
}

func (t *Task) read(pictures map[string]Picture) {
	slices.SortFunc(t.sessions, func(a, b schemas.Session) int { return int(a.Order) - int(b.Order) })
	seen := map[string]string{}
	for n, s := range t.sessions {
		for i, turn := range s.Turns {
			if turn.Role == schemas.TurnAssistant {
				continue
			}
			for _, one := range append(readSentences(t.resolveMy(turn.Text, n), turnPatterns()), readSentences(turn.Feedback, shownForm())...) {
				one.session, one.turn = n, i
				if one.kind == "retract" {
					t.applyRetraction(one, seen)
					continue
				}
				t.statements = append(t.statements, one)
				one.applyTo(seen)
			}
			for _, a := range turn.Attachments {
				t.readPicture(pictures[a.MediaID], a, seen, n, i)
			}
		}
	}
}

// resolveMy replaces "my" by the name of the person who speaks in the profile.
func (t *Task) resolveMy(text string, session int) string {
	first := t.sessions[0]
	if first.Kind != schemas.KindProfile || len(first.Participants) != 1 {
		return text
	}
	owner := first.Participants[0]
	if session == 0 {
		return mine.ReplaceAllString(text, "${1}The $2 of "+owner+" is ")
	}
	aspects := []string{t.asked}
	for _, s := range t.statements {
		if s.session > 0 {
			break
		}
		aspects = append(aspects, s.aspect)
	}
	for _, a := range aspects {
		if a != "" && strings.Contains(text, a) {
			text = strings.NewReplacer("My "+a, "The "+a+" of "+owner, " my "+a, " the "+a+" of "+owner).Replace(text)
		}
	}
	return text
}

// mine is what a profile says of who speaks.
var mine = regexp.MustCompile(`(^|\. )My ([a-z][A-Za-z -]*?) is `)

// applyTo updates the known values, as a picture would write them.
func (s statement) applyTo(known map[string]string) {
	switch {
	case !s.changesState():
	case s.kind == "delete":
		delete(known, s.subject())
	case s.also != "":
		known[s.subject()] = s.value + " and " + s.also
	default:
		known[s.subject()] = s.value
	}
}

// readPicture adds what a picture shows that was neither said nor shown before.
func (t *Task) readPicture(p Picture, a schemas.Attachment, seen map[string]string, session, turn int) {
	for _, r := range p.Rows {
		s := statement{session: session, turn: turn, kind: "append", thing: "the " + p.Title, aspect: r[0], value: r[1], shownBefore: true, picture: a.MediaID, captioned: strings.Contains(a.Caption, r[0]+": "+r[1])}
		t.pictures = append(t.pictures, s)
		before, again := seen[s.subject()]
		if again && before == s.value {
			continue
		}
		if again {
			s.kind = "revise"
		}
		seen[s.subject()] = s.value
		t.statements = append(t.statements, s)
	}
}

func (t *Task) chain(subject string, upto int) []statement {
	return t.filter(func(s statement) bool { return s.session <= upto && s.changesState() && s.subject() == subject })
}

func (t *Task) filter(keep func(statement) bool) []statement {
	var out []statement
	for _, s := range t.statements {
		if keep(s) {
			out = append(out, s)
		}
	}
	return out
}

// State returns what holds after a session: the values of each subject, two after a split.
func (t *Task) State(upto int) map[string][]string {
	out := map[string][]string{}
	for _, s := range t.statements {
		switch {
		case s.session > upto || !s.changesState():
		case s.kind == "delete":
			delete(out, s.subject())
		case s.also != "":
			out[s.subject()] = []string{s.value, s.also}
		default:
			out[s.subject()] = []string{s.value}
		}
	}
	return out
}

// Superseded counts the values that something took the place of, up to a session.
func (t *Task) Superseded(upto int) map[string]int {
	out, live := map[string]int{}, map[string]int{}
	for _, s := range t.statements {
		if s.session > upto || !s.changesState() {
			continue
		}
		if n := live[s.subject()]; n > 0 {
			out[s.subject()] += n
		}
		live[s.subject()] = 1
		switch {
		case s.kind == "delete":
			live[s.subject()] = 0
		case s.also != "":
			live[s.subject()] = 2
		}
	}
	return out
}

// Mentions returns the lines up to a session that name a thing: what is said, captions, and
// what pictures show.
func Mentions(sessions []schemas.Session, thing string, upto int) []string {
	var out []string
	title := strings.TrimPrefix(thing, "the ")
	add := func(line string) {
		if strings.Contains(line, title) {
			out = append(out, line)
		}
	}
	for _, s := range sessions {
		if int(s.Order) > upto {
			continue
		}
		for _, turn := range s.Turns {
			for _, said := range []string{turn.Text, turn.Observation, turn.Reasoning, turn.Action, turn.Feedback} {
				add(said)
			}
			for _, a := range turn.Attachments {
				add(a.Caption)
				add(a.TaskAwareCaption)
			}
		}
	}
	return out
}
