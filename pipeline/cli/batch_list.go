package cli

import (
	"errors"
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/memforge/memforge/pipeline/model/ledger"
)

type batchListCmd struct{}

// Run lists batches.
func (batchListCmd) Run(e *env) error {
	return withLedger(e, false, func(l *ledger.Ledger) error {
		all, err := l.Batches(e)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			_, err := fmt.Fprintln(e.out, "no batch is under way")
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

// Help is shown below the flags.
func (batchDropCmd) Help() string {
	return `The server is not told: cancel a batch there first, or it may still be paid for.
Its results can be taken in later with "memforge batch import".`
}

// Run forgets batches; all are known or none is dropped.
func (c batchDropCmd) Run(e *env) error {
	return withLedger(e, false, func(l *ledger.Ledger) error {
		all, err := l.Batches(e)
		if err != nil {
			return err
		}
		var errs []error
		for _, id := range c.IDs {
			if !slices.ContainsFunc(all, func(b ledger.Batch) bool { return b.ID == id }) {
				errs = append(errs, fmt.Errorf("no batch %q is under way; `memforge batch list` shows those that are", id))
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
