package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/memforge/memforge/pipeline"
)

type planCmd struct {
	Calls bool `help:"Run what needs no language model, and say what the rest would ask of models: calls, tokens and cost."`
	JSON  bool `name:"json" help:"Print the plan as JSON: exactly what keys are made of."`
}

// Help is shown below the flags.
func (planCmd) Help() string {
	return `Examples:
  memforge plan
  memforge plan -f smoke.yaml --set sources.films.with.count=4
  memforge plan --calls
  memforge plan --json`
}

// Run prints the plan.
func (c planCmd) Run(e *env) error {
	cfg, err := e.load()
	if err != nil {
		return err
	}
	if c.JSON {
		enc := json.NewEncoder(e.out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(cfg.Plan)
	}
	if err := printPlan(e, cfg.Plan); err != nil || !c.Calls {
		return err
	}
	return printCalls(e, cfg)
}

func printPlan(e *env, plan pipeline.Plan) error {
	canonical, err := pipeline.Canonical(plan)
	if err != nil {
		return fmt.Errorf("digest of the plan: %w", err)
	}
	r := plan.Release
	fmt.Fprintf(e.out, "release %s %s from %s\nplan    %s\nseed    %d\n\n",
		r.Name, r.Version, strings.Join(r.From, ", "), pipeline.DigestOf(canonical), plan.Seed)
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NODE\tKIND\tUSE\tVERSION\tFROM\tMAX LOSS")
	for _, n := range plan.Nodes {
		from := strings.Join(n.From, ", ")
		if from == "" {
			from = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%g %%\n", n.Name, n.Kind, n.Use, n.Version, from, 100*n.MaxLoss)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return printAsks(e, plan)
}

// printAsks says which node asks which model for what.
func printAsks(e *env, plan pipeline.Plan) error {
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	asked := false
	for _, n := range plan.Nodes {
		p, ok := e.reg.Plugin(n.Kind, n.Use)
		if !ok {
			continue
		}
		built, err := p.BuildRaw(n.Config)
		if err != nil {
			return fmt.Errorf("node %s: %w", n.Name, err)
		}
		for _, a := range built.(interface{ Spec() pipeline.Spec }).Spec().Asks {
			if !asked {
				fmt.Fprintln(w, "\nNODE\tROLE\tTASK\tMODEL")
				asked = true
			}
			model := pipeline.BuiltInModel
			if m, ok := plan.Models[a.Role]; ok {
				model = fmt.Sprintf("%s (%s at %s)", m.Name, m.Model, m.Host)
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", n.Name, a.Role, a.Task, model)
		}
	}
	return w.Flush()
}
