package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/cluster/clusterstate"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/prompts"
)

// Client orders builds and waits for them.
type Client struct {
	State  *clusterstate.SharedState
	Engine Engine
}

// Submit has the workers carry an order out, unless they do already, and gives the id of
// the build: the same for the same order. name is for people.
func (c Client) Submit(ctx context.Context, name string, o assemble.BuildSpec) (id string, err error) {
	body, err := o.Encode()
	if err != nil {
		return "", err
	}
	id = idOf(body)
	queue := Program{Name: o.Program}.queue(drives)
	if err := c.State.Submit(ctx, id, name, queue, body); err != nil {
		return id, err
	}
	return id, c.Engine.Start(ctx, queue, id)
}

func idOf(body []byte) string { return string(pipeline.DigestOf(body)[:16]) }

const (
	// looks is how often a client asks how far a build is.
	looks = 250 * time.Millisecond
	// pushes is how often it starts a build anew that has no driver.
	pushes = 10 * time.Second
)

// Spec returns what a build was ordered with.
func (c Client) Spec(ctx context.Context, id string) (assemble.BuildSpec, error) {
	body, err := c.State.Spec(ctx, id)
	if err != nil {
		return assemble.BuildSpec{}, err
	}
	return assemble.DecodeBuildSpec(body)
}

// Wait waits until a build has ended, and gives its outcome; observe, if set, is told of
// its progress. That the build failed is in the outcome. The build goes on when ctx ends.
func (c Client) Wait(ctx context.Context, id string, observe func(Progress)) (Outcome, error) {
	tick := time.NewTicker(looks)
	defer tick.Stop()
	pushed := time.Now()
	for {
		b, err := c.State.Build(ctx, id)
		if err != nil {
			return Outcome{}, err
		}
		showProgress(b.Progress, observe)
		if b.State.Ended() {
			return outcomeOf(b)
		}
		if b.State == clusterstate.Queued && time.Since(pushed) > pushes {
			pushed = time.Now()
			// It may have been ordered while the engine ended the one before.
			if err := c.Engine.Start(ctx, b.Queue, id); err != nil {
				return Outcome{}, err
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return Outcome{}, context.Cause(ctx)
		}
	}
}

func showProgress(progress []byte, observe func(Progress)) {
	if observe == nil || len(progress) == 0 {
		return
	}
	var p Progress
	if json.Unmarshal(progress, &p) == nil { // it is only shown
		observe(p)
	}
}

func outcomeOf(b clusterstate.Build) (Outcome, error) {
	if b.State == clusterstate.Cancelled && len(b.Outcome) == 0 {
		return Outcome{}, ErrCancelled
	}
	return decode[Outcome](b.Outcome)
}

// Cancel ends a build.
func (c Client) Cancel(ctx context.Context, id string) error {
	if err := c.State.Cancel(ctx, id); err != nil {
		return err
	}
	return c.Engine.Cancel(ctx, id)
}

// Missing says what no worker offers that the tasks of an order may need: "" when all is
// there. It is no error, for workers come and go.
func (c Client) Missing(ctx context.Context, p Program, needs []pipeline.Resource) (string, error) {
	workers, err := c.State.Workers(ctx)
	if err != nil {
		return "", err
	}
	return missingFor(p, workers, needs), nil
}

// Err is the error with which the build ended, or nil.
func (o Outcome) Err() error {
	if o.Fault == nil {
		return nil
	}
	return fmt.Errorf("build on the cluster: %w", o.Fault.err())
}

// stepCount is the progress of a step as it travels: with the counts that a Summary does
// not remember.
type stepCount struct {
	engine.Count
	Reused    int
	Transient int
	Waiting   int
}

// Progress is how far a build is.
type Progress struct {
	Nodes []stepCount
	// Spent is that of Outcome.
	Spent map[string]client.Total
}

func progressOf(counts []engine.Count, spent map[string]client.Total) Progress {
	p := Progress{Nodes: make([]stepCount, len(counts)), Spent: spent}
	for i, c := range counts {
		p.Nodes[i] = stepCount{c, c.Summary.Reused, c.Summary.Transient, c.Summary.Waiting}
	}
	return p
}

// Counts returns what an in-process build tells of its steps.
func (p Progress) Counts() []engine.Count {
	out := make([]engine.Count, len(p.Nodes))
	for i, c := range p.Nodes {
		c.Summary.Reused, c.Summary.Transient, c.Summary.Waiting = c.Reused, c.Transient, c.Waiting
		out[i] = c.Count
	}
	return out
}

// Total adds up what steps spent.
func Total(spent map[string]client.Total) (t client.Total) {
	for _, node := range slices.Sorted(maps.Keys(spent)) {
		t = t.Plus(spent[node])
	}
	return t
}

// Program is what a program and a machine bring to a build that can change its bytes.
type Program struct {
	// Name is a digest of Versions and of which cluster, short enough for names of queues: several
	// clusters may use one engine.
	Name     string
	Versions map[string]string
}

// ProgramOf returns that of this process, for the builds of a cluster.
func ProgramOf(ctx context.Context, reg *pipeline.Registry, b *clusterstate.SharedState) (Program, error) {
	v := reg.Versions(ctx)
	for _, task := range prompts.Names() {
		p, err := prompts.Get(task)
		if err != nil {
			return Program{}, err
		}
		v["prompt "+task] = p.Digest
	}
	// Films are drawn with floating-point numbers, which processors round in their own ways.
	v["processor"] = runtime.GOARCH
	text, err := pipeline.Canonical(v)
	if err != nil {
		return Program{}, fmt.Errorf("name this program: %w", err)
	}
	return Program{Name: string(pipeline.DigestOf(append(text, b.ID...))[:12]), Versions: v}, nil
}

// drives is the queue of builds, in the place of a resource.
const drives = "driver"

// queue names the one that tasks of a resource go to. Workers of another program do not
// serve it: what they give would stand under keys that name other versions.
func (p Program) queue(resource string) string { return "memforge-" + p.Name + "-" + resource }

// Resources that tasks occupy, as queues are named after them.
var resources = [...]pipeline.Resource{pipeline.CPU, pipeline.FFmpeg, pipeline.Model, pipeline.Network}

// missingFor says what no worker offers to a program, and how those that live differ from it.
func missingFor(p Program, workers []clusterstate.Worker, needs []pipeline.Resource) string {
	offered, driven := map[pipeline.Resource]bool{}, false
	var others []string
	for _, w := range workers {
		if w.Program != p.Name {
			others = append(others, fmt.Sprintf("%s has %s", w.ID, differs(p.Versions, w.Versions)))
			continue
		}
		driven = driven || w.Drives
		for r := range w.Slots {
			offered[r] = true
		}
	}
	var missing []string
	for _, r := range needs {
		if !offered[r] {
			missing = append(missing, string(r))
		}
	}
	if !driven {
		missing = append(missing, drives)
	}
	if len(missing) == 0 {
		return ""
	}
	text := "no worker of this program serves " + strings.Join(missing, ", ") + ": start one (memforge worker), the build waits for it"
	if len(others) > 0 {
		text += "; there are workers of other programs: " + strings.Join(others, "; ")
	}
	return text
}

// differs names the first of what another program has in other versions.
func differs(own, other map[string]string) string {
	names := map[string]bool{}
	for _, m := range []map[string]string{own, other} {
		for name := range m {
			names[name] = true
		}
	}
	const told = 3
	var parts []string
	more := 0
	for _, name := range slices.Sorted(maps.Keys(names)) {
		switch {
		case own[name] == other[name]:
		case len(parts) == told:
			more++
		default:
			parts = append(parts, fmt.Sprintf("%s %s (here %s)", name, short(other[name]), short(own[name])))
		}
	}
	if more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, ", ")
}

func short(version string) string {
	const most = 40
	switch {
	case version == "":
		return "none"
	case len(version) > most:
		return version[:most] + "..."
	}
	return version
}
