package defects_test

import (
	"slices"
	"testing"

	"github.com/memforge/memforge/gates"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/testkit/defects"
	"github.com/memforge/memforge/schemas"
	video "github.com/memforge/memforge/stages/video/videogates"
)

// perDefect is how many questions have each defect.
const perDefect = 15

// TestStructuralGatesFindWhatWasPlanted runs each gate that judges collections
// on one with a known defect.
func TestStructuralGatesFindWhatWasPlanted(t *testing.T) {
	for _, c := range defects.Collections(1, perDefect) {
		if n := len(slices.DeleteFunc(slices.Clone(c.Planted), func(p bool) bool { return !p })); n < perDefect {
			t.Errorf("%s: %d planted, want %d", c.Defect, n, perDefect)
		}
		f := count(c.Planted, verdictsOn(t, c))
		t.Logf("%-22s %-20s %s", c.Gate, c.Defect, f)
		if c.Statistical {
			if f.recall() < 0.9 || f.precision() < 0.9 {
				t.Errorf("%s misses or invents too much: %s", c.Gate, f)
			}
			continue
		}
		if f.missed+f.invented > 0 {
			t.Errorf("%s does not flag exactly what was planted: %s", c.Gate, f)
		}
	}
}

// verdictsOn reports what a gate flags of a collection.
func verdictsOn(t *testing.T, c defects.Collection) []bool {
	t.Helper()
	h := newHouse(t, records(t, c.Questions), nil)
	out := make([]bool, len(c.Questions))
	for i, v := range h.judge(t, c.Gate, nil).verdicts {
		if v.Outcome != schemas.Pass && v.Outcome != schemas.Fail {
			t.Fatalf("%s on question %d: %s %s", c.Gate, i, v.Outcome, v.Reason)
		}
		out[i] = v.Outcome == schemas.Fail
	}
	return out
}

func records(t testing.TB, qs []schemas.Question) []pipeline.Record {
	t.Helper()
	out := make([]pipeline.Record, len(qs))
	for i, q := range qs {
		var err error
		if out[i], err = pipeline.NewRecord(schemas.NameQuestion, q.QuestionID, q); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func register(r *pipeline.Registry) {
	gates.Register(r)
	video.Register(r)
}

// TestStudyFindsCopies looks for what no gate flags: the study of shortcuts lists
// copies for whoever reads it.
func TestStudyFindsCopies(t *testing.T) {
	qs, want := defects.CopiedQuestions(1, perDefect)
	found := audit.TakeCensus(qs).Near
	splits := map[string]string{}
	for _, q := range qs {
		splits[q.QuestionID] = q.Split
	}
	for _, c := range found {
		if want[c.B] != c.A || c.CrossesSplits() != (splits[c.A] != splits[c.B]) {
			t.Errorf("%+v is no copy that was planted, or its leak is wrong", c)
		}
	}
	if len(found) != len(want) || len(want) != perDefect {
		t.Errorf("%d copies found of %d", len(found), len(want))
	}
}
