package review

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// proposed is a question with a field of every kind.
func proposed() schemas.Question {
	q := schemas.Question{QuestionID: "q", Question: "What is it?", Explanation: "It is seen.", Evidence: []schemas.Evidence{{Ref: "m#t=1.00,2.00", Media: "n#t=1.00,2.00", Caption: "a cup"}, {Ref: "turn"}, {Ref: "turn", Media: "n#t=3.00,4.00"}}}
	q.SetOptionsWithStem("Which is it?", schemas.Option{Text: "red", Role: schemas.RoleDistractor}, schemas.Option{Text: "blue", Role: schemas.RoleCorrect})
	return q
}

// TestFieldsThatCanBeChanged are set where they stand, with what follows from them.
func TestFieldsThatCanBeChanged(t *testing.T) {
	if got := strings.Join(EditableFields(proposed()), " "); got != "question choice_question options.A options.B evidence.1.span evidence.1.caption evidence.3.span explanation" {
		t.Errorf("fields %s", got)
	}
	same, open := proposed(), schemas.Question{Question: "What?", QuestionMCQ: "What?"}
	same.SetOptions(same.Options...)
	if got := strings.Join(EditableFields(same), " "); got != "question options.A options.B evidence.1.span evidence.1.caption evidence.3.span explanation" {
		t.Errorf("fields of one stem: %s", got)
	}
	for name, tc := range map[string]struct {
		q               schemas.Question
		field, old, new string
		want            string
	}{
		"words":                  {proposed(), "question", "What is it?", "Who?", "Who?|Which is it?\nA. red\nB. blue|blue|m#t=1.00,2.00 n#t=1.00,2.00 a cup|It is seen."},
		"words of both forms":    {same, "question", "What is it?", "Who?", "Who?|Who?\nA. red\nB. blue|blue|m#t=1.00,2.00 n#t=1.00,2.00 a cup|It is seen."},
		"words of the choice":    {proposed(), "choice_question", "Which is it?", "Who?", "What is it?|Who?\nA. red\nB. blue|blue|m#t=1.00,2.00 n#t=1.00,2.00 a cup|It is seen."},
		"an option":              {proposed(), "options.A", "red", "green", "What is it?|Which is it?\nA. green\nB. blue|blue|m#t=1.00,2.00 n#t=1.00,2.00 a cup|It is seen."},
		"the answer":             {proposed(), "options.B", "blue", "green", "What is it?|Which is it?\nA. red\nB. green|green|m#t=1.00,2.00 n#t=1.00,2.00 a cup|It is seen."},
		"a span":                 {proposed(), "evidence.1.span", "1.00,2.00", "3,4", "What is it?|Which is it?\nA. red\nB. blue|blue|m#t=3,4 n#t=3,4 a cup|It is seen."},
		"a caption":              {proposed(), "evidence.1.caption", "a cup", "a mug", "What is it?|Which is it?\nA. red\nB. blue|blue|m#t=1.00,2.00 n#t=1.00,2.00 a mug|It is seen."},
		"why":                    {proposed(), "explanation", "It is seen.", "So.", "What is it?|Which is it?\nA. red\nB. blue|blue|m#t=1.00,2.00 n#t=1.00,2.00 a cup|So."},
		"words without options":  {open, "question", "What?", "Who?", "Who?|Who?"},
		"other words":            {proposed(), "question", "Where?", "Who?", "error its question is"},
		"an option twice":        {proposed(), "options.A", "red", " BLUE", "error two options would say"},
		"no such option":         {proposed(), "options.C", "red", "x", "error it has no options.C"},
		"no such evidence":       {proposed(), "evidence.4.caption", "red", "x", "error it has no evidence.4.caption"},
		"evidence before all":    {proposed(), "evidence.0.caption", "red", "x", "error it has no evidence.0.caption"},
		"no span":                {proposed(), "evidence.2.span", "1,2", "2,3", "error it has no evidence.2.span"},
		"no caption":             {proposed(), "evidence.3.caption", "", "x", "error it has no evidence.3.caption"},
		"no choice of its own":   {same, "choice_question", "What is it?", "x", "error it has no choice_question"},
		"no reason":              {open, "explanation", "", "x", "error it has no explanation"},
		"what is no field":       {proposed(), "evidence.1.role", "", "x", "error it has no evidence.1.role"},
		"a number that is none":  {proposed(), "evidence.x.span", "", "x", "error it has no evidence.x.span"},
		"a field of many points": {proposed(), "options.A.text", "red", "x", "error it has no options.A.text"},
	} {
		before := fmt.Sprint(tc.q)
		q, err := ApplyChanges(tc.q, []schemas.ProposedChange{{Field: tc.field, Old: tc.old, New: tc.new}})
		got := q.Question + "|" + q.QuestionMCQ
		if len(q.Options) > 0 {
			got += fmt.Sprintf("|%s|%s %s %s|%s", q.AnswerText, q.Evidence[0].Ref, q.Evidence[0].Media, q.Evidence[0].Caption, q.Explanation)
		}
		if err != nil {
			got = "error " + err.Error()
		}
		if got != tc.want && !(err != nil && strings.HasPrefix(tc.want, "error ") && strings.HasPrefix(got, tc.want)) || fmt.Sprint(tc.q) != before {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
	if IsAboutWords(schemas.ProposedChange{Field: "evidence.1.span"}) || !IsAboutWords(schemas.ProposedChange{Field: "options.A"}) {
		t.Error("spans are words, or options are not")
	}
}

// TestSpansOfProposals: two times in seconds, the second within the medium.
func TestSpansOfProposals(t *testing.T) {
	for span, want := range map[string]bool{
		"1,2": true, "0,0.001": true, "3.20,5.00": true, "999999,999999.5": true, "2,2": false, "3,2": false, "1000000,1000001": false, "1.0001,2": false, "1": false, "1,": false, ",2": false, "-1,2": false, "1e0,2": false, "1,2,3": false,
	} {
		if _, err := parseSpan(span); (err == nil) != want {
			t.Errorf("%s: %v", span, err)
		}
	}
	for name, tc := range map[string]struct {
		field, span string
		seconds     map[string]float64
		ok          bool
	}{
		"within":                    {"evidence.1.span", "1,9", map[string]float64{"m": 9, "n": 9}, true},
		"as far as rounding":        {"evidence.1.span", "1,9.01", map[string]float64{"m": 9, "n": 9}, true},
		"beyond":                    {"evidence.1.span", "1,9.02", map[string]float64{"m": 9}, false},
		"beyond the other medium":   {"evidence.1.span", "1,9.02", map[string]float64{"m": 20, "n": 9}, false},
		"of an unknown medium":      {"evidence.1.span", "1,9.02", map[string]float64{"x": 1}, false},
		"of a medium without end":   {"evidence.1.span", "1,9.02", map[string]float64{"m": 0}, false},
		"of the last evidence":      {"evidence.3.span", "1,9.02", map[string]float64{"n": 9}, false},
		"of no evidence":            {"evidence.4.span", "1,9.02", map[string]float64{"m": 9}, true},
		"of evidence before it all": {"evidence.0.span", "1,9.02", map[string]float64{"m": 9}, true},
		"a caption":                 {"evidence.1.caption", "1,9.02", map[string]float64{"m": 9}, true},
		"no span":                   {"evidence.1.span", "9,1", nil, false},
	} {
		if err := CheckSpans(proposed(), []schemas.ProposedChange{{Field: tc.field, New: tc.span}}, tc.seconds); (err == nil) != tc.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestProposalsAndDecisionsAtTheirBounds are taken, and those beyond are not.
func TestProposalsAndDecisionsAtTheirBounds(t *testing.T) {
	change := func(n int) (out []schemas.ProposedChange) {
		for i := range n {
			out = append(out, schemas.ProposedChange{Field: fmt.Sprintf("evidence.%d.caption", i+1), Old: "a", New: "b"})
		}
		return out
	}
	text := func(n int) []schemas.ProposedChange {
		return []schemas.ProposedChange{{Field: "question", New: strings.Repeat("x", n)}}
	}
	for name, tc := range map[string]struct {
		changes []schemas.ProposedChange
		digest  string
		ok      bool
	}{
		"one":              {change(1), strings.Repeat("0", 64), true},
		"50 changes":       {change(maxChanges), strings.Repeat("0", 64), true},
		"51 changes":       {change(maxChanges + 1), strings.Repeat("0", 64), false},
		"none":             {nil, strings.Repeat("0", 64), false},
		"a short digest":   {change(1), strings.Repeat("0", 63), false},
		"a long text":      {text(maxProposed), strings.Repeat("0", 64), true},
		"a longer text":    {text(maxProposed + 1), strings.Repeat("0", 64), false},
		"no text":          {text(0), strings.Repeat("0", 64), false},
		"evidence 999":     {[]schemas.ProposedChange{{Field: "evidence.999.caption", New: "x"}}, strings.Repeat("0", 64), true},
		"evidence 1000":    {[]schemas.ProposedChange{{Field: "evidence.1000.caption", New: "x"}}, strings.Repeat("0", 64), false},
		"what is no UTF-8": {[]schemas.ProposedChange{{Field: "question", New: "a\xff"}}, strings.Repeat("0", 64), false},
	} {
		if err := CheckProposal(schemas.Proposal{Item: "q", Annotator: "a", Sample: "d", Digest: tc.digest, Changes: tc.changes}); (err == nil) != tc.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	long := strings.Repeat("x", maxText)
	for name, tc := range map[string]struct {
		r  schemas.Review
		ok bool
	}{
		"long names":       {schemas.Review{Item: long, Annotator: long, Sample: long, Decision: schemas.DecisionAccept}, true},
		"a longer item":    {schemas.Review{Item: long + "x", Annotator: "a", Sample: "d", Decision: schemas.DecisionAccept}, false},
		"a long label":     {schemas.Review{Item: "q", Annotator: "a", Sample: "d", Decision: schemas.DecisionRelabel, Label: "a=" + long[2:]}, true},
		"a longer label":   {schemas.Review{Item: "q", Annotator: "a", Sample: "d", Decision: schemas.DecisionRelabel, Label: "a=" + long[1:]}, false},
		"no key":           {schemas.Review{Item: "q", Annotator: "a", Sample: "d", Decision: schemas.DecisionRelabel, Label: "=x"}, false},
		"no value":         {schemas.Review{Item: "q", Annotator: "a", Sample: "d", Decision: schemas.DecisionRelabel, Label: "a="}, false},
		"a label besides":  {schemas.Review{Item: "q", Annotator: "a", Sample: "d", Decision: schemas.DecisionReject, Label: "a"}, true},
		"another decision": {schemas.Review{Item: "q", Annotator: "a", Sample: "d", Decision: "revise"}, false},
	} {
		if err := Check(tc.r); (err == nil) != tc.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, tc := range []struct {
		by    []string
		share float64
		least int
		ok    bool
	}{{[]string{"type"}, 1, 0, true}, {[]string{"type"}, 0.001, 5, true}, {nil, 1, 0, false}, {[]string{"type"}, 0, 0, false}, {[]string{"type"}, 1.01, 0, false}, {[]string{"type"}, -1, 0, false}, {[]string{"type"}, math.NaN(), 0, false}, {[]string{"type"}, 1, -1, false}} {
		if err := CheckSample(pipeline.ReviewSample{By: tc.by, Share: tc.share, Least: tc.least}); (err == nil) != tc.ok {
			t.Errorf("%+v: %v", tc, err)
		}
	}
	for v, want := range map[float64]string{0: "", 7: "7", -3: "-3", 0.5: "", 1 << 53: "9007199254740992", 1<<53 + 2: "", -(1 << 53): "-9007199254740992"} {
		if got := whole(v); got != want {
			t.Errorf("%v is %q", v, got)
		}
	}
}

// TestRelabelledRecords have another label, or another text where they have no labels.
func TestRelabelledRecords(t *testing.T) {
	for data, want := range map[string]string{
		`{"labels":{"a":"1","b":"2"}}`: `{"labels":{"a":"x","b":"2"}}`, `{"labels":null}`: `{"labels":{"a":"x"}}`, `{"a":"1","n":3}`: `{"a":"x","n":3}`, `{"a":3}`: "", `{"n":3}`: "", `{"labels":[]}`: "", `{"labels":[],"a":"1"}`: "", `[]`: "",
	} {
		rec, err := Relabel(pipeline.Record{ID: "r", Schema: "s", Data: []byte(data)}, [2]string{"a", "x"})
		if (err == nil) != (want != "") || err == nil && string(rec.Data) != want {
			t.Errorf("%s: %s, %v, want %s", data, rec.Data, err, want)
		}
	}
	if _, err := Relabel(pipeline.Record{Data: []byte(`{"task_id":"t"}`)}, [2]string{"task_id", "x"}); err == nil {
		t.Error("an id is relabelled")
	}
}

// TestAgreementsByDraw counts items and names those who decided.
func TestAgreementsByDraw(t *testing.T) {
	say := func(draw, item, who, decision string) schemas.Review {
		return schemas.Review{Sample: draw, Item: item, Annotator: who, Decision: decision}
	}
	got, err := Agreements([]schemas.Review{say("e", "q1", "cy", "accept"), say("d", "q1", "bea", "accept"), say("d", "q1", "ann", "accept"), say("d", "q2", "ann", "reject"), say("d", "q2", "bea", "accept"), say("d", "q3", "ann", "accept")}, nil, 1)
	if err != nil || len(got) != 2 || got[0].Draw != "d" || got[0].Items != 3 || fmt.Sprint(got[0].Annotators) != "[ann bea]" || len(got[0].Pairs) != 1 || got[0].Pairs[0].Calls != 2 || got[0].Pairs[0].Observed.Value != 0.5 ||
		got[1].Items != 1 || fmt.Sprint(got[1].Annotators) != "[cy]" || len(got[1].Pairs) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	for who, tc := range map[string]struct {
		o          Outcome
		annotators int
		want       bool
	}{
		"the keeper": {Outcome{Majority: Majority{Keeper: "kim"}}, 2, true}, "enough": {Outcome{Majority: Majority{Of: 2}}, 2, true}, "too few": {Outcome{Majority: Majority{Of: 1}}, 2, false}, "nobody had to": {Outcome{Majority: Majority{Of: 1}}, 0, false},
	} {
		if got := tc.o.settledBy(tc.annotators); got != tc.want {
			t.Errorf("%s: %t", who, got)
		}
	}
	entry := Entry{ID: "q", Values: map[string]string{schemas.LabelFact: "f", schemas.LabelPair: "p", "task_id": "t"}}
	if got := fmt.Sprint(entry.shares()); got != "[fact f pair_id p]" && got != "[fact f "+schemas.LabelPair+" p]" {
		t.Errorf("it shares %s", got)
	}
	delete(entry.Values, schemas.LabelPair)
	delete(entry.Values, schemas.LabelFact)
	if got := fmt.Sprint(entry.shares(), (Entry{}).shares()); got != "[task_id t] []" {
		t.Errorf("it shares %s", got)
	}
}

// TestWhatDecisionsCallFor holds what a release dropped, relabelled and kept against what people decided.
func TestWhatDecisionsCallFor(t *testing.T) {
	marks := []SampleMark{{ReviewSample: pipeline.ReviewSample{Name: "d", Schema: schemas.NameQuestion, Annotators: 2}}}
	for name, tc := range map[string]struct {
		edit  func(f *tables, r *Removals)
		marks []SampleMark
		want  string
	}{
		"as it was": {func(*tables, *Removals) {}, marks, ""},
		"rejected and dropped": {func(f *tables, r *Removals) {
			id := f.pick(true)
			f.decide(id, schemas.DecisionReject)
			delete(f.released, id)
			r.Dropped[id] = "2 of 2 annotators decided so"
		}, nil, ""},
		"rejected and not dropped":                 {func(f *tables, r *Removals) { f.decide(f.pick(true), schemas.DecisionReject) }, marks, "it was not dropped, and people rejected it: 2 of 2 annotators decided so"},
		"rejected, and nothing says how many must": {func(f *tables, r *Removals) { f.decide(f.pick(true), schemas.DecisionReject) }, nil, ""},
		"dropped for another reason": {func(f *tables, r *Removals) {
			id := f.pick(true)
			f.decide(id, schemas.DecisionReject)
			delete(f.released, id)
			r.Dropped[id] = "because"
		}, marks, `it was dropped because "because", and "2 of 2 annotators decided so" follows`},
		"dropped and accepted":       {func(f *tables, r *Removals) { id := f.pick(true); delete(f.released, id); r.Dropped[id] = "because" }, marks, "of 2 who decided no majority rejected it"},
		"dropped and released":       {func(f *tables, r *Removals) { r.Dropped[f.pick(true)] = "because" }, marks, "it is released, and was dropped as people decided"},
		"dropped from nowhere":       {func(f *tables, r *Removals) { r.Dropped["else"] = "because" }, marks, "else: it was dropped as people decided, and no draw was taken from it"},
		"gone":                       {func(f *tables, r *Removals) { delete(f.released, f.pick(false)) }, marks, "it is neither released nor rejected"},
		"lost":                       {func(f *tables, r *Removals) { id := f.pick(false); delete(f.released, id); r.Lost[id] = true }, marks, ""},
		"gone, and more came behind": {func(f *tables, r *Removals) { delete(f.released, f.pick(false)); r.Last = false }, marks, ""},
		"relabelled": {func(f *tables, r *Removals) {
			id := f.pick(true)
			f.decide(id, "relabel kind=c")
			f.released[id].Values["kind"] = "c"
		}, marks, ""},
		"not relabelled":                       {func(f *tables, r *Removals) { f.decide(f.pick(true), "relabel level=c") }, marks, `level is "", and people decided on "c"`},
		"not relabelled, and more came behind": {func(f *tables, r *Removals) { f.decide(f.pick(true), "relabel level=c"); r.Last = false }, marks, ""},
		"a decision that is none":              {func(f *tables, r *Removals) { f.said[0].Decision = "maybe" }, marks, "decision of ann: decision is"},
	} {
		f, r := settled(), Removals{Dropped: map[string]string{}, Lost: map[string]bool{}, Last: true}
		tc.edit(&f, &r)
		got, err := f.stated().CheckDecisions(tc.marks, r)
		text := strings.Join(got.Wrong, "\n")
		if err != nil || (text == "") != (tc.want == "") || !strings.Contains(text, tc.want) {
			t.Errorf("%s: %q, %v, want %q", name, text, err, tc.want)
		}
	}
	f := settled()
	n := len(f.said)
	f.say(f.pick(false), "ann", schemas.DecisionAccept)
	f.say("elsewhere", "ann", schemas.DecisionAccept)
	f.said = append(f.said, schemas.Review{Item: "q", Annotator: "a", Sample: "other", Decision: schemas.DecisionAccept})
	got, err := f.stated().CheckDecisions(marks, Removals{Last: true})
	if err != nil || got.Decisions != n+1 || got.Others != 2 || fmt.Sprint(got.UnknownSamples) != "[other]" || len(got.Outcomes) == 0 || !slices.ContainsFunc(slices.Collect(maps.Values(got.Outcomes)), func(o Outcome) bool { return o.Decision == schemas.DecisionAccept }) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := (tables{}).stated().CheckDecisions(nil, Removals{}); err != nil || got.Outcomes != nil || len(got.Wrong) > 0 {
		t.Errorf("without a draw: %+v, %v", got, err)
	}
	out := []Outcome{{Items: []string{"a"}, Majority: Majority{Decision: schemas.DecisionReject, Of: 3}}, {Items: []string{"b"}, Majority: Majority{Decision: schemas.DecisionReject, Of: 2}}, {Items: []string{"c"}, Majority: Majority{Decision: schemas.DecisionReject, Of: 1, Keeper: "kim"}}, {Items: []string{"e"}, Majority: Majority{Decision: schemas.DecisionAccept, Of: 1}}, {Items: []string{"f"}, Majority: Majority{Decision: schemas.DecisionReject, Of: 1}}}
	gone := map[string]string{"a": "", "b": "", "c": "", "e": ""}
	if got := annotatorsOf(nil, halved(), out, gone); got != 2 {
		t.Errorf("%d had to decide, want 2", got)
	}
	if got := annotatorsOf(nil, halved(), out, nil); got != 0 {
		t.Errorf("%d had to decide, and nothing tells", got)
	}
	if got := annotatorsOf([]SampleMark{{ReviewSample: pipeline.ReviewSample{Name: "x", Annotators: 9}}, marks[0]}, halved(), out, gone); got != 2 {
		t.Errorf("%d had to decide, the mark says 2", got)
	}
}

// decide has both people decide about an item.
func (t *tables) decide(item, decision string) {
	t.said = slices.DeleteFunc(t.said, func(r schemas.Review) bool { return r.Item == item })
	t.say(item, "ann", decision)
	t.say(item, "bea", decision)
}
