package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/memforge/memforge/pipeline/build"
	"github.com/memforge/memforge/pipeline/config"
	"github.com/memforge/memforge/pipeline/model/batch"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/model/wire"
	"github.com/memforge/memforge/pipeline/progress"
)

type batchCmd struct {
	Export batchExportCmd `cmd:"" help:"Write the requests that wait for an answer as OpenAI Batch files."`
	Import batchImportCmd `cmd:"" help:"Take in the results of batch files."`
	Submit batchSubmitCmd `cmd:"" help:"Send batch files to the servers of their models."`
	Poll   batchPollCmd   `cmd:"" help:"Look at submitted batches and take in the results of those that ended."`
}

type batchExportCmd struct {
	Dir          string `short:"o" default:"batch" placeholder:"DIR" help:"Folder for the files (${default})."`
	FullProtocol bool   `help:"Let every gate ask all of its protocol, see build."`
	MaxLines     int    `default:"50000" placeholder:"N" help:"Most requests in one file (${default})."`
	MaxMB        int    `name:"max-mb" default:"200" placeholder:"MB" help:"Largest file (${default})."`
}

// Help is shown below the flags.
func (batchExportCmd) Help() string {
	return `The build runs as far as it gets without asking a language model, and what it
would ask goes to files: <model>-0001.jsonl and so on, one request a line, its
custom_id the key in the ledger. Send them with "memforge batch submit", or give
them to a model without a network, or to a person. After "memforge batch import"
or "poll", build or export again: an answer may lead to another request.

Example:
  memforge batch export -o outbox`
}

// Run collects and writes.
func (c batchExportCmd) Run(e *env) error {
	if c.MaxLines < 1 || c.MaxMB < 1 {
		return &usageError{errors.New("--max-lines and --max-mb must be at least 1")}
	}
	cfg, err := e.loadPlanned(c.FullProtocol)
	if err != nil {
		return err
	}
	report := progress.New(e.err, progressFormat(cfg.Run.LogFormat, e.err), time.Now)
	err = build.CollectRequests(e, e.reg, cfg, build.Options{Getenv: e.getenv, Observe: report.Observe, Drain: e.stop.Drain()})
	report.Close()
	if errors.Is(err, build.ErrNoModels) {
		return &inputError{err}
	}
	if err != nil {
		return err
	}
	return withLedger(e, true, func(l *ledger.Ledger) error {
		files, err := batch.Export(e, l, c.Dir, batch.Limits{Lines: c.MaxLines, Bytes: int64(c.MaxMB) << 20})
		if err != nil {
			return err
		}
		for _, f := range files {
			fmt.Fprintf(e.out, "%s: %d requests for %s\n", f.Path, f.Requests, f.Name)
		}
		if len(files) == 0 {
			_, err = fmt.Fprintln(e.out, "nothing waits: every request is answered, so build")
		}
		return err
	})
}

type batchImportCmd struct {
	Files []string `arg:"" type:"existingfile" help:"Output and error files of batches."`
}

// Run imports.
func (c batchImportCmd) Run(e *env) error {
	return withLedger(e, false, func(l *ledger.Ledger) error {
		for _, path := range c.Files {
			f, err := os.Open(path)
			if err != nil {
				return &inputError{err}
			}
			done, err := batch.Import(e, l, f)
			sayImported(e, path, done)
			if err = errors.Join(err, f.Close()); err != nil {
				return &inputError{fmt.Errorf("%s: %w", path, err)}
			}
		}
		return nil
	})
}

func sayImported(e *env, what string, i batch.Imported) {
	fmt.Fprintf(e.out, "%s: %d answered, %d failed and still waiting, %d unknown\n", what, i.Answered, i.Failed, i.Unknown)
	if i.Reason != "" {
		fmt.Fprintf(e.out, "  the first failure: %s\n", i.Reason)
	}
}

type batchSubmitCmd struct {
	Files []string `arg:"" type:"existingfile" help:"Files that batch export wrote."`
}

// Run submits.
func (c batchSubmitCmd) Run(e *env) error {
	cfg, err := e.load()
	if err != nil {
		return err
	}
	return withLedger(e, false, func(l *ledger.Ledger) error {
		for _, path := range c.Files {
			data, err := os.ReadFile(path)
			if err != nil {
				return &inputError{err}
			}
			b, err := batch.Submit(e, l, path, data, servers(e, cfg))
			if err != nil {
				return err
			}
			fmt.Fprintf(e.out, "%s: batch %s of %d requests, %s\n", filepath.Base(path), b.ID, b.Requests, b.State)
		}
		return nil
	})
}

// servers makes clients with time enough for large files.
func servers(e *env, cfg *config.Config) batch.Servers {
	return func(name string) (*wire.Client, error) {
		m, ok := cfg.Models[name]
		if !ok {
			return nil, fmt.Errorf("no model is called %q in the configuration", name)
		}
		m.Limits.Timeout = max(m.Limits.Timeout, 30*time.Minute)
		return client.Wire(name, m, e.getenv, 1<<30)
	}
}

type batchPollCmd struct {
	Wait time.Duration `placeholder:"SPAN" help:"Look again every so often until all have ended, for example 5m."`
}

// Run polls.
func (c batchPollCmd) Run(e *env) error {
	cfg, err := e.load()
	if err != nil {
		return err
	}
	return withLedger(e, false, func(l *ledger.Ledger) error {
		for {
			polled, err := batch.Poll(e, l, servers(e, cfg))
			open := sayPolled(e, polled)
			if err != nil || open == 0 || c.Wait <= 0 {
				return err
			}
			select {
			case <-time.After(c.Wait):
			case <-e.stop.Drain():
				return nil
			case <-e.Done():
				return e.Err()
			}
		}
	})
}

// sayPolled prints what became of batches and counts those that go on.
func sayPolled(e *env, polled []batch.Polled) (open int) {
	if len(polled) == 0 {
		fmt.Fprintln(e.out, "no batch is under way")
	}
	for _, p := range polled {
		if !p.Ended {
			open++
			fmt.Fprintf(e.out, "batch %s of %d requests for %s: %s\n", p.ID, p.Requests, p.Name, p.State)
			continue
		}
		sayImported(e, fmt.Sprintf("batch %s, %s", p.ID, p.State), p.Imported)
		if p.Problem != "" {
			fmt.Fprintf(e.out, "  the server says: %s\n", p.Problem)
		}
	}
	return open
}
