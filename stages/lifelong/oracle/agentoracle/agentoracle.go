// Package agentoracle works out again what a recorded run of an agent made true. It reads the
// actions of its steps in order, and shares no code with the stage that wrote points and
// questions of them.
package agentoracle

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// Version of what the oracle works out.
const Version = "1"

// Fact is something that an action made true; Aspect has the value Value from then on.
type Fact struct {
	// Session is the place of its session in the task, Turn the id of its step.
	Session              int
	Turn                 string
	Thing, Aspect, Value string
}

// Subject returns what the fact is about, as memory points name it.
func (f Fact) Subject() string { return f.Thing + "/" + f.Aspect }

// Held is the value of what the agent holds in its hand.
const Held = "hand"

// actionForm is an action upon a thing, and at a place where it has one.
var actionForm = regexp.MustCompile(`^([A-Z][A-Za-z]*) (\S+)(?: (\S+))?$`)

// Facts returns what the steps of a task made true up to a session, in order. Sessions may
// come in any order.
func Facts(sessions []schemas.Session, upto int) []Fact {
	all := slices.Clone(sessions)
	slices.SortStableFunc(all, func(a, b schemas.Session) int { return cmp.Compare(a.Order, b.Order) })
	var out []Fact
	calls := thingNames{}
	for n, s := range all[:min(len(all), upto+1)] {
		for _, t := range s.Turns {
			m := actionForm.FindStringSubmatch(t.Action)
			if m == nil {
				continue
			}
			f := Fact{Session: n, Turn: t.TurnID}
			switch m[1] {
			case "PickupObject":
				f.Aspect, f.Value = "place", Held
			case "PutObject":
				f.Aspect = "place"
			case "SliceObject":
				f.Aspect, f.Value = "form", "sliced"
			case "ToggleObjectOn", "ToggleObjectOff":
				f.Aspect, f.Value = "switch", strings.ToLower(strings.TrimPrefix(m[1], "ToggleObject"))
			case "OpenObject", "CloseObject":
				f.Aspect, f.Value = "door", map[bool]string{true: "open", false: "closed"}[m[1] == "OpenObject"]
			default:
				continue
			}
			if kindOf(m[2]) == "" || f.Value == "" && kindOf(m[3]) == "" {
				continue // nothing that has a name, or put nowhere
			}
			f.Thing = calls.name(m[2])
			if f.Value == "" {
				f.Value = calls.name(m[3])
			}
			out = append(out, f)
		}
	}
	return out
}

// thingNames lists the things of each kind in the order in which actions named them.
type thingNames map[string][]string

var (
	sliceOf  = regexp.MustCompile(`\|([A-Za-z]+)Sliced(?:_[^|]*)?$`)
	capitals = regexp.MustCompile(`[A-Z][^A-Z]*`)
)

// kindOf returns the kind of an id in words, "" if the id has none.
func kindOf(id string) string {
	word, _, _ := strings.Cut(id, "|")
	prefix := ""
	if m := sliceOf.FindStringSubmatch(id); m != nil {
		word, prefix = m[1], "slice of "
	}
	if i := strings.IndexByte(word, '_'); i >= 0 && !strings.Contains(id, "|") {
		word = word[:i]
	}
	return prefix + strings.ToLower(strings.Join(append(firstWords(word), capitals.FindAllString(word, -1)...), " "))
}

// name returns a thing's kind, with a number from the second of its kind on.
func (r thingNames) name(id string) string {
	kind := kindOf(id)
	at := slices.Index(r[kind], id)
	if at < 0 {
		at = len(r[kind])
		r[kind] = append(r[kind], id)
	}
	switch at {
	case 0:
		return kind
	case 1:
		return "second " + kind
	case 2:
		return "third " + kind
	}
	return fmt.Sprintf("%s number %d", kind, at+1)
}

// firstWords returns the part of a word before its first capital letter.
func firstWords(word string) []string {
	i := strings.IndexFunc(word, func(c rune) bool { return c >= 'A' && c <= 'Z' })
	switch {
	case i < 0:
		return []string{word}
	case i > 0:
		return []string{word[:i]}
	}
	return nil
}

var whereQuestion = regexp.MustCompile(`^Where was the (.+) when the run was over\?$`)

// Moves returns the facts that the answer to a question rests on, in order: all that was
// done to the place of the thing that it asks about. The last of them answers it.
func Moves(question string, sessions []schemas.Session, upto int) ([]Fact, error) {
	m := whereQuestion.FindStringSubmatch(question)
	if m == nil {
		return nil, fmt.Errorf("%q is asked in no way that is known", question)
	}
	moves := slices.DeleteFunc(Facts(sessions, upto), func(f Fact) bool { return f.Subject() != m[1]+"/place" })
	if len(moves) == 0 || moves[len(moves)-1].Value == Held {
		return nil, fmt.Errorf("%q: no action up to session %d puts it down last", question, upto)
	}
	return moves, nil
}

// BrowserAction is what a step of a run in a browser did: a verb and the words it is about.
type BrowserAction struct {
	Fact
	Step int
}

// BrowserActions returns what the steps of a run in a browser did, in order. Sessions come in order.
func BrowserActions(sessions []schemas.Session) (out []BrowserAction) {
	step := 0
	for n, s := range sessions {
		for _, t := range s.Turns {
			if t.Role != schemas.TurnAgent {
				continue
			}
			step++
			verb, rest, _ := strings.Cut(t.Action, " ")
			a := BrowserAction{Fact{Session: n, Turn: t.TurnID, Thing: "run"}, step}
			switch mark, said, parted := strings.Cut(rest, ";"); {
			case verb == "Type" && parted && digits(mark):
				a.Aspect, a.Value = "typed", strings.TrimSpace(said)
			case verb == "ANSWER;":
				a.Aspect, a.Value = "answered", strings.TrimSpace(rest)
			case verb == "Click":
				mark, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(mark), "["), "]")
				a.Aspect, a.Value = "chose", labelOf(t.Observation, mark)
			}
			if a.Value != "" && !strings.Contains(a.Value, "\n") {
				out = append(out, a)
			}
		}
	}
	return out
}

func digits(mark string) bool {
	_, err := strconv.Atoi(strings.Trim(strings.TrimSpace(mark), "[]"))
	return err == nil
}

// labelOf returns the first quoted name in the entry of a mark; names have 2 to 80
// letters.
func labelOf(screen, mark string) string {
	_, entry, found := strings.Cut(screen, "["+mark+"]: ")
	if !found || mark == "" {
		return ""
	}
	if tag, rest, tagged := strings.Cut(entry, "> "); tagged && strings.HasPrefix(tag, "<") {
		entry = rest
	}
	name, quoted := strings.CutPrefix(entry, `"`)
	name, _, ends := strings.Cut(name, `"`)
	if !quoted || !ends || len([]rune(name)) < 2 || len([]rune(name)) > 80 {
		return ""
	}
	return name
}

// AnswerBrowser answers a question about a run in a browser: what it comes to, and the acts that
// it rests on, of which the last holds.
func AnswerBrowser(question string, sessions []schemas.Session) (string, []BrowserAction, error) {
	acts := BrowserActions(sessions)
	var rests []BrowserAction
	if question == "Which text did the agent type last?" {
		for _, a := range acts {
			if a.Aspect == "typed" {
				rests = append(rests, a)
			}
		}
		if len(rests) == 0 {
			return "", nil, fmt.Errorf("%q: nothing was typed", question)
		}
		return rests[len(rests)-1].Value, rests, nil
	}
	for _, a := range acts {
		verb := map[string]string{"typed": "type", "chose": "choose"}[a.Aspect]
		if verb != "" && question == "At which step did the agent "+verb+" "+strconv.Quote(a.Value)+"?" {
			rests = append(rests, a)
		}
	}
	if len(rests) != 1 {
		return "", nil, fmt.Errorf("%q: %d steps did it", question, len(rests))
	}
	return "step " + strconv.Itoa(rests[0].Step), rests, nil
}

// BrowserQuestion returns a question about a run in a browser with all that follows from the acts
// that it rests on, but without options: its type, evidence, pictures and labels. It
// shares no code with the stage that asked.
func BrowserQuestion(q schemas.Question, right string, acts []BrowserAction, sessions []schemas.Session) schemas.Question {
	source, _, _ := strings.Cut(q.TaskID, "/")
	item := schemas.Question{
		QuestionID: q.QuestionID, Family: source, TaskID: q.TaskID, CheckpointID: q.CheckpointID, Split: q.Split, Type: "lifelong_run_text",
		Question: q.Question, QuestionMCQ: q.Question, AnswerText: right, Media: []string{}, Options: []schemas.Option{},
	}
	axis := "FR"
	if strings.HasPrefix(q.Question, "At which step ") {
		item.Type, axis = "lifelong_run_step", "TR"
	} else if len(acts) > 1 {
		axis = "DU"
	}
	item.Labels = map[string]string{"axis": axis, schemas.LabelFact: q.TaskID + "/" + q.Question}
	shown := map[string]bool{}
	for n, a := range acts {
		role := schemas.RoleSuperseded
		switch {
		case len(acts) == 1:
			role = schemas.RoleClue
		case n == len(acts)-1:
			role = schemas.RoleUpdate
		}
		e := a.evidence(sessions[a.Session])
		e.Order, e.Role = int32(n+1), role
		item.Evidence = append(item.Evidence, e)
		if e.Media != "" && !shown[e.Media] {
			shown[e.Media] = true
			item.Media = append(item.Media, e.Media)
		}
	}
	return item
}

// evidence returns the step with the last of its pictures.
func (a BrowserAction) evidence(s schemas.Session) (e schemas.Evidence) {
	e.Kind, e.Ref, e.SessionID, e.Modality = schemas.EvidenceTurn, a.Turn, s.SessionID, schemas.ModalityText
	for i := range s.Turns {
		t := s.Turns[i]
		if t.TurnID != a.Turn {
			continue
		}
		e.Text = schemas.QuoteTurns(s.Date, t)
		if n := len(t.Attachments); n > 0 {
			p := t.Attachments[n-1]
			e.Modality, e.Media = schemas.ModalityImage, p.MediaID
			e.Caption, e.MinimalCaption, e.TaskAwareCaption = p.Caption, p.MinimalCaption, p.TaskAwareCaption
		}
	}
	return e
}
