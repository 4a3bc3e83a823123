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
	Release string `name:"release" placeholder:"DIR" completion:"releases" help:"Folder of a release: describe the record from the release alone, without store and configuration."`
	Record  string `arg:"" optional:"" help:"Id of a record; by default all steps are compared."`
}

func (explainCmd) Help() string {
	return `Compares the newest build with the one before it. Without an argument, it shows how
many tasks of each step were built and reused, and which field of the key changed. With
a record, it shows where the record comes from, the verdicts of gates, and why it was
rebuilt. With --release, it shows what a release contains about a question, task, medium
or rejected record: answer, evidence, task, sources, verdicts and calls of models.

Examples:
  memforge explain
  memforge explain q-0123456789abcdef
  memforge explain --release out/releases/demo/1.0.0 q-0123456789abcdef`
}

func (c explainCmd) Run(e *env) (err error) {
	if c.Release != "" {
		return c.explainReleased(e)
	}
	cfg, err := e.load()
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; for a release without configuration: `memforge explain --release DIR RECORD`", err)
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

// readStore opens the store of a configuration, which a build must have made.
func readStore(e *env, cfg *config.Config) (store.Store, error) {
	st, err := storeurl.OpenReadOnly(e, cfg.StoreDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &inputError{err}
	}
	return st, err
}

// explainReleased prints what a release says about a record.
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
	fmt.Fprintln(w, "STEP\tBUILT\tREUSED\tADDED\tCHANGED\tREMOVED\tUNJUDGED\tBECAUSE")
	for _, r := range reports {
		unjudged := "-"
		if r.Verdicts != nil {
			unjudged = cmp.Or(r.Verdicts.Unjudged(), unjudged)
		}
		safetext.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%s\t%s\n", r.Name, r.Built, r.Reused, r.Added, r.Changed, r.Removed, unjudged, strings.Join(r.Identity, "; "))
	}
	return w.Flush()
}
