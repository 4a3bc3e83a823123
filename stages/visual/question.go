package visual

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/question"
	"github.com/memforge/memforge/stages/visual/scene"
	"github.com/memforge/memforge/stages/visual/simulate"
)

// QuestionConfig configures visual.ask.
type QuestionConfig struct {
	PerCell int            `json:"per_cell" doc:"how many questions at most of each form (value, match, sum, first, current, before) and granularity of a life; they differ in aspect first"`
	PerForm map[string]int `json:"per_form" doc:"the same for single forms, before per_cell"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *QuestionConfig) SetDefaults() { c.PerCell = 4 }

type questionStage struct{ cfg QuestionConfig }

func newQuestionStage(c QuestionConfig) (pipeline.Stage, error) {
	if c.PerCell < 1 {
		return nil, fmt.Errorf("per_cell is %d; want 1 or more", c.PerCell)
	}
	for form, n := range c.PerForm {
		if n < 1 || !slices.Contains(question.Forms(), form) {
			return nil, fmt.Errorf("per_form has %q: %d; want 1 or more of one of %q", form, n, question.Forms())
		}
	}
	return questionStage{c}, nil
}

func (questionStage) Spec() pipeline.Spec {
	types := []string{}
	for _, f := range question.Forms() {
		types = append(types, questionType(f))
	}
	return pipeline.Spec{Accepts: []string{nameAlbum}, Emits: []string{schemas.NameQuestion}, Types: types}
}

// Labels of this family's questions, besides those that all families share.
const (
	labelScenario = "scenario"
	labelAspect   = "aspect"
	labelPattern  = "pattern"
	// labelUpdate says where a change is shown: in a picture, as here, or in words
	// (MemEye D.5).
	labelUpdate = "update_in"
	labelError  = "error_type"
)

func optionCounts() map[string]int {
	return map[string]int{schemas.RoleCorrect: 1, schemas.RoleDistractor: 3}
}

func (s questionStage) Map(_ context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	album, err := pipeline.Decode[Album](in)
	if err != nil {
		return nil, err
	}
	rnd := scope.Rand(in.ID)
	drafts := question.WriteDrafts(rnd, album.Simulation, question.Quota{PerCell: s.cfg.PerCell, PerForm: s.cfg.PerForm})
	pieces := evidenceByScene(taskIDOf(in.ID), album)
	var out pipeline.RecordBuilder
	count, places := map[string]int{}, map[string][]int{} // by form: in none is one place right more often
	for _, d := range drafts {
		count[d.Form]++
	}
	for form, n := range count {
		places[form] = schemas.BalancedPlaces(scope.Rand(in.ID, "places", form), n, question.OptionCount)
	}
	for i, d := range drafts {
		q := questionFromDraft(in.ID, i, d, album, pieces)
		placeOptions(rnd, &q, d, places[d.Form][0])
		places[d.Form] = places[d.Form][1:]
		out.Add(schemas.NameQuestion, q.QuestionID, q)
	}
	return out.Records()
}

// questionFromDraft returns the question of a draft, without options.
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

// placeOptions gives a question the options of its draft, with the right one at place
// at.
func placeOptions(rnd *rand.Rand, q *schemas.Question, d question.Draft, at int) {
	list := []schemas.Option{}
	for _, i := range rnd.Perm(len(d.Wrong)) {
		list = append(list, schemas.Option{Text: d.Wrong[i], Role: schemas.RoleDistractor})
	}
	q.SetOptionsWithStem(d.ChoiceQuestion, slices.Insert(list, at, schemas.Option{Text: d.Gold, Role: schemas.RoleCorrect})...)
}

// evidenceByScene returns the round of each scene as evidence.
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

// Labels with numbers that say how hard a question is. They compare releases of one
// configuration with different seeds, and count only the pictures that the answer rests
// on, not all that are cited.
const (
	// labelAlike counts the other things in those pictures that show the same aspect.
	labelAlike = "alike"
	// labelDistance counts the sessions after the last of them.
	labelDistance = "distance"
	// labelDistractors counts the other pictures.
	labelDistractors = "distractors"
	// labelUpdates counts how often the asked value changes in the pictures.
	labelUpdates = "updates"
)

func difficultyLabels(d question.Draft, l simulate.Simulation) map[string]string {
	var scenes []int
	for _, c := range d.Clues {
		if !c.Spare && !slices.Contains(scenes, c.Scene) {
			scenes = append(scenes, c.Scene)
		}
	}
	alike := -len(scenes)
	for _, at := range scenes {
		for _, t := range l.Scenes[at].NamedThings() {
			if slices.Contains(t.Tells, d.Aspect) {
				alike++
			}
		}
	}
	last := 0
	for i, s := range l.Sessions {
		for _, r := range s.Rounds {
			if slices.Contains(scenes, r.Scene) {
				last = i
			}
		}
	}
	return map[string]string{
		labelAlike: strconv.Itoa(alike), labelDistance: strconv.Itoa(len(l.Sessions) - 1 - last),
		labelDistractors: strconv.Itoa(len(l.Scenes) - len(scenes)), labelUpdates: strconv.Itoa(d.Updates),
	}
}
