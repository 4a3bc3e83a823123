package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/engine/progress"
	"github.com/memforge/memforge/pipeline/model/batch"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/model/wire"
)

type batchCmd struct {
	Export batchExportCmd `cmd:"" help:"Write the requests that wait for an answer as OpenAI Batch files."`
	Import batchImportCmd `cmd:"" help:"Take in the results of batch files."`
	Submit batchSubmitCmd `cmd:"" help:"Send batch files to the servers of their models."`
	Poll   batchPollCmd   `cmd:"" help:"Look at submitted batches and take in the results of those that ended."`
	List   batchListCmd   `cmd:"" help:"List the batches that are under way, as they were last seen."`
	Drop   batchDropCmd   `cmd:"" help:"Forget batches that will never end; what they were asked is exported again."`
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
custom_id the key in the ledger. index.ndjson says what each is about, and the
pictures they show stand in the folder pictures. Send them with "memforge batch submit", or give
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
	cfg, err := e.loadForBuild(c.FullProtocol)
	if err != nil {
		return err
	}
	report := progress.New(e.err, progressFormat(cfg.Run.LogFormat, e.err), time.Now)
	err = assemble.CollectRequests(e, e.reg, cfg, assemble.Options{Getenv: e.getenv, Observe: report.Observe, Drain: e.stop.Drain()})
	report.Close()
	var lost *engine.LostError
	switch {
	case errors.Is(err, assemble.ErrNoModels):
		return &inputError{err}
	case err != nil && !errors.As(err, &lost):
		return err
	}
	return withLedger(e, true, func(l *ledger.Ledger) error { return c.write(e, cfg.Plan, l, err) })
}

// write writes what waits. What was lost ends the command if nothing does.
func (c batchExportCmd) write(e *env, plan engine.Plan, l *ledger.Ledger, lost error) error {
	done, err := batch.Export(e, l, c.Dir, batch.Limits{Lines: c.MaxLines, Bytes: int64(c.MaxMB) << 20})
	if err != nil {
		return err
	}
	for _, f := range done.Files {
		fmt.Fprintf(e.out, "%s: %d requests for %s\n", f.Path, f.Requests, f.Name)
	}
	if len(done.Files) > 0 {
		fmt.Fprintf(e.out, "%s: what each is about; %d pictures in %s\n", done.Index, done.Pictures, filepath.Join(c.Dir, batch.Pictures))
	}
	if err := suggestFullProtocol(e.out, e.reg, plan, done.PerStep); err != nil {
		return err
	}
	if n := len(done.TooLarge); n > 0 {
		big := done.TooLarge[0]
		lost = errors.Join(lost, &inputError{fmt.Errorf("%d requests have more bytes than a batch file may and were left out, the first %s for %s with %d; send fewer or smaller images, or raise --max-mb", n, big.Key, big.Item, big.Bytes)})
	}
	waits, err := printWaiting(e, l)
	if err != nil {
		return err
	}
	if len(done.Files) == 0 {
		if lost == nil && !waits {
			_, err = fmt.Fprintln(e.out, "nothing waits: every request is answered, so build")
		}
		return errors.Join(lost, err)
	}
	if lost != nil {
		fmt.Fprintf(e.err, "warning: %v\n", lost)
	}
	return nil
}

// printWaiting says which requests are not asked for because they are in batches.
func printWaiting(e *env, l *ledger.Ledger) (bool, error) {
	all, err := l.Batches(e)
	all = slices.DeleteFunc(all, func(b ledger.Batch) bool { return b.Waiting == 0 })
	if err != nil || len(all) == 0 {
		return false, err
	}
	_, err = fmt.Fprintf(e.out, "%s and are left out; `memforge batch poll` takes the answers in\n", assemble.DescribeBatches(all))
	return true, err
}

type batchImportCmd struct {
	Replace bool     `help:"Let these answers take the place of others that are recorded; what was built from those is built again."`
	Files   []string `arg:"" type:"existingfile" help:"Output and error files of batches."`
}

// Run imports.
func (c batchImportCmd) Run(e *env) error {
	refused := 0
	return withLedger(e, false, func(l *ledger.Ledger) error {
		for _, path := range c.Files {
			f, err := os.Open(path)
			if err != nil {
				return &inputError{err}
			}
			done, err := batch.Import(e, l, f, c.Replace)
			printImported(e, path, done)
			if err = errors.Join(err, f.Close()); err != nil {
				return &inputError{fmt.Errorf("%s: %w", path, err)}
			}
			refused += len(done.Refused)
		}
		if refused > 0 {
			return &inputError{fmt.Errorf("%d lines are no results and were left out; all others were taken in", refused)}
		}
		return nil
	})
}

// mostRefused bounds how many refused lines are printed.
const mostRefused = 20

func printImported(e *env, what string, i batch.Imported) {
	fmt.Fprintf(e.out, "%s: %d answered, %d failed and still waiting\n", what, i.Answered, i.Failed)
	if i.Reason != "" {
		fmt.Fprintf(e.out, "  the first failure: %s\n", i.Reason)
	}
	for _, c := range []struct {
		n    int
		what string
	}{
		{i.Duplicate, "were recorded already"},
		{i.Conflicting, "answer requests that have another answer, which stays (--replace takes the new one)"},
		{i.Replaced, "took the place of another answer; the next build works with them"},
		{i.Unknown, "answer requests that this ledger never put, or that were forgotten since: export again, then import"},
		{len(i.Refused), "lines are no results"},
	} {
		if c.n > 0 {
			fmt.Fprintf(e.out, "  %d %s\n", c.n, c.what)
		}
	}
	for _, r := range i.Refused[:min(len(i.Refused), mostRefused)] {
		fmt.Fprintf(e.out, "    %s\n", r)
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
		var errs []error
		for _, path := range c.Files {
			data, err := os.ReadFile(path)
			if err != nil {
				return errors.Join(append(errs, &inputError{err})...)
			}
			b, err := batch.Submit(e, l, path, data, servers(e, cfg))
			var taken *ledger.TakenError
			if errors.As(err, &taken) {
				errs = append(errs, err) // it says nothing of the other files
				continue
			}
			if err != nil {
				return errors.Join(append(errs, err)...)
			}
			fmt.Fprintf(e.out, "%s: batch %s of %d requests, %s\n", filepath.Base(path), b.ID, b.Requests, b.State)
		}
		return errors.Join(errs...)
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
	For  time.Duration `default:"26h" placeholder:"SPAN" help:"Stop waiting after that long (${default}: a batch has a day)."`
}

// Run polls.
func (c batchPollCmd) Run(e *env) error {
	cfg, err := e.load()
	if err != nil {
		return err
	}
	return withLedger(e, false, func(l *ledger.Ledger) error {
		end := time.Now().Add(c.For)
		for {
			polled, err := batch.Poll(e, l, servers(e, cfg))
			open := printPolled(e, polled)
			if open == 0 || c.Wait <= 0 {
				return err
			}
			if time.Now().Add(c.Wait).After(end) {
				return errors.Join(err, &inputError{fmt.Errorf("%d batches have not ended after %s; poll again later, or `memforge batch drop` those that never will", open, c.For)})
			}
			if err != nil {
				fmt.Fprintf(e.err, "%v\n", err)
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

// printPolled prints what became of batches and counts those that go on.
func printPolled(e *env, polled []batch.Polled) (open int) {
	if len(polled) == 0 {
		fmt.Fprintln(e.out, "no batch is under way")
	}
	for _, p := range polled {
		if !p.Ended {
			open++
			fmt.Fprintf(e.out, "batch %s of %d requests for %s: %s\n", p.ID, p.Requests, p.Name, p.State)
			continue
		}
		printImported(e, fmt.Sprintf("batch %s, %s", p.ID, p.State), p.Imported)
		if p.Problem != "" {
			fmt.Fprintf(e.out, "  the server says: %s\n", p.Problem)
		}
	}
	return open
}
