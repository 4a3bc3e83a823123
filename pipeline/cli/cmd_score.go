package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/eval/runner"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/release"
)

type scoreCmd struct {
	releaseFlags `embed:""`

	scorers []score.Scorer

	Format     string   `required:"" placeholder:"NAME" completion:"scorers" help:"Whose rules: ${scorers}."`
	JSON       bool     `name:"json" help:"Print the tables as JSON, with the names of the benchmark."`
	Variant    string   `placeholder:"NAME" help:"Which rules apply where the benchmark's code and paper differ; see below."`
	Family     []string `placeholder:"FAMILY" help:"Score the questions of this family of a release alone; may be repeated."`
	Judge      string   `placeholder:"NAME" completion:"panels" help:"Have open answers, memories and retrieval labelled by this model of the configuration, or the judge of this panel."`
	Labels     string   `placeholder:"FILE" help:"File of a judge's labels: read, or with --judge written (by default PREDICTIONS with .judge.jsonl)."`
	MaxCost    *amount  `placeholder:"AMOUNT" help:"With --judge, stop before the model costs more than this; 0 spends nothing."`
	Offline    bool     `help:"With --judge, never use the network; replay recorded answers."`
	Batch      string   `placeholder:"DIR" help:"With --judge, ask nothing: write the requests as OpenAI Batch files to DIR."`
	Incomplete bool     `help:"Exclude questions without an answer from every mean."`
	Of         string   `arg:"" name:"of" placeholder:"OF" completion:"releases" help:"Folder of a release, of an export, or of a published data set in that layout."`
	Answers    string   `arg:"" placeholder:"PREDICTIONS" help:"File of answers as JSON lines."`
}

func (c scoreCmd) Help() string {
	var each strings.Builder
	for _, s := range c.scorers {
		each.WriteString(s.Name)
		if len(s.Variants) > 0 {
			fmt.Fprintf(&each, ", --variant %s (the first unless set)", strings.Join(s.Variants, "|"))
		}
		fmt.Fprintf(&each, ":\n%s\n\n", s.Help)
	}
	return each.String() + `Examples:
  memforge score --format FORMAT "$(memforge release latest)" predictions.jsonl
  memforge score --format FORMAT --variant paper --json out/exported predictions.jsonl
  memforge -f models.yaml score --format FORMAT --judge hosted --max-cost 2 RELEASE answers.jsonl
  memforge score --format FORMAT --labels answers.judge.jsonl RELEASE answers.jsonl`
}

func (c scoreCmd) Run(e *env) error {
	rules, err := selectNamed("--format", c.Format, c.scorers, scorerName)
	if err != nil {
		return err
	}
	variant, err := rules.ChooseVariant(c.Variant)
	if err != nil {
		return &usageError{fmt.Errorf("--variant: %w", err)}
	}
	if c.Judge == "" && (c.MaxCost != nil || c.Offline || c.Batch != "") {
		return &usageError{errors.New("--max-cost, --offline and --batch go with --judge")}
	}
	asked, err := c.readQuestions(e, rules)
	if err != nil {
		return &inputError{fmt.Errorf("score: %w", err)}
	}
	answers, err := rules.ReadAnswersOf(c.Answers)
	if err != nil {
		return &inputError{fmt.Errorf("score: %s: %w", c.Answers, err)}
	}
	notes, err := runner.Notes(c.Answers)
	if err != nil {
		return &inputError{fmt.Errorf("score: %s: %w", c.Answers, err)}
	}
	for _, n := range notes {
		safetext.Fprintf(e.err, "note: %s\n", n)
	}
	if n := countUnknown(answers, asked.IDs()); n > 0 {
		safetext.Fprintf(e.err, "warning: %d answers are to questions or forms that %s does not score; ignored\n", n, c.Format)
	}
	if waits, err := c.addLabels(e, asked, answers); err != nil || waits {
		return err
	}
	scores, err := asked.Score(answers, score.Options{Variant: variant, Incomplete: c.Incomplete})
	if err != nil {
		return &inputError{fmt.Errorf("score: %w", err)}
	}
	for _, w := range scores.Warnings() {
		safetext.Fprintf(e.err, "warning: %s\n", w)
	}
	if !c.JSON {
		return scores.Print(e.out)
	}
	return writeJSON(e.out, scores)
}

// readQuestions reads the questions of a release or an export. A release is verified
// first.
func (c scoreCmd) readQuestions(e *env, rules score.Scorer) (score.QuestionSet, error) {
	if err := checkReleaseDir("score", c.Of); err != nil {
		return nil, err
	}
	switch none := release.CheckFolder(c.Of); {
	case none != nil && len(c.Family) > 0:
		return nil, fmt.Errorf("%s is no release, and --family chooses among the families of one", c.Of)
	case none != nil && rules.Load == nil:
		return nil, fmt.Errorf("%w; the rules of %s are for releases alone, and `memforge release list` shows them", none, rules.Name)
	case none != nil:
		return rules.Load(c.Of)
	case rules.Release == nil:
		return nil, fmt.Errorf("%s is a release, and the rules of %s are for exports: write one with `memforge export`", c.Of, rules.Name)
	}
	contents, err := c.limits().Read(e, c.Of)
	if err != nil {
		return nil, err
	}
	contents, selected, err := rules.Takes.Select(rules.Name, contents, benchformat.Choice{Families: c.Family, Claims: export.Claims(export.Formats(e.reg))})
	if err != nil {
		return nil, err
	}
	if note := selected.Note(rules.Name); note != "" {
		safetext.Fprintf(e.err, "note: %s\n", note)
	}
	if caution := export.BuiltInNote(contents); caution != "" {
		safetext.Fprintf(e.err, "warning: %s\n", caution)
	}
	return rules.Release(contents)
}

func scorerName(s score.Scorer) string { return s.Name }

// countUnknown counts answers to questions that the scorer does not ask. What is behind @ names
// a system or a run.
func countUnknown(answers map[string]string, ids []string) (n int) {
	asked := map[string]bool{}
	for _, id := range ids {
		asked[id] = true
	}
	for id := range answers {
		if question, _, _ := strings.Cut(id, "@"); !asked[id] && !asked[question] {
			n++
		}
	}
	return n
}
