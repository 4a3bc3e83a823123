package release

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/describe"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/schemas"
)

// markedSample is a sample of 12 questions, of which a draw took half of each type, and
// two people accepted what it took. leave says which decisions, by item and annotator,
// are left out.
func markedSample(t testing.TB, leave func(item, annotator string) bool) (*memoryStore, Input, []schemas.Sampled) {
	t.Helper()
	store, in := sample(t, 12)
	for _, schema := range []string{schemas.NameSampled, schemas.NameReview} {
		table, _ := pipeline.NewRegistry().Table(schema)
		in.Tables = append(in.Tables, table)
	}
	d := pipeline.ReviewSample{Name: "review", Schema: schemas.NameQuestion, By: []string{"type", "split"}, Share: 0.5, Seed: 2, Annotators: 2}
	in.Reviewed = []review.SampleMark{{Step: "ask", ReviewSample: d}}
	from, rows := review.NewPopulation(d), []schemas.Sampled{}
	for _, r := range in.Records {
		if r.Schema == schemas.NameQuestion {
			e, err := review.EntryOf(r)
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, e.DrawnRow(d))
			from.Add(e.DrawnRow(d))
		}
	}
	drawn := from.Drawn()
	for i, r := range rows {
		rows[i].Selected = drawn[r.Unit]
		in.Records = append(in.Records, record(t, schemas.NameSampled, "d/"+r.Item, rows[i]))
		for _, annotator := range []string{"ann", "bea"} {
			if drawn[r.Unit] && !leave(r.Item, annotator) {
				in.Records = append(in.Records, decision(t, r.Item, annotator))
			}
		}
	}
	return store, in, rows
}

func decision(t testing.TB, item, annotator string) pipeline.Record {
	t.Helper()
	return record(t, schemas.NameReview, item+"/"+annotator, schemas.Review{Item: item, Annotator: annotator, Sample: "review", Decision: schemas.DecisionAccept})
}

func all(string, string) bool { return false }

// firstDrawn is the first item that was drawn, or was not.
func firstDrawn(rows []schemas.Sampled, drawn bool) string {
	return rows[slices.IndexFunc(rows, func(r schemas.Sampled) bool { return r.Selected == drawn })].Item
}

func TestMarkedReviewed(t *testing.T) {
	t.Parallel()
	store, in, rows := markedSample(t, all)
	dir := write(t, store, t.TempDir(), in).Dir
	c := mustRead(t, dir)
	if m := c.Manifest.Reviewed; len(m) != 1 || m[0].Items != 12 || m[0].Drawn != 6 || m[0].Decisions != 12 || m[0].Others != 0 || m[0].Rows == "" {
		t.Fatalf("%+v", m)
	}
	if card := string(files(t, dir)[describe.CardName]); !strings.Contains(card, "This release is marked reviewed: of 12 questions, 6 were drawn in draw review (50 % of each kind by type, split, at least 0)") {
		t.Errorf("the card says\n%s", card)
	}
	if found, err := CheckReviewed(c); err != nil || len(found) > 0 {
		t.Errorf("%q, %v", found, err)
	}
	for _, r := range mustRestate(t, c) {
		if len(r.Differs) > 0 {
			t.Errorf("%+v", r)
		}
	}
	drawn := firstDrawn(rows, true)
	store, in, _ = markedSample(t, func(item, annotator string) bool { return item == drawn && annotator == "bea" })
	var refused *UnreviewedError
	if _, err := Write(t.Context(), store, t.TempDir(), in, Options{}); !errors.As(err, &refused) || !strings.Contains(err.Error(), drawn+" lacks decisions") {
		t.Errorf("one decision too few: %v", err)
	}
}

// TestForgedReviewsAreFound: the release is written without a mark, as somebody may, and
// gets the mark of the one that was reviewed.
func TestForgedReviewsAreFound(t *testing.T) {
	t.Parallel()
	store, in, rows := markedSample(t, all)
	honest := mustRead(t, write(t, store, t.TempDir(), in).Dir).Manifest.Reviewed
	drawn, left := firstDrawn(rows, true), firstDrawn(rows, false)
	for name, tc := range map[string]struct {
		leave func(item, annotator string) bool
		add   string // an item that one decides about
		tell  bool   // of draws and decisions
		mark  func(*review.SampleMark)
		want  string
	}{
		"nothing":                     {all, "", true, nil, ""},
		"a mark and no draw":          {all, "", false, nil, "it is released, and the draw was not taken from it"},
		"a decision removed":          {func(item, who string) bool { return item == drawn && who == "ann" }, "", true, nil, drawn + " lacks decisions"},
		"a decision of what is left":  {all, left, true, nil, "12 decisions and 1 beside"},
		"a mark of fewer annotators":  {func(_, who string) bool { return who == "ann" }, "", true, nil, "lacks decisions: 1 decided, 2 must"},
		"a mark of another draw":      {all, "", true, func(m *review.SampleMark) { m.Seed = 3 }, "follows from the draw"},
		"a mark of a larger share":    {all, "", true, func(m *review.SampleMark) { m.Share = 1 }, "follows from the draw"},
		"a mark with other figures":   {all, "", true, func(m *review.SampleMark) { m.Drawn = 12 }, "the manifest says 12 of 12 drawn"},
		"a mark of a step of no name": {all, "", true, func(m *review.SampleMark) { m.Step = "\x1b[2J" }, "is no name of a step"},
	} {
		store, in, _ := markedSample(t, tc.leave)
		in.Reviewed = nil
		if tc.add != "" {
			in.Records = append(in.Records, decision(t, tc.add, "ann"))
		}
		if !tc.tell {
			in.Records = slices.DeleteFunc(in.Records, func(r pipeline.Record) bool {
				return r.Schema == schemas.NameSampled || r.Schema == schemas.NameReview
			})
		}
		dir := write(t, store, t.TempDir(), in).Dir
		reseal(t, dir, func(m *manifest.Manifest) {
			if m.Reviewed = slices.Clone(honest); tc.mark != nil {
				tc.mark(&m.Reviewed[0])
			}
		})
		_, err := Verify(t.Context(), dir)
		var damaged *DamagedError
		if tc.want == "" && err != nil || tc.want != "" && (!errors.As(err, &damaged) || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}
