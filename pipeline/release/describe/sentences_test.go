package describe

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/schemas"
)

// TestReadableFigures: each unit begins at one of it.
func TestReadableFigures(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1 << 10: "1.0 KiB", 1<<20 - 1: "1024.0 KiB", 1 << 20: "1.0 MiB", 1<<30 - 1<<20: "1023.0 MiB", 1 << 30: "1.0 GiB", 3 << 29: "1.5 GiB"} {
		if got := readableBytes(n); got != want {
			t.Errorf("%d bytes: %s, want %s", n, got, want)
		}
	}
	for s, want := range map[float64]string{0: "0.0 s", 119.5: "119.5 s", 120: "2.0 min", 3599: "60.0 min", 3600: "1.0 h", 9000: "2.5 h"} {
		if got := readableTime(s); got != want {
			t.Errorf("%v s: %s, want %s", s, got, want)
		}
	}
	keys := []string{"10", "b", "9", "a", "1"}
	slices.SortFunc(keys, compareAsNumbers)
	if got := strings.Join(keys, " "); got != "1 9 10 a b" {
		t.Errorf("in order: %s", got)
	}
}

// TestSentencesAboutChecks: what is not nothing is said, and what is left of all.
func TestSentencesAboutChecks(t *testing.T) {
	many := []typeChecks{}
	for i := range 8 {
		many = append(many, typeChecks{name: fmt.Sprint("t", i), all: 3, judged: 3, byModel: 1, byRule: 1, byLot: 1})
	}
	of := func(change func(k *checkSummary)) checkSummary {
		k := checkSummary{
			questions: typeChecks{all: 10, judged: 10}, types: []typeChecks{{name: "a", all: 6, judged: 6}, {name: "b", all: 4, judged: 4}},
			passed: map[int]int{2: 10}, failed: map[string]int{}, models: []string{"m"}, asking: []string{"blind"}, lots: []string{"guess"}, mediaGates: []string{"spread"},
		}
		change(&k)
		return k
	}
	for name, tc := range map[string]struct {
		of   checkSummary
		want string
	}{
		"no model":  {of(func(*checkSummary) {}), "No check failed any of the 10 questions.|Each passed 2 checks.|No language model tested them."},
		"unjudged":  {of(func(k *checkSummary) { k.questions.judged = 0 }), "No check came to a judgement on any of the 10 questions.|No language model tested them."},
		"not all":   {of(func(k *checkSummary) { k.questions.judged, k.types[1].judged, k.passed = 8, 2, map[int]int{1: 3, 4: 5} }), "No check failed any of the 10 questions.|Each passed 1 to 4 checks.|No check judged 2 of them (b 2).|No language model tested them."},
		"failed":    {of(func(k *checkSummary) { k.questions.failed = 2; k.failed = map[string]int{"b": 1, "a": 2} }), "Of the 10 questions, 2 failed a check and were released all the same (a 2, b 1).|Each passed 2 checks.|No language model tested them."},
		"all asked": {of(func(k *checkSummary) { k.questions.byModel = 10 }), "No check failed any of the 10 questions.|Each passed 2 checks.|A language model tested 10 of them (m, asked by blind)."},
		"some asked": {of(func(k *checkSummary) {
			k.questions.byModel, k.questions.byRule, k.types[0].byModel, k.types[0].byRule, k.types[1].byModel = 4, 1, 3, 1, 1
		}), "No check failed any of the 10 questions.|Each passed 2 checks.|A language model tested 4 of them (m, asked by blind).|For 1 of them fixed rules (" + pipeline.BuiltInModel + ") answered in place of a language model. The other 5 had no such test (a 2, b 3)."},
		"by lot":    {of(func(k *checkSummary) { k.questions.byLot = 1 }), "No check failed any of the 10 questions.|Each passed 2 checks.|No language model tested them.|For 1 question the stand-in (" + pipeline.BuiltInModel + ", in guess) had nothing to go on and guessed at random; this is not counted as a check."},
		"media":     {of(func(k *checkSummary) { k.media, k.mediaPassed, k.mediaFailed = 9, 5, 1 }), "No check failed any of the 10 questions.|Each passed 2 checks.|No language model tested them.|Of the 9 media files, 5 passed checks of their own (spread), 1 failed one and were released all the same, 3 were judged by none."},
		"media all": {of(func(k *checkSummary) { k.media, k.mediaPassed = 9, 9 }), "No check failed any of the 10 questions.|Each passed 2 checks.|No language model tested them.|Of the 9 media files, 9 passed checks of their own (spread)."},
		"no media":  {of(func(k *checkSummary) { k.media = 9 }), "No check failed any of the 10 questions.|Each passed 2 checks.|No language model tested them.|No check judged the 9 media files themselves."},
	} {
		got := strings.Join(slices.Concat(tc.of.failedSentences(), tc.of.passedSentences(), tc.of.modelSentences(), tc.of.mediaSentences()), "|")
		if got != tc.want {
			t.Errorf("%s: %s\nwant %s", name, got, tc.want)
		}
	}
	if got := (checkSummary{types: many}).typesWith(typeChecks.untested); got != "t0 1, t1 1, t2 1, t3 1, t4 1, t5 1, 2 more types" {
		t.Errorf("many types: %s", got)
	}
	if got := (checkSummary{types: many[:6]}).typesWith(typeChecks.untested); got != "t0 1, t1 1, t2 1, t3 1, t4 1, t5 1" {
		t.Errorf("six types: %s", got)
	}
	if t0 := many[0]; t0.untested() != 1 || t0.unasked() != 0 {
		t.Errorf("%d untested, %d unasked", t0.untested(), t0.unasked())
	}
	all := map[string]bool{}
	for _, lot := range []bool{true, true} {
		allOf(all, "a", lot)
	}
	for _, lot := range []bool{true, false, true} {
		allOf(all, "b", lot)
	}
	if !all["a"] || all["b"] {
		t.Errorf("lots: %v", all)
	}
}

// TestFormsThatAskTheSame: a change of what a solver is shown makes another test.
func TestFormsThatAskTheSame(t *testing.T) {
	form := func() *schemas.Question {
		return &schemas.Question{Question: "q", QuestionMCQ: "m", AnswerKey: "A", AnswerText: "t", AnswerCall: "c", Options: []schemas.Option{{Key: "A"}}, Evidence: []schemas.Evidence{{Ref: "e"}}, Media: []string{"m"}}
	}
	for name, change := range map[string]func(q *schemas.Question){
		"question": func(q *schemas.Question) { q.Question = "" }, "choice": func(q *schemas.Question) { q.QuestionMCQ = "" }, "key": func(q *schemas.Question) { q.AnswerKey = "" }, "text": func(q *schemas.Question) { q.AnswerText = "" },
		"call": func(q *schemas.Question) { q.AnswerCall = "" }, "options": func(q *schemas.Question) { q.Options = nil }, "evidence": func(q *schemas.Question) { q.Evidence = nil }, "media": func(q *schemas.Question) { q.Media = nil },
	} {
		other := form()
		if change(other); sameTest(form(), other) {
			t.Errorf("another %s is the same test", name)
		}
	}
	other := form()
	other.Explanation, other.Labels = "why", map[string]string{"a": "b"}
	if !sameTest(form(), other) {
		t.Error("what no solver is shown makes another test")
	}
}

// TestSentencesAboutPeople: of samples, marks, agreement and models.
func TestSentencesAboutPeople(t *testing.T) {
	pair := agreement.PairAgreement{A: "ann", B: "ben"}
	for want, a := range map[string]review.Agreement{
		"Draw d: ann decided about 1 item. No two decided about the same item, so nothing is known of how far they agree.": {Draw: "d", Items: 1, Annotators: []string{"ann"}},
		"Draw d: ann, ben decided about 2 items.": {Draw: "d", Items: 2, Annotators: []string{"ann", "ben"}, Raters: agreement.Raters{Pairs: []agreement.PairAgreement{pair}}},
		"Draw d: ann, ben decided about 2 items. Alpha of all is 0.50 [0.25, 0.75] over 1 item that two or more decided about.": {Draw: "d", Items: 2, Annotators: []string{"ann", "ben"}, Raters: agreement.Raters{Pairs: []agreement.PairAgreement{pair}, Alpha: &agreement.AlphaAgreement{Interval: agreement.Interval{Value: 0.5, Low: 0.25, High: 0.75}, Units: 1}}},
	} {
		if got := sampleSentence(a); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	names := strings.Split("a b c d e f g h i j k l", " ")
	for n, want := range map[int]string{10: "a, b, c, d, e, f, g, h, i, j", 11: "a, b, c, d, e, f, g, h, i, j and 1 others", 12: "a, b, c, d, e, f, g, h, i, j and 2 others"} {
		if got := joinNames(names[:n]); got != want {
			t.Errorf("%d names: %s", n, got)
		}
	}
	mark := review.SampleMark{Items: 5, Drawn: 2, ReviewSample: pipeline.ReviewSample{Name: "d", Schema: "question", By: []string{"type", "split"}, Share: 0.255, Least: 1, Annotators: 2}}
	beside := mark
	beside.Others = 3
	const marked = "This release is marked reviewed: of 5 questions, 2 were drawn in draw d (25.5 % of each kind by type, split, at least 1), and more than half of 2 people or more decided alike about each."
	if got := markSentences([]review.SampleMark{mark, beside}); len(got) != 2 || got[0] != marked || got[1] != marked+" 3 decisions about others took effect as well." {
		t.Errorf("%q", got)
	}
	rows := []pairRow{{"d", agreement.PairAgreement{A: "ann", B: "ben", Calls: 4, Observed: agreement.Interval{Value: 0.5, Low: 0.25, High: 1}}}}
	if got := agreementGrid(rows).markdown(); !strings.Contains(got, "| d | ann, ben | 4 | 50.0 % \\[25.0, 100.0\\] | undefined: one decision throughout |") {
		t.Error(got)
	}
	step := func(name, kind string, rules []manifest.RuleUse, models ...string) manifest.StepModels {
		n := manifest.StepModels{Step: name, Kind: kind, Rules: rules}
		for _, m := range models {
			n.Models = append(n.Models, manifest.ModelUse{Role: m, Model: m, Host: "h"})
		}
		return n
	}
	for want, nodes := range map[string][]manifest.StepModels{
		"No language model took part.": nil,
		"No language model took part. Written or described by: " + pipeline.BuiltInModel + ".": {step("tell", "stage", make([]manifest.RuleUse, 1))},
		"Written or described by: m at h, n at h.":                                             {step("tell", "stage", nil, "n", "m"), step("ask", "stage", nil, "m")},
		"": {step("blind", "gate", nil, "m")},
	} {
		if got := describeModels(nodes); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestCompanyNote names the figure that is furthest above chance.
func TestCompanyNote(t *testing.T) {
	const figure = "%s: %s %% [1, 2] of %s facts (%s), chance 25.0 %%"
	table := factsTable{Rows: []factsRow{
		{Company: fmt.Sprintf(figure, "words", "30.0", "12", "choice")}, {Company: "none; " + fmt.Sprintf(figure, "order", "41.5", "7", "yes or no") + "; " + fmt.Sprintf(figure, "late", "41.5", "9", "other")}, {Company: "nothing"},
	}}
	if got := table.companyNote(); !strings.Contains(got, "is right about 41.5 % of 7 facts of yes or no (order); chance is 25.0 %.") {
		t.Error(got)
	}
	if got := (factsTable{Rows: []factsRow{{Company: fmt.Sprintf(figure, "words", "25.0", "12", "choice")}}}).companyNote(); strings.Contains(got, "is right about") {
		t.Error(got)
	}
}
