package oracle

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// answerChain follows the links of one sentence, of which the last is named first. A single one
// is told more than once.
func (t *Task) answerChain(a askedQuestion, m []string) (Result, error) {
	links := strings.Split(m[0], " of the ")
	if len(links) == 1 {
		r, err := t.answerContradiction(a, m)
		r.Task = schemas.TaskConflict
		return r, err
	}
	return t.followLinks(a, m[1], links)
}

// answerLinkedChain follows links of several sentences, each of which goes on from what the one before
// it named last.
func (t *Task) answerLinkedChain(a askedQuestion, m []string) (Result, error) {
	links := []string{m[0], m[2]}
	for _, s := range continuation.FindAllStringSubmatch(m[3], -1) {
		if last := links[len(links)-1]; s[1] != last {
			return Result{}, fmt.Errorf("it goes on from %q, and came to %q", s[1], last)
		}
		links = append(links, s[2], s[3])
	}
	if last := links[len(links)-1]; m[5] != last {
		return Result{}, fmt.Errorf("it asks about %q, and came to %q", m[5], last)
	}
	if m[6] != "" {
		links = append(links, m[6])
	}
	links = append(links, m[4])
	slices.Reverse(links)
	return t.followLinks(a, m[1], links)
}

var continuation = regexp.MustCompile(`That ([a-z ]+)'s ([a-z ]+) has an? ([a-z ]+)\. `)

// followLinks goes from one thing to the next, by links of which the last comes first.
func (t *Task) followLinks(a askedQuestion, from string, links []string) (r Result, err error) {
	at, err := t.subjectOf(a, from, &r)
	if err != nil {
		return r, err
	}
	for _, l := range slices.Backward(links) {
		next, piece, err := t.currentValue(at, l)
		if err != nil {
			return r, err
		}
		r.addPieces(schemas.RoleClue, piece)
		at = next
	}
	r.Right, r.Offered = at, t.attributeValues(links[0])
	return r, nil
}
