package client

import (
	"testing"
	"time"
)

// TestSpending goes through what workers of a run may come with, one after the other.
func TestSpending(t *testing.T) {
	now := time.Unix(1000, 0)
	all := workerShares{}
	ask := func(who string, w fundsRequest) (float64, bool) {
		t.Helper()
		mine, _, over := all.allot(who, w, 10, now)
		return mine.Allotted, over
	}
	expect := func(what string, allotted float64, over bool, want float64, wantOver bool) {
		t.Helper()
		if allotted != want || over != wantOver {
			t.Errorf("%s: allotted %g, used up %t; want %g, %t", what, allotted, over, want, wantOver)
		}
	}
	got, over := ask("a", fundsRequest{need: 2, ahead: 1})
	expect("a needs 2 and soon 1", got, over, 3, false)
	got, over = ask("b", fundsRequest{need: 3, ahead: 100})
	expect("b gets no more than a part of what is left", got, over, 4, false)
	got, over = ask("b", fundsRequest{spent: 3, committed: 3, need: 8})
	expect("b needs more than there is while a may give back", got, over, 3, false)
	got, over = ask("a", fundsRequest{spent: 1, committed: 1, need: 1})
	expect("a gives back", got, over, 1, false)
	got, over = ask("b", fundsRequest{spent: 3, committed: 3, need: 8})
	expect("b gets it", got, over, 8, false)
	got, over = ask("b", fundsRequest{spent: 3, committed: 3, need: 8})
	expect("asked twice", got, over, 8, false)

	now = now.Add(2 * shareLease)
	got, over = ask("a", fundsRequest{spent: 1, committed: 1, need: 3})
	expect("b died: what it held is spent, and nobody waits for it", got, over, 1, true)
	got, over = ask("b", fundsRequest{spent: 4, committed: 4, need: 5})
	expect("b was only stopped, and comes back", got, over, 5, false)
	got, over = ask("a", fundsRequest{spent: 1, committed: 1, need: 5})
	expect("a gets what b did not need", got, over, 5, false)
	if _, spent, _ := all.allot("a", fundsRequest{spent: 5, committed: 5, need: 5}, 10, now); spent != 9 {
		t.Errorf("%g spent by both, want 9", spent)
	}
	got, over = ask("b", fundsRequest{spent: 12, committed: 12, need: 12})
	expect("a call cost more than thought", got, over, 12, true)
	got, over = ask("a", fundsRequest{spent: 5, committed: 5, need: 6})
	expect("nothing is left", got, over, 5, true)
}
