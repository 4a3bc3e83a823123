package cluster

import (
	"context"
	"fmt"
	"runtime"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/cluster/clusterstate"
	"github.com/memforge/memforge/prompts"
)

// Program is what a program and a machine bring to a build that can change its bytes.
type Program struct {
	// Name is a digest of Versions and the board, short enough for names of queues: several
	// clusters may use one engine.
	Name     string
	Versions map[string]string
}

// ProgramOf is that of this process, for builds on a board.
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
