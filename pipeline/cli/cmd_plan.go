package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/engine/forecast"
	"github.com/memforge/memforge/pipeline/media"
)

type planCmd struct {
	Calls        bool `help:"Run the steps that need no language model; then count the model calls possible now and estimate tokens and cost. Calls that depend on answers are not counted."`
	JSON         bool `name:"json" help:"Print as JSON: the plan, exactly what keys are made of, and the forecast."`
	FullProtocol bool `help:"Plan for gates that ask all of their protocol, see build."`
	NoForecast   bool `help:"Leave the forecast out, and do not look into folders of videos."`
}

// Help is shown below the flags.
func (planCmd) Help() string {
	return `Says what a build would do and about what it would take when nothing is finished
yet: processor time of all programs, disk, calls to models. To do so the headers
of some local videos are read; nothing is decoded or written, unless --calls is
given. What a plugin cannot say is unknown and in no total. A gate asks no more than
its verdict needs: "900 of 5440" calls are those expected and those of its full
protocol. Where the configuration names a reference, the forecast is stated beside
its figures.

Examples:
  memforge plan
  memforge plan -f smoke.yaml --set sources.films.with.count=4
  memforge plan --calls
  memforge plan --json`
}

// Run prints the plan and its forecast.
func (c planCmd) Run(e *env) error {
	cfg, err := e.loadForBuild(c.FullProtocol)
	if err != nil {
		return err
	}
	warnFittedPictures(e, cfg.Fits)
	var build *forecast.Build
	if !c.NoForecast {
		workers := cmp.Or(cfg.Run.Workers, runtime.NumCPU())
		b, err := forecast.Estimate(e, cfg.Plan, e.reg, workers, forecast.MeasureFiles(cfg.Dir, media.Lazy()))
		if err != nil {
			return err
		}
		b.Charge(prices(cfg.Models))
		build = &b
	}
	if c.JSON {
		return printPlanJSON(e, cfg, build)
	}
	if err := printSteps(e, cfg.Plan); err != nil {
		return err
	}
	if build != nil {
		if err := printForecast(e, *build); err != nil {
			return err
		}
		printReference(e, cfg.Reference, *build)
	}
	e.warn(cfg)
	if !c.Calls {
		return nil
	}
	return printCalls(e, cfg)
}

// warn prints what of a configuration is probably not meant.
func (e *env) warn(cfg *config.Config) {
	for _, w := range cfg.Warnings {
		_ = e.emit(e.err, "warning", map[string]any{"warning": w}, "warning: "+w+"\n")
	}
}

// printPlanJSON writes the plan with all that is said of it.
func printPlanJSON(e *env, cfg *config.Config, build *forecast.Build) error {
	enc := json.NewEncoder(e.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		Plan      engine.Plan       `json:"plan"`
		Warnings  []string          `json:"warnings,omitempty"`
		Forecast  *forecast.Build   `json:"forecast,omitempty"`
		Reference *config.Reference `json:"reference,omitempty"`
	}{cfg.Plan, cfg.Warnings, build, cfg.Reference})
}

func printSteps(e *env, plan engine.Plan) error {
	canonical, err := pipeline.Canonical(plan)
	if err != nil {
		return fmt.Errorf("digest of the plan: %w", err)
	}
	r := plan.Release
	fmt.Fprintf(e.out, "release %s %s from %s\nplan    %s\nseed    %d\n\n",
		r.Name, r.Version, strings.Join(r.From, ", "), pipeline.DigestOf(canonical), plan.Seed)
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NODE\tKIND\tUSE\tVERSION\tFROM\tON FAIL\tMAX LOSS")
	for _, n := range plan.Steps {
		from := strings.Join(n.From, ", ")
		if from == "" {
			from = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%g %%\n", n.Name, n.Kind, n.Use, n.Version, from, cmp.Or(n.OnFail, "-"), 100*n.MaxLoss)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	printBounds(e, plan)
	for i, l := range plan.Loops() {
		if i == 0 {
			fmt.Fprintln(e.out)
		}
		fmt.Fprintf(e.out, "loop: %s\n", l)
	}
	return printAsks(e, plan)
}

// printBounds says of gates that have a bound what they may leave without a
// judgement; others must judge one item at least.
func printBounds(e *env, plan engine.Plan) {
	for _, n := range plan.Steps {
		if _, round := pipeline.SplitRound(n.Name); n.MaxInsufficient != nil && round == 0 {
			fmt.Fprintf(e.out, "max_insufficient of %s: %g %%\n", n.Name, 100**n.MaxInsufficient)
		}
	}
}

// printAsks says which node asks which model for what.
func printAsks(e *env, plan engine.Plan) error {
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	asked := false
	for _, n := range plan.Steps {
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
			if !e.reg.HasRule(a.Task) {
				model = "nobody: give the role to a model"
			}
			if m, ok := plan.Models[a.Role]; ok {
				model = fmt.Sprintf("%s (%s at %s)", m.Name, m.Model, m.Host)
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", n.Name, a.Role, a.Task, model)
		}
	}
	return w.Flush()
}
