package cli

import (
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
)

type sampleCmd struct {
	releaseFlags `embed:""`

	Of      string   `default:"question" placeholder:"SCHEMA" help:"Schema of the records: question, task, media, session, or that of a plugin."`
	By      []string `default:"type" placeholder:"KEY" help:"Sample separately by this column or label, such as type, or, for questions, by source. Repeatable."`
	Share   float64  `default:"0.1" help:"Share of the records of each kind, rounded up."`
	Least   int      `default:"1" help:"Minimum number of each kind."`
	Seed    uint64   `default:"1" help:"Seed of the sample."`
	Open    string   `placeholder:"NAME" help:"Of the sample of this name, list only what the release's reviews leave open: too few decisions, or no majority."`
	People  int      `name:"annotators" default:"2" help:"How many people must decide, for --open."`
	Release string   `arg:"" placeholder:"RELEASE" help:"Folder of a release."`
}

func (sampleCmd) Help() string {
	return `Lists questions, or other records, for people to review, as JSON lines: every one that
a gate flagged and that was kept (on_fail: keep or relabel), and a random share of the
others of each kind. Questions that differ only in how their videos are shown count as
one. Each line has question, answer, explanation, evidence, media files and the verdict
of every gate; other records are listed whole. Decisions go into files of JSON lines,
{"item": ID, "annotator": NAME, "draw": NAME, "decision": "accept"}, or "reject", or
"relabel" with "label": "key=value". The source reviews reads them into a build, and
the stage review.settle with the same of, by, share, least and seed applies them.

Examples:
  memforge sample --by type --by source "$(memforge release latest)" > review.jsonl
  memforge sample --of session --by kind out/releases/demo/1.0.0
  memforge sample --share 0.05 --least 10 out/releases/demo/1.0.0
  memforge sample --open review --annotators 2 out/releases/demo/1.0.0`
}

// drawCmd is the former name of sample, kept for one version.
type drawCmd struct{ sampleCmd }

func (c drawCmd) Run(e *env) error {
	fmt.Fprintln(e.err, "note: memforge draw is now called memforge sample; the old name works for one more version")
	return c.sampleCmd.Run(e)
}

func (c sampleCmd) Run(e *env) error {
	if err := checkReleaseDir("sample", c.Release); err != nil {
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
	if err := writeLines(e.out, drawn); err != nil {
		return fmt.Errorf("sample: %w", err)
	}
	flagged := 0
	for _, d := range drawn {
		if d.Why == "flagged" {
			flagged++
		}
	}
	fmt.Fprintf(e.err, "%d %ss to review, %d of them flagged by a gate\n", len(drawn), c.Of, flagged)
	return nil
}
