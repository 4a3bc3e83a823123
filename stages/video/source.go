package video

import (
	"context"
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/ask"
)

// SourceConfig configures video.ask-source.
type SourceConfig struct {
	QuestionsPerTarget int    `yaml:"questions_per_target" json:"questions_per_target" doc:"most questions about each video of a pair, per variant"`
	Shown              string `yaml:"shown" json:"shown" doc:"noun for what the clips of a reel show"`
	Identify           string `yaml:"identify" json:"identify" doc:"how a question names a video without a title; {shown}, {first} and {last} stand for the noun and what the video shows first and last"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *SourceConfig) SetDefaults() {
	*c = SourceConfig{
		QuestionsPerTarget: 2, Shown: "sign",
		Identify: "the video that begins with the {shown} {first}",
	}
}

// askSource asks, of two videos side by side, which of four answers belongs to
// one of them; the other three belong to the other (source identification,
// M3Eval 3.1.1). Both variants, with and without exchange of sides, get the
// same questions.
type askSource struct {
	limit int
	style ask.Style
}

func newAskSource(c SourceConfig) (pipeline.Stage, error) {
	style := ask.Style{Shown: c.Shown, Identify: c.Identify}
	if err := checkAsk(c.QuestionsPerTarget, style); err != nil {
		return nil, err
	}
	return &askSource{c.QuestionsPerTarget, style}, nil
}

func (*askSource) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameComposition}, Emits: []string{schemas.NameQuestion}}
}

func (s *askSource) Map(_ context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	c, err := pipeline.Decode[schemas.Composition](in)
	if err != nil {
		return nil, err
	}
	if c.Media.Recipe.Layout != schemas.LayoutSplit {
		return nil, pipeline.Reject("other-layout", "its layout is %q; read from video.split", c.Media.Recipe.Layout)
	}
	if c.Media.FPS <= 0 {
		return nil, pipeline.Reject("no-frame-rate", "its media row has %g frames a second; compose it again", c.Media.FPS)
	}
	end := float64(c.Media.Frames) / c.Media.FPS
	items := ask.Items(ask.Scene{
		Pair: c.Pair, SeenA: end, SeenB: end, Style: s.style,
		Opening: "Two videos are played side by side, each in one half of the picture.",
	}, ask.Source, s.limit, scope.Rand(pairID(c.Pair), typeSource))
	at := map[ask.Side]place{ask.A: {c.Pair.A, 0}, ask.B: {c.Pair.B, 0}}
	qs := make([]schemas.Question, len(items))
	for i, it := range items {
		qs[i] = question(c, it, typeSource, at, map[string]string{
			"swap_condition":   fmt.Sprintf("swap%d", c.Swaps),
			"source_dimension": "spatial", "error_type": "source_confusion",
		})
	}
	return questionRecords(qs)
}
