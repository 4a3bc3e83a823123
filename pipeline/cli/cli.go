// Package cli is memforge's command line. Commands only translate between
// arguments, the packages that do the work, and text; what they return becomes
// an exit code in one place, see exit.go.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/eval/runner"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/web"
)

// grammar is the command line as kong reads it.
type grammar struct {
	File      string   `short:"f" default:"pipeline.yaml" placeholder:"FILE" help:"The configuration (${default})."`
	Out       string   `placeholder:"DIR" help:"Output folder of releases and the store, instead of run.out."`
	Set       []string `sep:"none" placeholder:"KEY=VALUE" help:"Override one value of the configuration, for example stages.probe.with.fps=25. Repeatable."`
	LogFormat string   `enum:"auto,text,json," default:"" placeholder:"FORMAT" help:"How progress is shown: auto, text or json."`

	Init       initCmd       `cmd:"" help:"Write a configuration to begin from, by questions or flags."`
	Build      buildCmd      `cmd:"" help:"Build the release that the configuration describes."`
	Builds     buildsCmd     `cmd:"" help:"List the builds and workers of a cluster."`
	Worker     workerCmd     `cmd:"" help:"Run tasks of the builds of a cluster."`
	Fetch      fetchCmd      `cmd:"" help:"Download and pin the files that sources need."`
	Explain    explainCmd    `cmd:"" help:"Explain what was rebuilt and why."`
	Show       showCmd       `cmd:"" help:"Show the output of a step, or a record, and the prompts for models."`
	Plan       planCmd       `cmd:"" help:"Show what a build would do and what it would cost."`
	Status     statusCmd     `cmd:"" help:"Show what stands: newest release, last build, and what changed since."`
	Sources    pluginsCmd    `cmd:"" help:"List and describe sources."`
	Stages     pluginsCmd    `cmd:"" help:"List and describe stages."`
	Gates      pluginsCmd    `cmd:"" help:"List and describe gates."`
	Shortcuts  shortcutsCmd  `cmd:"" help:"Measure how often questions can be answered without evidence."`
	View       viewCmd       `cmd:"" help:"Show a release in the browser."`
	Verify     verifyCmd     `cmd:"" help:"Check every byte, schema, reference and count of a release."`
	Audit      auditCmd      `cmd:"" help:"Recompute what a release claims about itself."`
	Rebuild    rebuildCmd    `cmd:"" help:"Build a release again from its recipe, and compare every byte."`
	Keygen     keygenCmd     `cmd:"" help:"Generate keys to sign releases."`
	Review     reviewCmd     `cmd:"" help:"Let people review a sample of a release in the browser."`
	Sample     sampleCmd     `cmd:"" help:"Sample questions of a release for people to review."`
	Draw       drawCmd       `cmd:"" hidden:"" help:"The former name of sample."`
	Diff       diffCmd       `cmd:"" help:"Compare two releases: what changed, and which version it asks for."`
	Release    releaseCmd    `cmd:"" help:"List releases."`
	Publish    publishCmd    `cmd:"" help:"Send a release to the Hugging Face hub, a bucket or a folder."`
	Pull       pullCmd       `cmd:"" help:"Get a published release and verify it."`
	Hydrate    hydrateCmd    `cmd:"" help:"Make the media that a release references of your own copies of the originals."`
	Export     exportCmd     `cmd:"" help:"Write a release in the layout of another project."`
	Score      scoreCmd      `cmd:"" help:"Score answers by the rules of a benchmark."`
	Run        runCmd        `cmd:"" help:"Run a memory system on a release and record its answers."`
	Tables     tablesCmd     `cmd:"" help:"Print the tables of a benchmark's paper for a release and runs on it."`
	Store      storeCmd      `cmd:"" help:"Check or clean up the store of results."`
	Batch      batchCmd      `cmd:"" help:"Exchange requests and answers of models as batch files."`
	Ledger     ledgerCmd     `cmd:"" help:"Manage the recorded answers of models."`
	Doctor     doctorCmd     `cmd:"" help:"Check that this machine can build the configuration."`
	Config     configCmd     `cmd:"" help:"Print a JSON Schema or a page of all keys of the configuration."`
	New        newCmd        `cmd:"" help:"Create a package from a template."`
	Catalog    catalogCmd    `cmd:"" hidden:"" help:"Read a release for pages, as a child of view and review."`
	Completion completionCmd `cmd:"" help:"Print a completion script for a shell."`
	Complete   completeCmd   `cmd:"" hidden:"" help:"Print what may follow words of a command line."`
	Version    versionCmd    `cmd:"" help:"Print the version."`
}

// env is what commands may use besides their arguments.
type env struct {
	context.Context
	reg *pipeline.Registry
	in  io.Reader
	// out is for text from releases, stores and folders: it escapes control characters.
	// exact passes on every byte, for scripts.
	out     io.Writer
	exact   io.Writer
	err     io.Writer
	getenv  func(string) string
	options *grammar
	stop    *interrupts
	// jsonLog says that all events are printed as JSON lines.
	jsonLog bool
}

const description = `Build and validate benchmark datasets for multimodal agent memory.

pipeline.yaml describes a build: sources emit records, stages transform them, gates
judge them, and the results are written as a release. Results are kept, so a second
build runs only what changed.`

// Main runs one command line and returns the exit code; docs/exit-codes.md
// lists them. The registry holds the plugins a configuration may use.
func Main(reg *pipeline.Registry, args []string, in io.Reader, out, errOut io.Writer, getenv func(string) string) int {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	ctx, stop := watchSignals(context.Background(), signals, func() { os.Exit(exitInterrupted) })
	defer stop.end()
	e := &env{Context: ctx, reg: reg, in: in, out: safetext.NewWriter(out), exact: out, err: errOut, getenv: getenv, stop: stop}
	err := dispatch(e, args)
	code := exitCode(err)
	if err != nil {
		e.emitError(err, code)
	}
	return code
}

// dispatch parses and executes a command line. Errors of the command line are
// *usageError.
func dispatch(e *env, args []string) error {
	if err := e.reg.Err(); err != nil {
		return fmt.Errorf("this program's plugins: %w", err)
	}
	parser, options, err := newParser(e.reg, e.out, e.err)
	if err != nil {
		return err
	}
	e.options = options
	parsed, err := parse(parser, args)
	e.jsonLog = options.LogFormat == "json"
	if err != nil || parsed == nil {
		return err
	}
	return parsed.Run(e)
}

// helpShown ends parsing after help was printed: kong expects its Exit function not to
// return.
type helpShown struct{}

func newParser(reg *pipeline.Registry, out, errOut io.Writer) (*kong.Kong, *grammar, error) {
	g := &grammar{
		Sources: newPluginsCmd(pipeline.KindSource),
		Stages:  newPluginsCmd(pipeline.KindStage),
		Gates:   newPluginsCmd(pipeline.KindGate),
		Init:    initCmd{starters: pipeline.Starters(reg)},
		Export:  exportCmd{formats: export.Formats(reg)},
		Score:   scoreCmd{scorers: score.Scorers(reg)},
		Run:     runCmd{scorers: score.Scorers(reg)},
		Tables:  tablesCmd{sets: tables.Sets(reg)},
	}
	k, err := kong.New(g,
		kong.Name("memforge"), kong.Description(description), kong.Writers(out, errOut),
		kong.Vars{
			"listen":   web.DefaultListen,
			"inflated": fmt.Sprintf("%d MiB", release.DefaultInflated>>20),
			"exports":  joinNames(g.Export.formats, formatName), "scorers": joinNames(g.Score.scorers, scorerName),
			"references": strings.Join(runner.References(), ", "), "views": strings.Join(runner.Views(), ", "),
			"sets":     joinNames(g.Tables.sets, setName),
			"families": joinNames(g.Init.starters, starterName),
		},
		kong.Exit(func(int) { panic(helpShown{}) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, Tree: true, NoExpandSubcommands: true}))
	if err != nil {
		return nil, nil, fmt.Errorf("command line grammar: %w", err)
	}
	return k, g, nil
}

// parse returns nil without an error if help was printed.
func parse(k *kong.Kong, args []string) (parsed *kong.Context, err error) {
	defer func() {
		switch v := recover(); v.(type) {
		case nil:
		case helpShown:
			parsed, err = nil, nil
		default:
			panic(v)
		}
	}()
	if len(args) == 0 || args[0] == "help" {
		args = append(args[min(1, len(args)):], "--help")
	}
	if args[0] == "--version" { // as most programs have it
		args = []string{"version"}
	}
	parsed, err = k.Parse(args)
	if err != nil {
		return nil, &usageError{fmt.Errorf("%w; `memforge --help` shows the commands", err)}
	}
	return parsed, nil
}

// load reads the configuration with the overrides of the command line.
func (e *env) load() (*config.Config, error) { return e.loadWith(config.Load) }

// loadWith is load with another way of reading the file.
func (e *env) loadWith(read func(string, *pipeline.Registry, []string) (*config.Config, error)) (*config.Config, error) {
	c, err := read(e.options.File, e.reg, e.options.Set)
	var mistakes *config.Error
	if err != nil && !errors.As(err, &mistakes) {
		return nil, &configError{err}
	}
	if err != nil {
		return nil, err
	}
	if e.options.Out != "" {
		// Unlike paths in the file, one on the command line starts where the
		// user stands.
		if c.Run.Out, err = filepath.Abs(e.options.Out); err != nil {
			return nil, fmt.Errorf("--out %s: %w", e.options.Out, err)
		}
		c.Run.Store = ""
	}
	if e.options.LogFormat != "" {
		c.Run.LogFormat = e.options.LogFormat
	}
	return c, nil
}

// loadForBuild is load, with the full protocol of all gates if full.
func (e *env) loadForBuild(full bool) (*config.Config, error) {
	c, err := e.load()
	if err != nil || !full {
		return c, err
	}
	if c.Plan, err = c.Plan.AskEverything(); err != nil {
		return nil, err
	}
	return c, nil
}

// emit prints one event: as text, or as one JSON line if the log is JSON, so that a
// reader of JSON lines can read it to its end.
func (e *env) emit(w io.Writer, event string, fields map[string]any, text string) error {
	if !e.jsonLog {
		_, err := io.WriteString(w, safetext.Text(text))
		return err
	}
	line := map[string]any{"event": event}
	for k, v := range fields {
		line[k] = v
	}
	b, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("event %s: %w", event, err)
	}
	_, err = io.WriteString(w, safetext.Text(string(b))+"\n")
	return err
}

// emitError says why a command failed and with which exit code it ends.
func (e *env) emitError(err error, code int) {
	_ = e.emit(e.err, "error", map[string]any{"code": code, "error": err.Error()}, fmt.Sprintf("memforge: %v\n", err)) // no stream is left to report it
}
