package protocol

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// callsOf lists the calls of one view, from an index on.
func callsOf(first, roles, rotations, samples int) (calls []Call) {
	for role := range roles {
		for rotation := range rotations {
			for sample := range samples {
				calls = append(calls, Call{Index: first + len(calls), Role: fmt.Sprint("model ", role), Rotation: rotation, Sample: sample})
			}
		}
	}
	return calls
}

// rules are the shapes that gates use, small enough to enumerate, with their calls.
func rules() map[string]struct {
	rule  Rule
	calls int
} {
	two4, three := callsOf(0, 2, 4, 1), callsOf(0, 1, 1, 3)
	var anyView, noView Any
	for v := range 2 {
		anyView = append(anyView, RobustSuccess(callsOf(v*4, 2, 2, 1)))
		noView = append(noView, Majority(callsOf(v*3, 1, 1, 3), 2))
	}
	return map[string]struct {
		rule  Rule
		calls int
	}{
		"robust success":         {RobustSuccess(two4), 8},
		"unsolved":               {Unsolved(two4, 0.25), 8},
		"majority":               {Majority(three, 2), 3},
		"too few yes":            {Not{Majority(three, 2)}, 3},
		"some view suffices":     {anyView, 8},
		"no view suffices":       {Not{anyView}, 8},
		"necessity of each view": {noView, 6},
		"first usable answer":    {FirstUsable(three), 3},
	}
}

// inOrder lists calls by their indexes.
func inOrder(indexes ...int) (calls []Call) {
	for _, i := range indexes {
		calls = append(calls, Call{Index: i})
	}
	return calls
}

// everyOutcome visits every assignment of Right, Wrong and Failed to n calls.
func everyOutcome(n int, visit func([]Mark)) {
	marks := make([]Mark, n)
	var fill func(int)
	fill = func(i int) {
		if i == n {
			visit(marks)
			return
		}
		for _, m := range []Mark{Right, Wrong, Failed} {
			marks[i] = m
			fill(i + 1)
		}
	}
	fill(0)
}

func TestSequentialVerdictIsTheFullOne(t *testing.T) {
	for name, tc := range rules() {
		t.Run(name, func(t *testing.T) {
			made, outcomes := 0, 0
			seen := map[Truth]int{}
			everyOutcome(tc.calls, func(marks []Mark) {
				rnd := rand.New(rand.NewPCG(1, uint64(outcomes)))
				order := inOrder(rnd.Perm(tc.calls)...)
				want := tc.rule.Value(marks)
				seen[want]++
				got, asked, err := Run(tc.rule, order, false, func(c Call) (Mark, error) { return marks[c.Index], nil })
				if err != nil || got != want || want == Open {
					t.Fatalf("outcome %v: sequential %d, full %d, %v", marks, got, want, err)
				}
				for i, m := range asked {
					if m == Unasked {
						continue
					}
					made++
					if m != marks[i] {
						t.Fatalf("call %d was given another mark", i)
					}
				}
				outcomes++
			})
			if seen[True] == 0 || seen[False] == 0 || seen[Broken] == 0 {
				t.Errorf("values seen: %v; the enumeration should meet all three", seen)
			}
			if made >= outcomes*tc.calls {
				t.Errorf("sequential evaluation made all %d calls", made)
			}
		})
	}
}

func TestFullProtocolAsksEverything(t *testing.T) {
	rule := RobustSuccess(callsOf(0, 2, 4, 1))
	made := 0
	_, marks, err := Run(rule, inOrder(7, 6, 5, 4, 3, 2, 1, 0), true, func(Call) (Mark, error) { made++; return Wrong, nil })
	if err != nil || made != 8 || marks[0] != Wrong {
		t.Errorf("%d calls, %v, %v", made, marks, err)
	}
}

func TestFirstWrongAnswerEndsRobustSuccess(t *testing.T) {
	rule := RobustSuccess(callsOf(0, 2, 4, 1))
	made := 0
	v, _, _ := Run(rule, inOrder(3, 0, 1, 2, 4, 5, 6, 7), false, func(c Call) (Mark, error) {
		made++
		if c.Index != 3 {
			return Right, nil
		}
		return Wrong, nil
	})
	if v != False || made != 1 {
		t.Errorf("value %d after %d calls", v, made)
	}
}

func TestRunStopsAtAnError(t *testing.T) {
	stop := errors.New("stop")
	_, _, err := Run(AtLeast{K: 1, Calls: inOrder(0, 1)}, inOrder(0, 1), false, func(Call) (Mark, error) { return Unasked, stop })
	if !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
}

func TestUnsolvedCountsPerModel(t *testing.T) {
	rule := Unsolved(callsOf(0, 2, 4, 1), 0.25)
	for right, want := range map[[2]int]Truth{{0, 0}: True, {1, 1}: True, {2, 0}: False, {1, 2}: False, {4, 4}: False} {
		marks := make([]Mark, 8)
		for i := range marks {
			marks[i] = Wrong
		}
		for m, n := range right {
			for i := range n {
				marks[m*4+i] = Right
			}
		}
		if got := rule.Value(marks); got != want {
			t.Errorf("%v right: %d, want %d", right, got, want)
		}
	}
}

func TestByRoleKeepsTheOrderOfCalls(t *testing.T) {
	calls := callsOf(5, 2, 4, 3)
	groups := ByRole(calls)
	if len(groups) != 2 || !slices.Equal(slices.Concat(groups...), calls) {
		t.Fatalf("%+v", groups)
	}
	for i, g := range groups {
		for _, c := range g {
			if c.Role != fmt.Sprint("model ", i) {
				t.Errorf("group %d has a call of %s", i, c.Role)
			}
		}
	}
}
