package cli

import (
	"encoding/json"
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
)

type sampleCmd struct {
	releaseFlags `embed:""`

	Of      string   `default:"question" placeholder:"SCHEMA" help:"Schema of the records: question, task, media, session, or that of a plugin."`
	By      []string `default:"type" placeholder:"KEY" help:"What is drawn from apart: a column such as type, a label, or, of questions, source. Repeatable."`
	Share   float64  `default:"0.1" help:"Share of the records of each kind, rounded up."`
	Least   int      `default:"1" help:"At least so many of each kind."`
	Seed    uint64   `default:"1" help:"Decides which."`
	Open    string   `placeholder:"NAME" help:"Of the draw of this name, list only what the release's reviews leave open: too few decisions, or no majority."`
	People  int      `name:"annotators" default:"2" help:"How many must decide, for --open."`
	Release string   `arg:"" placeholder:"RELEASE" help:"Folder of a release."`
}

// Help is shown below the flags.
func (sampleCmd) Help() string {
	return `Lists questions, or other records, for people to review, as JSON lines: every one that a gate
flagged and that was kept (on_fail: keep or relabel), and a share of the others,
drawn within each kind. Questions that differ only in how their videos are shown
count as one. Each line has question, answer, explanation, evidence, media files
and the verdict of every gate, passed ones too; other records come whole. Decisions go into files of JSON
lines, {"item": ID, "annotator": NAME, "draw": NAME, "decision": "accept"}, or
"reject", or "relabel" with "label": "key=value"; the source reviews brings them
into a build and the stage review.settle with the same of, by, share, least and
seed follows them.

Examples:
  memforge draw --by type --by source "$(memforge release latest)" > review.jsonl
  memforge draw --of session --by kind out/releases/demo/1.0.0
  memforge draw --share 0.05 --least 10 out/releases/demo/1.0.0
  memforge draw --open review --annotators 2 out/releases/demo/1.0.0`
}

// Run prints the list.
func (c sampleCmd) Run(e *env) error {
	if err := checkReleaseDir("draw", c.Release); err != nil {
		return err
	}
	contents, err := c.limits().Read(e, c.Release)
	if err != nil {
		return err
	}
	drawn, err := audit.Sample(e.reg, contents, pipeline.ReviewSample{Schema: c.Of, By: c.By, Share: c.Share, Least: c.Least, Seed: c.Seed, Annotators: c.People})
	if err != nil {
		return &usageError{err}
	}
	if c.Open != "" {
		drawn = audit.Undecided(drawn, contents.Reviews, c.Open, c.People)
	}
	enc := json.NewEncoder(e.out)
	enc.SetEscapeHTML(false)
	flagged := 0
	for _, d := range drawn {
		if err := enc.Encode(d); err != nil {
			return fmt.Errorf("draw: %w", err)
		}
		if d.Why == "flagged" {
			flagged++
		}
	}
	fmt.Fprintf(e.err, "%d %ss to review, %d of them flagged by a gate\n", len(drawn), c.Of, flagged)
	return nil
}
