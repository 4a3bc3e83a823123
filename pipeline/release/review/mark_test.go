package review

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// tables are those of a release with ten questions of two kinds, q8 and q9 copies of
// one. Half of each kind are drawn; two people accepted what was, and rejected q0x, which
// is not released.
type tables struct {
	drawn    []schemas.Sampled
	said     []schemas.Review
	released map[string]Entry
}

func halved() pipeline.ReviewSample {
	return pipeline.ReviewSample{Name: "d", Schema: schemas.NameQuestion, By: []string{"kind"}, Share: 0.5, Seed: 4, Annotators: 2}
}

func settled() tables {
	out := tables{released: map[string]Entry{}}
	from := NewPopulation(halved())
	for i := range 10 {
		e := Entry{ID: fmt.Sprint("q", i), Values: map[string]string{"kind": []string{"a", "b"}[i%2]}}
		if i >= 8 {
			e.Values[schemas.LabelMirror], e.Values["kind"] = "m", "b"
		}
		out.released[e.ID] = e
		out.drawn = append(out.drawn, e.DrawnRow(halved()))
		from.Add(e.DrawnRow(halved()))
	}
	units := from.Drawn()
	for i, r := range out.drawn {
		out.drawn[i].Selected = units[r.Unit]
		if units[r.Unit] {
			out.say(r.Item, "ann", schemas.DecisionAccept)
			out.say(r.Item, "bea", schemas.DecisionAccept)
		}
	}
	return out
}

func (t *tables) say(item, annotator, decision string) {
	r := schemas.Review{Item: item, Annotator: annotator, Sample: "d", Decision: decision}
	if key, label, ok := strings.Cut(decision, " "); ok {
		r.Decision, r.Label = key, label
	}
	t.said = append(t.said, r)
}

func (t tables) stated() Tables {
	return Tables{slices.Values(t.drawn), slices.Values(t.said), func(schema string) iter.Seq[Entry] {
		return func(yield func(Entry) bool) {
			for _, id := range slices.Sorted(maps.Keys(t.released)) {
				if schema == schemas.NameQuestion && !yield(t.released[id]) {
					return
				}
			}
		}
	}}
}

// pick is an item that was drawn, or was not, and is none of the copies.
func (t tables) pick(drawn bool) string {
	i := slices.IndexFunc(t.drawn, func(r schemas.Sampled) bool { return r.Selected == drawn && r.Unit == r.Item })
	return t.drawn[i].Item
}

// TestMarksAreHeldAgainstTables: whatever is changed is found, and what makes the mark
// anew finds only what it states openly.
func TestMarksAreHeldAgainstTables(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*tables)
		// stale is found with the mark as it was, anew where it is made again; empty is
		// nothing.
		stale, anew string
	}{
		"as it was":                           {func(*tables) {}, "", ""},
		"a decision is removed":               {func(f *tables) { f.said = f.said[1:] }, "the manifest says", "lacks decisions: 1 decided, 2 must"},
		"nobody decided":                      {func(f *tables) { f.said = nil }, "the manifest says", "lacks decisions: 0 decided"},
		"two differ":                          {func(f *tables) { f.said[0].Decision = schemas.DecisionReject }, "the manifest says", "is disputed"},
		"a decision about what was not drawn": {func(f *tables) { f.say(f.pick(false), "ann", schemas.DecisionAccept) }, "0 beside", ""},
		"a note is added":                     {func(f *tables) { f.said[0].Note = "fine" }, "the manifest says", ""},
		"something drawn is said not to be": {func(f *tables) {
			i := slices.IndexFunc(f.drawn, func(r schemas.Sampled) bool { return r.Selected })
			f.drawn[i].Selected = false
		}, "the manifest says", "and true follows from the draw"},
		"nothing was drawn from": {func(f *tables) { f.drawn, f.said = nil, nil }, "the manifest says", "the draw was not taken from it"},
		"one more is released":   {func(f *tables) { f.released["new"] = Entry{ID: "new"} }, "new: it is released, and the draw", "new: it is released, and the draw"},
		"another kind":           {func(f *tables) { f.released["q1"].Values["kind"] = "a" }, `its kind is "a"`, `its kind is "a"`},
		"no copy any more":       {func(f *tables) { delete(f.released["q8"].Values, schemas.LabelMirror) }, "it is one with", "it is one with"},
		"rejected and released": {func(f *tables) {
			for i := range f.said {
				f.said[i].Decision = schemas.DecisionReject
			}
		}, "the manifest says", "people rejected it"},
		"not as relabelled": {func(f *tables) {
			f.say(f.pick(false), "ann", "relabel level=Y2")
			f.say(f.pick(false), "bea", "relabel level=Y2")
		}, "the manifest says", `people decided on "Y2"`},
	} {
		whole := settled()
		mark, err := whole.stated().Mark("settle", halved())
		if err != nil {
			t.Fatal(err)
		}
		tc.edit(&whole)
		again, err := whole.stated().Mark("settle", halved())
		if err != nil {
			t.Fatal(err)
		}
		for want, m := range map[*string]SampleMark{&tc.stale: mark, &tc.anew: again} {
			found, err := whole.stated().Check(m)
			text := strings.Join(found, "\n")
			if err != nil || (*want == "") != (text == "") || !strings.Contains(text, *want) {
				t.Errorf("%s: found %q, want %q (%v)", name, text, *want, err)
			}
		}
	}
}

// TestForgedMarks: other parameters than the draw's give another draw.
func TestForgedMarks(t *testing.T) {
	whole := settled()
	for name, edit := range map[string]func(*SampleMark){
		"share": func(m *SampleMark) { m.Share = 0.9 }, "seed": func(m *SampleMark) { m.Seed = 9 }, "people": func(m *SampleMark) { m.Annotators = 3 },
		"by": func(m *SampleMark) { m.By = []string{"level"} }, "draw": func(m *SampleMark) { m.Name = "other" }, "nothing": func(m *SampleMark) { m.Share = 0 },
		"nobody": func(m *SampleMark) { m.Annotators = 0 }, "count": func(m *SampleMark) { m.Drawn++ }, "schema": func(m *SampleMark) { m.Schema = schemas.NameSession },
	} {
		m, err := whole.stated().Mark("settle", halved())
		if err != nil {
			t.Fatal(err)
		}
		edit(&m)
		if found, err := whole.stated().Check(m); err != nil || len(found) == 0 {
			t.Errorf("%s: %q, %v", name, found, err)
		}
	}
}

func TestEntriesHavePlainValues(t *testing.T) {
	rec, err := pipeline.NewRecord("dish", "d1", map[string]any{
		"name": "soup", "portions": 4, "hot": true, "cold": false, "rest": 0, "weight": 0.5, "steps": []string{"a"},
		"labels": map[string]string{"name": "other", "level": "Y2"},
	})
	if err != nil {
		t.Fatal(err)
	}
	e, err := EntryOf(rec)
	want := map[string]string{"name": "soup", "portions": "4", "hot": "true", "level": "Y2"}
	if err != nil || !maps.Equal(e.Values, want) || e.Unit() != "d1" {
		t.Errorf("%+v, %v", e, err)
	}
}

// TestSampledLeavesOutWhatWasNotDrawn: agreement is that about a sample.
func TestSampledLeavesOutWhatWasNotDrawn(t *testing.T) {
	f := settled()
	n := len(f.said)
	f.say(f.pick(false), "ann", schemas.DecisionAccept)
	f.say("elsewhere", "ann", schemas.DecisionAccept)
	if got := f.stated().Sampled(); len(got) != n+1 || got[n].Item != "elsewhere" {
		t.Errorf("%d of %d", len(got), n+2)
	}
}
