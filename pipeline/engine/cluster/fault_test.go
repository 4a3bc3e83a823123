package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/cluster/clusterstate"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testwait"
)

// counting is an order of the domain of numbers.
func counting(t testing.TB, c Client, count int) assemble.BuildSpec {
	t.Helper()
	program, err := ProgramOf(t.Context(), testkit.NumbersRegistry(&testkit.NumbersHooks{}), c.State)
	if err != nil {
		t.Fatal(err)
	}
	return assemble.BuildSpec{Program: program.Name, Plan: testkit.NumbersPlan(testkit.NumbersConfig{Count: count, Changed: -1}), Only: "sum"}
}

// counter starts a worker of the domain.
func (h *house) counter(hooks *testkit.NumbersHooks, change ...func(*WorkerOptions)) (end func() error) {
	h.t.Helper()
	change = append([]func(*WorkerOptions){func(o *WorkerOptions) { o.Registry = testkit.NumbersRegistry(hooks) }}, change...)
	return h.worker(change...)
}

func (h *house) client() Client {
	h.t.Helper()
	b, err := clusterstate.Open(h.t.Context(), h.place())
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(b.Close)
	return Client{State: b, Engine: h.carrier}
}

// counted waits for an order and gives the sum that came out.
func (h *house) counted(c Client, o assemble.BuildSpec, id string) (sum int, out Outcome) {
	h.t.Helper()
	out, err := c.Wait(h.t.Context(), id, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	if out.Fault != nil {
		return 0, out
	}
	st, b := h.open()
	defer b.Close()
	defer st.Close()
	steps, err := o.Plan.Resolve(h.t.Context(), testkit.NumbersRegistry(&testkit.NumbersHooks{}))
	if err != nil {
		h.t.Fatal(err)
	}
	nodes, err := engine.DecodeRuns(steps, out.Runs)
	if err != nil {
		h.t.Fatal(err)
	}
	units, err := engine.LoadUnits(h.t.Context(), st, nodes[len(nodes)-1].Units)
	if err != nil {
		h.t.Fatal(err)
	}
	recs, err := st.Records(h.t.Context(), []pipeline.Digest{units[0].Out[0].Digest})
	if err != nil {
		h.t.Fatal(err)
	}
	n, err := pipeline.Decode[testkit.Number](recs[0])
	if err != nil {
		h.t.Fatal(err)
	}
	return n.N, out
}

// order orders a count.
func (h *house) order(c Client, o assemble.BuildSpec) string {
	h.t.Helper()
	id, err := c.Submit(h.t.Context(), "numbers", o)
	if err != nil {
		h.t.Fatal(err)
	}
	return id
}

const many = 3000

// sumOf what passes the gate of many numbers.
const sumOfMany = (many - 10) * (many - 11)

// Workers that end in the middle, the driver among them, cost nothing but time.
func TestWorkersEndInTheMiddle(t *testing.T) {
	h := newHouse(t)
	var reached atomic.Int64
	stall := make(chan struct{})
	hooks := &testkit.NumbersHooks{BeforeMap: func(ctx context.Context, n testkit.Number) error {
		if reached.Add(1) < many/2 {
			return nil
		}
		select {
		case <-stall:
		case <-ctx.Done():
			return ctx.Err()
		}
		return nil
	}}
	ends := []func() error{h.counter(hooks), h.counter(hooks)}
	c := h.client()
	o := counting(t, c, many)
	id := h.order(c, o)
	testwait.Until(t, "half of the records", func() bool { return reached.Load() >= many/2 })
	for _, end := range ends {
		if err := end(); err != nil {
			t.Error(err)
		}
	}
	close(stall)
	h.counter(hooks)
	sum, out := h.counted(c, o, id)
	if out.Fault != nil || sum != sumOfMany {
		t.Errorf("sum %d, %v; want %d", sum, out.Fault, sumOfMany)
	}
}

// Replies that a carrier exchanges or makes up have no effect.
func TestExchangedRepliesHaveNoEffect(t *testing.T) {
	h := newHouse(t)
	var last pipeline.Digest
	h.bring = func(_, reply pipeline.Digest) pipeline.Digest {
		before := last
		last = reply
		if before == "" {
			return pipeline.DigestOf([]byte("made up"))
		}
		return before
	}
	hooks := &testkit.NumbersHooks{}
	h.counter(hooks)
	c := h.client()
	o := counting(t, c, 100)
	if sum, out := h.counted(c, o, h.order(c, o)); out.Fault != nil || sum != 90*89 {
		t.Errorf("%d, %v", sum, out.Fault)
	}
}

// What is wrong with an item ends the build as it would on one machine.
func TestErrorsOfTasksArrive(t *testing.T) {
	h := newHouse(t)
	hooks := &testkit.NumbersHooks{BeforeMap: func(_ context.Context, n testkit.Number) error {
		if n.N == 42 {
			return fmt.Errorf("forty-two: %w", io.ErrUnexpectedEOF) // as from a server that is gone
		}
		return nil
	}}
	h.counter(hooks, func(o *WorkerOptions) { o.Code = func(error) int { return 77 } })
	c := h.client()
	o := counting(t, c, 100)
	_, out := h.counted(c, o, h.order(c, o))
	if out.Fault == nil || out.Fault.Code != 77 || !strings.Contains(out.Fault.Text, "step double, record number-000042: forty-two: unexpected EOF") {
		t.Fatalf("the build ended with %+v", out.Fault)
	}
	hooks.BeforeMap = nil
	if sum, out := h.counted(c, o, h.order(c, o)); out.Fault != nil || sum != 90*89 {
		t.Errorf("ordered again: %d, %v", sum, out.Fault)
	}
}

// A loss that may pass is counted where the driver is, and tried again by the next build.
func TestPassingLossesTravel(t *testing.T) {
	h := newHouse(t)
	var well atomic.Bool
	hooks := &testkit.NumbersHooks{BeforeMap: func(_ context.Context, n testkit.Number) error {
		if n.N == 7 && !well.Load() {
			return &pipeline.Rejection{Code: "slow", Reason: "out of time", Transient: true}
		}
		return nil
	}}
	h.counter(hooks)
	c := h.client()
	o := counting(t, c, 100)
	o.Plan.Steps[1].MaxLoss = 0.5
	sum, out := h.counted(c, o, h.order(c, o))
	if out.Fault != nil || sum != 90*89-14 || !strings.Contains(string(out.Runs), `"transient":1`) {
		t.Errorf("%d, %v, %s", sum, out.Fault, out.Runs)
	}
	well.Store(true)
	if sum, out := h.counted(c, o, h.order(c, o)); out.Fault != nil || sum != 90*89 {
		t.Errorf("again: %d, %v", sum, out.Fault)
	}
}

// A worker whose disk is full ends, and another one does its tasks.
func TestUnfitMachinesLeave(t *testing.T) {
	h := newHouse(t)
	full := func(_ context.Context, n testkit.Number) error {
		return fmt.Errorf("write: %w", syscall.ENOSPC)
	}
	ill, well := &testkit.NumbersHooks{BeforeMap: full}, &testkit.NumbersHooks{}
	end := h.counter(ill, func(o *WorkerOptions) { o.Drives = false })
	c := h.client()
	o := counting(t, c, 100)
	h.counter(well, func(o *WorkerOptions) { o.Slots = map[pipeline.Resource]int{pipeline.Network: 1} })
	id := h.order(c, o)
	testwait.Until(t, "the worker with a full disk", func() bool { return ill.Maps.Load() > 0 })
	h.counter(well)
	if sum, out := h.counted(c, o, id); out.Fault != nil || sum != 90*89 {
		t.Errorf("%d, %v", sum, out.Fault)
	}
	if err := end(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("the worker with a full disk ended with %v", err)
	}
}

// Nobody takes tasks of another program, and who waits is told why.
func TestOtherProgramsServeOtherQueues(t *testing.T) {
	h := newHouse(t)
	hooks := &testkit.NumbersHooks{}
	other := testkit.NumbersRegistry(hooks)
	other.AddTool("ffmpeg", func(context.Context) (string, error) { return "7.0", nil })
	h.worker(func(o *WorkerOptions) { o.Registry = other })
	c := h.client()
	o := counting(t, c, 100)
	id := h.order(c, o)
	program, err := ProgramOf(t.Context(), testkit.NumbersRegistry(hooks), c.State)
	if err != nil {
		t.Fatal(err)
	}
	lacks, err := c.Missing(t.Context(), program, []pipeline.Resource{pipeline.CPU})
	if err != nil || !strings.Contains(lacks, "serves cpu, driver") || !strings.Contains(lacks, "tool ffmpeg 7.0 (here none)") {
		t.Errorf("%q, %v", lacks, err)
	}
	h.counter(hooks)
	if sum, out := h.counted(c, o, id); out.Fault != nil || sum != 90*89 {
		t.Errorf("%d, %v", sum, out.Fault)
	}
	if lacks, err := c.Missing(t.Context(), program, []pipeline.Resource{pipeline.CPU}); lacks != "" || err != nil {
		t.Errorf("with a worker: %q, %v", lacks, err)
	}
}

// A build that is cancelled ends, and can be ordered again.
func TestCancelledBuildsEnd(t *testing.T) {
	h := newHouse(t)
	stall := make(chan struct{})
	var reached atomic.Bool
	hooks := &testkit.NumbersHooks{BeforeMap: func(ctx context.Context, _ testkit.Number) error {
		reached.Store(true)
		select {
		case <-stall:
		case <-ctx.Done():
		}
		return ctx.Err()
	}}
	h.counter(hooks)
	c := h.client()
	o := counting(t, c, 100)
	id := h.order(c, o)
	testwait.Until(t, "a task", reached.Load)
	if err := c.State.Cancel(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if out, err := c.Wait(t.Context(), id, nil); err != nil || out.Fault == nil || !strings.Contains(out.Fault.Text, "cancelled") {
		t.Errorf("%+v, %v", out, err)
	}
	h.drives.Wait()
	close(stall)
	if sum, out := h.counted(c, o, h.order(c, o)); out.Fault != nil || sum != 90*89 {
		t.Errorf("again: %d, %v", sum, out.Fault)
	}
}

// Clusters that share an engine, each with a store of its own, do not get each other's
// batches.
func TestClustersShareAnEngine(t *testing.T) {
	h, other := newHouse(t), newHouse(t)
	other.carrier = h.carrier
	hooks, others := &testkit.NumbersHooks{}, &testkit.NumbersHooks{}
	other.counter(others)
	h.counter(hooks)
	other.counter(others)
	c := h.client()
	o := counting(t, c, 100)
	if sum, out := h.counted(c, o, h.order(c, o)); out.Fault != nil || sum != 90*89 || others.Maps.Load() != 0 {
		t.Errorf("%d, %v; the other cluster did %d of it", sum, out.Fault, others.Maps.Load())
	}
}
