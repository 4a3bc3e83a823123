package visual

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/question"
	"github.com/memforge/memforge/stages/visual/scene"
)

// QuestionConfig says how much is asked.
type QuestionConfig struct {
	PerCell int `json:"per_cell" doc:"how many questions at most of each cell (granularity, reasoning) of a life; they differ in form and aspect first"`
}

// SetDefaults asks four a cell.
func (c *QuestionConfig) SetDefaults() { c.PerCell = 4 }

type questionStage struct{ cfg QuestionConfig }

func newQuestionStage(c QuestionConfig) (pipeline.Stage, error) {
	if c.PerCell < 1 {
		return nil, fmt.Errorf("per_cell is %d; want 1 or more", c.PerCell)
	}
	return questionStage{c}, nil
}

// Spec declares the questions.
func (questionStage) Spec() pipeline.Spec {
	types := []string{}
	for _, f := range question.Forms() {
		types = append(types, questionType(f))
	}
	return pipeline.Spec{Accepts: []string{nameAlbum}, Emits: []string{schemas.NameQuestion}, Types: types}
}

// Labels of questions besides those that all families share.
const (
	labelScenario = "scenario"
	labelAspect   = "aspect"
	labelPattern  = "pattern"
	// labelUpdate says where a change is told: in pictures, as here, or in words
	// (MemEye D.5).
	labelUpdate = "update_in"
	labelError  = "error_type"
)

// optionCounts of a question: one right, three wrong of one kind.
func optionCounts() map[string]int {
	return map[string]int{schemas.RoleCorrect: 1, schemas.RoleDistractor: 3}
}

// Map asks about a life.
func (s questionStage) Map(_ context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	album, err := pipeline.Decode[Album](in)
	if err != nil {
		return nil, err
	}
	rnd := scope.Rand(in.ID)
	drafts := selectDrafts(rnd, question.WriteDrafts(rnd, album.Simulation), s.cfg.PerCell)
	pieces := evidenceByScene(taskIDOf(in.ID), album)
	var out pipeline.RecordBuilder
	places := schemas.BalancedPlaces(scope.Rand(in.ID, "places"), len(drafts), question.OptionCount)
	for i, d := range drafts {
		q := questionFromDraft(in.ID, i, d, album, pieces)
		placeOptions(rnd, &q, d, places[i])
		out.Add(schemas.NameQuestion, q.QuestionID, q)
	}
	return out.Records()
}

// selectDrafts takes so many drafts of each cell, in turn by form and aspect.
func selectDrafts(rnd *rand.Rand, drafts []question.Draft, perCell int) []question.Draft {
	rnd.Shuffle(len(drafts), func(i, j int) { drafts[i], drafts[j] = drafts[j], drafts[i] })
	turn := map[string]int{}
	rank := make(map[string]int, len(drafts))
	for _, d := range drafts {
		kind := d.Form + d.Aspect
		rank[d.Fact] = turn[kind]
		turn[kind]++
	}
	slices.SortStableFunc(drafts, func(a, b question.Draft) int { return cmp.Compare(rank[a.Fact], rank[b.Fact]) })
	taken := map[string]int{}
	var out []question.Draft
	for _, d := range drafts {
		cell := scene.Granularity(d.Aspect) + question.Reasoning(d.Form)
		if taken[cell] < perCell {
			taken[cell]++
			out = append(out, d)
		}
	}
	return out
}

// questionFromDraft is the question of a draft, without options.
func questionFromDraft(record string, n int, d question.Draft, a Album, pieces []schemas.Evidence) schemas.Question {
	q := schemas.Question{
		QuestionID: fmt.Sprintf("%s/Q%04d", taskIDOf(record), n+1), Family: family, TaskID: taskIDOf(record), Type: questionType(d.Form), Question: d.OpenQuestion, Split: schemas.DefaultSplit,
		Explanation: d.Explanation, Media: []string{},
		Labels: map[string]string{
			schemas.LabelGranularity: scene.Granularity(d.Aspect), schemas.LabelReasoning: question.Reasoning(d.Form), schemas.LabelFact: record + "/" + d.Fact,
			labelScenario: a.Simulation.Scenario, labelAspect: d.Aspect, labelPattern: d.Pattern, labelError: d.ErrorType,
		},
	}
	maps.Copy(q.Labels, difficultyLabels(d, a.Simulation))
	if question.Reasoning(d.Form) == schemas.ReasonEvolving {
		q.Labels[labelUpdate] = "picture"
	}
	for i, c := range d.Clues {
		e := pieces[c.Scene]
		e.Role, e.Order = c.Role, int32(i+1)
		q.Evidence = append(q.Evidence, e)
		if !slices.Contains(q.Media, e.Media) {
			q.Media = append(q.Media, e.Media)
		}
	}
	return q
}

// placeOptions gives a question the options of its draft, the right one at a place.
func placeOptions(rnd *rand.Rand, q *schemas.Question, d question.Draft, at int) {
	list := []schemas.Option{}
	for _, i := range rnd.Perm(len(d.Wrong)) {
		list = append(list, schemas.Option{Text: d.Wrong[i], Role: schemas.RoleDistractor})
	}
	q.SetOptionsWithStem(d.ChoiceQuestion, slices.Insert(list, at, schemas.Option{Text: d.Gold, Role: schemas.RoleCorrect})...)
}

// evidenceByScene are the rounds with pictures as evidence, by scene.
func evidenceByScene(task string, a Album) []schemas.Evidence {
	out := make([]schemas.Evidence, len(a.Simulation.Scenes))
	for n, said := range a.Simulation.Sessions {
		s := buildSession(task, n, a)
		for i, r := range said.Rounds {
			if r.Scene < 0 {
				continue
			}
			user, assistant := s.Turns[2*i], s.Turns[2*i+1]
			shown := user.Attachments[0]
			out[r.Scene] = schemas.Evidence{
				Kind: schemas.EvidenceTurn, Ref: user.TurnID, SessionID: s.SessionID, Modality: schemas.ModalityImage,
				Text:  schemas.QuoteTurns(s.Date, user, assistant),
				Media: shown.MediaID, Caption: shown.Caption, MinimalCaption: shown.MinimalCaption, TaskAwareCaption: shown.TaskAwareCaption,
			}
		}
	}
	return out
}
