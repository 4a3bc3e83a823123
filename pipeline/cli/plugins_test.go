package cli_test

import (
	"context"
	"errors"
	"os"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/format"
)

// A registry small enough for its listings to stand in the scripts.

type clock struct{}

func (clock) Spec() pipeline.Spec    { return pipeline.Spec{Emits: []string{"tick"}} }
func (clock) Needs() []pipeline.Need { return nil }
func (clock) Read(context.Context, *pipeline.Scope, []pipeline.Asset, func(pipeline.Record) error) error {
	return nil
}

type bell struct{}

func (bell) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{"tick"}, Emits: []string{"media"}, Tools: []string{"anvil"}}
}
func (bell) Map(context.Context, *pipeline.Scope, pipeline.Record) ([]pipeline.Record, error) {
	return nil, nil
}

type bellConfig struct {
	Strokes int `json:"strokes" doc:"strokes per hour"`
}

func (c *bellConfig) SetDefaults() { c.Strokes = 12 }

// registry has the tool anvil unless the variable NO_ANVIL is set.
func registry() *pipeline.Registry {
	r := pipeline.NewRegistry()
	r.AddTool("anvil", func(context.Context) (string, error) {
		if os.Getenv("NO_ANVIL") != "" {
			return "", errors.New("not found on PATH; buy one")
		}
		return "anvil 1.2", nil
	})
	pipeline.AddSource(r, "clock", "1", "Tick", func(struct{}) (pipeline.Source, error) { return clock{}, nil })
	pipeline.AddStage(r, "bell", "2", "Chime", func(bellConfig) (pipeline.Stage, error) { return bell{}, nil })
	pipeline.AddStarter(r, pipeline.Starter{
		Name: "belfry", Summary: "bells that strike the hours", Title: "Bells", From: []string{"ring"},
		Steps: `sources:
  hours: {use: clock}
stages:
  ring: {use: bell, from: [hours], with: {strokes: {{size 12 24 48}}}}
`,
	})
	export.Add(r, format.Format())
	score.Add(r, format.Scorer())
	tables.Add(r, format.MethodTables())
	score.AddAnswerScorer(r, score.AnswerScorer{Name: "letters", Help: "One letter an answer.", By: []string{"metric_group"}, Mark: func(q schemas.Question, answer string) float64 {
		if answer == q.AnswerKey {
			return 1
		}
		return 0
	}})
	return r
}
