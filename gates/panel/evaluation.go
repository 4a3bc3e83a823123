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

// evaluation is one item before the panel.
type evaluation struct {
	*gate
	scope   *pipeline.Scope
	item    *pipeline.Item
	views   []string
	images  map[view.Picture][]pipeline.Digest
	prompts map[viewRotation]*renderedPrompt
	probes  []schemas.Probe
	// problem is what was wrong with the last answer, for a gate that asks in turn.
	problem string
	// waiting is set when a call of the full protocol waits for a batch: the
	// others are put all the same, so that one batch holds them all.
	waiting error
}

// viewRotation is a view with the options in one placement: what roles and samples have
// in common.
type viewRotation struct{ view, rotation int }

// renderedPrompt is what they are asked.
type renderedPrompt struct {
	prompt   Prompt
	digest   pipeline.Digest
	images   [][]pipeline.Digest
	requests map[Attempt]pipeline.Request
}

// ask makes one call. Its error is anything but a finding about the item: what
// another build may answer differently is no answer.
func (s *evaluation) ask(ctx context.Context, call int) (protocol.Mark, error) {
	v := call / s.callsPerView()
	who, rotation, run := s.calls(v + 1)[v].Place(call)
	at, err := s.renderPrompt(ctx, viewRotation{v, rotation})
	if err != nil {
		return protocol.Unasked, err
	}
	role := s.Roles[who]
	wording, sample := at.prompt.wordingAndSample(rotation, run, s.Runs)
	p := schemas.Probe{View: s.views[v], Role: role, Rotation: int32(rotation), Sample: int32(run)}
	if err := s.send(ctx, at, &p, Attempt{wording, s.problem}, sample); err != nil {
		return protocol.Unasked, err
	}
	if p.Mark == "" {
		return s.gradeAnswer(ctx, p)
	}
	s.probes = append(s.probes, p)
	return markOf(p.Mark), nil
}

// renderPrompt lays out what a view shows, and takes its pictures, once for all calls.
func (s *evaluation) renderPrompt(ctx context.Context, at viewRotation) (*renderedPrompt, error) {
	if known, ok := s.prompts[at]; ok {
		return known, nil
	}
	sheet, err := s.buildPrompt(s.item, s.views[at.view], at.rotation)
	if err != nil {
		return nil, err
	}
	out, err := s.takeImages(ctx, sheet)
	if err == nil {
		s.prompts[at] = out
	}
	return out, err
}

func (s *evaluation) takeImages(ctx context.Context, sheet Prompt) (*renderedPrompt, error) {
	digest, err := sheet.digest()
	if err != nil {
		return nil, err
	}
	out := &renderedPrompt{prompt: sheet, digest: digest, requests: map[Attempt]pipeline.Request{}}
	for _, p := range sheet.Pictures {
		taken := []pipeline.Digest{pipeline.Digest(p.Media)}
		if !sheet.AreImages {
			if taken, err = s.loadPictures(ctx, p); err != nil {
				return nil, err
			}
		}
		out.images = append(out.images, taken)
	}
	return out, nil
}

// send puts a sheet to the role of a probe and fills in what came of it.
func (s *evaluation) send(ctx context.Context, at *renderedPrompt, p *schemas.Probe, try Attempt, sample int) error {
	p.ViewDigest, p.Pictures, p.PicturesFull = string(at.digest), int32(at.prompt.MaxPictures), int32(at.prompt.FullPictures)
	r, known := at.requests[try]
	if !known {
		var err error
		if r, err = at.prompt.Request(p.Role, at.images, try); err != nil {
			return err
		}
		at.requests[try] = r
	}
	r.Role, r.Sample = p.Role, sample
	got, err := s.jobOf(r).send(ctx, s.scope, r)
	return s.record(p, at.prompt, got, err)
}

func (s *evaluation) jobOf(r pipeline.Request) Job {
	i := slices.IndexFunc(s.jobs, func(t Job) bool { return t.For("").Task == r.Task })
	if i < 0 {
		return s.grader.GradeJob()
	}
	return s.jobs[i]
}

// gradeAnswer has an answer graded: the probe of who grades stands after that of who
// answered, and gives it its mark.
func (s *evaluation) gradeAnswer(ctx context.Context, p schemas.Probe) (protocol.Mark, error) {
	sheet, err := s.grader.GradePrompt(s.item, p.Answer)
	if err != nil {
		return protocol.Unasked, err
	}
	at, err := s.takeImages(ctx, sheet)
	if err != nil {
		return protocol.Unasked, err
	}
	g := schemas.Probe{View: gradeView(p), Role: roleJudge, Rotation: p.Rotation, Sample: p.Sample}
	if err := s.send(ctx, at, &g, Attempt{}, int(p.Sample)); err != nil {
		return protocol.Unasked, err
	}
	if p.Mark = g.Mark; g.Mark == schemas.MarkFailed {
		p.Reason = validText("ungraded: " + g.Reason)
	}
	s.probes = append(s.probes, p, g)
	return markOf(p.Mark), nil
}

// gradeViewPrefix begins the view of who grades an answer: the answer itself, with the
// question and what is right.
const gradeViewPrefix = "answer_of"

func gradeView(p schemas.Probe) string {
	return strings.Join([]string{gradeViewPrefix, p.Role, p.View}, ":")
}

func isGrade(p schemas.Probe) bool { return strings.HasPrefix(p.View, gradeViewPrefix+":") }

// record fills in what came of a call. It returns the error of a call that is to
// be made again.
func (s *evaluation) record(p *schemas.Probe, sheet Prompt, got reply, err error) error {
	s.problem = ""
	if err == nil {
		p.Response, p.Model, p.InputTokens, p.OutputTokens = got.text, got.model, got.usage.Input, got.usage.Output
		p.Answer, p.Mark, p.Reason = sheet.Read(got.text)
		if s.InTurn && p.Mark == schemas.MarkFailed {
			_, s.problem, _ = strings.Cut(p.Reason, ": ")
		}
		return nil
	}
	var why *pipeline.Rejection
	var outcome *model.OutcomeError
	switch {
	case !errors.As(err, &why):
		return err
	case why.Transient && !s.cfg.FullProtocol:
		return err
	case why.Transient:
		s.waiting = err
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

// Unusable is what Sheet.Read gives for an answer that cannot be used.
func Unusable(code, format string, args ...any) (answer, mark, reason string) {
	return "", schemas.MarkFailed, validText(code + ": " + fmt.Sprintf(format, args...))
}

// maxKeptText bounds what is kept of a response that is no answer, and of a reason,
// in bytes.
const maxKeptText = 16 << 10

// validText makes a text of a server fit for a table.
func validText(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), maxKeptText)], "\uFFFD")
}
