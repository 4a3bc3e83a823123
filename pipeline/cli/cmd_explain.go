package cli

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/explain"
	"github.com/memforge/memforge/pipeline/store"
)

type explainCmd struct {
	Record string `arg:"" optional:"" help:"Id of a record; without one, all nodes are compared."`
}

// Help is shown below the flags.
func (explainCmd) Help() string {
	return `Compares the newest build with the one before it. Without an argument: how many
units of each node were built and reused, and which field of the key changed.
With a record: where it comes from and why it was rebuilt.

Examples:
  memforge explain
  memforge explain q-0123456789abcdef`
}

// Run prints the explanation.
func (c explainCmd) Run(e *env) (err error) {
	cfg, err := e.load()
	if err != nil {
		return err
	}
	st, err := store.OpenReadOnly(e, cfg.StoreDir())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if c.Record == "" {
		return explainNodes(e, st)
	}
	lines, err := explain.Record(e, st, c.Record)
	if err != nil {
		return err
	}
	for _, l := range lines {
		fmt.Fprintf(e.out, "%s%s\n", strings.Repeat("  ", l.Depth), l.Text)
	}
	return nil
}

func explainNodes(e *env, st pipeline.Store) error {
	reports, err := explain.Nodes(e, st)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NODE\tBUILT\tREUSED\tADDED\tCHANGED\tREMOVED\tBECAUSE")
	for _, r := range reports {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%s\n", r.Name, r.Built, r.Reused, r.Added, r.Changed, r.Removed, strings.Join(r.Identity, "; "))
	}
	return w.Flush()
}
