package video

import (
	"context"
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/ask"
)

// InterferenceConfig configures video.ask-interference.
type InterferenceConfig struct {
	QuestionsPerTarget int    `yaml:"questions_per_target" json:"questions_per_target" doc:"most questions about each video of a pair, per order"`
	Shown              string `yaml:"shown" json:"shown" doc:"noun for what the clips of a reel show"`
	Identify           string `yaml:"identify" json:"identify" doc:"how a question names a video without a title; {shown}, {first} and {last} stand for the noun and what the video shows first and last"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *InterferenceConfig) SetDefaults() {
	*c = InterferenceConfig{
		QuestionsPerTarget: 2, Shown: "sign",
		Identify: "the video that begins with the {shown} {first} and ends with the {shown} {last}",
	}
}

// askInterference asks about each video of a concatenated pair. Both orders
// get the same questions with the same options in the same places, so that the
// two directions of interference differ in nothing but the order (M3Eval
// 3.1.2).
type askInterference struct {
	limit int
	style ask.Style
}

func newAskInterference(c InterferenceConfig) (pipeline.Stage, error) {
	style := ask.Style{Shown: c.Shown, Identify: c.Identify}
	if err := checkAsk(c.QuestionsPerTarget, style); err != nil {
		return nil, err
	}
	return &askInterference{c.QuestionsPerTarget, style}, nil
}

func checkAsk(limit int, style ask.Style) error {
	if limit < 1 || limit > maxQuestions {
		return fmt.Errorf("questions_per_target is %d; want 1 to %d", limit, maxQuestions)
	}
	return style.Check()
}

func (*askInterference) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameComposition}, Emits: []string{schemas.NameQuestion}}
}

func (s *askInterference) Map(_ context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	c, err := pipeline.Decode[schemas.Composition](in)
	if err != nil {
		return nil, err
	}
	if c.Media.Recipe.Layout != schemas.LayoutConcat || (c.Order != orderAB && c.Order != orderBA) {
		return nil, pipeline.Reject("other-layout", "its layout is %q and its order %q; read from video.concat", c.Media.Recipe.Layout, c.Order)
	}
	if why := sameShape(c.Pair.A, c.Pair.B); why != nil {
		return nil, why
	}
	rnd := scope.Rand(pairID(c.Pair), typeInterference)
	a, b := seconds(c.Pair.A.Mezzanine), seconds(c.Pair.B.Mezzanine)
	items := ask.Items(ask.Scene{
		Pair: c.Pair, SeenA: a, SeenB: b, Style: s.style,
		Opening: "Two videos are played one after the other.",
	}, ask.Interference, s.limit, rnd)
	at := map[ask.Side]place{ask.A: {c.Pair.A, 0}, ask.B: {c.Pair.B, a}}
	if c.Order == orderBA {
		at = map[ask.Side]place{ask.A: {c.Pair.A, b}, ask.B: {c.Pair.B, 0}}
	}
	qs := make([]schemas.Question, len(items))
	for i, it := range items {
		qs[i] = question(c, it, typeInterference, at, map[string]string{labelDirection: direction(c.Order, it.Target)})
	}
	return questionRecords(qs)
}

// direction of interference: what came before the target disturbs it
// proactively, what comes after it retroactively.
func direction(order string, target ask.Side) string {
	if order[:1] == string(target) {
		return retroactive
	}
	return proactive
}
