package crosssource_test

import (
	"testing"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/weights"
)

// TestLostItemsLeaveNoSource: where items are lost because no chat has room for who has to
// say their pieces, sources of their own go with them, and the others are written.
func TestLostItemsLeaveNoSource(t *testing.T) {
	t.Parallel()
	w, p := small()
	w.Size.People, w.Size.Images = 40, 1
	w.Size.Items = map[string]int{schemas.TaskConflict: 14}
	w.Size.Pieces = []weights.Range{{From: 4, To: 4, Weight: 1}} // two people each who have to say something
	p.Groups, p.Privates = 2, 1
	b := build(t, 6, w, p) // fails where a source has no turn
	if b.lost == 0 || len(b.questions) == 0 {
		t.Errorf("%d items were lost and %d questions asked, want some of both", b.lost, len(b.questions))
	}
	for _, s := range b.sessions {
		if len(s.Turns) == 0 {
			t.Errorf("source %s (%s) has no turn", s.SessionID, s.Kind)
		}
	}
}
