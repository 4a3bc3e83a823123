package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/engine/progress"
	"github.com/memforge/memforge/pipeline/model/client"
)

type buildCmd struct {
	Offline         bool    `help:"Never use the network; fail on what is not in the store."`
	MaxCost         *amount `placeholder:"AMOUNT" help:"Stop before models cost more than this in this run, in the currency of their prices; 0 spends nothing."`
	FullProtocol    bool    `help:"Let every gate ask all of its protocol, also what cannot change a verdict."`
	AllowPartial    bool    `help:"Write a release without the records that were lost to causes that may pass, such as a server that failed or a tool that ran out of time."`
	Limit           int     `placeholder:"N" help:"Let sources hand on only their first N records of each kind, and write no release: a trial."`
	Only            string  `placeholder:"NODE" help:"Build this node and what it reads, and write no release: a trial."`
	AllowUnlicensed bool    `help:"Write a release although a licence is unknown, and mark it private."`
	Sign            string  `placeholder:"KEYFILE" help:"Sign the release with this secret key (minisign, Ed25519)."`
	On              string  `placeholder:"URL" help:"Have the workers of a cluster carry the build out, instead of run.cluster.on: temporal://host:port/namespace or river://user@host/database."`
	Attach          string  `placeholder:"ID" help:"Wait for a build of the cluster that was ordered before, and write its release."`
	Cancel          string  `placeholder:"ID" help:"End a build of the cluster. What is finished is kept."`
}

// Help is shown below the flags.
func (buildCmd) Help() string {
	return `Everything that is finished is kept, whatever ends the build, and a rerun goes
on from there. The first Ctrl-C (or SIGTERM) lets running tasks end and waits a
while (run.grace) for what models were asked; the second stops all at once.

A trial (--limit, --only) shows what a configuration does before all of it is paid
for. memforge show then lays open what nodes gave, and a whole build finds what the
trial did. Files are fetched whole, and max_loss ends no limited build.

With --on (or run.cluster.on) the build runs on the workers of a cluster, and this
command waits for it and writes the release. Ctrl-C ends the waiting, not the build:
--attach waits again, --cancel ends the build, memforge builds lists all.

--sign adds SHA256SUMS.minisig and changes no other byte, so a release that is
there already can be signed, too. The password of an encrypted key is taken from
the environment variable MEMFORGE_SIGN_PASSWORD.

Examples:
  memforge build
  memforge build -f docs/real-videos.yaml
  memforge build --set sources.films.with.count=4 --out /tmp/small
  memforge build --max-cost 5
  memforge build --only describe --limit 2
  memforge build --sign ~/.minisign/benchmarks.key
  memforge build --log-format json
  memforge build --on temporal://temporal.example:7233/default`
}

// check refuses flags that do not go together.
func (c buildCmd) check() error {
	switch {
	case c.Limit < 0:
		return &usageError{fmt.Errorf("--limit %d: want a number of records, or leave it out for all", c.Limit)}
	case c.Attach != "" && c.Cancel != "":
		return &usageError{errors.New("--attach and --cancel: name one build to wait for, or to end")}
	case c.trial() && c.Sign != "":
		return &usageError{errors.New("--sign: a build with --limit or --only writes no release to sign")}
	}
	return nil
}

func (c buildCmd) trial() bool { return c.Limit > 0 || c.Only != "" }

// Run builds and writes the release.
func (c buildCmd) Run(e *env) error {
	if err := c.check(); err != nil {
		return err
	}
	cfg, err := e.loadForBuild(c.FullProtocol)
	if err != nil {
		return err
	}
	if c.On != "" {
		cfg.Run.Cluster.On = c.On
	}
	if c.Cancel != "" {
		return cancelBuild(e, cfg, c.Cancel)
	}
	e.jsonLog = cfg.Run.LogFormat == "json"
	key, err := e.signer(c.Sign) // before anything is spent
	if err != nil {
		return err
	}
	e.warn(cfg)
	res, err := c.runWithProgress(e, cfg)
	if err != nil {
		return err
	}
	if err := c.printResult(e, cfg, res); err != nil || key == nil {
		return err
	}
	return sign(e, key, res.Release.Dir)
}

// runWithProgress builds, here or on the cluster, and shows how far it is.
func (c buildCmd) runWithProgress(e *env, cfg *config.Config) (assemble.Result, error) {
	report := progress.New(e.err, progressFormat(cfg.Run.LogFormat, e.err), time.Now)
	expect, forget := expectations(e, cfg)
	defer forget()
	report.Expect(expect)
	drain := e.stop.Drain()
	report.Draining(drain, func() string { return "" })
	opt := assemble.Options{
		Getenv: e.getenv, Observe: report.Observe, Drain: drain,
		Spending: func(now func() client.Total) {
			report.Spending(func() string { return formatSpending(now()) })
			report.Draining(drain, func() string { return formatWaiting(now(), cfg.Run.Grace) })
		},
		Offline: c.Offline, MaxCost: c.MaxCost.pointer(), AllowUnlicensed: c.AllowUnlicensed, AllowPartial: c.AllowPartial,
		Limit: c.Limit, Only: c.Only,
	}
	var res assemble.Result
	var err error
	if cfg.Run.Cluster.On != "" || c.Attach != "" {
		res, err = buildOnCluster(e, cfg, opt, c.Attach)
	} else {
		res, err = assemble.Build(e, e.reg, cfg, opt)
	}
	report.Close()
	report.ReportLosses(res.Losses)
	printModels(e, res)
	return res, err
}

func (c buildCmd) printResult(e *env, cfg *config.Config, res assemble.Result) error {
	if c.trial() || res.Release.Dir == "" { // as that of a build that was attached
		return c.printTrial(e, res)
	}
	r := res.Release
	reused := 0
	for _, n := range res.Steps {
		reused += n.Summary.Reused
	}
	name := cfg.Plan.Release.Name
	text := fmt.Sprintf("release %s %s written (%d units built, %d reused)\n%s\n", name, r.Version, res.Built(), reused, shortPath(r.Dir))
	if !r.Changed {
		text = fmt.Sprintf("nothing to do: release %s %s is up to date\n%s\n", name, r.Version, shortPath(r.Dir))
	}
	return e.emit(e.out, "release", map[string]any{
		"name": name, "version": r.Version, "dir": shortPath(r.Dir), "written": r.Changed, "built": res.Built(), "reused": reused,
	}, text)
}

// printTrial lists what each node gave: there is no release to look at.
func (c buildCmd) printTrial(e *env, res assemble.Result) error {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NODE\tIN\tOUT\tLOST\tFLAGGED\tBUILT\tREUSED")
	for _, n := range res.Steps {
		s := n.Summary
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\n", n.Step.Name, s.In, s.Out, s.Lost, s.Flagged, n.Built(), s.Reused)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	text.WriteString("a trial: no release was written; `memforge show NODE` shows what a node gave\n")
	return e.emit(e.out, "trial", map[string]any{"only": c.Only, "limit": c.Limit, "built": res.Built()}, text.String())
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

// shortPath is a path as short as it can be: relative to where the user stands,
// if it lies below.
func shortPath(path string) string {
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
