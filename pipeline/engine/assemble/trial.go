package assemble

import (
	"context"
	"fmt"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/kit/words"
)

// NoStepError says that a plan has no node of a name.
type NoStepError struct {
	Name string
	// Near is a name that looks like it, or empty.
	Near string
}

func (e *NoStepError) Error() string {
	text := fmt.Sprintf("the configuration has no node %q", e.Name)
	if e.Near != "" {
		return text + fmt.Sprintf("; did you mean %q?", e.Near)
	}
	return text + "; `memforge plan` lists the nodes"
}

// trial says what a build is confined to, or is empty.
func (o Options) trial() string {
	var parts []string
	if o.Only != "" {
		parts = append(parts, "only "+o.Only)
	}
	if o.Limit > 0 {
		parts = append(parts, fmt.Sprintf("limit %d", o.Limit))
	}
	return strings.Join(parts, ", ")
}

// keepFailed keeps what a build finished before it failed, for show: the records
// that say why it did.
func keepFailed(ctx context.Context, st pipeline.Store, plan engine.Plan, nodes []engine.StepRun, opt Options) error {
	if len(nodes) == 0 || ctx.Err() != nil {
		return nil
	}
	return engine.SaveHistory(ctx, st, plan, nodes, strings.TrimPrefix(opt.trial()+", failed", ", "))
}

// confine is the configuration with the nodes alone that a build is to make.
func confine(cfg *config.Config, opt Options) (*config.Config, error) {
	if opt.Only == "" {
		return cfg, nil
	}
	only := *cfg
	var ok bool
	if only.Plan, ok = cfg.Plan.Only(opt.Only); ok {
		return &only, nil
	}
	var names []string
	for _, n := range cfg.Plan.Steps {
		names = append(names, n.Name)
	}
	near, _ := words.NearestWord(opt.Only, names)
	return nil, &NoStepError{Name: opt.Only, Near: near}
}
