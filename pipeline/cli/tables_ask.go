package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/memforge/memforge/pipeline/audit/rerun"
	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/schemas"
)

// askPanel puts the gates of the tables that are asked for to a panel; what it says takes the
// place of what the release's gates asked. Answers are recorded before they are used.
func (c tablesCmd) askPanel(e *env, set tables.Set, in *tables.Inputs) (err error) {
	cfg, err := e.loadPanelConfig(c.Panel)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "memforge-tables-")
	if err != nil {
		return fmt.Errorf("folder for pictures: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	for _, k := range set.Tables {
		if k.GateCalls == nil || len(c.Table) > 0 && !slices.Contains(c.Table, k.Name) {
			continue
		}
		gates, questions, err := k.GateCalls(*in)
		if err != nil {
			return &inputError{fmt.Errorf("tables: %w", err)}
		}
		roles, err := rerun.RolesOf(e.reg, gates)
		if err != nil {
			return err
		}
		models, identities, err := cfg.Panel(c.Panel, roles)
		if err != nil {
			return &usageError{fmt.Errorf("--panel: %w", err)}
		}
		opt := rerun.Options{Roles: identities, Workers: cmp.Or(cfg.Run.Limits.Model, 8), Temp: temp}
		asked, err := openPanel(e, cfg, models, c.Offline, c.MaxCost, &opt)
		if err != nil {
			return err
		}
		err = c.askGates(e, in, gates, questions, opt)
		total, closeErr := asked()
		safetext.Fprintf(e.err, "models: %s\n", cmp.Or(formatSpending(total), "only the built-in one was asked"))
		if err = errors.Join(err, closeErr); err != nil {
			return err
		}
	}
	return nil
}

// askGates asks gates in turn.
func (c tablesCmd) askGates(e *env, in *tables.Inputs, gates, questions []string, opt rerun.Options) error {
	uses := map[string]string{}
	for _, g := range in.Contents.Manifest.Gates {
		uses[g.Name] = g.Use
	}
	for _, g := range gates {
		probes, skipped, err := rerun.Ask(e, e.reg, in.Contents, g, questions, opt)
		if err != nil {
			return err
		}
		for _, s := range skipped {
			safetext.Fprintf(e.err, "warning: %s could not be asked of %s: %s\n", s.Gate, s.Item, s.Why)
		}
		same := func(gate string) bool { return cmp.Or(uses[gate], gate) == g }
		in.Contents.Verdicts = slices.DeleteFunc(slices.Clone(in.Contents.Verdicts), func(v schemas.Verdict) bool { return same(v.Gate) })
		in.Contents.Probes = slices.DeleteFunc(slices.Clone(in.Contents.Probes), func(p schemas.Probe) bool { return same(p.Gate) })
		in.Contents.Probes = append(in.Contents.Probes, probes...)
	}
	return nil
}
