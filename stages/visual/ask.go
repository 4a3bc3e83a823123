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

// AskConfig says how much is asked.
type AskConfig struct {
	PerCell int `json:"per_cell" doc:"how many questions at most of each cell (granularity, reasoning) of a life; they differ in form and aspect first"`
}

// SetDefaults asks four a cell.
func (c *AskConfig) SetDefaults() { c.PerCell = 4 }

type asking struct{ cfg AskConfig }

func newAsk(c AskConfig) (pipeline.Stage, error) {
	if c.PerCell < 1 {
		return nil, fmt.Errorf("per_cell is %d; want 1 or more", c.PerCell)
	}
	return asking{c}, nil
}

// Spec declares the questions.
func (asking) Spec() pipeline.Spec {
	types := []string{}
	for _, f := range question.Forms() {
		types = append(types, typeOf(f))
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

// options of a question: one right, three wrong of one kind.
func options() map[string]int {
	return map[string]int{schemas.RoleCorrect: 1, schemas.RoleDistractor: 3}
}

// Map asks about a life.
func (s asking) Map(_ context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	album, err := pipeline.Decode[Album](in)
	if err != nil {
		return nil, err
	}
	rnd := scope.Rand(in.ID)
	drafts := choose(rnd, question.Drafts(rnd, album.Life), s.cfg.PerCell)
	pieces := piecesOf(taskID(in.ID), album)
	var out pipeline.Made
	places := schemas.Places(scope.Rand(in.ID, "places"), len(drafts), question.Options)
	for i, d := range drafts {
		q := questionOf(in.ID, i, d, album, pieces)
		place(rnd, &q, d, places[i])
		out.Add(schemas.NameQuestion, q.QuestionID, q)
	}
	return out.Records()
}

// choose takes so many drafts of each cell, in turn by form and aspect.
func choose(rnd *rand.Rand, drafts []question.Draft, perCell int) []question.Draft {
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
		cell := scene.Grain(d.Aspect) + question.Reasoning(d.Form)
		if taken[cell] < perCell {
			taken[cell]++
			out = append(out, d)
		}
	}
	return out
}

// questionOf is the question of a draft, without options.
func questionOf(record string, n int, d question.Draft, a Album, pieces []schemas.Evidence) schemas.Question {
	q := schemas.Question{
		QuestionID: fmt.Sprintf("%s/Q%04d", taskID(record), n+1), Family: family, TaskID: taskID(record), Type: typeOf(d.Form), Question: d.Open, Split: schemas.DefaultSplit,
		Explanation: d.Explanation, Media: []string{},
		Labels: map[string]string{
			schemas.LabelGranularity: scene.Grain(d.Aspect), schemas.LabelReasoning: question.Reasoning(d.Form), schemas.LabelFact: record + "/" + d.Fact,
			labelScenario: a.Life.Scenario, labelAspect: d.Aspect, labelPattern: d.Pattern, labelError: d.ErrorType,
		},
	}
	maps.Copy(q.Labels, difficulty(d, a.Life))
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

// place gives a question the options of its draft, the right one at a place.
func place(rnd *rand.Rand, q *schemas.Question, d question.Draft, at int) {
	list := []schemas.Option{}
	for _, i := range rnd.Perm(len(d.Wrong)) {
		list = append(list, schemas.Option{Text: d.Wrong[i], Role: schemas.RoleDistractor})
	}
	q.OfferAs(d.Choice, slices.Insert(list, at, schemas.Option{Text: d.Gold, Role: schemas.RoleCorrect})...)
}

// piecesOf are the rounds with pictures as evidence, by scene.
func piecesOf(task string, a Album) []schemas.Evidence {
	out := make([]schemas.Evidence, len(a.Life.Scenes))
	for n, said := range a.Life.Sessions {
		s := sessionOf(task, n, a)
		for i, r := range said.Rounds {
			if r.Scene < 0 {
				continue
			}
			user, assistant := s.Turns[2*i], s.Turns[2*i+1]
			shown := user.Attachments[0]
			out[r.Scene] = schemas.Evidence{
				Kind: schemas.EvidenceTurn, Ref: user.TurnID, SessionID: s.SessionID, Modality: schemas.ModalityImage,
				Text:  schemas.Quote(s.Date, user, assistant),
				Media: shown.MediaID, Caption: shown.Caption, MinimalCaption: shown.MinimalCaption, TaskAwareCaption: shown.TaskAwareCaption,
			}
		}
	}
	return out
}
