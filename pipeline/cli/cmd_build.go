package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline/build"
	"github.com/memforge/memforge/pipeline/config"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/progress"
)

type buildCmd struct {
	Offline         bool    `help:"Never use the network; fail on what is not in the store."`
	MaxCost         float64 `placeholder:"AMOUNT" help:"Stop before models cost more than this in this run, in the currency of their prices."`
	FullProtocol    bool    `help:"Let every gate ask all of its protocol, also what cannot change a verdict."`
	AllowUnlicensed bool    `help:"Write a release although a licence is unknown, and mark it private."`
}

// Help is shown below the flags.
func (buildCmd) Help() string {
	return `Everything that is finished is kept, whatever ends the build, and a rerun goes
on from there. The first Ctrl-C (or SIGTERM) lets running tasks end and waits a
while (run.grace) for what models were asked; the second stops all at once.

Examples:
  memforge build
  memforge build -f docs/real-videos.yaml
  memforge build --set sources.films.with.count=4 --out /tmp/small
  memforge build --max-cost 5
  memforge build --log-format json`
}

// Run builds and writes the release.
func (c buildCmd) Run(e *env) error {
	cfg, err := e.loadPlanned(c.FullProtocol)
	if err != nil {
		return err
	}
	if c.MaxCost < 0 {
		return &usageError{fmt.Errorf("--max-cost %g: want more than 0", c.MaxCost)}
	}
	report := progress.New(e.err, progressFormat(cfg.Run.LogFormat, e.err), time.Now)
	drain := e.stop.Drain()
	report.Draining(drain, func() string { return "" })
	res, err := build.Build(e, e.reg, cfg, build.Options{
		Getenv: e.getenv, Observe: report.Observe, Drain: drain,
		Spending: func(now func() client.Total) {
			report.Spending(func() string { return spent(now()) })
			report.Draining(drain, func() string { return awaited(now(), cfg.Run.Grace) })
		},
		Offline: c.Offline, MaxCost: c.MaxCost, AllowUnlicensed: c.AllowUnlicensed,
	})
	report.Close()
	sayModels(e, res)
	if err != nil {
		return err
	}
	return c.say(e, cfg, res)
}

func (c buildCmd) say(e *env, cfg *config.Config, res build.Result) error {
	r := res.Release
	if !r.Changed {
		_, err := fmt.Fprintf(e.out, "nothing to do: release %s %s is up to date\n%s\n", cfg.Plan.Release.Name, r.Version, shown(r.Dir))
		return err
	}
	reused := 0
	for _, n := range res.Nodes {
		reused += n.Summary.Reused
	}
	_, err := fmt.Fprintf(e.out, "release %s %s written (%d units built, %d reused)\n%s\n", cfg.Plan.Release.Name, r.Version, res.Built(), reused, shown(r.Dir))
	return err
}

// progressFormat decides what auto means for a writer.
func progressFormat(format string, w io.Writer) progress.Format {
	switch format {
	case "json":
		return progress.JSON
	case "text":
		return progress.Text
	}
	f, ok := w.(*os.File)
	if !ok {
		return progress.Text
	}
	if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		return progress.Bar
	}
	return progress.Text
}

// shown is a path as short as it can be: relative to where the user stands,
// if it lies below.
func shown(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(here, abs)
	if err != nil || strings.HasPrefix(rel, "..") {
		return path
	}
	return rel
}
