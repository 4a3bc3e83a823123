package rerun

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// Ask puts a gate that asks models to questions of a release whose builder need not have
// asked it: the full protocol, of the gate as it is without settings. The probes name it
// as this program does. Skipped questions could not be asked about.
func Ask(ctx context.Context, reg *pipeline.Registry, c release.Contents, use string, questions []string, o Options) (probes []schemas.Probe, skipped []Skip, err error) {
	info, gate, err := fullProtocolGate(reg, use)
	if err != nil {
		return nil, nil, err
	}
	c.Manifest.Gates, c.Probes, c.Verdicts = []manifest.GateInfo{info}, nil, nil
	for _, id := range questions {
		c.Verdicts = append(c.Verdicts, schemas.Verdict{Item: id, Gate: use})
	}
	shelf, done, err := openMediaStore(ctx, c, o.Temp)
	if err != nil {
		return nil, nil, fmt.Errorf("ask gate %s: %w", use, err)
	}
	defer func() { err = errors.Join(err, done()) }()
	tally, err := newComparison(reg, c)
	if err != nil {
		return nil, nil, fmt.Errorf("ask gate %s: %w", use, err)
	}
	defer func() { err = errors.Join(err, tally.Close()) }()
	id := identity(c, info)
	id.Models, _ = rolePlayers(gate, o.Roles)
	results, err := (&gateRun{reg: reg, opts: o, contents: c, info: info, store: shelf, tally: tally}).judge(ctx, id)
	if err != nil {
		return nil, nil, fmt.Errorf("ask gate %s: %w", use, err)
	}
	for _, r := range results {
		if r.skip != "" {
			skipped = append(skipped, Skip{Item: r.verdict.Item, Gate: use, Why: r.skip})
		}
		for _, p := range r.judgement.Probes {
			p.Item, p.Gate = r.verdict.Item, use
			probes = append(probes, p)
		}
	}
	return probes, skipped, nil
}

// fullProtocolGate builds a gate of this program that asks its full protocol, and names
// it as a release would.
func fullProtocolGate(reg *pipeline.Registry, use string) (manifest.GateInfo, pipeline.Gate, error) {
	plugin, _ := reg.Plugin(pipeline.KindGate, use)
	info := manifest.GateInfo{Name: use, Use: use, Config: pipeline.RawConfig(`{"full_protocol":true}`)}
	if plugin != nil {
		info.Version = plugin.Version
	}
	gate, err := reg.Gate(identity(release.Contents{}, info))
	if err != nil {
		return info, nil, fmt.Errorf("ask gate %s: %w", use, err)
	}
	return info, gate, nil
}

// RolesOf lists the roles that gates ask, sorted.
func RolesOf(reg *pipeline.Registry, uses []string) (roles []string, err error) {
	for _, use := range uses {
		_, gate, err := fullProtocolGate(reg, use)
		if err != nil {
			return nil, err
		}
		for _, a := range gate.Spec().Asks {
			roles = append(roles, a.Role)
		}
	}
	slices.Sort(roles)
	return slices.Compact(roles), nil
}

// rolePlayers returns the models behind the roles of a gate, and their names.
func rolePlayers(gate pipeline.Gate, roles map[string]pipeline.ModelIdentity) (models map[string]pipeline.ModelIdentity, names map[string]string) {
	models, names = map[string]pipeline.ModelIdentity{}, map[string]string{}
	for _, a := range gate.Spec().Asks {
		names[a.Role] = pipeline.BuiltInModel
		if m, ok := roles[a.Role]; ok {
			models[a.Role], names[a.Role] = m, m.Model
		}
	}
	return models, names
}
