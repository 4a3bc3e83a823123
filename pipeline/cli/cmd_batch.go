package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/engine/progress"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/model/batch"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/model/wire"
)

type batchCmd struct {
	Export batchExportCmd `cmd:"" help:"Write waiting requests as OpenAI Batch files."`
	Import batchImportCmd `cmd:"" help:"Read the results of batch files."`
	Submit batchSubmitCmd `cmd:"" help:"Send batch files to the servers of their models."`
	Poll   batchPollCmd   `cmd:"" help:"Check submitted batches and read the results of those that ended."`
	List   batchListCmd   `cmd:"" help:"List submitted batches with their last known state."`
	Drop   batchDropCmd   `cmd:"" help:"Forget batches that will never end; their requests are exported again."`
}

type batchExportCmd struct {
	Dir          string `short:"o" default:"batch" placeholder:"DIR" help:"Folder for the files (${default})."`
	FullProtocol bool   `help:"Let every gate ask all questions of its protocol, see build."`
	MaxLines     int    `default:"50000" placeholder:"N" help:"Maximum number of requests in one file (${default})."`
	MaxMB        int    `name:"max-mb" default:"200" placeholder:"MB" help:"Maximum size of a file (${default})."`
}

func (batchExportCmd) Help() string {
	return `Runs the build as far as it gets without asking a language model, and writes its
requests to files: <model>-0001.jsonl and so on, one request a line, whose custom_id is
the key in the ledger. index.ndjson describes each, and the folder pictures has their
pictures. Send them with "memforge batch submit", or give them to a model without a
network, or to a person. After "memforge batch import" or "poll", build or export
again: an answer may lead to another request.

Example:
  memforge batch export -o outbox`
}

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

// write writes the waiting requests. Lost records end the command if nothing waits.
func (c batchExportCmd) write(e *env, plan engine.Plan, l *ledger.Ledger, lost error) error {
	done, err := batch.Export(e, l, c.Dir, batch.Limits{Lines: c.MaxLines, Bytes: int64(c.MaxMB) << 20})
	if err != nil {
		return err
	}
	for _, f := range done.Files {
		fmt.Fprintf(e.out, "%s: %d requests for %s\n", f.Path, f.Requests, f.Name)
	}
	if len(done.Files) > 0 {
		fmt.Fprintf(e.out, "%s: describes each request; %d pictures in %s\n", done.Index, done.Pictures, filepath.Join(c.Dir, batch.Pictures))
	}
	if err := suggestFullProtocol(e.out, e.reg, plan, done.PerStep); err != nil {
		return err
	}
	if n := len(done.TooLarge); n > 0 {
		big := done.TooLarge[0]
		lost = errors.Join(lost, &inputError{fmt.Errorf("%d requests are too large for a batch file and were left out, the first %s for %s with %d bytes; send fewer or smaller images, or raise --max-mb", n, big.Key, big.Item, big.Bytes)})
	}
	waits, err := printWaiting(e, l)
	if err != nil {
		return err
	}
	if len(done.Files) == 0 {
		if lost == nil && !waits {
			_, err = fmt.Fprintln(e.out, "no request waits for an answer: run the build")
		}
		return errors.Join(lost, err)
	}
	if lost != nil {
		fmt.Fprintf(e.err, "warning: %v\n", lost)
	}
	return nil
}

// printWaiting says which requests are left out because they are in batches.
func printWaiting(e *env, l *ledger.Ledger) (bool, error) {
	all, err := l.Batches(e)
	all = slices.DeleteFunc(all, func(b ledger.Batch) bool { return b.Waiting == 0 })
	if err != nil || len(all) == 0 {
		return false, err
	}
	_, err = fmt.Fprintf(e.out, "%s and are left out; `memforge batch poll` reads the answers\n", assemble.DescribeBatches(all))
	return true, err
}

type batchImportCmd struct {
	Replace bool     `help:"Replace recorded answers by these; what was built from the old ones is built again."`
	Files   []string `arg:"" type:"existingfile" help:"Output and error files of batches."`
}

func (c batchImportCmd) Run(e *env) error {
	refused := 0
	return withLedger(e, false, func(l *ledger.Ledger) error {
		err := eachFile(c.Files, func(path string, f *os.File) error {
			done, err := batch.Import(e, l, f, c.Replace)
			printImported(e, path, done)
			refused += len(done.Refused)
			return err
		})
		if err == nil && refused > 0 {
			return &inputError{fmt.Errorf("%d lines are no results and were left out; all others were imported", refused)}
		}
		return err
	})
}

// mostRefused bounds the refused lines that are printed.
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
		{i.Duplicate, "were already recorded"},
		{i.Conflicting, "answer requests with another recorded answer, which is kept (--replace replaces it)"},
		{i.Replaced, "replaced another answer; the next build uses them"},
		{i.Unknown, "answer requests that this ledger does not have, or no longer has: export again, then import"},
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

func (c batchSubmitCmd) Run(e *env) error {
	cfg, err := e.load()
	if err != nil {
		return err
	}
	return withLedger(e, false, func(l *ledger.Ledger) error {
		var errs []error
		for _, path := range c.Files {
			data, err := atomicfile.Read(path, maxBatchFile)
			if err != nil {
				return errors.Join(append(errs, &inputError{fmt.Errorf("batch submit: %w", err)})...)
			}
			b, err := batch.Submit(e, l, path, data, servers(e, cfg))
			var taken *ledger.TakenError
			if errors.As(err, &taken) {
				errs = append(errs, err) // other files may be fine
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

// maxBatchFile bounds a file that is submitted; servers take files of 200 MB.
const maxBatchFile = 1 << 30

// servers makes clients with time enough for large files.
func servers(e *env, cfg *config.Config) batch.Servers {
	return func(name string) (*wire.Client, error) {
		m, ok := cfg.Models[name]
		if !ok {
			return nil, fmt.Errorf("no model is called %q in the configuration", name)
		}
		m.Limits.Timeout = max(m.Limits.Timeout, 30*time.Minute)
		return client.Wire(name, m, e.getenv, maxBatchFile)
	}
}

type batchPollCmd struct {
	Wait time.Duration `placeholder:"SPAN" help:"Poll at this interval until all have ended, for example 5m."`
	For  time.Duration `default:"26h" placeholder:"SPAN" help:"Stop waiting after this time (${default}: a batch has a day)."`
}

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

// printPolled prints the state of batches and counts those that continue.
func printPolled(e *env, polled []batch.Polled) (open int) {
	if len(polled) == 0 {
		fmt.Fprintln(e.out, "no batch is pending")
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

type batchListCmd struct{}

func (batchListCmd) Run(e *env) error {
	return withLedger(e, false, func(l *ledger.Ledger) error {
		all, err := l.Batches(e)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			_, err := fmt.Fprintln(e.out, "no batch is pending")
			return err
		}
		w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "BATCH\tMODEL\tREQUESTS\tWAITING\tSTATE")
		for _, b := range all {
			fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\n", b.ID, b.Name, b.Requests, b.Waiting, b.State)
		}
		return w.Flush()
	})
}

type batchDropCmd struct {
	IDs []string `arg:"" name:"id" help:"Ids of batches, as batch list prints them."`
}

func (batchDropCmd) Help() string {
	return `The server is not informed: cancel a batch there first, or it may still be charged.
Its results can be imported later with "memforge batch import".`
}

// Run drops batches. Unless all are known, none is dropped.
func (c batchDropCmd) Run(e *env) error {
	return withLedger(e, false, func(l *ledger.Ledger) error {
		all, err := l.Batches(e)
		if err != nil {
			return err
		}
		var errs []error
		for _, id := range c.IDs {
			if !slices.ContainsFunc(all, func(b ledger.Batch) bool { return b.ID == id }) {
				errs = append(errs, fmt.Errorf("no batch %q is pending; `memforge batch list` shows those that are", id))
			}
		}
		if err := errors.Join(errs...); err != nil {
			return &inputError{err}
		}
		for _, id := range c.IDs {
			if err := l.DropBatch(e, id); err != nil {
				return err
			}
			fmt.Fprintf(e.out, "batch %s is forgotten\n", id)
		}
		return nil
	})
}

// smallRound is the number of requests of a round below which asking all of a protocol
// at once costs less than further rounds.
const smallRound = 100

// suggestFullProtocol says which gates with requests in this round ask one call after
// another and can ask all at once: how many rounds that saves and calls it costs, or,
// for few requests, that it costs almost nothing.
func suggestFullProtocol(w io.Writer, reg *pipeline.Registry, plan engine.Plan, requests map[string]int) error {
	full, err := plan.AskEverything()
	if err != nil {
		return err
	}
	total, gates, each := 0, []string(nil), []string(nil)
	for i, n := range plan.Steps {
		total += requests[n.Name]
		if requests[n.Name] == 0 || bytes.Equal(n.Config, full.Steps[i].Config) {
			continue
		}
		one, err := forecastOneItem(reg, n)
		if err != nil {
			return err
		}
		gates = append(gates, n.Name)
		if one.CallsFull > one.Calls {
			each = append(each, fmt.Sprintf("%s makes one call after another, each in a round of its own: up to %.0f about an item, %.1f on average; with --full-protocol, here and for build, it makes all %.0f at once\n", n.Name, one.CallsFull, one.Calls, one.CallsFull))
		}
	}
	switch {
	case len(gates) == 0:
	case total < smallRound:
		_, err = fmt.Fprintf(w, "only %d requests in this round, and gates make one call a round: with --full-protocol, here and for build, %s would make all calls at once\n", total, strings.Join(gates, ", "))
	default:
		_, err = io.WriteString(w, strings.Join(each, ""))
	}
	return err
}

// forecastOneItem returns a gate's forecast for one item, or an empty one if it makes
// none.
func forecastOneItem(reg *pipeline.Registry, n engine.Step) (pipeline.Forecast, error) {
	built, spec, err := buildPlugin(reg, n)
	forecaster, ok := built.(pipeline.Forecaster)
	if err != nil || !ok || n.Kind != pipeline.KindGate {
		return pipeline.Forecast{}, err
	}
	one := pipeline.Volume{}
	for _, schema := range spec.Accepts {
		one[schema] = pipeline.Amount{Records: 1}
	}
	return forecaster.Forecast(one), nil
}
