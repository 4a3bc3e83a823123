package revise

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/schemas"
)

// through puts records through a stage of the package. A check, if any, is that
// of the family demo.
func through(t *testing.T, use string, m *answers, check pipeline.QuestionCheck, in ...pipeline.Record) ([]pipeline.Record, []pipeline.Rejection) {
	t.Helper()
	reg := pipeline.NewRegistry()
	register(reg)
	if check != nil {
		reg.AddQuestionCheck("demo", "1", check)
	}
	plugin, _ := reg.Plugin(pipeline.KindStage, use)
	cfg := plugin.NewConfig()
	if c, ok := cfg.(*UnitConfig); ok {
		*c = UnitConfig{Schemas: []string{schemas.NameSession}, Unit: "task_id"}
	}
	raw, err := pipeline.Canonical(cfg)
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	var refs []pipeline.Ref
	for _, r := range in {
		for _, d := range r.Blobs {
			if d != pipeline.DigestOf([]byte(basisText)) {
				t.Fatalf("unknown blob %s", d)
			}
			if _, err := st.PutBlob(t.Context(), strings.NewReader(basisText)); err != nil {
				t.Fatal(err)
			}
		}
		ref, err := r.Ref()
		if err != nil {
			t.Fatal(err)
		}
		refs = append(refs, ref)
	}
	slices.SortFunc(refs, func(a, b pipeline.Ref) int { return strings.Compare(a.ID, b.ID) })
	var blobs []pipeline.Digest
	for _, r := range in {
		blobs = append(blobs, r.Blobs...)
	}
	slices.Sort(blobs)
	held := pipeline.Committed{Result: pipeline.Result{Key: pipeline.Key(pipeline.DigestOf([]byte("in"))), Outputs: refs, Blobs: slices.Compact(blobs)}, Records: in}
	if err := st.Commit(t.Context(), []pipeline.Committed{held}); err != nil {
		t.Fatal(err)
	}
	id, err := reg.Identify(t.Context(), pipeline.Identity{Kind: pipeline.KindStage, Use: use, Version: plugin.Version, Config: raw, Models: map[string]pipeline.ModelIdentity{roleAuthor: {Model: "writer"}}})
	if err != nil {
		t.Fatal(err)
	}
	results, err := engine.Execute(t.Context(), engine.Runtime{Registry: reg, Store: st, Models: m, TempRoot: t.TempDir()}, pipeline.Task{
		Step: "n", Each: !strings.HasSuffix(use, ".gather"), Inputs: refs,
		Identity: id,
	})
	if err != nil {
		t.Fatal(err)
	}
	var out []pipeline.Record
	var lost []pipeline.Rejection
	for _, res := range results {
		lost = append(lost, res.Rejections...)
		for _, ref := range res.Outputs {
			recs, err := st.Records(t.Context(), []pipeline.Digest{ref.Digest})
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, recs...)
		}
	}
	return out, lost
}

const basisText = `{"opening":"","sources":[{"role":"target","name":"the scarf film","parts":[{"part":1,"start":0,"end":1,"cited":true,"told":{"a":"A scarf is red."}}]}]}`

// copyOf is the sample under another id, as a copy in a mirror group.
func copyOf(t *testing.T, id, group string) pipeline.Record {
	t.Helper()
	q := sample()
	q.QuestionID, q.Labels = id, map[string]string{schemas.LabelMirror: group, "order": id}
	q.Basis = string(pipeline.DigestOf([]byte(basisText)))
	r, err := pipeline.NewRecord(schemas.NameQuestion, id, q, pipeline.Digest(q.Basis))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func flaggedBy(t *testing.T, gate string, q pipeline.Record) pipeline.Record {
	t.Helper()
	r, err := pipeline.NewRecord(schemas.NameFlagged, "flagged/"+gate+"/"+q.ID, schemas.Flagged{
		Item: q.ID, Schema: q.Schema, Record: q.Data, Gate: gate, Use: gate, Code: "bad", Reason: gate + " says no",
		Answers: []schemas.ModelAnswer{
			{View: "none", Role: "panel_a", Answer: "C", Mark: schemas.MarkRight, Response: `{"why": "the scarf, of course", "answer": "B"}`},
			{View: "none", Role: "panel_b", Answer: "C", Mark: schemas.MarkRight, Response: `{"why": "the scarf, of course", "answer": "D"}`},
		},
	}, q.Blobs...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestCopiesAreRewrittenTogether flags one copy of a group of three, and another
// by another gate: none of the three goes on as it was, and all get the same
// words from one request.
func TestCopiesAreRewrittenTogether(t *testing.T) {
	ab, ba, aab, other := copyOf(t, "q-ab", "m1"), copyOf(t, "q-ba", "m1"), copyOf(t, "q-aab", "m1"), copyOf(t, "q-other", "m2")
	out, lost := through(t, "question.gather", nil, nil, flaggedBy(t, "oracle", ab), flaggedBy(t, "blind", ba), aab, other)
	if len(lost) > 0 || len(out) != 2 {
		t.Fatalf("%d records, lost %v", len(out), lost)
	}
	var group pipeline.Record
	for _, r := range out {
		switch {
		case r.Schema == schemas.NameFlagged:
			group = r
		case r.ID != "q-other":
			t.Errorf("%s goes on as it was", r.ID)
		}
	}
	f, err := pipeline.Decode[schemas.Flagged](group)
	if err != nil || f.Item != "q-ab" || len(f.Copies) != 2 || f.Copies[0].Item != "q-aab" || f.Copies[0].Gate != "" || f.Copies[1].Gate != "blind" {
		t.Fatalf("%+v, %v", f, err)
	}
	m := &answers{drafts: []Draft{good()}}
	next, lost := through(t, jobRevise, m, nil, group)
	if len(next) != 3 || len(lost) != 0 || len(m.asked) != 1 {
		t.Fatalf("%d questions from %d requests, lost %v", len(next), len(m.asked), lost)
	}
	want := map[string]string{"q-ab-r1": "oracle says no", "q-ba-r1": "blind says no", "q-aab-r1": "of its copy q-ab: oracle says no"}
	for _, r := range next {
		q, err := pipeline.Decode[schemas.Question](r)
		if err != nil {
			t.Fatal(err)
		}
		if q.QuestionMCQ != "Which thing was red at last?\nA. a hat\nB. a shoe\nC. a scarf\nD. one glove" || q.AnswerText != "a scarf" || q.Labels[schemas.LabelMirror] != "m1" {
			t.Errorf("%s: %q", q.QuestionID, q.QuestionMCQ)
		}
		if len(q.Revisions) != 1 || q.Revisions[0].Reason != want[q.QuestionID] || q.Labels["order"] != strings.TrimSuffix(q.QuestionID, "-r1") {
			t.Errorf("%s: %+v %v", q.QuestionID, q.Revisions, q.Labels)
		}
	}
	var in Input
	if err := json.Unmarshal(m.asked[0].Input, &in); err != nil || len(in.Others) != 1 || in.Others[0].Reason != "blind says no" ||
		len(in.Finding.Said) != 1 || in.Finding.Said[0] != (Answer{View: "none", Mark: schemas.MarkRight, Option: 1, Why: "the scarf, of course"}) || len(in.Told) != 1 || in.Told[0].Parts[0].Told["a"] != "A scarf is red." {
		t.Errorf("the author was told %+v, %v", in, err)
	}
	_, lost = through(t, jobRevise, &answers{drafts: []Draft{{Cannot: "nothing tells", Options: []Rewrite{}}}}, nil, group)
	if len(lost) != 3 || lost[0].ID != "q-ab" || lost[0].Flagged || lost[1].ID != "q-aab" || !lost[1].Flagged || lost[1].Code != "not-mended" || !strings.Contains(lost[1].Reason, "with its copy q-ab: ") {
		t.Errorf("lost %+v", lost)
	}
}

// TestOnlyEqualWordsAreACopy rewrites alone what bears the label of a group and
// asks something else.
func TestOnlyEqualWordsAreACopy(t *testing.T) {
	strange := copyOf(t, "q-strange", "m1")
	q, err := pipeline.Decode[schemas.Question](strange)
	if err != nil {
		t.Fatal(err)
	}
	q.Question += " Really?"
	if strange, err = pipeline.NewRecord(schemas.NameQuestion, "q-strange", q, strange.Blobs...); err != nil {
		t.Fatal(err)
	}
	out, _ := through(t, "question.gather", nil, nil, flaggedBy(t, "oracle", copyOf(t, "q-ab", "m1")), strange)
	if len(out) != 2 || !slices.ContainsFunc(out, func(r pipeline.Record) bool { return r.ID == "q-strange" }) {
		t.Errorf("%d records", len(out))
	}
}

// TestRewritesPassTheChecksOfTheirFamily asks again, with the reasons, when the
// family of a question refuses its new words.
func TestRewritesPassTheChecksOfTheirFamily(t *testing.T) {
	var seen []*schemas.Basis
	check := func(old, next schemas.Question, basis *schemas.Basis) []string {
		seen = append(seen, basis)
		if strings.HasSuffix(next.Question, "at last?") && old.Question == "What is red?" {
			return []string{"at last tells the time"}
		}
		return nil
	}
	better := good()
	better.Question = "Which thing was the red one?"
	m := &answers{drafts: []Draft{good(), better}}
	out, lost := through(t, jobRevise, m, check, flaggedBy(t, "oracle", copyOf(t, "q-ab", "m1")))
	if len(out) != 1 || len(lost) != 0 || len(m.asked) != 2 {
		t.Fatalf("%d questions from %d requests, lost %v", len(out), len(m.asked), lost)
	}
	if !strings.Contains(m.asked[1].User(), "at last tells the time") || len(seen) != 2 || seen[0] == nil || seen[0].Sources[0].Name != "the scarf film" {
		t.Errorf("%s\nwith %+v", m.asked[1].User(), seen)
	}
}

// TestWhatIsToldIsBounded leaves out first what the question does not rest on.
func TestWhatIsToldIsBounded(t *testing.T) {
	part := func(n int, cited bool) schemas.BasisPart {
		return schemas.BasisPart{Part: n, Cited: cited, Told: map[string]string{"k": strings.Repeat("x", 100)}}
	}
	b := &schemas.Basis{Sources: []schemas.BasisSource{
		{Role: "target", Parts: []schemas.BasisPart{part(1, false), part(2, true), part(3, false)}}, {Role: "other", Parts: []schemas.BasisPart{part(1, true), part(2, false)}},
	}}
	for chars, want := range map[int][2]string{10_000: {"123", "12"}, 700: {"12", "12"}, 600: {"2", "12"}, 400: {"2", "1"}, 0: {"", ""}} {
		var in Input
		in.addBasis(b, chars)
		var got [2]string
		for i, s := range in.Told {
			for _, p := range s.Parts {
				got[i] += string(rune('0' + p.Part))
			}
		}
		if got != want || in.LeftOut != 5-len(got[0])-len(got[1]) {
			t.Errorf("%d characters: %q, %d left out; want %q", chars, got, in.LeftOut, want)
		}
	}
	if len(b.Sources[0].Parts) != 3 || b.Sources[0].Parts[2].Part != 3 {
		t.Error("what the check is held against was cut")
	}
}

// TestUnitsAreRewrittenTogether flags two sessions of a task of three, and none of
// another: the whole task is handed on as one, and the other goes its way.
func TestUnitsAreRewrittenTogether(t *testing.T) {
	session := func(id, task string) pipeline.Record {
		r, err := pipeline.NewRecord(schemas.NameSession, id, schemas.Session{SessionID: id, TaskID: task})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	a0, a1, a2, b0 := session("a/S00", "a"), session("a/S01", "a"), session("a/S02", "a"), session("b/S00", "b")
	out, lost := through(t, "unit.gather", nil, nil, a0, flaggedBy(t, "point-coverage", a1), flaggedBy(t, "update-chain", a2), b0)
	if len(out) != 2 || len(lost) > 0 {
		t.Fatalf("%d records, lost %v", len(out), lost)
	}
	for _, r := range out {
		if r.Schema != schemas.NameFlagged {
			if r.ID != "b/S00" {
				t.Errorf("%s goes on as it was", r.ID)
			}
			continue
		}
		f, err := pipeline.Decode[schemas.Flagged](r)
		if err != nil || f.Item != "a/S01" || f.Schema != schemas.NameSession || len(f.Copies) != 2 {
			t.Fatalf("%+v, %v", f, err)
		}
		if f.Copies[0].Item != "a/S00" || f.Copies[0].Gate != "" || f.Copies[1].Item != "a/S02" || f.Copies[1].Gate != "update-chain" {
			t.Errorf("copies %+v", f.Copies)
		}
	}
}
