package dialogs

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// Codes of what a file holds and no record can.
const (
	codeFile      = "bad-dialogue"
	codeSession   = "bad-session"
	codeTurn      = "bad-turn"
	codePicture   = "picture-missing"
	codeNoPicture = "no-picture"
	codeSameName  = "same-base-name"
	codeDead      = "picture-dead"
	codeEvidence  = "malformed-evidence"
	codeUnknown   = "unknown-evidence"
	codeLater     = "later-evidence"
	codeDate      = "bad-date"
	codeBack      = "date-runs-back"
	codeNoDay     = "date-without-session"
	codePoint     = "bad-observation"
	codeQuestion  = "bad-question"
	codeMirror    = "unpaired-form"
	codeContra    = "contradicted-question"
	codeCopy      = "duplicate-id"
)

// idForm is that of ids which are taken from a file: they become parts of ours.
var idForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// conversation is what one file says, whatever its layout.
type conversation struct {
	name, file string
	summary    string
	sessions   []session
	questions  []question
	lost       []loss
}

// loss is a part that becomes nothing. Its place leads to it within the file.
type loss struct{ place, code, why string }

func (c *conversation) reject(place, code, format string, args ...any) {
	c.lost = append(c.lost, loss{place, code, fmt.Sprintf(format, args...)})
}

// session is a session by its number in the file.
type session struct {
	number int
	// at is when it began, an RFC 3339 time or a day; empty if unknown.
	at     string
	turns  []turn
	points []point
}

// turn is one turn. Those of one round share its ref.
type turn struct {
	ref           string
	role, speaker string
	text          string
	pictures      []picture
}

// picture is one that a turn or a question names by path, or a description of one
// that cannot be had. Its name is what questions call it, if they do.
type picture struct{ path, caption, name string }

// point is what an observer noted of what a speaker said.
type point struct {
	subject, text string
	refs          []string
}

// question is a question with its answer, and the wrong ones if it has options.
type question struct {
	// number is its place in the file, from 1; id is upstream's, if it gives one.
	number           int
	id, text, choice string
	kind             string
	answer           string
	wrong            []string
	refs             []string
	labels           map[string]string
	pictures         []picture
	place            string
}

// takeOpenForm takes from the open form of the same questions what it says otherwise.
func (c *conversation) takeOpenForm(open conversation) {
	c.lost = append(c.lost, open.lost...)
	if len(open.questions) != len(c.questions) {
		c.reject("questions", codeMirror, "%d questions with options and %d without: they are taken as they stand, without their open form", len(c.questions), len(open.questions))
		return
	}
	for i, q := range open.questions {
		mine := &c.questions[i]
		if mine.id != q.id || !slices.Equal(mine.refs, q.refs) {
			c.reject(q.place, codeMirror, "the open form rests on %v, the form with options on %v", q.refs, mine.refs)
			continue
		}
		mine.choice, mine.text = mine.text, q.text
		if mine.choice == mine.text {
			mine.choice = ""
		}
	}
}

// roleOf is the role of a speaker: where there are two and neither is a program,
// both are users.
func roleOf(speaker string) string {
	if speaker == schemas.TurnAssistant {
		return schemas.TurnAssistant
	}
	return schemas.TurnUser
}
