package benchformat

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// Selector says which questions of a release a format takes: those of its families, and
// those of families that no format is for if it can express them. One without families is
// for all.
type Selector struct {
	// Families are the families that the format is for. A question of these that it
	// cannot express is an error of the format.
	Families []string
	// Fits returns why the format cannot express a question of a family that no format
	// is for, and nothing if it can. A nil Fits takes all of them.
	Fits func(schemas.Question) string
}

// Choice is what the user and the registered formats add to a Selector.
type Choice struct {
	// Families are those that the user names; none: all.
	Families []string
	// Claims are the names of the formats that families have, by family.
	Claims map[string]string
}

// Selection counts what a format takes of a release and what it leaves out.
type Selection struct {
	Taken, Of int
	LeftOut   []LeftOut
}

// LeftOut is how many questions of a family are left out for one reason.
type LeftOut struct {
	Family, Why string
	Count       int
}

// SelectionError says that a format takes no question of a release.
type SelectionError struct{ Reason string }

func (e *SelectionError) Error() string { return e.Reason }

// Select returns the release with the questions that the format takes.
func (s Selector) Select(format string, c release.Contents, choice Choice) (release.Contents, Selection, error) {
	out := Selection{Of: len(c.Questions)}
	if err := choice.checkFamilies(c.Questions); err != nil {
		return c, out, err
	}
	counts := map[LeftOut]int{}
	var taken []schemas.Question
	for _, q := range c.Questions {
		if why := s.refuse(q, choice); why != "" {
			counts[LeftOut{Family: q.Family, Why: why}]++
			continue
		}
		taken = append(taken, q)
	}
	for l, n := range counts {
		out.LeftOut = append(out.LeftOut, LeftOut{l.Family, l.Why, n})
	}
	slices.SortFunc(out.LeftOut, func(a, b LeftOut) int {
		return cmp.Or(strings.Compare(a.Family, b.Family), strings.Compare(a.Why, b.Why))
	})
	c.Questions, out.Taken = taken, len(taken)
	if out.Taken == 0 {
		return c, out, &SelectionError{fmt.Sprintf("%s takes no question of release %s: %s", format, c.Manifest.ID, cmp.Or(out.reasons(), "it has none"))}
	}
	return c, out, nil
}

// refuse returns why a question is left out.
func (s Selector) refuse(q schemas.Question, choice Choice) string {
	other := choice.Claims[q.Family]
	switch {
	case len(choice.Families) > 0 && !slices.Contains(choice.Families, q.Family):
		return "--family names " + strings.Join(choice.Families, " and ")
	case slices.Contains(s.Families, q.Family):
		return ""
	case len(s.Families) > 0 && other != "":
		return "its format is " + other
	case s.Fits != nil:
		return s.Fits(q)
	}
	return ""
}

func (s Selection) reasons() string {
	var parts []string
	for _, l := range s.LeftOut {
		parts = append(parts, fmt.Sprintf("%d of family %s (%s)", l.Count, l.Family, l.Why))
	}
	return strings.Join(parts, ", ")
}

// Note says what is left out, and nothing if the format takes all.
func (s Selection) Note(format string) string {
	if len(s.LeftOut) == 0 {
		return ""
	}
	return fmt.Sprintf("%s takes %d of %d questions; left out: %s", format, s.Taken, s.Of, s.reasons())
}

// checkFamilies returns an error if a release has no question of a family that the user
// names.
func (c Choice) checkFamilies(questions []schemas.Question) error {
	has := map[string]bool{}
	for _, q := range questions {
		has[q.Family] = true
	}
	for _, f := range c.Families {
		if !has[f] {
			return &SelectionError{fmt.Sprintf("--family: the release has no question of family %q; its families are %s", f, strings.Join(slices.Sorted(maps.Keys(has)), ", "))}
		}
	}
	return nil
}
