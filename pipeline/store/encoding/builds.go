package encoding

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/memforge/memforge/pipeline"
)

// EncodeBuild gives the body of a build's row. It refuses a build whose units are not
// in the store.
func EncodeBuild(ctx context.Context, absent func(context.Context, []pipeline.Digest) ([]pipeline.Digest, error), b pipeline.Build) ([]byte, error) {
	for _, n := range b.Steps {
		if n.UnitList == "" {
			continue
		}
		missing, err := absent(ctx, []pipeline.Digest{n.UnitList})
		if err != nil {
			return nil, fmt.Errorf("node %s: %w", n.Name, err)
		}
		if len(missing) > 0 {
			return nil, fmt.Errorf("node %s: the units blob was not put before: %w", n.Name, NoBlob(n.UnitList))
		}
	}
	b.Seq = 0
	return json.Marshal(b)
}

// WholeHistory refuses a history of which builds are damaged.
func WholeHistory(builds []pipeline.Build, damaged []int64, err error) ([]pipeline.Build, error) {
	if err == nil && len(damaged) > 0 {
		err = fmt.Errorf("builds %d cannot be read any more; run `memforge store check --repair`", damaged)
	}
	if err != nil {
		return nil, fmt.Errorf("read build history: %w", err)
	}
	return builds, nil
}

// AddBuild adds a row of the history to the builds, or to those that are damaged.
func AddBuild(builds []pipeline.Build, damaged []int64, seq int64, body []byte) ([]pipeline.Build, []int64) {
	var b pipeline.Build
	if err := json.Unmarshal(body, &b); err != nil {
		return builds, append(damaged, seq)
	}
	b.Seq = seq
	return append(builds, b), damaged
}
