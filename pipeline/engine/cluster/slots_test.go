package cluster

import (
	"context"
	"testing"
)

// A slot that is free when the work has ended stays free.
func TestNoSlotIsLost(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	slots := make(chan struct{}, 1)
	if !acquireSlot(ctx, slots) || len(slots) != 1 {
		t.Fatal("a free slot was not taken")
	}
	<-slots
	end()
	for range 100 { // which of two things is ready first is drawn
		if acquireSlot(ctx, slots) || len(slots) != 0 {
			t.Fatal("a slot was taken for work that has ended")
		}
	}
}
