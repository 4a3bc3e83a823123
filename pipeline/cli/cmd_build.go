package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/cluster"
	"github.com/memforge/memforge/pipeline/engine/cluster/clusterstate"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/engine/forecast"
	"github.com/memforge/memforge/pipeline/engine/progress"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/store/storeurl"
)

type buildCmd struct {
	Offline         bool    `help:"Never use the network; fail if something is not in the store."`
	MaxCost         *amount `placeholder:"AMOUNT" help:"Stop before models cost more than this in this run, in the currency of their prices; 0 spends nothing."`
	FullProtocol    bool    `help:"Let every gate ask all questions of its protocol, even where they cannot change a verdict."`
	AllowPartial    bool    `help:"Write a release without records that were lost to temporary failures, such as a server error or a timeout."`
	Limit           int     `placeholder:"N" help:"Trial: let sources emit only their first N records of each kind, and write no release."`
	Only            string  `placeholder:"STEP" help:"Trial: build only this step and its inputs, and write no release."`
	AllowUnlicensed bool    `help:"Write a release although a licence is unknown, and mark it private."`
	Sign            string  `placeholder:"KEYFILE" help:"Sign the release with this secret key (minisign, Ed25519)."`
	On              string  `placeholder:"URL" help:"Engine of the cluster that builds, instead of run.cluster.on: temporal://host:port/namespace or river://user@host/database."`
	Attach          string  `placeholder:"ID" help:"Wait for an earlier build of the cluster, and write its release."`
	Cancel          string  `placeholder:"ID" help:"Cancel a build of the cluster. Finished results are kept."`
}

func (buildCmd) Help() string {
	return `Finished results are kept, however a build ends, and the next build continues from
there. The first Ctrl-C (or SIGTERM) lets running tasks finish and waits up to run.grace
for answers of models; the second stops at once.

A trial (--limit, --only) shows what a configuration does before all of it is paid for.
memforge show then prints the output of its steps, and the full build reuses its
results. Files are downloaded whole, and max_loss does not apply with --limit.

With --on (or run.cluster.on) the workers of a cluster run the build, and this command
waits for it and writes the release. Ctrl-C ends the waiting, not the build: --attach
waits again, --cancel cancels the build, memforge builds lists all builds.

--sign adds SHA256SUMS.minisig and changes no other file, so an existing release can be
signed, too. The password of an encrypted key is read from the environment variable
MEMFORGE_SIGN_PASSWORD.

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

func (c buildCmd) check() error {
	switch {
	case c.Limit < 0:
		return &usageError{fmt.Errorf("--limit %d: want a number of records, or omit it for all", c.Limit)}
	case c.Attach != "" && c.Cancel != "":
		return &usageError{errors.New("--attach and --cancel exclude each other")}
	case c.trial() && c.Sign != "":
		return &usageError{errors.New("--sign: a build with --limit or --only writes no release to sign")}
	}
	return nil
}

func (c buildCmd) trial() bool { return c.Limit > 0 || c.Only != "" }

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
	if err := e.foresee(cfg, assemble.Options{Offline: c.Offline, Only: c.Only}); err != nil {
		return err
	}
	e.warn(cfg)
	res, err := c.runWithProgress(e, cfg, assemble.Options{})
	if err != nil {
		return err
	}
	if err := c.printResult(e, cfg, res); err != nil || key == nil {
		return err
	}
	return sign(e, key, res.Release.Dir)
}

// runWithProgress builds, here or on the cluster, and shows the progress. The options are
// those that the command does not decide.
func (c buildCmd) runWithProgress(e *env, cfg *config.Config, opt assemble.Options) (assemble.Result, error) {
	report := progress.New(e.err, progressFormat(cfg.Run.LogFormat, e.err), time.Now)
	expect, forget := expectations(e, cfg)
	defer forget()
	report.Expect(expect)
	drain := e.stop.Drain()
	report.Draining(drain, func() string { return "" })
	status := progress.NewStatusFile(cfg.Path(cfg.Run.Out), time.Now)
	opt.Getenv, opt.Drain = e.getenv, drain
	opt.Observe = func(counts []engine.Count) {
		report.Observe(counts)
		status.Observe(counts)
	}
	opt.Spending = func(now func() client.Total) {
		report.Spending(func() string { return formatSpending(now()) })
		report.Draining(drain, func() string { return formatWaiting(now(), cfg.Run.Grace) })
	}
	opt.Offline, opt.AllowUnlicensed = opt.Offline || c.Offline, opt.AllowUnlicensed || c.AllowUnlicensed
	opt.MaxCost, opt.AllowPartial, opt.Limit, opt.Only = c.MaxCost.pointer(), c.AllowPartial, c.Limit, c.Only
	var res assemble.Result
	var err error
	if cfg.Run.Cluster.On != "" || c.Attach != "" {
		res, err = buildOnCluster(e, cfg, opt, c.Attach)
	} else {
		res, err = assemble.Build(e, e.reg, cfg, opt)
	}
	report.Close()
	status.Close(err)
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
	if r.VersionWarning != "" {
		_ = e.emit(e.err, "warning", map[string]any{"warning": r.VersionWarning}, "warning: "+r.VersionWarning+"\n")
	}
	text := fmt.Sprintf("release %s %s written (%d tasks built, %d reused)\n%s\n", name, r.Version, res.Built(), reused, shortPath(r.Dir))
	if !r.Changed {
		text = fmt.Sprintf("nothing to do: release %s %s is up to date\n%s\n", name, r.Version, shortPath(r.Dir))
	}
	return e.emit(e.out, "release", map[string]any{
		"name": name, "version": r.Version, "dir": shortPath(r.Dir), "written": r.Changed, "built": res.Built(), "reused": reused,
	}, text)
}

// printTrial lists what each step gave, as there is no release to look at.
func (c buildCmd) printTrial(e *env, res assemble.Result) error {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "STEP\tIN\tOUT\tLOST\tFLAGGED\tBUILT\tREUSED")
	for _, n := range res.Steps {
		s := n.Summary
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\n", n.Step.Name, s.In, s.Out, s.Lost, s.Flagged, n.Built(), s.Reused)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	text.WriteString("trial: no release was written; `memforge show STEP` shows the output of a step\n")
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

// shortPath returns a path relative to the working directory, if it lies below.
func shortPath(path string) string {
	here, err := os.Getwd()
	abs, err2 := filepath.Abs(path)
	rel, err3 := filepath.Rel(here, abs)
	if errors.Join(err, err2, err3) != nil || strings.HasPrefix(rel, "..") {
		return path
	}
	return rel
}

func connectEngine(e *env, url string) (cluster.Engine, error) {
	if url == "" {
		return nil, &usageError{errors.New("name the engine of the cluster: --on temporal://host:port/namespace or river://user@host/database, or run.cluster.on")}
	}
	scheme, _, _ := strings.Cut(url, "://")
	open, ok := engines()[scheme]
	if ok && open == nil {
		return nil, &usageError{fmt.Errorf("this memforge was built without %s; build it with `go build -tags %s -o bin/memforge .`", scheme, scheme)}
	}
	if !ok {
		return nil, &usageError{fmt.Errorf("--on: no engine has URLs that begin with %q; write temporal://host:port/namespace or river://user@host/database", scheme+"://")}
	}
	eng, err := open(e, url, e.getenv, slog.New(slog.NewTextHandler(e.err, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		return nil, &engineError{err}
	}
	return eng, nil
}

// connectCluster connects to the shared state of a configuration's store, and to the
// engine.
func connectCluster(e *env, cfg *config.Config) (cluster.Client, func() error, error) {
	b, err := clusterstate.Open(e, cfg.StoreDir())
	if err != nil {
		return cluster.Client{}, nil, err
	}
	eng, err := connectEngine(e, cfg.Run.Cluster.On)
	if err != nil {
		b.Close()
		return cluster.Client{}, nil, err
	}
	return cluster.Client{State: b, Engine: eng}, func() error { b.Close(); return eng.Close() }, nil
}

// buildOnCluster has the workers carry out a build and writes its release here. attach
// is the id of a build ordered before, or empty.
func buildOnCluster(e *env, cfg *config.Config, opt assemble.Options, attach string) (res assemble.Result, err error) {
	c, end, err := connectCluster(e, cfg)
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, end()) }()
	st, err := storeurl.Open(e, cfg.StoreDir())
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	id := attach
	if id == "" {
		id, err = orderBuild(e, c, cfg, st, opt)
	} else {
		opt, err = attachOptions(e, c, cfg, id, opt)
	}
	if err != nil {
		return res, err
	}
	out, err := awaitBuild(e, c, id, opt)
	if err != nil {
		return res, err
	}
	if err = out.Err(); err == nil {
		res, err = assemble.FinishBuild(e, e.reg, cfg, st, out.Runs, opt)
	}
	res.PerStep, res.Models = out.Spent, cluster.Total(out.Spent)
	return res, err
}

// attachOptions checks that a build was ordered with the configuration at hand, and
// returns the options with its limits.
func attachOptions(e *env, c cluster.Client, cfg *config.Config, id string, opt assemble.Options) (assemble.Options, error) {
	o, err := c.Spec(e, id)
	if err != nil {
		return opt, err
	}
	opt.Limit, opt.Only = o.Limit, o.Only
	same, err := o.Matches(cfg, opt)
	if err == nil && !same {
		err = &usageError{fmt.Errorf("--attach %s: that build has another configuration; use that one, or omit --attach", id)}
	}
	return opt, err
}

// orderBuild orders a build and prints its id.
func orderBuild(e *env, c cluster.Client, cfg *config.Config, st store.Store, opt assemble.Options) (string, error) {
	program, err := cluster.ProgramOf(e, e.reg, c.State)
	if err != nil {
		return "", err
	}
	o, err := assemble.PrepareBuild(e, e.reg, cfg, st, opt)
	if err != nil {
		return "", err
	}
	o.Program = program.Name
	id, err := c.Submit(e, cfg.Plan.Release.Name, o)
	if err != nil {
		return id, err
	}
	text := fmt.Sprintf("build %s is submitted; Ctrl-C ends the waiting, not the build\n", id)
	lacks, err := c.Missing(e, program, neededResources(e, cfg))
	if err != nil {
		return id, err
	}
	if lacks != "" {
		text += lacks + "\n"
	}
	return id, e.emit(e.err, "ordered", map[string]any{"id": id, "lacks": lacks}, text)
}

func neededResources(e *env, cfg *config.Config) (all []pipeline.Resource) {
	steps, err := cfg.Plan.Resolve(e, e.reg)
	if err != nil {
		return nil // the build says it
	}
	for _, s := range steps {
		all = append(all, s.Spec.Resource)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// detachedError says that the command stopped waiting and the build continues.
type detachedError struct{ id string }

func (e *detachedError) Error() string {
	return fmt.Sprintf("the build continues without this command; `memforge build --attach %s` waits for it, --cancel cancels it", e.id)
}

// Unwrap makes the exit code that of an interruption.
func (e *detachedError) Unwrap() error { return context.Canceled }

// awaitBuild waits for the build, or for the first Ctrl-C.
func awaitBuild(e *env, c cluster.Client, id string, opt assemble.Options) (cluster.Outcome, error) {
	ctx, stop := drainContext(e, opt.Drain, &detachedError{id})
	defer stop(nil)
	var spent atomic.Pointer[client.Total]
	spent.Store(&client.Total{})
	opt.Spending(func() client.Total { return *spent.Load() })
	return c.Wait(ctx, id, func(p cluster.Progress) {
		total := cluster.Total(p.Spent)
		spent.Store(&total)
		opt.Observe(p.Counts())
	})
}

func cancelBuild(e *env, cfg *config.Config, id string) (err error) {
	c, end, err := connectCluster(e, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	if err := c.Cancel(e, id); err != nil {
		return err
	}
	return e.emit(e.out, "cancelled", map[string]any{"id": id}, fmt.Sprintf("build %s is being cancelled; finished results are kept\n", id))
}

// expectations forecasts a build while it runs, for its progress: it reads headers of
// local videos. The channel is closed without a value if there is no forecast. forget
// ends it.
func expectations(e *env, cfg *config.Config) (when <-chan progress.Expectation, forget func()) {
	ctx, cancel := context.WithCancel(e)
	out := make(chan progress.Expectation, 1)
	go func() {
		defer close(out)
		workers := cmp.Or(cfg.Run.Workers, runtime.NumCPU())
		b, err := forecast.Estimate(ctx, cfg.Plan, e.reg, workers, forecast.MeasureFiles(cfg.Dir, media.Lazy()))
		if err == nil {
			out <- expectation(cfg, b)
		}
	}()
	return out, func() {
		cancel()
		for range out { // until it is closed
		}
	}
}

// expectation returns how long a build takes by a forecast.
func expectation(cfg *config.Config, b forecast.Build) progress.Expectation {
	x := progress.Expectation{Steps: map[string]progress.Expected{}, After: b.Release.CPU, Limits: assemble.Limits(cfg.Run), Processors: runtime.NumCPU()}
	if cfg.Run.Cluster.On != "" { // of other machines
		x.Processors = 0
	}
	for _, n := range b.Steps {
		if n.Forecast != nil && !n.Unpriced {
			x.Steps[n.Name] = progress.Expected{In: n.In, Seconds: n.Forecast.CPU}
		}
	}
	return x
}

// formatSpending says in one line how many calls were made and what they cost, or
// returns "" without calls.
func formatSpending(t client.Total) string {
	if t.Calls+t.Replayed == 0 {
		return ""
	}
	text := fmt.Sprintf("%d calls, %d replayed, %d tokens in (%d cached), %d out", t.Calls, t.Replayed, t.Usage.Input, t.Usage.Cached, t.Usage.Output)
	var sums []string
	for _, currency := range slices.Sorted(maps.Keys(t.Cost)) {
		sums = append(sums, fmt.Sprintf("%.4f %s", t.Cost[currency], currency))
	}
	if t.Unpriced > 0 {
		sums = append(sums, fmt.Sprintf("%d calls without a price", t.Unpriced))
	}
	if len(sums) > 0 {
		text += ", " + strings.Join(sums, ", ")
	}
	return text
}

// formatWaiting says what an interrupted build waits for, or returns "".
func formatWaiting(t client.Total, grace time.Duration) string {
	if t.Waiting == 0 {
		return ""
	}
	return fmt.Sprintf("waiting up to %[2]s (run.grace) for the answers to %[1]d calls of models", t.Waiting, grace)
}

// printModels prints the calls and cost of each step.
func printModels(e *env, res assemble.Result) {
	if res.Models.Calls+res.Models.Replayed == 0 {
		return
	}
	say := func(event string, fields map[string]any, format string, args ...any) {
		_ = e.emit(e.err, event, fields, fmt.Sprintf(format, args...))
	}
	say("models", map[string]any{"models": formatSpending(res.Models)}, "models: %s\n", formatSpending(res.Models))
	for _, s := range res.Served {
		say("served", map[string]any{"model": s.Name, "asked": s.Asked, "answered": s.Names()}, "warning: model %s was requested as %s, but the server states that answers came from %s; the release names %s: check base_url and model, or pin a version\n",
			s.Name, s.Asked, strings.Join(s.Names(), " and "), s.Asked)
	}
	if len(res.PerStep) < 2 {
		return
	}
	for _, node := range slices.Sorted(maps.Keys(res.PerStep)) {
		say("models", map[string]any{"node": node, "models": formatSpending(res.PerStep[node])}, "  %s: %s\n", node, formatSpending(res.PerStep[node]))
	}
}
