package written

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/answercues"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/stages/lifelong/question"
)

// CodeWording is a question for which no words are found that readers understand.
const CodeWording = "unclear-question"

// WordingConfig says what is asked, and how often.
type WordingConfig struct {
	Checkpoints int    `json:"checkpoints" doc:"how often questions are asked of a life, evenly spread; the first time after four sessions at least"`
	PerType     int    `json:"per_type" doc:"how many questions of each type at most at a checkpoint"`
	Reader      string `json:"reader" doc:"role that says what a question asks for, from keys alone"`
	Attempts    int    `json:"attempts" doc:"how often words are asked for"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *WordingConfig) SetDefaults() {
	*c = WordingConfig{Checkpoints: 5, PerType: 1, Reader: "reader_a", Attempts: 3}
}

type wordingStage struct {
	cfg     WordingConfig
	ends    func(sessions int) []int
	wording *model.Job[wordingInput, wordingAnswer]
	asked   *model.Job[askedInput, askedAnswer]
}

// newWording makes the stage. ends gives the last session of each checkpoint.
func newWording(c WordingConfig, ends func(checkpoints, sessions int) []int) (pipeline.Stage, error) {
	s := &wordingStage{cfg: c, ends: func(n int) []int { return ends(c.Checkpoints, n) }}
	var errs [2]error
	s.wording, errs[0] = model.NewJob[wordingInput, wordingAnswer]("lifelong.wording")
	s.asked, errs[1] = model.NewJob[askedInput, askedAnswer]("lifelong.asked")
	return s, errors.Join(errs[0], errs[1], pipeline.CheckRange("checkpoints", c.Checkpoints, 1, 20), pipeline.CheckRange("per_type", c.PerType, 1, 100), pipeline.CheckRange("attempts", c.Attempts, 1, 5))
}

// Spec declares who is asked.
func (s *wordingStage) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{NameLife}, Emits: []string{NameLife}, Resource: pipeline.Model, Asks: []pipeline.Ask{s.wording.For(roleAuthor), s.asked.For(s.cfg.Reader)}}
}

type wordingInput struct {
	Life      lifeInBrief                           `json:"life"`
	Questions []toWord                              `json:"questions"`
	Refused   []model.RejectedAnswer[wordingAnswer] `json:"refused"`
}

type lifeInBrief struct {
	User string       `json:"user"`
	Cast []CastMember `json:"cast"`
	Day  string       `json:"asked_after"`
}

type toWord struct {
	Number  int      `json:"number"`
	Asks    string   `json:"asks_for"`
	Options []string `json:"options_right_first"`
}

type wordingAnswer struct {
	Questions []struct {
		Number int    `json:"number"`
		Text   string `json:"text"`
	} `json:"questions"`
}

type askedInput struct {
	Keys      []formKey      `json:"keys"`
	Questions []toUnderstand `json:"questions"`
}

type toUnderstand struct {
	Number  int      `json:"number"`
	Text    string   `json:"text"`
	Options []string `json:"options"`
}

type askedAnswer struct {
	Questions []struct {
		Number int    `json:"number"`
		Key    int    `json:"key"`
		Clear  bool   `json:"clear"`
		Why    string `json:"why"`
	} `json:"questions"`
}

// Map chooses what is asked of a life, and has the questions of each checkpoint worded and
// understood.
func (s *wordingStage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	l, err := pipeline.Decode[Life](in)
	if err != nil {
		return nil, err
	}
	ends := s.ends(len(l.Sessions))
	chosen := l.chooseQuestions(scope.Rand(in.ID, "questions"), ends, s.cfg.PerType)
	l.Questions = nil
	for _, end := range ends {
		var here []Question
		for _, q := range chosen {
			if q.End == end {
				here = append(here, q)
			}
		}
		if len(here) == 0 {
			continue
		}
		worded, err := s.wordQuestions(ctx, scope, l, here)
		if err != nil {
			return nil, fmt.Errorf("questions after session %d of %s: %w", end, in.ID, err)
		}
		l.Questions = append(l.Questions, worded...)
	}
	r, err := pipeline.NewRecord(NameLife, in.ID, l)
	return []pipeline.Record{r}, err
}

// wordQuestions returns the questions that got words. The others are rejected.
func (s *wordingStage) wordQuestions(ctx context.Context, scope *pipeline.Scope, l Life, qs []Question) (good []Question, err error) {
	p := l.Plan
	in := wordingInput{Life: lifeInBrief{p.Persona.Name, p.Cast, weekday(p.Sessions[qs[0].End].Date)}}
	golds := make([]Gold, len(qs))
	for i, q := range qs {
		if golds[i], err = p.Gold(q); err != nil {
			return nil, err
		}
		in.Questions = append(in.Questions, toWord{i + 1, golds[i].Asks, append([]string{golds[i].Right}, golds[i].Wrong...)})
	}
	keys := p.keysOf(scope.Rand(p.ID, "keys", fmt.Sprint(qs[0].End)).Perm)
	var bad map[int]string
	_, _, err = s.wording.AskUntilUsable(ctx, scope, roleAuthor, s.cfg.Attempts,
		func(r []model.RejectedAnswer[wordingAnswer]) wordingInput {
			in.Refused = r
			return in
		},
		func(a model.Answer[wordingAnswer]) ([]string, error) {
			bad = map[int]string{}
			for i := range qs {
				qs[i].Text = ""
			}
			for _, one := range a.Value.Questions {
				if one.Number <= len(qs) {
					qs[one.Number-1].Text = strings.TrimSpace(one.Text)
				}
			}
			for i, q := range qs {
				if why := checkWording(q, golds[i]); why != "" {
					bad[i] = why
				}
			}
			if err := s.readQuestions(ctx, scope, keys, qs, golds, bad); err != nil {
				return nil, err
			}
			var why []string
			for i := range qs {
				if bad[i] != "" {
					why = append(why, fmt.Sprintf("question %d: %s", i+1, bad[i]))
				}
			}
			return why, nil
		})
	if err != nil {
		return nil, err
	}
	for i, q := range qs {
		if bad[i] != "" {
			lost := pipeline.Reject(CodeWording, "a question for %s: %s", golds[i].Asks, bad[i])
			lost.Flagged = true
			scope.Reject(fmt.Sprintf("%s/%s", p.ID, golds[i].Fact), lost)
			continue
		}
		good = append(good, q)
	}
	return good, nil
}

// checkWording returns what a rule finds wrong with the words of a question, or "".
func checkWording(q Question, g Gold) string {
	text := q.Text
	n := len(strings.Fields(text))
	switch {
	case n < 4 || n > 60 || !strings.HasSuffix(text, "?") || answercues.HasControl(text):
		return "it is one sentence of 4 to 60 words that ends with a question mark"
	case answercues.ContainsWords(text, g.Right):
		return fmt.Sprintf("it says the right option, %q", g.Right)
	case q.Type == question.TTL && !slices.Contains(wholeNumbers(text), q.Amount):
		return fmt.Sprintf("it does not say the amount, %d, in figures", q.Amount)
	}
	return ""
}

// keysOf returns all keys of a plan in an order by seed.
func (p Plan) keysOf(perm func(int) []int) []Key {
	var all []Key
	for _, f := range p.Facts {
		all = append(all, f.Key())
	}
	for _, a := range p.Absent {
		all = append(all, Key{a.Thing, a.Aspect})
	}
	slices.SortFunc(all, func(a, b Key) int { return strings.Compare(a.String(), b.String()) })
	all = slices.Compact(all)
	out := make([]Key, len(all))
	for i, at := range perm(len(all)) {
		out[i] = all[at]
	}
	return out
}

// readQuestions has a reader say what each question asks for. It adds to bad which are not
// understood as they were meant.
func (s *wordingStage) readQuestions(ctx context.Context, scope *pipeline.Scope, keys []Key, qs []Question, golds []Gold, bad map[int]string) error {
	in := askedInput{}
	for i, k := range keys {
		in.Keys = append(in.Keys, formKey{Number: i + 1, Thing: k.Thing, Aspect: k.Aspect})
	}
	for i, q := range qs {
		if bad[i] == "" {
			options := append([]string{golds[i].Right}, golds[i].Wrong...)
			slices.Sort(options)
			in.Questions = append(in.Questions, toUnderstand{i + 1, q.Text, options})
		}
	}
	if len(in.Questions) == 0 {
		return nil
	}
	a, err := s.asked.Ask(ctx, scope, s.cfg.Reader, in, 0)
	if err != nil {
		return err
	}
	understood := map[int]bool{}
	for _, one := range a.Value.Questions {
		i := one.Number - 1
		if i >= len(qs) || one.Key > len(keys) || bad[i] != "" {
			continue
		}
		qs[i].Asked = keys[one.Key-1]
		understood[i] = true
		switch {
		case !one.Clear:
			bad[i] = "a reader finds it unclear: " + one.Why
		case !slices.Contains(golds[i].Keys, qs[i].Asked):
			bad[i] = fmt.Sprintf("a reader takes it to ask for the %s; it asks for the %s", qs[i].Asked, golds[i].Key)
		}
	}
	for i := range qs {
		if bad[i] == "" && !understood[i] {
			bad[i] = "the reader says nothing of it"
		}
	}
	return nil
}
