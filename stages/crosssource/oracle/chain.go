package oracle

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// chain follows the links of one sentence, of which the last is named first. A single one
// is told more than once.
func (t *Task) chain(a asked, m []string) (Result, error) {
	links := strings.Split(m[0], " of the ")
	if len(links) == 1 {
		r, err := t.contradicted(a, m)
		r.Task = schemas.TaskConflict
		return r, err
	}
	return t.follow(a, m[1], links)
}

// retold follows links of several sentences, each of which goes on from what the one before
// it named last.
func (t *Task) retold(a asked, m []string) (Result, error) {
	links := []string{m[0], m[2]}
	for _, s := range goesOn.FindAllStringSubmatch(m[3], -1) {
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
	return t.follow(a, m[1], links)
}

var goesOn = regexp.MustCompile(`That ([a-z ]+)'s ([a-z ]+) has an? ([a-z ]+)\. `)

// follow goes from one thing to the next, by links of which the last comes first.
func (t *Task) follow(a asked, from string, links []string) (r Result, err error) {
	at, err := t.entity(a, from, &r)
	if err != nil {
		return r, err
	}
	for _, l := range slices.Backward(links) {
		next, piece, err := t.holds(at, l)
		if err != nil {
			return r, err
		}
		r.uses(schemas.RoleClue, piece)
		at = next
	}
	r.Right, r.Offered = at, t.values(links[0])
	return r, nil
}
