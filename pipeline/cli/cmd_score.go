package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/plain"
	"github.com/memforge/memforge/pipeline/score"
)

type scoreCmd struct {
	scorers []score.Scorer

	Format     string `required:"" placeholder:"NAME" help:"Whose rules: ${scorers}."`
	JSON       bool   `name:"json" help:"Print the tables as JSON, under the names that the benchmark gives them."`
	Variant    string `placeholder:"NAME" help:"Whose rules where the benchmark's code and its paper differ; see below."`
	Incomplete bool   `help:"Leave questions without an answer out of every mean."`
	Export     string `arg:"" placeholder:"EXPORT" help:"Folder that memforge export wrote below, or of a published data set in that layout."`
	Answers    string `arg:"" placeholder:"PREDICTIONS" help:"File of answers as JSON lines."`
}

// Help is shown below the flags.
func (c scoreCmd) Help() string {
	var each strings.Builder
	for _, s := range c.scorers {
		fmt.Fprintf(&each, "%s, --variant %s (the first unless set):\n%s\n\n", s.Name, strings.Join(s.Variants, "|"), s.Help)
	}
	return each.String() + `Examples:
  memforge score --format FORMAT out/exported predictions.jsonl
  memforge score --format FORMAT --variant paper --json out/exported predictions.jsonl`
}

// Run prints the tables; warnings go to the error output.
func (c scoreCmd) Run(e *env) error {
	i := slices.IndexFunc(c.scorers, func(s score.Scorer) bool { return s.Name == c.Format })
	if i < 0 {
		return &usageError{fmt.Errorf("--format must be one of %s, and is %q", named(c.scorers, scorerName), c.Format)}
	}
	rules := c.scorers[i]
	if c.Variant == "" {
		c.Variant = rules.Variants[0]
	}
	if !slices.Contains(rules.Variants, c.Variant) {
		return &usageError{fmt.Errorf("--variant must be one of %s, and is %q", strings.Join(rules.Variants, ", "), c.Variant)}
	}
	asked, err := rules.Load(c.Export)
	if err != nil {
		return &inputError{fmt.Errorf("score: %w", err)}
	}
	answers, err := c.answers(rules)
	if err != nil {
		return &inputError{fmt.Errorf("score: %s: %w", c.Answers, err)}
	}
	if n := unknown(answers, asked.IDs()); n > 0 {
		plain.Fprintf(e.err, "warning: %d answers are to questions that %s does not hold\n", n, c.Export)
	}
	scores, err := asked.Score(answers, score.Options{Variant: c.Variant, Incomplete: c.Incomplete})
	if err != nil {
		return &inputError{fmt.Errorf("score: %w", err)}
	}
	for _, w := range scores.Warned() {
		plain.Fprintf(e.err, "warning: %s\n", w)
	}
	if !c.JSON {
		return scores.Print(e.out)
	}
	enc := json.NewEncoder(e.out)
	enc.SetIndent("", "  ")
	return enc.Encode(scores)
}

func scorerName(s score.Scorer) string { return s.Name }

// unknown counts answers to questions that nobody asked.
func unknown(answers map[string]string, ids []string) (n int) {
	asked := map[string]bool{}
	for _, id := range ids {
		asked[id] = true
	}
	for id := range answers {
		if !asked[id] {
			n++
		}
	}
	return n
}

func (c scoreCmd) answers(rules score.Scorer) (answers map[string]string, err error) {
	f, err := os.Open(c.Answers)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return rules.Answers(f)
}
