package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/schemas"
)

type tablesCmd struct {
	releaseFlags `embed:""`

	sets []tables.Set

	Format     string   `required:"" placeholder:"NAME" help:"Whose tables: ${sets}."`
	Table      []string `placeholder:"NAME" help:"Only this table; see below. Repeatable. Without, all that the release and the runs suffice for."`
	Sheet      string   `placeholder:"NAME" help:"Print this sheet for people as JSON lines instead of tables."`
	Reviews    []string `placeholder:"FILE" help:"What people decided about a sheet, as JSON lines. Repeatable."`
	JSON       bool     `name:"json" help:"Print the tables as JSON."`
	Variant    string   `placeholder:"NAME" help:"Whose rules where the benchmark's code and its paper differ; see below."`
	Incomplete bool     `help:"Leave questions that a run does not answer out of what is made of it."`
	Seed       *uint64  `help:"Decides which questions are drawn; the benchmark has one of its own."`
	Panel      string   `placeholder:"NAME" help:"Ask this panel what a table needs asked, where the release's gates did not: a panel or a model of the configuration, or built-in."`
	MaxCost    *amount  `placeholder:"AMOUNT" help:"With --panel, stop before models cost more than this."`
	Offline    bool     `help:"With --panel, never use the network; replay recorded answers."`
	Of         string   `arg:"" name:"of" placeholder:"RELEASE" help:"Folder of a release."`
	Runs       []string `arg:"" optional:"" placeholder:"RUN=FILE" help:"Logs of answers, as memforge score reads them, each under the name of its run."`
}

// Help is shown below the flags.
func (c tablesCmd) Help() string {
	var each strings.Builder
	for _, s := range c.sets {
		each.WriteString(s.Name)
		if len(s.Variants) > 0 {
			fmt.Fprintf(&each, ", --variant %s (the first unless set)", strings.Join(s.Variants, "|"))
		}
		fmt.Fprintf(&each, ":\n%s\n\n", s.Help)
		for _, t := range s.Tables {
			fmt.Fprintf(&each, "  --table %-20s %s\n", t.Name, t.Help)
		}
		for _, t := range s.Sheets {
			fmt.Fprintf(&each, "  --sheet %-20s %s\n", t.Name, t.Help)
		}
		each.WriteString("\n")
	}
	return each.String() + `Decisions about a sheet are reviews, {"item": ID, "annotator": NAME, "draw": SHEET,
"decision": "accept"}, with "label" where the sheet asks for an answer; those in the
release count too.

Examples:
  memforge tables --format FORMAT RELEASE rag.visual=v.jsonl rag.dense=t.jsonl
  memforge tables --format FORMAT --table labels --panel built-in --json RELEASE
  memforge tables --format FORMAT --sheet human-oracle RELEASE > sheet.jsonl`
}

// Run prints tables, or a sheet; warnings go to the error output.
func (c tablesCmd) Run(e *env) error {
	set, err := c.selectSet()
	if err != nil {
		return &usageError{err}
	}
	in, err := c.readInput(e, set)
	if err != nil {
		return err
	}
	if c.Sheet != "" {
		return c.printSheet(e, set, in)
	}
	if c.Panel != "" {
		if err := c.askPanel(e, set, &in); err != nil {
			return err
		}
	}
	return c.printTables(e, set, in)
}

// printTables makes the tables and prints them.
func (c tablesCmd) printTables(e *env, set tables.Set, in tables.Inputs) error {
	warned, err := set.Warnings(in)
	if err != nil {
		return &inputError{fmt.Errorf("tables: %w", err)}
	}
	for _, w := range warned {
		safetext.Fprintf(e.err, "warning: %s\n", w)
	}
	made, err := c.makeTables(e, set, in)
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(e.out, tablesJSON{in.Contents.Manifest.ID, set.Name, in.Variant, in.Seed, warned, made})
	}
	for i, t := range made {
		if i > 0 {
			fmt.Fprintln(e.out)
		}
		if err := t.Print(e.out); err != nil {
			return err
		}
	}
	return nil
}

// tablesJSON is what --json prints.
type tablesJSON struct {
	Release string `json:"release"`
	Format  string `json:"format"`
	Variant string `json:"variant"`
	Seed    uint64 `json:"seed"`
	// Warnings are what the error output has as well.
	Warnings []string       `json:"warnings,omitempty"`
	Tables   []tables.Table `json:"tables"`
}

func setName(s tables.Set) string         { return s.Name }
func tableName(k tables.TableKind) string { return k.Name }
func sheetName(s tables.Sheet) string     { return s.Name }
func scorerOf(s tables.Set) score.Scorer  { return score.Scorer{Name: s.Name, Variants: s.Variants} }

// selectSet checks what the command line names.
func (c tablesCmd) selectSet() (tables.Set, error) {
	i := slices.IndexFunc(c.sets, func(s tables.Set) bool { return s.Name == c.Format })
	if i < 0 {
		return tables.Set{}, fmt.Errorf("--format must be one of %s, and is %q", joinNames(c.sets, setName), c.Format)
	}
	set := c.sets[i]
	for _, name := range c.Table {
		if !slices.ContainsFunc(set.Tables, func(k tables.TableKind) bool { return k.Name == name }) {
			return set, fmt.Errorf("--table must be one of %s, and is %q", joinNames(set.Tables, tableName), name)
		}
	}
	if c.Sheet != "" && !slices.ContainsFunc(set.Sheets, func(s tables.Sheet) bool { return s.Name == c.Sheet }) {
		return set, fmt.Errorf("--sheet must be one of %s, and is %q", joinNames(set.Sheets, sheetName), c.Sheet)
	}
	switch {
	case c.Sheet != "" && (len(c.Table) > 0 || c.JSON || c.Panel != ""):
		return set, errors.New("--sheet goes with neither --table, --json nor --panel")
	case c.Panel == "" && (c.MaxCost != nil || c.Offline):
		return set, errors.New("--max-cost and --offline go with --panel")
	}
	return set, nil
}

// readInput reads the release, the runs and the decisions. A release is verified first.
func (c tablesCmd) readInput(e *env, set tables.Set) (in tables.Inputs, err error) {
	in.Seed, in.Incomplete = set.Seed, c.Incomplete
	if c.Seed != nil {
		in.Seed = *c.Seed
	}
	if in.Variant, err = scorerOf(set).ChooseVariant(c.Variant); err != nil {
		return in, &usageError{fmt.Errorf("--variant: %w", err)}
	}
	if err := checkReleaseDir("tables", c.Of); err != nil {
		return in, err
	}
	if in.Contents, err = c.limits().Read(e, c.Of); err != nil {
		return in, err
	}
	if caution := export.BuiltInNote(in.Contents); caution != "" {
		safetext.Fprintf(e.err, "warning: %s\n", caution)
	}
	if in.Runs, err = c.readRuns(set); err != nil {
		return in, err
	}
	in.Reviews, err = c.readReviews(in.Contents)
	return in, err
}

// readRuns reads the logs.
func (c tablesCmd) readRuns(set tables.Set) (out []tables.Run, err error) {
	for _, arg := range c.Runs {
		name, file, ok := strings.Cut(arg, "=")
		if !ok || file == "" {
			return nil, &usageError{fmt.Errorf("%q is no run; want RUN=FILE", arg)}
		}
		if wrong := set.Check(name); wrong != "" {
			return nil, &usageError{fmt.Errorf("run %q: %s", name, wrong)}
		}
		if slices.ContainsFunc(out, func(r tables.Run) bool { return r.Name == name }) {
			return nil, &usageError{fmt.Errorf("run %q is there twice", name)}
		}
		answers, err := readAnswers(file, score.ReadAnswers)
		if err != nil {
			return nil, &inputError{fmt.Errorf("tables: run %s: %s: %w", name, file, err)}
		}
		out = append(out, tables.Run{Name: name, Answers: answers})
	}
	return out, nil
}

// readAnswers reads a file of answers.
func readAnswers(file string, read func(io.Reader) (map[string]string, error)) (answers map[string]string, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return read(f)
}

// maxReviews bounds a file of decisions.
const maxReviews = 64 << 20

// readReviews are the decisions in the release, and those in files.
func (c tablesCmd) readReviews(r release.Contents) ([]schemas.Review, error) {
	out := slices.Clone(r.Reviews)
	for _, file := range c.Reviews {
		if info, err := os.Stat(file); err == nil && info.Size() > maxReviews {
			return nil, &inputError{fmt.Errorf("tables: %s has %d bytes; want at most %d", file, info.Size(), maxReviews)}
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, &inputError{fmt.Errorf("tables: decisions: %w", err)}
		}
		more, err := review.Read(file, data)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// makeTables makes the tables that were asked for, else all that can be made.
func (c tablesCmd) makeTables(e *env, set tables.Set, in tables.Inputs) ([]tables.Table, error) {
	out := []tables.Table{}
	for _, k := range set.Tables {
		if len(c.Table) > 0 && !slices.Contains(c.Table, k.Name) {
			continue
		}
		made, err := k.Make(in)
		var lack *tables.MissingInputError
		switch {
		case errors.As(err, &lack) && len(c.Table) == 0:
			safetext.Fprintf(e.err, "left out: %v\n", err)
		case err != nil:
			return nil, &inputError{fmt.Errorf("tables: %w", err)}
		}
		out = append(out, made...)
	}
	return out, nil
}

// printSheet prints what people are to decide.
func (c tablesCmd) printSheet(e *env, set tables.Set, in tables.Inputs) error {
	i := slices.IndexFunc(set.Sheets, func(s tables.Sheet) bool { return s.Name == c.Sheet })
	rows, err := set.Sheets[i].Make(in)
	if err != nil {
		return &inputError{fmt.Errorf("tables: %w", err)}
	}
	enc := json.NewEncoder(e.out)
	enc.SetEscapeHTML(false)
	for _, r := range rows {
		if err := enc.Encode(r); err != nil {
			return fmt.Errorf("tables: %w", err)
		}
	}
	safetext.Fprintf(e.err, "%d to decide\n", len(rows))
	return nil
}
