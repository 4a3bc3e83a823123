package describe

import (
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// counted is a release of questions of types a, b and c, and what a gate said.
func counted(use string) Release {
	q := func(id, typ, fact string) schemas.Question {
		return schemas.Question{QuestionID: id, Type: typ, Labels: map[string]string{schemas.LabelFact: fact}}
	}
	v := func(item, gate, outcome, reason string) schemas.Verdict {
		return schemas.Verdict{Item: item, Gate: gate, Outcome: outcome, Reason: reason}
	}
	passes := "longest 31 %" + schemas.ClusterReason + "odd one: 100.0 % in every cluster of 2 facts (a), chance 25.0 %"
	return Release{
		Manifest: manifest.Manifest{Gates: []manifest.GateInfo{{Name: "guesses", Use: use}, {Name: "roles", Use: "option-roles"}}},
		Tasks:    none[schemas.Task](), Media: none[schemas.Media](), Probes: none[schemas.Probe](),
		Questions: slices.Values([]schemas.Question{q("1", "a", "f"), q("2", "a", "f"), q("3", "a", "g"), q("4", "b", "g"), q("5", "c", "h"), q("6", "d|", "i")}),
		Verdicts: slices.Values([]schemas.Verdict{
			v("1", "guesses", schemas.Pass, passes), v("2", "guesses", schemas.Pass, passes),
			v("3", "guesses", schemas.Fail, "guessable"), v("4", "guesses", schemas.Fail, "guessable <b>"),
			v("5", "guesses", schemas.Insufficient, "too-few: 1 fact"), v("6", "roles", schemas.Pass, "roles are right"),
			v("gone", "guesses", schemas.Pass, "of no question here"),
		}),
	}
}

func TestFactsAreCountedByType(t *testing.T) {
	got := counted(shortcutsGate).countFacts()
	want := factsTable{Total: 4, Sum: 5, Measured: true, Notes: got.Notes, Rows: []factsRow{
		{"a", 3, 2, "longest 31 %", "odd one: 100.0 % in every cluster of 2 facts (a), chance 25.0 %"},
		{"b", 1, 1, "guessable <b>", ""}, {"c", 1, 1, "too-few: 1 fact", ""}, {"d|", 1, 1, "", ""},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if other := counted("oracle").countFacts(); other.Measured || other.Rows[0].Guess != "" || other.Total != 4 {
		t.Errorf("without the gate: %+v", other)
	}
}

func none[T any]() iter.Seq[T] { return slices.Values([]T(nil)) }

func summaryOf(t *testing.T, rel Release) summary {
	t.Helper()
	s, err := rel.summary()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// cardPart is a section of the card.
func cardPart(t *testing.T, name string, data any) string {
	t.Helper()
	card, err := cardTemplate()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := card.ExecuteTemplate(&b, name, data); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCardStatesFacts(t *testing.T) {
	with, without := cardPart(t, "facts", summaryOf(t, counted(shortcutsGate))), cardPart(t, "facts", summaryOf(t, counted("oracle")))
	empty := cardPart(t, "facts", summary{})
	for _, want := range []string{
		"The 6 rows ask for 4 distinct facts.", "counts at each of them and once in the total, so the types add to 5.",
		"p is how likely luck does as well: the larger of two chances", "The interval is corrected for nothing, so it can leave out chance where p is 1.",
		"Types that share one wording are studied as one form", "| a | 3 | 2 | longest 31 % |", "| b | 1 | 1 | guessable &lt;b&gt; |",
		"| c | 1 | 1 | too-few: 1 fact |", `| d\| | 1 | 1 | not measured |`,
	} {
		if !strings.Contains(with, want) {
			t.Errorf("the card lacks %q:\n%s", want, with)
		}
	}
	if !strings.Contains(without, "| a | 3 | 2 |\n") || strings.Contains(without, "uess") || empty != "" {
		t.Errorf("without the gate:\n%s\nof nothing: %s", without, empty)
	}
}

// TestCardQuotesTheWorstFigureInCompany: furthest above chance, not the greatest.
func TestCardQuotesTheWorstFigureInCompany(t *testing.T) {
	row := func(company string) factsRow { return factsRow{Company: company} }
	table := factsTable{Rows: []factsRow{
		row("first: 60.0 % in every cluster of 40 facts (yes-no), chance 50.0 %"),
		row("second: 55.5 % [50.1, 60.2] of 30 facts (four), chance 25.0 %; third: 20.0 % [1.0, 9.0] of 30 facts (five), chance 20.0 %"),
		row("too-few: nothing"), row(""),
	}}
	const want = "the best way that was tried (second) is right about 55.5 % of 30 facts of the form four; chance is 25.0 %."
	if got := table.companyNote(); !strings.HasPrefix(got, "Put each question alone") || !strings.HasSuffix(got, want) {
		t.Errorf("%q, want it to end in %q", got, want)
	}
	if got := (factsTable{}).companyNote(); !strings.HasSuffix(got, "may answer each other.") {
		t.Errorf("where nothing was measured: %q", got)
	}
}
