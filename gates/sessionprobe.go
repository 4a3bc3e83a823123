package gates

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/gates/protocol"
	"github.com/memforge/memforge/gates/sessions"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

// probe asks the judge once. What is wrong with an answer that does not fit the
// session is said in words as well, for the next attempt. An outcome that
// another build may not meet is an error.
func (g *sessionJudge) probe(ctx context.Context, scope *pipeline.Scope, q sessions.Inquiry, call int) (p schemas.Probe, wrong string, err error) {
	images := make([]pipeline.Digest, len(q.Images))
	for i, m := range q.Images {
		images[i] = pipeline.Digest(m)
	}
	p = schemas.Probe{View: q.View, Role: roleJudge, Run: int32(call)}
	got, err := g.task.Ask(ctx, scope, roleJudge, q.Sight, call, images...)
	var why *pipeline.Rejection
	switch {
	case errors.As(err, &why) && !why.Transient:
		failed(&p, why, err)
		return p, "", nil
	case err != nil:
		return p, "", fmt.Errorf("%s: %w", g.name, err)
	}
	p.Model, p.Response = got.Model, got.Text
	p.InputTokens, p.OutputTokens = got.Usage.Input, got.Usage.Output
	findings, err := q.Read(got.Value)
	if err != nil {
		p.Mark, p.Reason = schemas.MarkFailed, clean("bad-citation: "+err.Error())
		return p, err.Error(), nil
	}
	answer, err := pipeline.Canonical(findings)
	if err != nil {
		return p, "", fmt.Errorf("%s: %w", g.name, err)
	}
	p.Answer, p.Mark = string(answer), markOf(findings)
	return p, "", nil
}

// failed fills in what came of a call that concerns this session alone.
func failed(p *schemas.Probe, why *pipeline.Rejection, err error) {
	p.Mark, p.Reason = schemas.MarkFailed, clean(why.Code+": "+why.Reason)
	var outcome *model.OutcomeError
	if errors.As(err, &outcome) {
		p.Model, p.Response = outcome.Model, clean(outcome.Text)
		p.InputTokens, p.OutputTokens = outcome.Usage.Input, outcome.Usage.Output
	}
}

// maxKept bounds what is kept of a response that is no answer, and of a reason,
// in bytes.
const maxKept = 16 << 10

// clean makes a text of a server fit for a table.
func clean(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), maxKept)], "\uFFFD")
}

func markOf(findings []sessions.Finding) string {
	if len(sessions.Violations(findings)) > 0 {
		return schemas.MarkWrong
	}
	return schemas.MarkRight
}

// verdict follows from the probes in order of their runs: the first usable
// answer decides.
func (g *sessionJudge) verdict(probes []schemas.Probe) (pipeline.Judgement, error) {
	calls, got := make(protocol.FirstUsable, g.cfg.Attempts), make([]protocol.Mark, g.cfg.Attempts)
	for i := range calls {
		calls[i] = i
	}
	for i, p := range probes {
		got[i] = marks[p.Mark]
	}
	j := pipeline.Judgement{Outcome: pipeline.Pass, Probes: probes, CallsFull: g.cfg.Attempts}
	last := probes[len(probes)-1]
	switch calls.Value(got) {
	case protocol.Open:
		return j, fmt.Errorf("%s: %d of %d attempts were made, none of them usable", g.name, len(probes), g.cfg.Attempts)
	case protocol.Broken:
		j.Outcome, j.Code = pipeline.GateError, "no-usable-answer"
		j.Reason = fmt.Sprintf("no-usable-answer: in %d attempts, the last: %s", len(probes), last.Reason)
	case protocol.False:
		var findings []sessions.Finding
		if err := json.Unmarshal([]byte(last.Answer), &findings); err != nil {
			return j, fmt.Errorf("%s: the answer of run %d: %w", g.name, last.Run, err)
		}
		faults := sessions.Violations(findings)
		j.Outcome, j.Code, j.Reason = pipeline.Fail, faults[0].Code, sessions.Reason(faults)
	}
	return j, nil
}

// Recompute implements pipeline.Recomputer. The answers suffice: a judge's
// findings stand in its probe.
func (g *sessionJudge) Recompute(_ *schemas.Question, probes []schemas.Probe, full int) (pipeline.Judgement, error) {
	if len(probes) == 0 && full == 0 {
		return pipeline.Judgement{}, pipeline.ErrNeedsItem
	}
	if full != g.cfg.Attempts || len(probes) == 0 || len(probes) > full {
		return pipeline.Judgement{}, fmt.Errorf("%s: %d probes of %d; its configuration asks 1 to %d", g.name, len(probes), full, g.cfg.Attempts)
	}
	probes = slices.Clone(probes)
	slices.SortFunc(probes, func(a, b schemas.Probe) int { return int(a.Run - b.Run) })
	for i, p := range probes {
		if err := g.recheck(p, i); err != nil {
			return pipeline.Judgement{}, fmt.Errorf("%s: probe of run %d: %w", g.name, p.Run, err)
		}
		if i > 0 && probes[i-1].Mark != schemas.MarkFailed {
			return pipeline.Judgement{}, fmt.Errorf("%s: run %d was asked though run %d had decided", g.name, p.Run, i-1)
		}
		if p.ViewDigest != probes[0].ViewDigest {
			return pipeline.Judgement{}, fmt.Errorf("%s: run %d was shown something else than run 0", g.name, p.Run)
		}
	}
	return g.verdict(probes)
}

// recheck makes sure that a probe's shape, answer, response and mark fit.
func (g *sessionJudge) recheck(p schemas.Probe, run int) error {
	if int(p.Run) != run || p.Role != roleJudge || p.Rotation != 0 || p.View != g.view() {
		return fmt.Errorf("it asks %q about %q, run %d, rotation %d; want %q about %q, run %d", p.Role, p.View, p.Run, p.Rotation, roleJudge, g.view(), run)
	}
	if p.Mark == schemas.MarkFailed {
		if p.Answer != "" || p.Reason == "" {
			return errors.New("it is marked as failed, but has an answer or no reason")
		}
		return nil
	}
	if p.Reason != "" {
		return errors.New("it has an answer and yet a reason why there is none")
	}
	var findings []sessions.Finding
	var said sessions.Answer
	if err := json.Unmarshal([]byte(p.Answer), &findings); err != nil {
		return fmt.Errorf("its answer is not a list of findings: %w", err)
	}
	if err := json.Unmarshal([]byte(p.Response), &said); err != nil {
		return fmt.Errorf("its response is not what the judge must answer: %w", err)
	}
	if err := sessions.Agree(findings, said); err != nil {
		return err
	}
	if want := markOf(findings); p.Mark != want {
		return fmt.Errorf("it is marked as %q; by its answer it is %q", p.Mark, want)
	}
	return nil
}

func (g *sessionJudge) view() string { return g.ask(schemas.Session{}, noShuffle).View }

func noShuffle(int, func(int, int)) {}
