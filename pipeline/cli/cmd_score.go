package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/memforge/memforge/pipeline/plain"
	"github.com/memforge/memforge/pipeline/score/m3eval"
)

type scoreCmd struct {
	Format     string `enum:"m3eval" required:"" placeholder:"NAME" help:"Whose rules: ${enum}."`
	JSON       bool   `name:"json" help:"Print the tables as JSON, under the names M3Eval gives them."`
	Variant    string `enum:"upstream,paper" default:"upstream" help:"Whose rules where M3Eval's code and its paper differ: ${enum}."`
	Incomplete bool   `help:"Leave questions without an answer out of every mean."`
	Export     string `arg:"" placeholder:"EXPORT" help:"Folder that memforge export wrote below, or of a published data set in that layout."`
	Answers    string `arg:"" placeholder:"PREDICTIONS" help:"File of answers as JSON lines."`
}

// Help is shown below the flags.
func (scoreCmd) Help() string {
	return `Scores answers as M3Eval's code does, or as its paper says, and prints its tables
with what random choice would give. Questions over repeated videos (figure 8) are
scored when they have answers. A line of the answers is {"id": ..., "prediction":
...}, or one of the samples that lmms-eval logs.

Examples:
  memforge score --format m3eval out/m3eval predictions.jsonl
  memforge score --format m3eval --variant paper --json out/m3eval predictions.jsonl`
}

// Run prints the tables; warnings go to the error output.
func (c scoreCmd) Run(e *env) error {
	set, err := m3eval.Load(c.Export)
	if err != nil {
		return &inputError{fmt.Errorf("score: %w", err)}
	}
	answers, err := c.answers()
	if err != nil {
		return &inputError{fmt.Errorf("score: %s: %w", c.Answers, err)}
	}
	known := map[string]bool{}
	for _, d := range set.Docs {
		known[d.ID] = true
		if _, there := answers[d.ID]; !there && c.Incomplete {
			answers[d.ID] = m3eval.Skipped
		}
	}
	unknown := 0
	for id := range answers {
		if !known[id] {
			unknown++
		}
	}
	if unknown > 0 {
		plain.Fprintf(e.err, "warning: %d answers are to questions that %s does not hold\n", unknown, c.Export)
	}
	scores, err := m3eval.Score(set, answers, m3eval.Variant(c.Variant))
	if err != nil {
		return &inputError{fmt.Errorf("score: %w", err)}
	}
	for _, w := range scores.Warnings {
		plain.Fprintf(e.err, "warning: %s\n", w)
	}
	if !c.JSON {
		return scores.Print(e.out)
	}
	enc := json.NewEncoder(e.out)
	enc.SetIndent("", "  ")
	return enc.Encode(scores)
}

func (c scoreCmd) answers() (answers map[string]string, err error) {
	f, err := os.Open(c.Answers)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return m3eval.ReadAnswers(f)
}
