package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/model/ledger/ledgerurl"
)

type ledgerCmd struct {
	Stats  ledgerStatsCmd  `cmd:"" help:"Count recorded answers by model, task and outcome."`
	Export ledgerExportCmd `cmd:"" help:"Write recorded answers as JSON lines."`
	Import ledgerImportCmd `cmd:"" help:"Add answers that another machine recorded."`
	Forget ledgerForgetCmd `cmd:"" help:"Retract answers: the next build asks again and rebuilds what depends on them."`
	Prune  ledgerPruneCmd  `cmd:"" help:"Remove recorded answers; builds that need them later ask and pay again."`
}

// withLedger opens the ledger of the configuration. It must exist unless make is set.
func withLedger(e *env, make bool, use func(*ledger.Ledger) error) error {
	cfg, err := e.load()
	if err != nil {
		return err
	}
	dir := cfg.LedgerDir()
	if !make && !ledgerurl.Exists(dir) {
		return &inputError{fmt.Errorf("there is no ledger in %s; a build that asks a language model creates one", dir)}
	}
	l, err := ledgerurl.Open(e, dir)
	if err != nil {
		return err
	}
	return errors.Join(use(l), l.Close())
}

// ledgerFilter selects answers of a ledger.
type ledgerFilter struct {
	Task    string `placeholder:"TASK" help:"Only this task."`
	Model   string `placeholder:"ID" help:"Only this model, as its server calls it."`
	Host    string `placeholder:"HOST" help:"Only this host."`
	Outcome string `placeholder:"OUTCOME" help:"Only this outcome: ok, refusal, length, filtered or too-large."`
}

func (f ledgerFilter) filter() ledger.Filter {
	return ledger.Filter{Task: f.Task, Model: f.Model, Host: f.Host, Outcome: f.Outcome}
}

type ledgerStatsCmd struct{}

func (ledgerStatsCmd) Run(e *env) error {
	return withLedger(e, false, func(l *ledger.Ledger) error {
		stats, err := l.Stats(e)
		if err != nil {
			return err
		}
		waiting, err := l.Waiting(e)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "HOST\tMODEL\tTASK\tOUTCOME\tCALLS\tINPUT\tCACHED\tOUTPUT")
		for _, s := range stats {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\n", s.Host, s.Model, s.Task, s.Outcome, s.Calls, s.Usage.Input, s.Usage.Cached, s.Usage.Output)
		}
		if err := w.Flush(); err != nil || waiting == 0 {
			return err
		}
		_, err = fmt.Fprintf(e.out, "%d requests wait for a batch\n", waiting)
		return err
	})
}

type ledgerExportCmd struct {
	ledgerFilter
	Output string `short:"o" placeholder:"FILE" help:"Output file, instead of standard output."`
}

func (ledgerExportCmd) Help() string {
	return `The file has requests and answers as plain text, and no keys of servers.

Examples:
  memforge ledger export -o answers.jsonl
  memforge ledger export --task video.describe`
}

func (c ledgerExportCmd) Run(e *env) error {
	return withLedger(e, false, func(l *ledger.Ledger) error {
		return writeTo(e, c.Output, func(w io.Writer) error {
			calls, damaged, err := l.Export(e, w, c.filter())
			if err == nil {
				fmt.Fprintf(e.err, "%d calls exported\n", calls)
			}
			if damaged > 0 {
				fmt.Fprintf(e.err, "%d calls are damaged and were left out; the next build asks them again\n", damaged)
			}
			return err
		})
	})
}

// writeTo writes a file atomically, or standard output.
func writeTo(e *env, path string, write func(io.Writer) error) error {
	if path == "" {
		return write(e.out)
	}
	return atomicfile.Write(path, 0o644, write)
}

type ledgerImportCmd struct {
	Files []string `arg:"" type:"existingfile" help:"Files that ledger export wrote."`
}

func (c ledgerImportCmd) Run(e *env) error {
	return withLedger(e, true, func(l *ledger.Ledger) error {
		return eachFile(c.Files, func(path string, f *os.File) error {
			done, err := l.Import(e, f)
			fmt.Fprintf(e.out, "%s: %d calls added, %d known already\n", path, done.Added, done.Known)
			if done.Corrected > 0 {
				fmt.Fprintf(e.out, "  %d replaced answers that were retracted elsewhere\n", done.Corrected)
			}
			return err
		})
	})
}

// eachFile opens one file after another, up to the first error.
func eachFile(paths []string, use func(path string, f *os.File) error) error {
	for _, path := range paths {
		f, err := atomicfile.Open(path)
		if err != nil {
			return &inputError{err}
		}
		if err := errors.Join(use(path, f), f.Close()); err != nil {
			return &inputError{fmt.Errorf("%s: %w", path, err)}
		}
	}
	return nil
}

type ledgerForgetCmd struct {
	Keys []string `arg:"" name:"key" help:"Keys of requests: the custom_id of a batch file and its index, the key of ledger export."`
}

func (ledgerForgetCmd) Help() string {
	return `Unless all keys are recorded, nothing is forgotten. To replace an answer, write the new
one as a line of batch results and use "memforge batch import --replace".

Example:
  memforge ledger forget 0137d330c355e2c8304d1c205bab87fee4871d702788bf7fbcc0dd3057353fd4`
}

func (c ledgerForgetCmd) Run(e *env) error {
	keys := make([]pipeline.Key, len(c.Keys))
	for i, k := range c.Keys {
		if _, err := pipeline.ParseDigest(k); err != nil {
			return &usageError{fmt.Errorf("%q is no key: want 64 hex digits", k)}
		}
		keys[i] = pipeline.Key(k)
	}
	return withLedger(e, false, func(l *ledger.Ledger) error {
		unknown, err := l.Forget(e, keys...)
		if err != nil {
			return err
		}
		if len(unknown) > 0 {
			return &inputError{fmt.Errorf("no answer is recorded under %s; `memforge ledger export` lists keys", unknown[0])}
		}
		_, err = fmt.Fprintf(e.out, "%d answers retracted\n", len(keys))
		return err
	})
}

type ledgerPruneCmd struct {
	ledgerFilter
	OlderThan time.Duration `placeholder:"SPAN" help:"Only answers older than this, for example 2160h."`
	All       bool          `help:"Remove all recorded answers; excludes other filters. Later builds pay for them again."`
	DryRun    bool          `help:"Only show what would be removed."`
}

func (ledgerPruneCmd) Help() string {
	return `Examples:
  memforge ledger prune --outcome refusal
  memforge ledger prune --model gpt-x --older-than 2160h --dry-run`
}

func (c ledgerPruneCmd) Run(e *env) error {
	f := c.filter()
	if c.OlderThan > 0 {
		f.Before = time.Now().Add(-c.OlderThan)
	}
	if f.Empty() != c.All {
		return &usageError{errors.New("say what to remove with --task, --model, --host, --outcome or --older-than, or everything with --all alone")}
	}
	return withLedger(e, false, func(l *ledger.Ledger) error {
		calls, usage, err := l.Prune(e, f, c.DryRun)
		if err != nil {
			return err
		}
		word := "removed"
		if c.DryRun {
			word = "would remove"
		}
		_, err = fmt.Fprintf(e.out, "%s %d calls with %d input and %d output tokens\n", word, calls, usage.Input, usage.Output)
		return err
	})
}
