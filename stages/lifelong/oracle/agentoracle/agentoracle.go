// Package replay works out again what a recorded run of an agent made true. It reads the
// actions of its steps in order, and shares no code with the stage that wrote points and
// questions of them.
package agentoracle

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// Version of what the replay gives.
const Version = "1"

// Fact is something that an action made true; Aspect has the value Value from then on.
type Fact struct {
	// Session is the place of its session in the task, Turn the id of its step.
	Session              int
	Turn                 string
	Thing, Aspect, Value string
}

// Subject is what the fact is about, as memory points name it.
func (f Fact) Subject() string { return f.Thing + "/" + f.Aspect }

// Held is the value of what the agent holds in its hand.
const Held = "hand"

// actionForm is an action upon a thing, and at a place where it has one.
var actionForm = regexp.MustCompile(`^([A-Z][A-Za-z]*) (\S+)(?: (\S+))?$`)

// Facts are what the steps of a task made true up to a session, in order. Sessions may
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

// kindOf is what sort of thing an id is of, in words; none if the id does not say.
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

// name is a thing in words: its kind, and its number from the second of a kind on.
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

// firstWords is what stands before the first capital letter of a word.
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

// Moves are the facts that the answer to a question rests on, in order: all that was
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
