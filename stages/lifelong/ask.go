package lifelong

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/format"
	"github.com/memforge/memforge/stages/lifelong/oracle"
	"github.com/memforge/memforge/stages/lifelong/question"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// AskConfig says how much is asked.
type AskConfig struct {
	Checkpoints int `json:"checkpoints" doc:"as lifelong.sessions has it"`
	PerType     int `json:"per_type" doc:"how many questions of each type at most at a checkpoint"`
}

// SetDefaults asks one question of each type at five checkpoints, which gives about 53
// a task.
func (c *AskConfig) SetDefaults() { c.Checkpoints, c.PerType = 5, 1 }

type askStage struct{ cfg AskConfig }

func newAsk(c AskConfig) (pipeline.Stage, error) {
	if c.PerType < 1 || c.PerType > 1000 {
		return nil, fmt.Errorf("per_type is %d; want 1 to 1,000", c.PerType)
	}
	return askStage{c}, c.checkpointConfig().check()
}

func (c AskConfig) checkpointConfig() CheckpointConfig {
	return CheckpointConfig{Checkpoints: c.Checkpoints}
}

// Spec declares the questions.
func (askStage) Spec() pipeline.Spec {
	var types []string
	for _, t := range question.Types() {
		types = append(types, questionType(t))
	}
	return pipeline.Spec{Accepts: []string{nameRendered}, Emits: []string{schemas.NameQuestion, nameStanding}, Types: types}
}

// Labels of questions besides those that all families share.
const (
	labelDomain     = "domain"
	labelPieces     = "evidence"
	labelUpdates    = "updates"
	labelDistance   = "distance"
	labelDifficulty = "difficulty"
	labelOutside    = "outside_fact"
)

// Map asks questions at each checkpoint of a simulation. A fact is asked again only if
// its answer has changed.
func (s askStage) Map(_ context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	album, err := pipeline.Decode[RenderedSimulation](in)
	if err != nil {
		return nil, err
	}
	rnd, task := scope.Rand(in.ID), taskID(in.ID)
	all := buildSessions(task, album)
	var out pipeline.RecordBuilder
	n, ends := 0, s.cfg.checkpointConfig().checkpointEnds(len(all), begun)
	chosen, err := question.Choose(rnd, album.Simulation.World, ends, s.cfg.PerType)
	if err != nil {
		return nil, fmt.Errorf("ask about %s: %w", in.ID, err)
	}
	places := schemas.BalancedPlaces(scope.Rand(in.ID, "places"), len(slices.Concat(chosen...)), question.Options)
	for c, drafts := range chosen {
		for _, d := range drafts {
			var list []schemas.Option
			for _, i := range rnd.Perm(len(d.Wrong)) {
				list = append(list, schemas.Option{Text: d.Wrong[i], Role: schemas.RoleDistractor})
			}
			q := buildQuestion(fmt.Sprintf("%s/Q%04d", task, n+1), schemas.CheckpointIDOf(task, c), d.Text, resultOfDraft(d), all, ends[c])
			q.Labels[schemas.LabelFact], q.Split = in.ID+"/"+d.Fact, schemas.DefaultSplit
			q.SetOptions(slices.Insert(list, places[n], schemas.Option{Text: d.Right, Role: schemas.RoleCorrect})...)
			n++
			out.Add(schemas.NameQuestion, q.QuestionID, q)
			row := newStanding(q, d, all, ends[c])
			out.Add(nameStanding, row.StandingID, row)
		}
	}
	return out.Records()
}

func resultOfDraft(d question.Draft) oracle.Result {
	out := oracle.Result{Type: d.Type, Right: d.Right, Updates: d.Updates, Outside: d.Outside, Spoken: d.Spoken}
	for _, p := range d.Pieces {
		out.Refs = append(out.Refs, oracle.Ref{Session: p.Event.Session, Turn: eventTurn(p.Event), Role: p.Role, Part: p.Part, Retracts: p.Event.Op == simulate.OpRetract})
	}
	return out
}

// buildQuestion returns a question with everything that follows from its result. The
// caller adds options.
func buildQuestion(id, checkpoint, text string, r oracle.Result, all []schemas.Session, end int) schemas.Question {
	q := schemas.Question{
		QuestionID: id, Family: family, TaskID: all[0].TaskID, CheckpointID: checkpoint, Type: questionType(r.Type), Question: text, Media: []string{},
		Evidence: []schemas.Evidence{}, Labels: map[string]string{},
	}
	last := r.Spoken
	for i, ref := range r.Refs {
		e := roundEvidence(all[ref.Session], ref.Turn)
		e.Role, e.Order = ref.Role, int32(i+1)
		if ref.Role != schemas.RoleDistractor {
			last = max(last, ref.Session)
		}
		q.Evidence = append(q.Evidence, e)
		if e.Media != "" && !slices.Contains(q.Media, e.Media) {
			q.Media = append(q.Media, e.Media)
		}
	}
	sets := r.SufficientSets()
	pieces := len(sets[0])
	if len(sets) > 1 {
		q.Labels[schemas.LabelSufficient] = oracle.WriteSets(sets)
	}
	q.Labels[labelPieces], q.Labels[labelUpdates], q.Labels[labelDistance] = strconv.Itoa(pieces), strconv.Itoa(r.Updates), strconv.Itoa(end-last)
	q.Labels[labelDifficulty] = rateDifficulty(pieces, r.Updates, end-last)
	q.Labels[format.LabelAxis] = strings.ToUpper(r.Type)
	q.Labels[labelDomain] = domainOfTask(all[0].TaskID)
	if r.Outside != "" {
		q.Labels[labelOutside] = r.Outside
	}
	return q
}

func domainOfTask(task string) string {
	name := strings.TrimPrefix(task, family+"/")
	if i := strings.LastIndex(name, "-"); i >= 0 {
		return name[:i]
	}
	return name
}

func scenarioOf(domain string) string {
	if domain == simulate.DomainLife {
		return "personal"
	}
	return simulate.Scenario(domain)
}

// rateDifficulty counts a point for each piece of evidence that is necessary, each change,
// and each three sessions since the last evidence.
func rateDifficulty(pieces, updates, distance int) string {
	switch n := pieces + updates + distance/3; {
	case n <= 2:
		return "easy"
	case n <= 5:
		return "medium"
	}
	return "hard"
}

func roundEvidence(s schemas.Session, turn int) schemas.Evidence {
	user := s.Turns[turn]
	turns := s.Turns[turn : turn+1]
	if turn+1 < len(s.Turns) && s.Turns[turn+1].Role == schemas.TurnAssistant {
		turns = s.Turns[turn : turn+2]
	}
	e := schemas.Evidence{Kind: schemas.EvidenceTurn, Ref: user.TurnID, SessionID: s.SessionID, Modality: schemas.ModalityText, Text: schemas.QuoteTurns(s.Date, turns...)}
	for _, a := range user.Attachments {
		e.Modality, e.Media = schemas.ModalityImage, a.MediaID
		e.Caption, e.MinimalCaption, e.TaskAwareCaption = a.Caption, a.MinimalCaption, a.TaskAwareCaption
	}
	return e
}
