package config_test

import (
	"context"
	"errors"
	"time"

	"github.com/memforge/memforge/pipeline"
)

// The plugins of these tests do nothing: only their configurations and specs
// matter.

type source struct{ spec pipeline.Spec }

func (s source) Spec() pipeline.Spec    { return s.spec }
func (s source) Needs() []pipeline.Need { return nil }
func (s source) Read(context.Context, *pipeline.Scope, []pipeline.Asset, func(pipeline.Record) error) error {
	return nil
}

type stage struct{ spec pipeline.Spec }

func (s stage) Spec() pipeline.Spec { return s.spec }
func (s stage) Map(context.Context, *pipeline.Scope, pipeline.Record) ([]pipeline.Record, error) {
	return nil, nil
}

type gate struct{ spec pipeline.Spec }

func (g gate) Spec() pipeline.Spec { return g.spec }
func (g gate) Judge(context.Context, *pipeline.Scope, []pipeline.Record) ([]pipeline.Judgement, error) {
	return nil, nil
}

type filmsConfig struct {
	Count  int      `json:"count" doc:"how many films to make"`
	Styles []string `json:"styles" doc:"looks to choose from"`
	Seed8  uint8    `json:"seed8"`
}

func (c *filmsConfig) SetDefaults() { c.Count, c.Styles = 4, []string{"plain", "noir"} }

type probeConfig struct {
	FPS    float64        `json:"fps" doc:"frames per second"`
	Strict bool           `json:"strict"`
	Wait   time.Duration  `json:"wait" doc:"time limit of one file"`
	Size   size           `json:"size" doc:"frame size"`
	Labels map[string]int `json:"labels"`
	Crops  []size         `json:"crops"`
}

type size struct {
	Width  int `json:"width" doc:"pixels"`
	Height int `json:"height" doc:"pixels"`
}

func (c *probeConfig) SetDefaults() { c.FPS, c.Wait, c.Size = 25, 30*time.Second, size{1280, 720} }

type leakyConfig struct {
	Tries int `json:"tries,omitempty"`
}

func (c *leakyConfig) SetDefaults() { c.Tries = 3 }

var errFPS = errors.New("fps must be positive; 25 is usual")

func registry() *pipeline.Registry {
	r := pipeline.NewRegistry()
	pipeline.AddSource(r, "procedural", "1", "Make films", func(filmsConfig) (pipeline.Source, error) {
		return source{pipeline.Spec{Emits: []string{"film"}}}, nil
	})
	pipeline.AddStage(r, "video.probe", "1", "Probe films", func(c probeConfig) (pipeline.Stage, error) {
		if c.FPS <= 0 {
			return nil, errFPS
		}
		return stage{pipeline.Spec{Accepts: []string{"film"}, Emits: []string{"video"}}}, nil
	})
	pipeline.AddStage(r, "video.ask", "2", "Ask", func(struct{}) (pipeline.Stage, error) {
		return stage{pipeline.Spec{Accepts: []string{"video", "question"}, Emits: []string{"question"}}}, nil
	})
	pipeline.AddStage(r, "leaky", "1", "Forget", func(leakyConfig) (pipeline.Stage, error) {
		return stage{pipeline.Spec{Accepts: []string{"film"}, Emits: []string{"film"}}}, nil
	})
	pipeline.AddGate(r, "interference-roles", "1", "Check roles", func(struct{}) (pipeline.Gate, error) {
		return gate{pipeline.Spec{Accepts: []string{"question"}}}, nil
	})
	pipeline.AddGate(r, "balance", "1", "Count all", func(struct{}) (pipeline.Gate, error) {
		return gate{pipeline.Spec{Accepts: []string{"question"}, Whole: true}}, nil
	})
	pipeline.AddGate(r, "integrity", "1", "Look at videos", func(struct{}) (pipeline.Gate, error) {
		return gate{pipeline.Spec{Accepts: []string{"video"}}}, nil
	})
	pipeline.AddStage(r, "question.revise", "1", "Rewrite", func(reviseConfig) (pipeline.Stage, error) {
		return stage{pipeline.Spec{Accepts: []string{"flagged"}, Emits: []string{"question"}}}, nil
	})
	pipeline.AddStage(r, "video.retake", "1", "Make videos anew", func(struct{}) (pipeline.Stage, error) {
		return stage{pipeline.Spec{Accepts: []string{"flagged"}, Emits: []string{"video"}, Unit: "film"}}, nil
	})
	pipeline.AddStage(r, "unit.gather", "1", "Gather units", func(c unitConfig) (pipeline.Stage, error) {
		both := append([]string{"flagged"}, c.Schemas...)
		return stage{pipeline.Spec{Accepts: both, Emits: both}}, nil
	})
	pipeline.AddStage(r, "question.gather", "1", "Gather", func(struct{}) (pipeline.Stage, error) {
		return stage{pipeline.Spec{Accepts: []string{"question", "flagged"}, Emits: []string{"question", "flagged"}}}, nil
	})
	pipeline.AddStage(r, "question.flags", "1", "Take flags", func(struct{}) (pipeline.Stage, error) {
		return stage{pipeline.Spec{Accepts: []string{"flagged"}, Emits: []string{"flagged"}}}, nil
	})
	pipeline.AddStage(r, "ask.made", "1", "Ask about what was made", func(struct{}) (pipeline.Stage, error) {
		return stage{pipeline.Spec{Accepts: []string{"film"}, Emits: []string{"question"}}}, nil
	})
	pipeline.AddSource(r, "folder", "1", "Files", func(c folderConfig) (pipeline.Source, error) {
		return folder{c.License}, nil
	})
	asking := func(c typesConfig) (pipeline.Stage, error) {
		return stage{pipeline.Spec{Accepts: []string{"video"}, Emits: []string{"question"}, Types: c.Types}}, nil
	}
	pipeline.AddStage(r, "ask.typed", "1", "Ask by type", asking)
	pipeline.AddGate(r, "any-types", "1", "Check some types", func(c givenConfig) (pipeline.Gate, error) {
		return gate{pipeline.Spec{Accepts: []string{"question"}, Types: c.Types}}, nil
	})
	pipeline.AddGate(r, "nback-only", "1", "Check its types", func(c givenConfig) (pipeline.Gate, error) {
		types := []string{"nback", "sequence"}
		if len(c.Types) > 0 {
			types = c.Types
		}
		return gate{pipeline.Spec{Accepts: []string{"question"}, Types: types}}, nil
	})
	return r
}

// typesConfig are the types of questions that a stage of the tests gives.
type typesConfig struct {
	Types []string `json:"types"`
}

func (c *typesConfig) SetDefaults() { c.Types = []string{"order", "recall"} }

type givenConfig struct {
	Types []string `json:"types"`
}

type unitConfig struct {
	Schemas []string `json:"schemas"`
	Unit    string   `json:"unit"`
}

type reviseConfig struct {
	Strict bool `json:"strict"`
}

type folderConfig struct {
	License string `json:"license"`
}

// folder is a source of files under a licence.
type folder struct{ license string }

func (folder) Spec() pipeline.Spec { return pipeline.Spec{Emits: []string{"film"}} }
func (f folder) Needs() []pipeline.Need {
	return []pipeline.Need{{From: "local", Root: ".", License: f.license}}
}
func (folder) Read(context.Context, *pipeline.Scope, []pipeline.Asset, func(pipeline.Record) error) error {
	return nil
}
