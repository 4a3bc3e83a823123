// Package tables names the tables and sheets of a benchmark: what follows from a
// release and from logs of answers to it, beside the scores of one run. Plugins bring
// them; the command line offers what is registered.
package tables

import (
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// A Set is what one benchmark has of tables and sheets.
type Set struct {
	Name string
	// Help says in a few sentences how runs are named and what their answers look like.
	Help string
	// Variants are whose rules there are where these differ, the default first.
	Variants []string
	// Seed of draws unless another is asked for.
	Seed   uint64
	Tables []TableKind
	Sheets []Sheet
	// Warnings tells what a reader of the tables should know of the release.
	Warnings func(Inputs) ([]string, error)
	// Check says what is wrong with the name of a run; empty where nothing is.
	Check func(run string) string
}

// TableKind is one kind of table.
type TableKind struct {
	Name, Help string
	// Make gives the table, in several parts where it has such. What it cannot be made
	// without is a *MissingInputError.
	Make func(Inputs) ([]Table, error)
	// GateCalls names gates whose calls the table is made from, and the questions to put
	// them to where the release's own builder did not: a panel can be asked on the spot.
	GateCalls func(Inputs) (gates, questions []string, err error)
}

// Sheet is a list of what people are to decide, a JSON object each.
type Sheet struct {
	Name, Help string
	Make       func(Inputs) ([]any, error)
}

// Inputs is what tables and sheets are made from.
type Inputs struct {
	Contents release.Contents
	// Runs are logs of answers, by name; their questions are those of the scorer of
	// the same benchmark.
	Runs []Run
	// Reviews are what people decided about a sheet.
	Reviews []schemas.Review
	Variant string
	// Incomplete leaves questions that a run does not answer out of what is made of it.
	Incomplete bool
	Seed       uint64
}

// Run is one log of answers by question.
type Run struct {
	Name    string
	Answers map[string]string
}

// MissingInputError says what a table cannot be made without.
type MissingInputError struct{ Table, Missing string }

func (e *MissingInputError) Error() string {
	return fmt.Sprintf("table %s needs %s", e.Table, e.Missing)
}

// kind of these extensions of a registry.
const kind = "tables"

// Add registers a set.
func Add(r *pipeline.Registry, s Set) { r.Extend(kind, s.Name, s) }

// Sets are those registered, by name.
func Sets(r *pipeline.Registry) []Set { return pipeline.Extensions[Set](r, kind) }
