package local

import (
	"container/heap"
	"context"
	"fmt"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/schemas"
)

// made is a node of a build that nobody executes: what it gives is said.
type made struct {
	engine.Step
	// seconds is how long a worker takes for a unit.
	seconds float64
	// give is what the unit of an input gives, which is empty for a node that is one.
	give func(in pipeline.Ref) pipeline.Result
}

func node(name string, kind pipeline.Kind, each bool, from ...string) *made {
	n := &made{Step: engine.Step{
		Name: name, Kind: kind, Use: name, Version: "1", Config: pipeline.RawConfig(`{}`), From: from, MaxLoss: 1,
		Spec:     pipeline.Spec{Accepts: []string{"item"}, Emits: []string{"item"}, Resource: pipeline.CPU},
		Identity: pipeline.Identity{Kind: kind, Use: name, Version: "1", Config: pipeline.RawConfig(`{}`)},
		Each:     each,
	}}
	if kind == pipeline.KindGate {
		n.give = judged(name)
	}
	return n
}

// refOf is a record that is made of its id alone.
func refOf(schema, id string) pipeline.Ref {
	return pipeline.Ref{ID: id, Schema: schema, Digest: pipeline.DigestOf([]byte(id))}
}

// judged hands an item on with a verdict.
func judged(gate string) func(pipeline.Ref) pipeline.Result {
	return func(in pipeline.Ref) pipeline.Result {
		return pipeline.Result{Outputs: []pipeline.Ref{in, refOf(schemas.NameVerdict, "verdict/"+gate+"/"+in.ID)}}
	}
}

// judgements is a store that has the records of all verdicts.
type judgements struct{ pipeline.Store }

func (j judgements) Records(ctx context.Context, ds []pipeline.Digest) ([]pipeline.Record, error) {
	if len(ds) == 1 {
		if recs, err := j.Store.Records(ctx, ds); err == nil {
			return recs, nil
		}
	}
	recs := make([]pipeline.Record, len(ds))
	for i := range recs {
		var err error
		if recs[i], err = pipeline.NewRecord(schemas.NameVerdict, "v", schemas.Verdict{Outcome: schemas.Pass}); err != nil {
			return nil, err
		}
	}
	return recs, nil
}

// Commit keeps of the blobs only those that the records name: nobody put the others.
func (j judgements) Commit(ctx context.Context, done []pipeline.Committed) error {
	for i := range done {
		done[i].Result.Blobs = done[i].Records[0].Blobs
	}
	return j.Store.Commit(ctx, done)
}

// atWork is a task that a worker has, and when it ends.
type atWork struct {
	pipeline.Task
	ends float64
	turn int // so that equal times have an order
}

type agenda []atWork

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	return a[i].ends < a[j].ends || a[i].ends == a[j].ends && a[i].turn < a[j].turn
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(t any)   { *a = append(*a, t.(atWork)) }
func (a *agenda) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}

// virtual drives a build in a time of its own: workers with so many slots a resource
// take as long for a unit as is said.
type virtual struct {
	t     testing.TB
	drive *engine.Scheduler
	nodes map[string]*made
	free  map[pipeline.Resource]int
	busy  agenda
	now   float64
	tasks int
	// listed is the key of a task whose inputs stand in lists.
	listed func(t pipeline.Task) pipeline.Key
}

func (v *virtual) start(t pipeline.Task) {
	n := v.nodes[t.Step]
	v.free[n.Spec.Resource]--
	v.tasks++
	heap.Push(&v.busy, atWork{t, v.now + n.seconds*float64(max(1, len(t.Inputs))), v.tasks})
}

func (v *virtual) results(t pipeline.Task) []pipeline.Result {
	give := v.nodes[t.Step].give
	if len(t.Lists) > 0 {
		r := give(pipeline.Ref{})
		r.Key = v.listed(t)
		return []pipeline.Result{r}
	}
	keys, err := engine.TaskKeys(t)
	if err != nil {
		v.t.Fatal(err)
	}
	out := make([]pipeline.Result, len(keys))
	for i, k := range keys {
		in := pipeline.Ref{}
		if t.Each {
			in = t.Inputs[i]
		}
		out[i] = give(in)
		out[i].Key = k
	}
	return out
}

// run drives to the end, or to the first error. now and then is called after each task.
func (v *virtual) run(ctx context.Context, nowAndThen func()) error {
	for {
		free := map[pipeline.Resource]int{}
		for r, n := range v.free {
			free[r] = n
		}
		for _, t := range v.drive.Next(free) {
			v.start(t)
		}
		if len(v.busy) == 0 {
			return v.drive.End()
		}
		t := heap.Pop(&v.busy).(atWork)
		v.now = t.ends
		v.free[v.nodes[t.Step].Spec.Resource]++
		if err := v.drive.Complete(ctx, t.Task, v.results(t.Task)); err != nil {
			return err
		}
		nowAndThen()
	}
}

// newVirtual begins a build in a store.
func newVirtual(t testing.TB, st pipeline.Store, slots map[pipeline.Resource]int, held int, nodes ...*made) *virtual {
	t.Helper()
	v := &virtual{t: t, nodes: map[string]*made{}, free: slots}
	var steps []engine.Step
	for _, n := range nodes {
		v.nodes[n.Name] = n
		steps = append(steps, n.Step)
	}
	drive, err := engine.NewScheduler(t.Context(), engine.Runtime{Store: judgements{st}, TempRoot: t.TempDir()}, steps, nil, engine.SchedulerOptions{MaxHeld: held})
	if err != nil {
		t.Fatal(err)
	}
	v.drive = drive
	return v
}

func ids(prefix string, from, to int) (out []pipeline.Ref) {
	for i := from; i < to; i++ {
		out = append(out, refOf("item", fmt.Sprintf("%s-%08d", prefix, i)))
	}
	return out
}
