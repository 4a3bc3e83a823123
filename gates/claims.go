package gates

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/memforge/memforge/gates/panel"
	"github.com/memforge/memforge/gates/protocol"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

// claimsResponse is what a judge answers: of each claim by its number whether it is so.
type claimsResponse struct {
	Findings []claimReply `json:"findings"`
}

type claimReply struct {
	Number int    `json:"number"`
	Why    string `json:"why"`
	So     string `json:"so"`
}

const (
	claimSo = "yes"
	// claimsView is what who judges is shown, claimsAttempts how often the judge is asked.
	claimsView     = "claims"
	claimsAttempts = 2
)

// proposed is what a rule proposes about an item: what a judge is asked, with a text for what was
// wrong with the last answer, and what a probe keeps of N claims to conclude without the item.
type proposed[In, Kept any] struct {
	Input func(problem string) In
	Kept  Kept
	N     int
}

// claimsForm has a judge decide what a rule proposes.
type claimsForm[In, Kept any] struct {
	prompt string
	// propose gives a judgement with an outcome where there is nothing to ask.
	propose func(*pipeline.Item) (proposed[In, Kept], pipeline.Judgement)
	// conclude judges by which claims are so. It is pure.
	conclude func(Kept, []string) pipeline.Judgement
	// replyTokens are those of an answer, inTokens those of an item.
	inTokens, replyTokens float64
	jobs                  func() ([]panel.Job, error)
}

// judged is the answer of a probe: what the claims were about, and which are so.
type judged[Kept any] struct {
	About Kept     `json:"about"`
	So    []string `json:"so"`
}

// newClaims is a gate that asks the judge once about all that a rule proposes of an item. byRule
// decides where the built-in model plays the judge; share is that of the items of which something
// is proposed, for forecasts.
func newClaims[In, Kept any](name, accepts string, types []string, share float64, f *claimsForm[In, Kept], byRule func(*pipeline.Item) pipeline.Judgement) (pipeline.Gate, error) {
	f.jobs = sync.OnceValues(func() ([]panel.Job, error) {
		j, err := panel.NewJob[In, claimsResponse](f.prompt)
		return []panel.Job{j}, err
	})
	cfg := panel.Config{Types: types, Runs: claimsAttempts}
	cfg.SetDefaults()
	return panel.New(panel.Definition{
		Name: name, Accepts: accepts, Form: f, View: claimsView, Roles: []string{"judge"}, InTurn: true, CleanRate: 1, Share: share, ByRule: byRule,
		Rule: func(views [][]protocol.Call) protocol.Rule { return protocol.Not{Rule: protocol.FirstUsable(views[0])} },
		Explain: func(probes []schemas.Probe) (code, reason string, err error) {
			var found judged[Kept]
			err = json.Unmarshal([]byte(probes[len(probes)-1].Answer), &found)
			j := f.conclude(found.About, found.So)
			return j.Code, j.Reason, err
		},
	}, cfg)
}

// Jobs implements panel.Form.
func (f *claimsForm[In, Kept]) Jobs() ([]panel.Job, error) { return f.jobs() }

// SelectViews implements panel.Form: nothing is asked where the rule proposes nothing.
func (f *claimsForm[In, Kept]) SelectViews(_ panel.Definition, _ panel.Config, item *pipeline.Item) ([]string, pipeline.Judgement) {
	if _, j := f.propose(item); j.Outcome != "" {
		return nil, j
	}
	return []string{claimsView}, pipeline.Judgement{}
}

// BuildPrompt implements panel.Form.
func (f *claimsForm[In, Kept]) BuildPrompt(_ panel.Definition, _ panel.Config, item *pipeline.Item, _ string, _ int) (panel.Prompt, error) {
	p, j := f.propose(item)
	if j.Outcome != "" {
		return panel.Prompt{}, fmt.Errorf("nothing is proposed: %s", j.Reason)
	}
	return panel.Prompt{
		Content: p.Input(""),
		Request: func(role string, _ [][]pipeline.Digest, t panel.Attempt) (pipeline.Request, error) {
			jobs, err := f.jobs()
			if err != nil {
				return pipeline.Request{}, err
			}
			return panel.Render(jobs[0], role, p.Input(t.Problem))
		},
		Read: func(text string) (answer, mark, reason string) {
			so, err := readClaims(text, p.N)
			if err != nil {
				return panel.Unusable(model.CodeInvalid, "%v", err)
			}
			b, err := pipeline.Canonical(judged[Kept]{p.Kept, so})
			if err != nil {
				return panel.Unusable(model.CodeInvalid, "%v", err)
			}
			return string(b), f.mark(p.Kept, so), ""
		},
	}, nil
}

func (f *claimsForm[In, Kept]) mark(of Kept, so []string) string {
	if f.conclude(of, so).Outcome == pipeline.Pass {
		return schemas.MarkRight
	}
	return schemas.MarkWrong
}

// readClaims returns the answer to each of n claims.
func readClaims(text string, n int) ([]string, error) {
	var given claimsResponse
	if err := json.Unmarshal([]byte(text), &given); err != nil {
		return nil, fmt.Errorf("the response is no list of findings: %w", err)
	}
	so := make([]string, n)
	for _, r := range given.Findings {
		if r.Number < 1 || r.Number > n || so[r.Number-1] != "" {
			return nil, fmt.Errorf("there is no claim %d, or it is answered twice", r.Number)
		}
		so[r.Number-1] = r.So
	}
	if i := slices.Index(so, ""); i >= 0 {
		return nil, fmt.Errorf("claim %d is not answered", i+1)
	}
	return so, nil
}

// CheckProbe implements panel.Form.
func (f *claimsForm[In, Kept]) CheckProbe(p schemas.Probe, _ []string) error {
	var found judged[Kept]
	if err := json.Unmarshal([]byte(p.Answer), &found); err != nil {
		return fmt.Errorf("its answer is not what was found of claims: %w", err)
	}
	so, err := readClaims(p.Response, len(found.So))
	switch {
	case err != nil:
		return err
	case !slices.Equal(so, found.So):
		return fmt.Errorf("claims were answered %q, and it says %q", so, found.So)
	case p.Mark != f.mark(found.About, so):
		return fmt.Errorf("it is marked as %q; by its answer it is another", p.Mark)
	}
	return nil
}

// Cost implements panel.Form.
func (f *claimsForm[In, Kept]) Cost(panel.Definition, panel.Config) panel.Cost {
	return panel.Cost{TokensIn: f.inTokens, TokensOut: f.replyTokens, Views: 1}
}
