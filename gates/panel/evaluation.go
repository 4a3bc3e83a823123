package panel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/gates/protocol"
	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

type evaluation struct {
	*gate
	scope   *pipeline.Scope
	item    *pipeline.Item
	views   []string
	calls   [][]protocol.Call // by view
	images  map[view.Picture][]pipeline.Digest
	prompts map[viewRotation]*renderedPrompt
	probes  []schemas.Probe
	// problem is what was wrong with the last answer, and earlier are the unusable responses, for
	// a gate that asks in turn.
	problem string
	earlier []string
	// waiting is set when a call of the full protocol waits for a batch: the
	// others are sent all the same, so that one batch holds them all.
	waiting error
}

// viewRotation is what roles and samples have in common.
type viewRotation struct{ view, rotation int }

// renderedPrompt is a prompt with its images taken, and the requests rendered from it.
type renderedPrompt struct {
	Prompt
	digest   pipeline.Digest
	images   [][]pipeline.Digest
	requests map[Attempt]pipeline.Request
}

// newEvaluation returns a judgement with an outcome where nothing is asked about the item.
func (g *gate) newEvaluation(scope *pipeline.Scope, item *pipeline.Item) (*evaluation, pipeline.Judgement) {
	views, settled := g.selectViews(item)
	return &evaluation{
		gate: g, scope: scope, item: item, views: views, calls: g.calls(len(views)),
		images: map[view.Picture][]pipeline.Digest{}, prompts: map[viewRotation]*renderedPrompt{},
	}, settled
}

// judgement is the verdict once all calls were made, or the error that ended them.
func (e *evaluation) judgement(err error) (pipeline.Judgement, error) {
	var noPicture *noPictureError
	switch {
	case errors.As(err, &noPicture):
		return pipeline.GateError.Because("no-picture-taken", "%v", noPicture), nil
	case err != nil:
		return pipeline.Judgement{}, err
	case e.waiting != nil:
		return pipeline.Judgement{}, e.waiting
	}
	return e.Recompute(e.item, e.probes, e.fullCalls(len(e.views)))
}

// ask makes one call. It returns errors of the machine, and those that another build may
// not meet; what is wrong with the answer is a mark.
func (e *evaluation) ask(ctx context.Context, call protocol.Call) (protocol.Mark, error) {
	at := viewRotation{call.View, call.Rotation}
	rendered, known := e.prompts[at]
	if !known {
		prompt, err := e.buildPrompt(e.item, e.views[at.view], at.rotation)
		if err != nil {
			return protocol.Unasked, err
		}
		if rendered, err = e.renderPrompt(ctx, prompt); err != nil {
			return protocol.Unasked, err
		}
		e.prompts[at] = rendered
	}
	if len(e.earlier) > 0 && rendered.Continue != nil {
		rendered = &renderedPrompt{rendered.Continue(e.earlier), rendered.digest, rendered.images, map[Attempt]pipeline.Request{}}
	}
	wording, sample := rendered.wordingAndSample(call.Rotation, call.Sample, e.Runs)
	p := newProbe(e.views, call)
	if err := e.send(ctx, rendered, &p, Attempt{wording, e.problem}, sample); err != nil {
		return protocol.Unasked, err
	}
	if p.Mark == "" {
		return e.gradeAnswer(ctx, p)
	}
	e.probes = append(e.probes, p)
	if e.earlier = append(e.earlier, p.Response); !e.InTurn || p.Mark != schemas.MarkFailed {
		e.earlier = nil
	}
	return markOf(p.Mark), nil
}

func newProbe(views []string, c protocol.Call) schemas.Probe {
	return schemas.Probe{View: views[c.View], Role: c.Role, Rotation: int32(c.Rotation), Sample: int32(c.Sample)}
}

func (e *evaluation) renderPrompt(ctx context.Context, prompt Prompt) (*renderedPrompt, error) {
	digest, err := prompt.digest()
	if err != nil {
		return nil, err
	}
	out := &renderedPrompt{Prompt: prompt, digest: digest, requests: map[Attempt]pipeline.Request{}}
	if e.WordsAlone && e.isBuiltIn(e.scope) {
		out.images = make([][]pipeline.Digest, len(prompt.Pictures))
		return out, nil
	}
	for _, p := range prompt.Pictures {
		taken := []pipeline.Digest{pipeline.Digest(p.Media)}
		if !prompt.AreImages {
			var none *noPictureError
			if taken, err = e.loadPictures(ctx, p); err != nil && !(p.MayBeEmpty && errors.As(err, &none)) {
				return nil, err
			}
		}
		out.images = append(out.images, taken)
	}
	return out, nil
}

// send sends a prompt to the role of a probe and records the reply in the probe.
func (e *evaluation) send(ctx context.Context, prompt *renderedPrompt, p *schemas.Probe, attempt Attempt, sample int) error {
	p.ViewDigest, p.Pictures, p.PicturesFull = string(prompt.digest), int32(prompt.MaxPictures), int32(prompt.FullPictures)
	r, known := prompt.requests[attempt]
	if !known {
		var err error
		if r, err = prompt.Request(p.Role, prompt.images, attempt); err != nil {
			return err
		}
		prompt.requests[attempt] = r
	}
	r.Role, r.Sample = p.Role, sample
	reply, err := e.scope.Ask(ctx, r)
	if err == nil {
		err = e.jobOf(r).check(r, reply)
	}
	return e.record(p, prompt.Prompt, reply, err)
}

func (e *evaluation) jobOf(r pipeline.Request) Job {
	i := slices.IndexFunc(e.jobs, func(j Job) bool { return j.For("").Task == r.Task })
	if i < 0 {
		return e.grader.GradeJob()
	}
	return e.jobs[i]
}

// gradeAnswer has an answer graded. The probe of the grade follows that of the answer.
func (e *evaluation) gradeAnswer(ctx context.Context, p schemas.Probe) (protocol.Mark, error) {
	prompt, err := e.grader.GradePrompt(e.item, p.Answer)
	if err != nil {
		return protocol.Unasked, err
	}
	rendered, err := e.renderPrompt(ctx, prompt)
	if err != nil {
		return protocol.Unasked, err
	}
	g := schemas.Probe{View: gradeView(p), Role: roleJudge, Rotation: p.Rotation, Sample: p.Sample}
	if err := e.send(ctx, rendered, &g, Attempt{}, int(p.Sample)); err != nil {
		return protocol.Unasked, err
	}
	if p.Mark = g.Mark; g.Mark == schemas.MarkFailed {
		p.Reason = validText("ungraded: " + g.Reason)
	}
	e.probes = append(e.probes, p, g)
	return markOf(p.Mark), nil
}

// gradeViewPrefix begins the view of who grades an answer: the answer itself, with the
// question and what is right.
const gradeViewPrefix = "answer_of"

func gradeView(p schemas.Probe) string {
	return strings.Join([]string{gradeViewPrefix, p.Role, p.View}, ":")
}

func isGrade(p schemas.Probe) bool { return strings.HasPrefix(p.View, gradeViewPrefix+":") }

// record records a reply in its probe. It returns the error of a call that is to be made
// again.
func (e *evaluation) record(p *schemas.Probe, prompt Prompt, reply pipeline.Reply, err error) error {
	e.problem = ""
	if err == nil {
		p.Response, p.Model, p.InputTokens, p.OutputTokens = reply.Text, reply.Model, reply.Usage.Input, reply.Usage.Output
		p.Answer, p.Mark, p.Reason = prompt.Read(reply.Text)
		if e.InTurn && p.Mark == schemas.MarkFailed {
			_, e.problem, _ = strings.Cut(p.Reason, ": ")
		}
		return nil
	}
	var why *pipeline.Rejection
	var outcome *model.OutcomeError
	switch {
	case !errors.As(err, &why):
		return err
	case why.Transient && !e.cfg.FullProtocol:
		return err
	case why.Transient:
		e.waiting = err
	}
	p.Mark, p.Reason = schemas.MarkFailed, validText(why.Code+": "+why.Reason)
	if errors.As(err, &outcome) {
		p.Model, p.Response = outcome.Model, validText(outcome.Text)
		p.InputTokens, p.OutputTokens = outcome.Usage.Input, outcome.Usage.Output
	}
	return nil
}

func markOf(mark string) protocol.Mark {
	switch mark {
	case schemas.MarkRight:
		return protocol.Right
	case schemas.MarkWrong:
		return protocol.Wrong
	}
	return protocol.Failed
}

// Unusable is what Prompt.Read returns for an answer that cannot be used.
func Unusable(code, format string, args ...any) (answer, mark, reason string) {
	return "", schemas.MarkFailed, validText(code + ": " + fmt.Sprintf(format, args...))
}

// maxKeptText bounds what is kept of a response that is no answer, and of a reason,
// in bytes.
const maxKeptText = 16 << 10

func validText(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), maxKeptText)], "\uFFFD")
}
