package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/audit/rerun"
	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/eval/runner"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/schemas"
)

type tablesCmd struct {
	releaseFlags `embed:""`

	sets []tables.Set

	Format     string   `required:"" placeholder:"NAME" completion:"tables" help:"Whose tables: ${sets}."`
	Table      []string `placeholder:"NAME" help:"Only this table; see below. Repeatable. By default every table the release and runs have enough data for."`
	Sheet      string   `placeholder:"NAME" help:"Print this sheet for people as JSON lines instead of tables."`
	Reviews    []string `placeholder:"FILE" help:"Decisions of people about a sheet, as JSON lines. Repeatable."`
	JSON       bool     `name:"json" help:"Print the tables as JSON."`
	HTML       string   `name:"html" placeholder:"FILE" help:"Write the tables as a page that opens offline, such as leaderboard.html."`
	Variant    string   `placeholder:"NAME" help:"Which rules apply where the benchmark's code and paper differ; see below."`
	Incomplete bool     `help:"Exclude questions that a run does not answer from its figures."`
	Seed       *uint64  `help:"Seed of the sample of questions; by default that of the benchmark."`
	Panel      string   `placeholder:"NAME" completion:"panels" help:"Ask this panel the questions of tables, instead of using the answers to the release's gates: a panel or a model of the configuration, or built-in."`
	MaxCost    *amount  `placeholder:"AMOUNT" help:"With --panel, stop before models cost more than this."`
	Offline    bool     `help:"With --panel, never use the network; replay recorded answers."`
	Of         string   `arg:"" name:"of" placeholder:"RELEASE" help:"Folder of a release."`
	Runs       []string `arg:"" optional:"" placeholder:"RUN=FILE" help:"Files of answers, as memforge score reads them, with the names of their runs. What was held and retrieved, and the labels of a judge, are read from the files that run and score --judge put beside them."`
}

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
  memforge tables --format FORMAT --html leaderboard.html RELEASE bm25=out/bm25/answers.jsonl
  memforge tables --format FORMAT --table labels --panel built-in --json RELEASE
  memforge tables --format FORMAT --sheet human-oracle RELEASE > sheet.jsonl`
}

func (c tablesCmd) Run(e *env) error {
	set, err := c.selectSet()
	if err != nil {
		return &usageError{err}
	}
	if c.Panel != "" { // before a release that takes a while to read
		if _, err := e.loadPanelConfig(c.Panel); err != nil {
			return err
		}
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
	notes, cautions, err := c.runNotes()
	if err != nil {
		return err
	}
	costs, err := c.runCosts(made)
	if err != nil {
		return err
	}
	made = append(made, costs...)
	for i := range made {
		made[i].DropEmpty()
		made[i].Notes = append(made[i].Notes, cautions...)
	}
	if c.HTML != "" {
		if err := c.writePage(in, set.Name, append(warned, notes...), made); err != nil {
			return err
		}
	}
	if c.JSON {
		return writeJSON(e.out, tablesJSON{in.Contents.Manifest.ID, set.Name, in.Variant, in.Seed, warned, notes, made})
	}
	for i, t := range made {
		if i > 0 {
			fmt.Fprintln(e.out)
		}
		if err := t.Print(e.out); err != nil {
			return err
		}
	}
	if len(made) > 0 && len(notes) > 0 {
		fmt.Fprintln(e.out)
	}
	for _, n := range notes {
		safetext.Fprintf(e.out, "note: %s\n", n)
	}
	return nil
}

// tablesJSON is the output of --json.
type tablesJSON struct {
	Release string `json:"release"`
	Format  string `json:"format"`
	Variant string `json:"variant"`
	Seed    uint64 `json:"seed"`
	// Warnings are those of the error output.
	Warnings []string `json:"warnings,omitempty"`
	// Notes say which view each run was shown.
	Notes  []string       `json:"notes,omitempty"`
	Tables []tables.Table `json:"tables"`
}

func setName(s tables.Set) string         { return s.Name }
func tableName(k tables.TableKind) string { return k.Name }
func sheetName(s tables.Sheet) string     { return s.Name }
func scorerOf(s tables.Set) score.Scorer  { return score.Scorer{Name: s.Name, Variants: s.Variants} }

// selectSet checks the names on the command line.
func (c tablesCmd) selectSet() (tables.Set, error) {
	set, err := selectNamed("--format", c.Format, c.sets, setName)
	for _, name := range c.Table {
		if err == nil {
			_, err = selectNamed("--table", name, set.Tables, tableName)
		}
	}
	if err == nil && c.Sheet != "" {
		_, err = selectNamed("--sheet", c.Sheet, set.Sheets, sheetName)
	}
	switch {
	case err != nil:
		return set, err
	case c.Sheet != "" && (len(c.Table) > 0 || c.JSON || c.HTML != "" || c.Panel != ""):
		return set, errors.New("--sheet goes with neither --table, --json, --html nor --panel")
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
	in.Claims = export.Claims(export.Formats(e.reg))
	if in.Runs, err = c.readRuns(set); err != nil {
		return in, err
	}
	in.Reviews, err = c.readReviews(in.Contents)
	return in, err
}

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
		answers, err := score.ReadFile(file, score.ReadAnswers)
		if err != nil {
			return nil, &inputError{fmt.Errorf("tables: run %s: %s: %w", name, file, err)}
		}
		out = append(out, tables.Run{Name: name, File: file, Answers: answers})
	}
	return out, nil
}

// runNotes says of each run of memforge run which view it was shown, and what every table has
// to say of it.
func (c tablesCmd) runNotes() (views, cautions []string, err error) {
	for _, arg := range c.Runs {
		name, file, _ := strings.Cut(arg, "=")
		of, err := runner.Notes(file)
		if err != nil {
			return nil, nil, &inputError{fmt.Errorf("tables: run %s: %w", name, err)}
		}
		for i, n := range of {
			if n = "run " + name + ": " + n; i == 0 {
				views = append(views, n)
			} else {
				cautions = append(cautions, n)
			}
		}
	}
	return views, cautions, nil
}

// runCosts returns a table of the time and cost of each run of memforge run, beside the main
// figure of the first table; none where tables are chosen by name.
func (c tablesCmd) runCosts(made []tables.Table) ([]tables.Table, error) {
	const perAnswer, writing, retrieving, tokens = "seconds per answer", "seconds of writing per task", "seconds of retrieving per task", "tokens per answer"
	t := tables.Table{Name: "costs", Title: "time and cost of runs", Columns: []string{perAnswer, writing, retrieving, tokens, "input tokens", "output tokens", "cost"}}
	t.Plots = []tables.Plot{{Kind: tables.PlotLatency, Title: "seconds per task, on a logarithmic axis", Columns: []string{writing, retrieving}}}
	main, figures := "", map[string]tables.Figure{}
	if len(made) > 0 {
		if main, figures = made[0].MainFigures(); main != "" {
			t.Columns = append([]string{main}, t.Columns...)
			t.Plots = append(t.Plots, tables.Plot{Kind: tables.PlotCost, Title: main + " by tokens per answer, on a logarithmic axis; larger circles take longer per answer", Columns: []string{tokens, main, perAnswer}})
		}
	}
	for _, arg := range c.Runs {
		name, file, _ := strings.Cut(arg, "=")
		used, err := runner.ReadUsage(file)
		l := tables.Line{Slice: name, Figures: map[string]tables.Figure{}, Missing: map[string]string{}}
		switch {
		case err != nil:
			return nil, &inputError{fmt.Errorf("tables: run %s: %w", name, err)}
		case used.Answers == 0:
			for _, col := range t.Columns {
				l.Missing[col] = "run " + name + " has no " + runner.FileUsage
			}
		default:
			l.Figures[perAnswer] = tables.Exactly(used.Seconds/float64(used.Answers), used.Answers)
			l.Figures[writing], l.Figures[retrieving] = tables.Exactly(used.Writing/float64(max(used.Tasks, 1)), used.Tasks), tables.Exactly(used.Retrieving/float64(max(used.Tasks, 1)), used.Tasks)
			l.Figures[tokens] = tables.Exactly(float64(used.InputTokens+used.OutputTokens)/float64(used.Answers), used.Answers)
			l.Figures["input tokens"], l.Figures["output tokens"] = tables.Count(int(used.InputTokens)), tables.Count(int(used.OutputTokens))
			l.Figures["cost"] = tables.Exactly(used.Cost, used.Answers)
			if used.Currency != "" {
				t.Notes = append(t.Notes, fmt.Sprintf("the cost of run %s is in %s", name, used.Currency))
			}
		}
		if f, has := figures[name]; has {
			l.Figures[main] = f
		}
		t.Lines = append(t.Lines, l)
	}
	if len(t.Lines) == 0 || len(c.Table) > 0 {
		return nil, nil
	}
	return []tables.Table{t}, nil
}

// writePage writes the page of --html.
func (c tablesCmd) writePage(in tables.Inputs, format string, warned []string, made []tables.Table) error {
	page := tables.Page{Release: in.Contents.Manifest.ID, Format: format, Variant: in.Variant, Seed: in.Seed, Warnings: warned, Tables: made, Marks: map[string][]string{}}
	for _, run := range in.Runs {
		marks, err := runner.Marks(run.File)
		if err != nil {
			return &inputError{fmt.Errorf("tables: run %s: %w", run.Name, err)}
		}
		page.Marks[run.Name] = marks
	}
	if err := atomicfile.Write(c.HTML, 0o644, page.Write); err != nil {
		return fmt.Errorf("tables: %w", err)
	}
	return nil
}

// maxReviews bounds a file of decisions.
const maxReviews = 64 << 20

// readReviews returns the decisions in the release, and those in files.
func (c tablesCmd) readReviews(r release.Contents) ([]schemas.Review, error) {
	out := slices.Clone(r.Reviews)
	for _, file := range c.Reviews {
		data, err := atomicfile.Read(file, maxReviews)
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

// makeTables makes the selected tables, or else all that can be made.
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

func (c tablesCmd) printSheet(e *env, set tables.Set, in tables.Inputs) error {
	sheet, err := selectNamed("--sheet", c.Sheet, set.Sheets, sheetName)
	if err != nil {
		return err
	}
	rows, err := sheet.Make(in)
	if err != nil {
		return &inputError{fmt.Errorf("tables: %w", err)}
	}
	if err := writeLines(e.out, rows); err != nil {
		return fmt.Errorf("tables: %w", err)
	}
	safetext.Fprintf(e.err, "%d to decide\n", len(rows))
	return nil
}

// askPanel asks a panel the gates of the selected tables; its answers replace those of
// the release's gates. Answers are recorded before they are used.
func (c tablesCmd) askPanel(e *env, set tables.Set, in *tables.Inputs) (err error) {
	cfg, err := e.loadPanelConfig(c.Panel)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "memforge-tables-")
	if err != nil {
		return fmt.Errorf("folder for pictures: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	for _, k := range set.Tables {
		if k.GateCalls == nil || len(c.Table) > 0 && !slices.Contains(c.Table, k.Name) {
			continue
		}
		gates, questions, err := k.GateCalls(*in)
		if err != nil {
			return &inputError{fmt.Errorf("tables: %w", err)}
		}
		roles, err := rerun.RolesOf(e.reg, gates)
		if err != nil {
			return err
		}
		models, identities, err := cfg.Panel(c.Panel, roles)
		if err != nil {
			return &usageError{fmt.Errorf("--panel: %w", err)}
		}
		opt := rerun.Options{Roles: identities, Workers: cmp.Or(cfg.Run.Limits.Model, 8), Temp: temp}
		asked, err := openPanel(e, cfg, models, c.Offline, c.MaxCost, &opt)
		if err != nil {
			return err
		}
		err = c.askGates(e, in, gates, questions, opt)
		total, closeErr := asked()
		safetext.Fprintf(e.err, "models: %s\n", cmp.Or(formatSpending(total), "only the built-in one was asked"))
		if err = errors.Join(err, closeErr); err != nil {
			return err
		}
	}
	return nil
}

func (c tablesCmd) askGates(e *env, in *tables.Inputs, gates, questions []string, opt rerun.Options) error {
	uses := map[string]string{}
	for _, g := range in.Contents.Manifest.Gates {
		uses[g.Name] = g.Use
	}
	for _, g := range gates {
		probes, skipped, err := rerun.Ask(e, e.reg, in.Contents, g, questions, opt)
		if err != nil {
			return err
		}
		for _, s := range skipped {
			safetext.Fprintf(e.err, "warning: %s could not be asked of %s: %s\n", s.Gate, s.Item, s.Why)
		}
		same := func(gate string) bool { return cmp.Or(uses[gate], gate) == g }
		in.Contents.Verdicts = slices.DeleteFunc(slices.Clone(in.Contents.Verdicts), func(v schemas.Verdict) bool { return same(v.Gate) })
		in.Contents.Probes = slices.DeleteFunc(slices.Clone(in.Contents.Probes), func(p schemas.Probe) bool { return same(p.Gate) })
		in.Contents.Probes = append(in.Contents.Probes, probes...)
	}
	return nil
}
