// Package crosssource makes the family of memory tasks whose evidence no single
// source holds (SMMBench): items of data sets or of simulated worlds are spread over
// chats, documents, tables, profiles and pictures of one group of people.
//
// crosssource.worlds simulates worlds and crosssource.draw brings their items into the
// form that adapters of data sets give. crosssource.plan decides what stands where and
// when, crosssource.write writes each source by itself, crosssource.place says where
// each piece ended up, the gate placement judges that, and crosssource.ask asks.
package crosssource

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/author"
	"github.com/memforge/memforge/stages/crosssource/author/chatauthor"
	"github.com/memforge/memforge/stages/crosssource/format"
	"github.com/memforge/memforge/stages/crosssource/simulate"
	"github.com/memforge/memforge/stages/crosssource/weights"
)

// Names of the family's schemas and tables.
const (
	family           = "crosssource"
	nameWorld        = "crosssource.world"
	namePicture      = "crosssource.exhibit"
	nameChannel      = "crosssource.channel"
	namePosition     = "crosssource.placed"
	namePlacement    = "crosssource.placement"
	nameEnvironment  = "crosssource.environment"
	tablePicture     = "crosssource_exhibits"
	tablePlacement   = "crosssource_placements"
	tableEnvironment = "crosssource_environments"
)

// domain of the family's tasks.
const domain = "group conversations"

// license of everything that is simulated and drawn.
const license = "CC0-1.0"

// types maps the task of an item to a question type (SMMBench 3.3).
func types() map[string]string {
	return map[string]string{
		schemas.TaskSingleHop: "crosssource_single_hop", schemas.TaskMultiHop: "crosssource_multi_hop", schemas.TaskConflict: "crosssource_conflict",
		schemas.TaskPreference: "crosssource_preference", schemas.TaskFunctionCall: "crosssource_call",
	}
}

// starter is what a configuration of the family begins from.
//
//go:embed starter.yaml
var starter string

// Register adds all that the family has.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, "crosssource.worlds", "16", "worlds of people who know parts of what is asked (SMMBench 3.1)", newWorlds)
	pipeline.AddSource(r, datasetKept, "1", "written environments of a folder, with their plans and what readers found in them", newKept)
	pipeline.AddStage(r, "crosssource.draw", "6", "draw charts, tables, cards and programmes of a world, and give its items", newDraw)
	pipeline.AddStage(r, "crosssource.plan", "14", "decide in which source each piece of evidence stands, and when (SMMBench B.5)", newPlan)
	chatauthor.Register(r)
	pipeline.AddStage(r, "crosssource.write", "9", "write a chat, document, table, profile or picture with its pieces of evidence (SMMBench B.4, B.5)", newWrite)
	pipeline.AddStage(r, "crosssource.place", "3", "say where each piece of an item's evidence stands", newPlace)
	pipeline.AddStage(r, "crosssource.ask", "6", "ask what takes several sources (SMMBench 3.3)", newAsk)
	author.Register(r)
	pipeline.AddStage(r, "crosssource.pose", "2", "ask what an item asks, on its evidence as it is, so that gates can judge the item before it is placed (SMMBench B.3)", newPose)
	pipeline.AddStage(r, "crosssource.keep", "1", "keep the items whose questions passed, in the words that these have now", newKeep)
	addPlacement(r)
	addEnvironment(r)
	pipeline.AddGate(r, "exhibit-legible", "4", "a picture shows what its row says, as a reader finds that knows how letters look and not how exhibits are drawn", func(struct{}) (pipeline.Gate, error) { return newLegible() })
	format.Register(r)
	r.AddDerivation(family, derivation())
	r.Explain(family, terms())
	r.AddReviewCriteria(family, // SMMBench B.6
		pipeline.ReviewCriterion{Key: "matched", Text: "Question and evidence belong together"}, pipeline.ReviewCriterion{Key: "derivable", Text: "The answer follows from the evidence"},
		pipeline.ReviewCriterion{Key: "needed", Text: "Each piece is needed"}, pipeline.ReviewCriterion{Key: "one_answer", Text: "Exactly one answer is right"},
		pipeline.ReviewCriterion{Key: "no_leak", Text: "Nothing but the evidence gives the answer away"})
	pipeline.AddTable[RenderedPicture](r, tablePicture, namePicture, []string{"exhibit_id"}, pipeline.Reference{Column: "media_id", Tables: []string{pipeline.TableMedia}})
	pipeline.AddTable[Placement](r, tablePlacement, namePlacement, []string{"placement_id"},
		pipeline.Reference{Column: "question_id", Tables: []string{pipeline.TableQuestions}})
	pipeline.AddTable[EnvironmentRow](r, tableEnvironment, nameEnvironment, []string{"environment_id"}, pipeline.Reference{Column: "task_id", Tables: []string{pipeline.TableTasks}})
	for _, task := range simulate.Tasks() {
		t := pipeline.QuestionType{Name: types()[task]}
		if task != schemas.TaskFunctionCall {
			t.Options = map[string]int{schemas.RoleCorrect: 1, schemas.RoleDistractor: 3}
		}
		r.AddQuestionType(t)
	}
	pipeline.AddStarter(r, pipeline.Starter{
		Name: family, Summary: "what only several chats, documents and pictures tell together, as in SMMBench",
		Title: "Questions whose evidence is spread over several sources",
		From:  []string{"shipped", "exhibit-files", "exhibit-rows", "source-talks", "spread-evidence"}, Steps: starter,
	})
}

// WorldsConfig says what to simulate.
type WorldsConfig struct {
	Themes []string      `json:"themes" doc:"themes of the worlds, in turn; empty for all of SMMBench E.4"`
	Count  int           `json:"count" doc:"how many worlds"`
	Size   simulate.Size `json:"size" doc:"people, items and pieces of evidence of each world"`
}

// SetDefaults makes worlds in which most items take two or three pieces, and some
// many: 4.5 on average, as SMMBench has (3.3, figure 8).
func (c *WorldsConfig) SetDefaults() {
	c.Count = 4
	c.Size = simulate.Size{
		People: 12, Documents: 0.6, Pages: 0.4, Images: 0.4, Decoys: 0.25,
		Items: map[string]int{schemas.TaskSingleHop: 4, schemas.TaskMultiHop: 4, schemas.TaskConflict: 4, schemas.TaskPreference: 4, schemas.TaskFunctionCall: 4},
		Pieces: []weights.Range{
			{From: 2, Weight: 30}, {From: 3, Weight: 30}, {From: 4, Weight: 14}, {From: 5, To: 6, Weight: 14}, {From: 7, To: 9, Weight: 4}, {From: 10, To: 17, Weight: 6}, {From: 22, To: 26, Weight: 2},
		},
	}
}

type worldSource struct{ cfg WorldsConfig }

func newWorlds(c WorldsConfig) (pipeline.Source, error) {
	for _, t := range c.Themes {
		if !slices.Contains(simulate.Themes(), t) {
			return nil, fmt.Errorf("themes has %q; there are %q", t, simulate.Themes())
		}
	}
	if c.Count < 0 || c.Count > 10_000 {
		return nil, fmt.Errorf("count is %d; want 0 to 10,000", c.Count)
	}
	if len(c.Themes) == 0 {
		c.Themes = simulate.Themes()
	}
	return worldSource{c}, c.Size.Check()
}

// Spec declares what is made.
func (worldSource) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{nameWorld}, License: license}
}

// Needs nothing.
func (worldSource) Needs() []pipeline.Need { return nil }

// SimulatedWorld is a world and where it is from.
type SimulatedWorld struct {
	Source string         `json:"source"`
	World  simulate.World `json:"world"`
}

// Read gives the worlds. Each is drawn from numbers of its own, so a further one
// changes none.
func (s worldSource) Read(ctx context.Context, scope *pipeline.Scope, _ []pipeline.Asset, emit func(pipeline.Record) error) error {
	for i := range s.cfg.Count {
		if err := ctx.Err(); err != nil {
			return err
		}
		theme := s.cfg.Themes[i%len(s.cfg.Themes)]
		id := fmt.Sprintf("%s-%04d", strings.ReplaceAll(theme, " ", "-"), i)
		w, err := simulate.Simulate(scope.Rand(id), theme, s.cfg.Size)
		if err != nil {
			return fmt.Errorf("world %s: %w", id, err)
		}
		r, err := pipeline.NewRecord(nameWorld, id, SimulatedWorld{scope.Name(), w})
		if err != nil {
			return err
		}
		if err := emit(r); err != nil {
			return err
		}
	}
	return nil
}

// eachRecord visits the records of a schema in the order of their ids.
func eachRecord[T any](ctx context.Context, in pipeline.Collection, schema string, do func(T) error) error {
	for rec, err := range in.All {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if rec.Schema != schema {
			continue
		}
		v, err := pipeline.Decode[T](rec)
		if err != nil {
			return err
		}
		if err := do(v); err != nil {
			return err
		}
	}
	return nil
}
