package engine

import (
	"errors"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// verdicts has so many of each outcome.
func verdicts(pass, fail, failed, other, few int) *VerdictCounts {
	v := &VerdictCounts{}
	for outcome, n := range map[string]int{schemas.Pass: pass, schemas.Fail: fail, schemas.Error: failed} {
		for range n {
			v.Add(schemas.Verdict{Outcome: outcome})
		}
	}
	for range other {
		v.Add(schemas.Verdict{Outcome: schemas.NotApplicable, Reason: "other-type: it is of another type"})
	}
	for i := range few {
		reason := "too-few: there are 3"
		if i == 0 {
			reason = "no-cell: a label is missing"
		}
		v.Add(schemas.Verdict{Outcome: schemas.Insufficient, Reason: reason})
	}
	return v
}

func TestWhatAGateMayLeaveUnjudged(t *testing.T) {
	share := func(x float64) *float64 { return &x }
	for _, tc := range []struct {
		name string
		v    *VerdictCounts
		most *float64
		ok   bool
	}{
		{"no items", verdicts(0, 0, 0, 0, 0), nil, true},
		{"all other", verdicts(0, 0, 0, 7, 0), nil, false},
		{"all too few", verdicts(0, 0, 0, 0, 7), nil, false},
		{"all errors", verdicts(0, 0, 7, 0, 0), nil, false},
		{"one judged", verdicts(1, 0, 0, 7, 90), nil, true},
		{"one failed", verdicts(0, 1, 0, 7, 90), nil, true},
		{"nothing, and that may be", verdicts(0, 0, 0, 7, 90), share(1), true},
		{"nothing, and nearly that may be", verdicts(0, 0, 0, 7, 90), share(0.99), false},
		{"exactly the share", verdicts(6, 2, 0, 50, 2), share(0.2), true},
		{"more than the share", verdicts(6, 2, 0, 50, 3), share(0.2), false},
		{"others are not counted", verdicts(8, 0, 0, 500, 0), share(0), true},
		{"none may be, one is", verdicts(8, 0, 0, 0, 1), share(0), false},
	} {
		err := tc.v.Check("g", tc.most)
		var e *UnjudgedError
		if (err == nil) != tc.ok || err != nil && !errors.As(err, &e) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

func TestUnjudgedErrorSaysWhyAndWhatToDo(t *testing.T) {
	const nothing = "gate g judged none of its 6 items (not applicable: other-type=4; too little data: no-cell=1 too-few=1): " +
		"give it items that it can judge, take the gate out, or let it judge nothing with gates.g.max_insufficient: 1 (what was built is kept)"
	if got := verdicts(0, 0, 0, 4, 2).Check("g", nil).Error(); got != nothing {
		t.Errorf("%s", got)
	}
	most := 0.25
	const many = "gate g could not judge 3 of the 8 items that it applies to, more than gates.g.max_insufficient 0.25 (not applicable: other-type=4; too little data: no-cell=1 too-few=2): " +
		"give it items that it can judge, take the gate out, or raise max_insufficient (what was built is kept)"
	if got := verdicts(4, 1, 0, 4, 3).Check("g", &most).Error(); got != many {
		t.Errorf("%s", got)
	}
}

func TestUnjudgedTellsTheMainReason(t *testing.T) {
	if got := verdicts(4, 1, 1, 0, 0).Unjudged(); got != "" {
		t.Errorf("%q", got)
	}
	if got, want := verdicts(4, 1, 1, 4, 3).Unjudged(), "4 not applicable (mainly other-type=4), 3 with too little data (mainly too-few=2)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
