package video

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/question"
	"github.com/memforge/memforge/stages/video/timeline"
)

// AskConfig configures video.ask.
type AskConfig struct {
	Types              []string `json:"types" doc:"question types to ask; empty means all that fit the layout"`
	QuestionsPerTarget int      `json:"questions_per_target" doc:"most questions of a type about each video of a pair, per composed video"`
	Shown              string   `json:"shown" doc:"noun for what the clips of a reel show"`
	Identify           string   `json:"identify" doc:"how a question names a video without a title; {shown}, {first} and {last} stand for the noun and what the video shows first and last, any other name in braces for the video's label of that name, for example {signer}"`
	MinSeparability    float64  `json:"min_separability" doc:"least separability (video.separability) of a pair, 0 to 1, for questions in which video something happens; pairs below it are asked the other types"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *AskConfig) SetDefaults() {
	*c = AskConfig{
		Types: []string{}, QuestionsPerTarget: 2, Shown: "sign",
		Identify: "the video that begins with the {shown} {first}",
	}
}

const maxQuestions = 50

// askStage asks about a composed pair, whatever its layout. What is asked is drawn
// from the pair and not from how it is composed: both orders of a concatenated
// pair, its repetitions and both variants of a split screen get the same
// questions with the same options in the same places, so that results differ in
// nothing but the condition (M3Eval 3.1).
type askStage struct {
	cfg   AskConfig
	style question.Style
}

func newAsk(c AskConfig) (pipeline.Stage, error) {
	if err := pipeline.CheckRange("questions_per_target", c.QuestionsPerTarget, 1, maxQuestions); err != nil {
		return nil, err
	}
	if err := cmp.Or(checkTypes(c.Types, allTypes(question.Types)), checkMinSeparability(c.MinSeparability)); err != nil {
		return nil, err
	}
	style := question.Style{Shown: c.Shown, Identify: c.Identify}
	return &askStage{c, style}, style.Check()
}

// pairLayouts lists the layouts of composed pairs.
func pairLayouts() []string {
	return []string{schemas.LayoutConcat, schemas.LayoutSplit, schemas.LayoutInterleaved}
}

// allTypes lists the question types over every layout of pairs.
func allTypes(over func(layout string) []string) []string {
	var out []string
	for _, l := range pairLayouts() {
		out = append(out, over(l)...)
	}
	return distinct(out)
}

func checkTypes(types, known []string) error {
	for _, t := range types {
		if !slices.Contains(known, t) {
			return fmt.Errorf("types holds %q; want some of %s", t, strings.Join(known, ", "))
		}
	}
	return nil
}

func (s *askStage) Spec() pipeline.Spec {
	types := s.cfg.Types
	if len(types) == 0 {
		types = allTypes(question.Types)
	}
	return pipeline.Spec{Accepts: []string{schemas.NameComposition}, Emits: []string{schemas.NameQuestion, schemas.NameStatements}, Types: types}
}

func (s *askStage) Map(_ context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	c, err := pipeline.Decode[schemas.Composition](in)
	if err != nil {
		return nil, err
	}
	if why := checkSameFormat(c.Pair.A, c.Pair.B); why != nil {
		return nil, why
	}
	types := question.Types(c.Media.Recipe.Layout)
	if of := c.Pair.Types; len(of) > 0 {
		types = slices.DeleteFunc(types, func(t string) bool { return !slices.Contains(of, t) })
	}
	types, why := selectTypes(types, s.cfg.Types, c, s.cfg.MinSeparability)
	if why != nil {
		return nil, why
	}
	a, b, err := timeline.Trace(c)
	if err != nil {
		return nil, pipeline.Reject("bad-recipe", "%v", err)
	}
	if c.Media.Recipe.Layout == schemas.LayoutConcat && a.StartsBefore(b) != (c.Order[0] == 'A') {
		return nil, pipeline.Reject("bad-recipe", "its order is %s and its recipe begins with the other video; compose it again", c.Order)
	}
	scene := question.Scene{Pair: c.Pair, A: a, B: b, Layout: c.Media.Recipe.Layout, Style: s.style, Apart: len(c.Pair.Types) > 0}
	lines := map[question.Side]timeline.Line{question.A: a, question.B: b}
	var qs []schemas.Question
	var absent []string
	for _, t := range types {
		for _, it := range question.Items(scene, t, s.cfg.QuestionsPerTarget, scope.Rand(pairID(c.Pair), question.RandomLabel(t))) {
			qs = append(qs, questionRow(c, it, lines))
			absent = append(absent, question.AbsentValues(scene, it)...)
		}
	}
	out, err := questionRecords(qs)
	if err != nil {
		return nil, err
	}
	statements, err := assertedRecord(c.Pair, question.VideoNames(scene), s.style.Shown, absent)
	return append(out, statements), err
}

// selectTypes returns those of types, of which some were configured, that can
// be asked about c, or a rejection when none fits.
func selectTypes(types, configured []string, c schemas.Composition, minSeparability float64) ([]string, *pipeline.Rejection) {
	layout := c.Media.Recipe.Layout
	if len(configured) > 0 {
		types = slices.DeleteFunc(types, func(t string) bool { return !slices.Contains(configured, t) })
	}
	if len(types) == 0 {
		return nil, pipeline.Reject("other-layout", "no question type of %q fits its layout %q; read from another composing stage or change types", configured, layout)
	}
	if layout == schemas.LayoutConcat && !slices.Contains(directedOrders(), c.Order) {
		return nil, pipeline.Reject("other-order", "its order is %q; want one of %q", c.Order, directedOrders())
	}
	return askableTypes(types, c.Pair, minSeparability)
}

// directedOrders lists the orders of concatenated videos that have a direction:
// one video begins first, the other ends last.
func directedOrders() []string { return []string{"AB", "BA", "AAB", "ABB", "BBA", "BAA"} }
