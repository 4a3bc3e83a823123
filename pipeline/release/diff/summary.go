package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/release/manifest"
)

// Summary is what a comparison amounts to.
type Summary struct {
	Before Edition `json:"before"`
	After  Edition `json:"after"`
	// Asks is the part of the version number that the changes ask to be raised.
	Asks   Grade          `json:"asks"`
	Tables []TableSummary `json:"tables"`
	// Changes counts changes by table and class, those that ask for most first.
	Changes []Count `json:"changes"`
}

// Edition names one of the releases.
type Edition struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	ID      string `json:"id,omitempty"`
}

func edition(m manifest.Manifest) Edition { return Edition{m.Name, m.Version, m.ID} }

// TableSummary counts the rows of a table.
type TableSummary struct {
	Table   string `json:"table"`
	Before  int64  `json:"before"`
	After   int64  `json:"after"`
	Added   int64  `json:"added"`
	Gone    int64  `json:"gone"`
	Changed int64  `json:"changed"`
	Same    int64  `json:"same"`
}

// Count counts the changes of one class in one table. A row that changed in several ways
// is in several counts.
type Count struct {
	Table string `json:"table"`
	Kind  Kind   `json:"kind"`
	Class Class  `json:"class"`
	Asks  Grade  `json:"asks"`
	Rows  int64  `json:"rows"`
	// First are the ids of the first.
	First []string `json:"first"`
}

// Name says what changed: "gold changed", "added".
func (c Count) Name() string { return Name(c.Kind, c.Class) }

// mostFirst is how many ids a count keeps.
const mostFirst = 3

func (s *Summary) last() *TableSummary { return &s.Tables[len(s.Tables)-1] }

func (s *Summary) count(ch Change) {
	s.Asks = max(s.Asks, ch.Asks)
	for _, class := range ch.Classes {
		i := slices.IndexFunc(s.Changes, func(c Count) bool { return c.Table == ch.Table && c.Kind == ch.Kind && c.Class == class })
		if i < 0 {
			i = s.place(class, ch.Kind)
			s.Changes = slices.Insert(s.Changes, i, Count{Table: ch.Table, Kind: ch.Kind, Class: class, Asks: class.asks(ch.Kind), First: []string{}})
		}
		c := &s.Changes[i]
		if c.Rows++; len(c.First) < mostFirst && ch.ID != "" {
			c.First = append(c.First, ch.ID)
		}
	}
}

// place returns where a new count stands: by what it asks for, then in the order in which
// changes come.
func (s *Summary) place(class Class, kind Kind) int {
	i := slices.IndexFunc(s.Changes, func(c Count) bool { return c.Asks < class.asks(kind) })
	if i < 0 {
		return len(s.Changes)
	}
	return i
}

// Differs reports whether there is any change.
func (s Summary) Differs() bool { return len(s.Changes) > 0 }

// Table returns the counts of a table.
func (s Summary) Table(name string) (t TableSummary, ok bool) {
	i := slices.IndexFunc(s.Tables, func(t TableSummary) bool { return t.Table == name })
	if i < 0 {
		return t, false
	}
	return s.Tables[i], true
}

// Rule says what the version rule makes of two releases.
type Rule struct {
	// Least is the lowest version that the changes allow the later release.
	Least string `json:"least"`
	// Stated is the version that it has, Kept whether that is enough.
	Stated string `json:"stated"`
	Kept   bool   `json:"kept"`
}

// Rule holds the version of the later release against the changes. It applies where both
// are versions of one data set and the second has the higher number.
func (s Summary) Rule() (Rule, bool) {
	before, err := manifest.ParseVersion(s.Before.Version)
	after, err2 := manifest.ParseVersion(s.After.Version)
	if err != nil || err2 != nil || s.Before.Name != s.After.Name || before.Compare(after) >= 0 {
		return Rule{}, false
	}
	least := before.Next(s.Asks)
	return Rule{Least: least.String(), Stated: after.String(), Kept: after.Compare(least) >= 0}, true
}

// VersionError says that a version number is too small for what changed.
type VersionError struct{ Summary Summary }

func (e *VersionError) Error() string {
	rule, _ := e.Summary.Rule()
	before, err := manifest.ParseVersion(e.Summary.Before.Version)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "version %s is too small: the changes since %s ask for %s:", rule.Stated, e.Summary.Before.Version, rule.Least)
	for _, c := range e.Summary.Changes {
		if c.Asks > manifest.PatchChange {
			fmt.Fprintf(&b, "\n  %s asks for %s: %s", c.Asks, before.Next(c.Asks), c)
		}
	}
	fmt.Fprintf(&b, "\nset release.version to %s or to auto; release.version_rule: warn builds %s all the same", rule.Least, rule.Stated)
	return b.String()
}

// String returns a count as "questions: 2 gold changed (q-1, q-2)".
func (c Count) String() string {
	text := fmt.Sprintf("%s: %d %s", c.Table, c.Rows, c.Name())
	if len(c.First) == 0 {
		return text
	}
	more := ""
	if int64(len(c.First)) < c.Rows {
		more = ", ..."
	}
	return fmt.Sprintf("%s (%s%s)", text, strings.Join(c.First, ", "), more)
}
