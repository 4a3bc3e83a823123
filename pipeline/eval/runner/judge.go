package runner

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/model"
)

// RoleJudges is the role of a model that labels answers.
const RoleJudges = "judge"

// judgeAttempts is how often a judge is asked for labels that it may give.
const judgeAttempts = 2

// What the prompts score.* take and give.
type (
	judgeInput struct {
		Question string         `json:"question,omitempty"`
		Subjects []judgeSubject `json:"subjects"`
		Against  []judgeSubject `json:"against"`
		Labels   []string       `json:"labels"`
		Problem  []string       `json:"problem,omitempty"`
	}
	judgeSubject struct {
		Number int    `json:"number"`
		Text   string `json:"text"`
	}
	judgeAnswer struct {
		Labels []judgeLabel `json:"labels"`
	}
	judgeLabel struct {
		Number int    `json:"number"`
		Why    string `json:"why"`
		Label  string `json:"label"`
	}
	judgeJob = model.Job[judgeInput, judgeAnswer]
)

// Judge asks a model to label cases. Labels come in the order of the cases; what the model
// cannot label is among them as unjudged. Open counts cases whose answer is still to come.
func Judge(ctx context.Context, a Asking, cases []score.Case, parallel int) (labels []score.Label, open int, err error) {
	jobs := map[string]*judgeJob{}
	for _, c := range cases {
		if jobs[c.Prompt] == nil {
			if jobs[c.Prompt], err = model.NewJob[judgeInput, judgeAnswer](c.Prompt); err != nil {
				return nil, 0, err
			}
		}
	}
	said := make([][]score.Label, len(cases))
	var waiting atomic.Int64
	var failed atomic.Bool
	var group errgroup.Group
	group.SetLimit(max(1, parallel))
	for n, c := range cases {
		group.Go(func() (err error) {
			if failed.Load() {
				return nil
			}
			said[n], err = a.judge(ctx, jobs[c.Prompt], c)
			if _, later := comesLater(err); later {
				waiting.Add(1)
				return nil
			}
			failed.Store(failed.Load() || err != nil)
			return err
		})
	}
	err = group.Wait()
	return slices.Concat(said...), int(waiting.Load()), err
}

// judge labels one case. Labels that the judge may not give, or that miss, are asked for again;
// those that still miss are unjudged.
func (a Asking) judge(ctx context.Context, job *judgeJob, c score.Case) (out []score.Label, err error) {
	if len(c.Known) > 0 {
		return c.LabelsOf(c.Known, nil, "", score.Label{Why: c.Why})
	}
	like := score.Label{Model: a.Name, Prompt: c.Prompt, PromptDigest: string(job.For(RoleJudges).Prompt)}
	input := func(refused []model.RejectedAnswer[judgeAnswer]) judgeInput {
		in := judgeInput{Question: c.Question, Subjects: numberTexts(c.Subjects), Against: numberTexts(c.Against), Labels: c.Labels}
		if len(refused) > 0 {
			in.Problem = refused[len(refused)-1].Reasons
		}
		return in
	}
	err = a.scope(ctx, RoleJudges, c.IDs[0], func(s *pipeline.Scope) error {
		got, refused, err := job.AskUntilUsable(ctx, s, RoleJudges, judgeAttempts, input, func(got model.Answer[judgeAnswer]) ([]string, error) {
			_, _, problems := readJudgement(c, got.Value)
			return problems, nil
		})
		if err != nil {
			return err
		}
		answer, unjudged := got.Value, ""
		if len(refused) > 0 {
			answer, unjudged = refused[len(refused)-1].Answer, "the judge gave no label that it may give"
		}
		labels, whys, _ := readJudgement(c, answer)
		out, err = c.LabelsOf(labels, whys, unjudged, like)
		return err
	})
	if why, permanent := model.PermanentRejection(ctx, err); permanent {
		return c.LabelsOf(make([]string, len(c.Subjects)), nil, why.Error(), like)
	}
	return out, err
}

func numberTexts(texts []string) []judgeSubject {
	out := make([]judgeSubject, len(texts))
	for n, text := range texts {
		out[n] = judgeSubject{n + 1, text}
	}
	return out
}

// readJudgement returns the labels of the subjects, empty where there is none that counts, and
// what is wrong with the answer.
func readJudgement(c score.Case, answer judgeAnswer) (labels, whys, problems []string) {
	labels, whys = make([]string, len(c.Subjects)), make([]string, len(c.Subjects))
	twice := map[int]bool{}
	for _, l := range answer.Labels {
		at := l.Number - 1
		switch {
		case at < 0 || at >= len(labels):
			problems = append(problems, fmt.Sprintf("there is no number %d", l.Number))
		case !slices.Contains(c.Labels, l.Label):
			problems = append(problems, fmt.Sprintf("number %d has the label %s; want one of %q", l.Number, l.Label, c.Labels))
		case labels[at] != "" && labels[at] != l.Label:
			problems, twice[at] = append(problems, fmt.Sprintf("number %d has two labels", l.Number)), true
		default:
			labels[at], whys[at] = l.Label, l.Why
		}
	}
	for at := range labels {
		if twice[at] {
			labels[at] = ""
		} else if labels[at] == "" {
			problems = append(problems, fmt.Sprintf("number %d has no label that counts", at+1))
		}
	}
	return labels, whys, problems
}
