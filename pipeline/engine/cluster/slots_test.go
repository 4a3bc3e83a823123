package cluster

import (
	"context"
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/cluster/clusterstate"
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

// TestSlotsOfTheWorkers counts those that run the program of the build, some tasks ahead of each,
// and no others.
func TestSlotsOfTheWorkers(t *testing.T) {
	_, state := newHouse(t).open()
	defer state.Close()
	for id, w := range map[string]clusterstate.Worker{
		"a": {Program: "this", Slots: map[pipeline.Resource]int{pipeline.CPU: 3, pipeline.Model: 1}}, "b": {Program: "this", Slots: map[pipeline.Resource]int{pipeline.CPU: 5}}, "c": {Program: "other", Slots: map[pipeline.Resource]int{pipeline.CPU: 90}},
	} {
		w.ID = id
		if err := state.Announce(t.Context(), w, time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	d := &coordinator{Worker: &Worker{WorkerOptions: WorkerOptions{State: state}, program: Program{Name: "this"}}, send: &dispatcher{most: map[pipeline.Resource]int{}}}
	if err := d.countSlots(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := map[pipeline.Resource]int{pipeline.CPU: ahead * (3 + 5), pipeline.Model: ahead * fewest}
	if !maps.Equal(d.allowed(), want) || d.send.most[pipeline.CPU] != 4 || d.send.most[pipeline.Model] != fewest {
		t.Errorf("slots %v, want %v; batches %v", d.allowed(), want, d.send.most)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.countSlots(ended); !errors.Is(err, context.Canceled) || !maps.Equal(d.allowed(), want) {
		t.Errorf("after the end: %v, %v", err, d.allowed())
	}
}
