package crosssource_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/oracle"
)

// TestEvidenceSettles answers every question from what it cites alone, and not without a
// piece of it. What is cited tells every option too, and every desk whose tool is offered.
func TestEvidenceSettles(t *testing.T) {
	t.Parallel()
	asked := map[string]int{}
	for seed := range testsize.Choose(len(kept), 8) {
		for _, q := range family(t, seed).questions {
			asked[q.Type]++
			if err := pipeline.CheckSettled(q, oracle.Settle); err != nil {
				t.Errorf("%s (%s): %v", q.QuestionID, q.Question, err)
			}
			k, err := oracle.FromEvidence(q.Evidence)
			if err != nil {
				t.Fatal(err)
			}
			r, err := k.Answer(q.Question, q.Tools)
			if err != nil {
				t.Errorf("%s: %v", q.QuestionID, err)
			}
			for _, o := range q.Options {
				if !slices.Contains(r.Offered, o.Text) {
					t.Errorf("%s cites nothing of its option %q: %q", q.QuestionID, o.Text, r.Offered)
				}
			}
			for _, tool := range q.Tools {
				if !slices.ContainsFunc(k.Desks(), func(desk string) bool { return strings.Contains(tool.Description, desk) }) {
					t.Errorf("%s cites nothing of the desk of %q", q.QuestionID, tool.Description)
				}
			}
		}
	}
	t.Logf("answered from citations alone: %v", asked)
	for _, kind := range []string{"single_hop", "multi_hop", "conflict", "preference", "call"} {
		if n := asked["crosssource_"+kind]; n < 20 {
			t.Errorf("%d questions of type crosssource_%s", n, kind)
		}
	}
}

// TestPlantedOmissions takes a piece out of the evidence, or cites one more as needed: each
// is found.
func TestPlantedOmissions(t *testing.T) {
	t.Parallel()
	planted := map[string]int{}
	for _, q := range family(t, 0).questions {
		for i, e := range q.Evidence {
			changed := q
			changed.Evidence = slices.Clone(q.Evidence)
			kind := "padding"
			if e.Role == schemas.RoleDistractor || e.Role == schemas.RoleSuperseded {
				changed.Evidence[i].Role = schemas.RoleClue
			} else {
				kind, changed.Evidence = "omission", slices.Delete(changed.Evidence, i, i+1)
			}
			planted[kind]++
			if pipeline.CheckSettled(changed, oracle.Settle) == nil {
				t.Errorf("%s passes with a planted %s: %s", q.QuestionID, kind, e.Text)
			}
		}
	}
	t.Logf("planted and found: %v", planted)
	if planted["omission"] < 100 || planted["padding"] < 100 {
		t.Errorf("planted: %v", planted)
	}
}
