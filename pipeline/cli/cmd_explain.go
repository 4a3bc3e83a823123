package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"text/tabwriter"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/engine/explain"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/store/storeurl"
)

type explainCmd struct {
	Release string `name:"release" placeholder:"DIR" help:"Folder of a release: what it says of the record, without a store or a configuration."`
	Record  string `arg:"" optional:"" help:"Id of a record; without one, all nodes are compared."`
}

// Help is shown below the flags.
func (explainCmd) Help() string {
	return `Compares the newest build with the one before it. Without an argument: how many
units of each node were built and reused, and which field of the key changed.
With a record: where it comes from, what gates said of it and why it was rebuilt.
With --release: what a release alone says of a question, task, medium or rejected
record: answer, evidence, task, sources, verdicts and what was asked.

Examples:
  memforge explain
  memforge explain q-0123456789abcdef
  memforge explain --release out/releases/demo/1.0.0 q-0123456789abcdef`
}

// Run prints the explanation.
func (c explainCmd) Run(e *env) (err error) {
	if c.Release != "" {
		return c.explainReleased(e)
	}
	cfg, err := e.load()
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; of a release alone: `memforge explain --release DIR RECORD`", err)
	}
	if err != nil {
		return err
	}
	st, err := readStore(e, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if c.Record == "" {
		return explainSteps(e, st)
	}
	lines, err := explain.Record(e, e.reg, st, c.Record)
	if err != nil {
		return err
	}
	for _, l := range lines {
		safetext.Fprintf(e.out, "%s%s\n", strings.Repeat("  ", l.Depth), l.Text)
	}
	return nil
}

// readStore opens the store of a configuration, in which something must have been
// built.
func readStore(e *env, cfg *config.Config) (store.Store, error) {
	st, err := storeurl.OpenReadOnly(e, cfg.StoreDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &inputError{err}
	}
	return st, err
}

// explainReleased prints what a release says of a record.
func (c explainCmd) explainReleased(e *env) error {
	if c.Record == "" {
		return &usageError{errors.New("explain --release needs the id of a record, such as a question_id")}
	}
	if err := checkReleaseDir("explain", c.Release); err != nil {
		return err
	}
	contents, err := release.Read(e, c.Release)
	if err != nil {
		return err
	}
	lines, err := audit.DescribeItem(contents, c.Record)
	if errors.Is(err, audit.ErrNoItem) {
		return &inputError{err}
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(e.out, strings.Join(lines, "\n"))
	return nil
}

func explainSteps(e *env, st pipeline.Store) error {
	reports, err := explain.Steps(e, st)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NODE\tBUILT\tREUSED\tADDED\tCHANGED\tREMOVED\tWITHOUT A JUDGEMENT\tBECAUSE")
	for _, r := range reports {
		unjudged := "-"
		if r.Verdicts != nil {
			unjudged = cmp.Or(r.Verdicts.Unjudged(), unjudged)
		}
		safetext.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%s\t%s\n", r.Name, r.Built, r.Reused, r.Added, r.Changed, r.Removed, unjudged, strings.Join(r.Identity, "; "))
	}
	return w.Flush()
}
