package describe

import (
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// counted is a release of questions of types a, b and c, and what a gate said.
func counted(use string) Release {
	q := func(id, typ, fact string) schemas.Question {
		return schemas.Question{QuestionID: id, Family: "f", Type: typ, Labels: map[string]string{schemas.LabelFact: fact}}
	}
	asked := []schemas.Question{q("1", "a", "f"), q("2", "a", "f"), q("3", "a", "g"), q("4", "b", "g"), q("5", "c", "h"), q("6", "d|", "i")}
	for i, words := range []string{"the longest|b|c|d", "a|b|c|d", "long|even|xyz|d", "no|longer one|c|d"} { // the first is right, but in the last
		for j, text := range strings.Split(words, "|") {
			asked[i].Options = append(asked[i].Options, schemas.Option{Key: schemas.Letter(j), Text: text})
		}
		asked[i].AnswerKey = "A"
	}
	asked[3].AnswerKey = "C"
	v := func(item, gate, outcome, reason string) schemas.Verdict {
		return schemas.Verdict{Item: item, Gate: gate, Outcome: outcome, Reason: reason}
	}
	passes := "longest 31 %" + schemas.ClusterReason + "odd one: 100.0 % in every cluster of 2 facts (a), chance 25.0 %"
	return Release{
		Manifest: manifest.Manifest{Terms: map[string]pipeline.Terms{"f": {Types: map[string]string{"a": "what comes first"}}}, Gates: []manifest.GateInfo{{Name: "guesses", Use: use}, {Name: "roles", Use: "option-roles"}}},
		Tasks:    none[schemas.Task](), Media: none[schemas.Media](), Probes: none[schemas.Probe](),
		Questions: slices.Values(asked),
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
		{"a", "what comes first", 3, 2, "longest 31 %", "odd one: 100.0 % in every cluster of 2 facts (a), chance 25.0 %", true},
		{"b", "", 1, 1, "guessable <b>", "", true}, {"c", "", 1, 1, "too-few: 1 fact", "", false}, {"d|", "", 1, 1, "", "", false},
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

// TestGuessesStandInColumns takes the figure of a gate apart, says of how many facts it is, and
// keeps what it cannot read.
func TestGuessesStandInColumns(t *testing.T) {
	of := func(form string) string {
		return "furthest from chance is choice model on options: 28.7 % [26.5, 31.2] of 268 facts (" + form + "), chance 25.0 %, p = 0.97 after correction"
	}
	table := factsTable{Measured: true, Rows: []factsRow{
		{Type: "one (control)", Guess: of("one (control)"), judged: true}, {Type: "recall", Guess: of("shared"), judged: true}, {Type: "recall2", Guess: strings.Replace(of("shared"), "[26.5, 31.2]", "in every cluster", 1), judged: true},
		{Type: "few", Guess: "too-few: of few there are 2 rows"}, {Type: "none"},
	}}
	want := grid{Heads: table.guessGrid().Heads, Rows: [][]string{
		{"one (control)", "choice model on options", "268", "28.7 %", "[26.5, 31.2]", "25.0 %", "0.97"}, {"recall", "choice model on options", "268 in 2 types", "28.7 %", "[26.5, 31.2]", "25.0 %", "0.97"},
		{"recall2", "choice model on options", "268 in 2 types", "28.7 %", "none", "25.0 %", "0.97"}, {"few", "not measured: too-few", "", "", "", "", ""}, {"none", "not measured", "", "", "", "", ""},
	}}
	if got := table.guessGrid(); !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got.Rows, want.Rows)
	}
	if got := (factsTable{Rows: table.Rows}).guessGrid(); len(got.Rows) > 0 {
		t.Errorf("no gate looked: %q", got.Rows)
	}
}

func TestCardStatesFacts(t *testing.T) {
	parts := func(s summary) string { return cardPart(t, "facts", s) + cardPart(t, "baselines", s) }
	with, without := parts(summaryOf(t, counted(shortcutsGate))), parts(summaryOf(t, counted("oracle")))
	empty := parts(summary{})
	for _, want := range []string{
		"The 6 rows ask for 4 distinct facts.", "counts at each of them and once in the total, so the types add to 5.",
		"p: how likely luck lies as far off", "it can leave out chance where p is 1.", "Types of one wording are measured together",
		"| a | what comes first | 3 | 2 |\n", "| a | longest 31 % |\n", "| b | guessable &lt;b&gt; |\n", "| c | not measured: too-few |\n", `| d\| | not measured |`, "| f | 4 | 25.0 % | 75.0 % | 43.8 % |\n",
	} {
		if !strings.Contains(with, want) {
			t.Errorf("the card lacks %q:\n%s", want, with)
		}
	}
	if !strings.Contains(without, "| a | what comes first | 3 | 2 |\n") || strings.Contains(without, "uess") || empty != "" {
		t.Errorf("without the gate:\n%s\nof nothing: %s", without, empty)
	}
}

// TestCardQuotesTheWorstFigureInCompany: furthest above chance, not the greatest.
func TestCardQuotesTheWorstFigureInCompany(t *testing.T) {
	row := func(company string) factsRow { return factsRow{Company: company} }
	table := factsTable{Rows: []factsRow{
		row("first: 60.0 % in every cluster of 40 facts (yes-no), chance 50.0 %"),
		row("second: 55.5 % [50.1, 60.2] of 30 facts (four (control)), chance 25.0 %; third: 20.0 % [1.0, 9.0] of 30 facts (five), chance 20.0 %"),
		row("too-few: nothing"), row(""),
	}}
	const want = "is right about 55.5 % of 30 facts of four (control) (second); chance is 25.0 %."
	if got := table.companyNote(); !strings.HasPrefix(got, "Put each question alone") || !strings.HasSuffix(got, want) {
		t.Errorf("%q, want it to end in %q", got, want)
	}
	if got := (factsTable{}).companyNote(); !strings.HasSuffix(got, "may answer each other.") {
		t.Errorf("where nothing was measured: %q", got)
	}
}
