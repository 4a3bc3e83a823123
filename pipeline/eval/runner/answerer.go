package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/model/server"
	"github.com/memforge/memforge/schemas"
)

// Roles of the language models behind reference systems. Answers are asked for with the
// prompts of gates, so that a run and a gate put a question alike.
const (
	RoleAnswers = "panel_a"
	RoleEmbeds  = "embedder"
)

// answerUnknown is the answer of a model that does not know.
const answerUnknown = "unknown"

// promptTokens is about what a prompt takes beside the history, question and options;
// AnswerTokens is about what an answer has.
const (
	promptTokens = 1200
	AnswerTokens = 150
)

// Asking is how a reference system reaches a language model.
type Asking struct {
	Registry *pipeline.Registry
	// Models answers for Role, which Identity plays; nil for the built-in model.
	Models   pipeline.Models
	Identity *pipeline.ModelIdentity
	// Name is the model's, for logs.
	Name     string
	Pictures *Pictures
}

// scope does work in a scope in which the role is the model's.
func (a Asking) scope(ctx context.Context, role, item string, work func(*pipeline.Scope) error) error {
	o := pipeline.ScopeOptions{Step: "run", Item: item, Registry: a.Registry, Models: a.Models, Identity: pipeline.Identity{Models: map[string]pipeline.ModelIdentity{}}}
	if a.Identity != nil {
		o.Identity.Models[role] = *a.Identity
	}
	if a.Pictures != nil {
		var err error
		if o.Store, err = a.Pictures.open(ctx); err != nil {
			return err
		}
	}
	_, err := pipeline.RunInScope(o, work)
	return err
}

// Answerer answers questions through a language model from turns.
type Answerer struct {
	Asking
	// Images is the most pictures of a request, 0 for a model that sees none.
	Images int
	Price  *server.Price

	once sync.Once
	jobs answerJobs
}

// What the prompts gate.answer, gate.open and gate.call take and give.
type (
	choiceInput struct {
		Question string                 `json:"question"`
		Options  []view.Choice          `json:"options"`
		Setting  string                 `json:"setting,omitempty"`
		Passages []view.NumberedPassage `json:"passages"`
		Pictures int                    `json:"pictures"`
		Form     int                    `json:"form,omitempty"`
	}
	openInput struct {
		Question string                 `json:"question"`
		Tools    []schemas.Tool         `json:"tools,omitempty"`
		Setting  string                 `json:"setting,omitempty"`
		Passages []view.NumberedPassage `json:"passages"`
		Pictures int                    `json:"pictures"`
		Form     int                    `json:"form,omitempty"`
	}
	toldAnswer struct {
		Why    string `json:"why"`
		Answer string `json:"answer"`
	}
	toldCall struct {
		Why  string `json:"why"`
		Call string `json:"call"`
	}
	answerJobs struct {
		choice *model.Job[choiceInput, toldAnswer]
		open   *model.Job[openInput, toldAnswer]
		call   *model.Job[openInput, toldCall]
		err    error
	}
)

func (a *Answerer) prepare() (answerJobs, error) {
	a.once.Do(func() {
		var errs [3]error
		a.jobs.choice, errs[0] = model.NewJob[choiceInput, toldAnswer]("gate.answer")
		a.jobs.open, errs[1] = model.NewJob[openInput, toldAnswer]("gate.open")
		a.jobs.call, errs[2] = model.NewJob[openInput, toldCall]("gate.call")
		a.jobs.err = errors.Join(errs[:]...)
	})
	return a.jobs, a.jobs.err
}

// images is the most pictures of a request; none without a model.
func (a *Answerer) images() int {
	if a == nil {
		return 0
	}
	return a.Images
}

// countPictures counts pictures, those that would be taken of videos among them.
func (a *Answerer) countPictures(list []Picture) (n int) {
	for _, p := range list {
		n += a.picturesOf(p)
	}
	return n
}

func (a *Answerer) picturesOf(p Picture) int {
	switch {
	case p.MediaID == "" || a.Images == 0 && p.Caption != "": // the caption stands in its place
		return 0
	case a.Pictures.video[p.MediaID]:
		return wholeFrames
	}
	return 1
}

// answer asks about turns, which come in the order of time. Where there is no room for all
// pictures, the last have it.
func (a *Answerer) answer(ctx context.Context, q Query, turns []heldTurn) (reply Reply, err error) {
	jobs, err := a.prepare()
	if err != nil {
		return reply, err
	}
	passages, taken, err := a.passages(ctx, q, turns, &reply.Usage)
	if err != nil {
		return reply, err
	}
	numbered, images := view.NumberPassages(passages, taken)
	reply.Usage.Pictures = len(images)
	err = a.scope(ctx, RoleAnswers, q.QuestionID, func(s *pipeline.Scope) (err error) {
		var said pipeline.Reply
		switch {
		case len(q.Tools) > 0:
			var got model.Answer[toldCall]
			got, err = jobs.call.Ask(ctx, s, RoleAnswers, inputOfOpen(q, numbered, len(images)), 0, images...)
			reply.Answer, said = got.Value.Call, got.Reply
		case len(q.Options) > 0:
			var got model.Answer[toldAnswer]
			got, err = jobs.choice.Ask(ctx, s, RoleAnswers, inputOfChoice(q, numbered, len(images)), 0, images...)
			reply.Answer, said = keyOf(q, got.Value.Answer), got.Reply
		default:
			var got model.Answer[toldAnswer]
			got, err = jobs.open.Ask(ctx, s, RoleAnswers, inputOfOpen(q, numbered, len(images)), 0, images...)
			reply.Answer, said = got.Value.Answer, got.Reply
		}
		reply.Usage.Model, reply.Usage.InputTokens, reply.Usage.OutputTokens = cmp.Or(said.Served, said.Model), said.Usage.Input, said.Usage.Output
		if a.Price != nil && err == nil {
			reply.Usage.Cost, reply.Usage.Currency = client.Cost(a.Price, said.Usage), a.Price.Currency
		}
		return err
	})
	if why, permanent := model.PermanentRejection(ctx, err); permanent {
		return Reply{}, &SystemError{"answer", Refused, why.Error()}
	}
	return reply, err
}

// passages makes a passage of each turn, with pictures for as many as a request may have.
func (a *Answerer) passages(ctx context.Context, q Query, turns []heldTurn, u *Usage) (list []view.Passage, taken [][]pipeline.Digest, err error) {
	room := a.Images
	take := func(all []Picture) (out []pipeline.Digest, err error) {
		for i := len(all) - 1; i >= 0; i-- {
			p, n := all[i], a.picturesOf(all[i])
			got := min(n, room)
			u.PicturesLeftOut += n - got
			if got == 0 {
				continue
			}
			room -= got
			digests, err := a.Pictures.take(ctx, view.Picture{Media: p.MediaID, Frames: got})
			if err != nil {
				return nil, err
			}
			out = append(digests[:len(digests):len(digests)], out...)
		}
		return out, nil
	}
	own, err := take(q.Pictures)
	if err != nil {
		return nil, nil, err
	}
	digests := make([][]pipeline.Digest, len(turns))
	for i := len(turns) - 1; i >= 0; i-- {
		if digests[i], err = take(turns[i].pictures); err != nil {
			return nil, nil, err
		}
	}
	add := func(p view.Passage, d []pipeline.Digest) {
		if len(d) > 0 {
			p.Picture, taken = &view.Picture{}, append(taken, d)
		}
		list = append(list, p)
	}
	if len(own) > 0 {
		add(view.Passage{Own: true}, own)
	}
	for i, t := range turns {
		add(view.Passage{Text: t.Text}, digests[i])
	}
	return list, taken, nil
}

func inputOfOpen(q Query, passages []view.NumberedPassage, pictures int) openInput {
	in := openInput{Question: q.Question, Passages: passages, Pictures: pictures}
	for _, t := range q.Tools {
		in.Tools = append(in.Tools, schemas.Tool(t))
	}
	return in
}

// choiceInput puts options under letters, in their order.
func inputOfChoice(q Query, passages []view.NumberedPassage, pictures int) choiceInput {
	in := choiceInput{Question: q.Question, Passages: passages, Pictures: pictures}
	for i, o := range q.Options {
		in.Options = append(in.Options, view.Choice{Letter: schemas.Letter(i), Text: o.Text})
	}
	return in
}

// keyOf returns the key of the option under a letter.
func keyOf(q Query, letter string) string {
	for i, o := range q.Options {
		if letter == schemas.Letter(i) {
			return o.Key
		}
	}
	return answerUnknown
}

// Embedder embeds texts through a model.
type Embedder struct{ Asking }

// vectorCache holds vectors of the first turns of a history.
type vectorCache struct {
	mu    sync.Mutex
	turns [][]float32
}

// scoreVectors scores turns by the cosine of their vector and the question's.
func (r *reference) scoreVectors(ctx context.Context, q Query) (map[int]float64, error) {
	r.vectors.mu.Lock()
	defer r.vectors.mu.Unlock()
	scores := map[int]float64{}
	err := r.opts.Embedder.scope(ctx, RoleEmbeds, q.QuestionID, func(s *pipeline.Scope) error {
		var texts []string
		for _, t := range r.turns[len(r.vectors.turns):] {
			texts = append(texts, t.Text)
		}
		more, err := s.Embed(ctx, RoleEmbeds, texts)
		if err != nil {
			return err
		}
		r.vectors.turns = append(r.vectors.turns, more...)
		asked, err := s.Embed(ctx, RoleEmbeds, []string{q.Question})
		if err != nil {
			return err
		}
		for at, v := range r.vectors.turns {
			if len(v) != len(asked[0]) {
				return fmt.Errorf("a turn's vector has %d numbers and the question's %d: the server changed its model", len(v), len(asked[0]))
			}
			scores[at] = cosine(v, asked[0])
		}
		return nil
	})
	return scores, err
}

func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return dot / math.Sqrt(aa*bb)
}
