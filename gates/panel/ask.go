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

// sitting is one item before the panel.
type sitting struct {
	*gate
	scope  *pipeline.Scope
	item   *pipeline.Item
	views  []string
	taken  map[view.Picture][]pipeline.Digest
	put    map[placed]*put
	probes []schemas.Probe
	// problem is what was wrong with the last answer, for a gate that asks in turn.
	problem string
	// waiting is set when a call of the full protocol waits for a batch: the
	// others are put all the same, so that one batch holds them all.
	waiting error
}

// placed is a view with the options in one placement: what roles and samples have
// in common.
type placed struct{ view, rotation int }

// put is what they are asked.
type put struct {
	sheet   Sheet
	digest  pipeline.Digest
	images  [][]pipeline.Digest
	wording map[Try]pipeline.Request
}

// ask makes one call. Its error is anything but a finding about the item: what
// another build may answer differently is no answer.
func (s *sitting) ask(ctx context.Context, call int) (protocol.Mark, error) {
	v := call / s.perView()
	who, rotation, run := s.calls(v + 1)[v].Place(call)
	at, err := s.lay(ctx, placed{v, rotation})
	if err != nil {
		return protocol.Unasked, err
	}
	role := s.Roles[who]
	wording, sample := at.sheet.again(rotation, run, s.Runs)
	p := schemas.Probe{View: s.views[v], Role: role, Rotation: int32(rotation), Run: int32(run)}
	if err := s.pose(ctx, at, &p, Try{wording, s.problem}, sample); err != nil {
		return protocol.Unasked, err
	}
	if p.Mark == "" {
		return s.grade(ctx, p)
	}
	s.probes = append(s.probes, p)
	return markOf(p.Mark), nil
}

// lay lays out what a view shows, and takes its pictures, once for all calls.
func (s *sitting) lay(ctx context.Context, at placed) (*put, error) {
	if known, ok := s.put[at]; ok {
		return known, nil
	}
	sheet, err := s.sheet(s.item, s.views[at.view], at.rotation)
	if err != nil {
		return nil, err
	}
	out, err := s.laid(ctx, sheet)
	if err == nil {
		s.put[at] = out
	}
	return out, err
}

func (s *sitting) laid(ctx context.Context, sheet Sheet) (*put, error) {
	digest, err := sheet.digest()
	if err != nil {
		return nil, err
	}
	out := &put{sheet: sheet, digest: digest, wording: map[Try]pipeline.Request{}}
	for _, p := range sheet.Pictures {
		taken := []pipeline.Digest{pipeline.Digest(p.Media)}
		if !sheet.Still {
			if taken, err = s.pictures(ctx, p); err != nil {
				return nil, err
			}
		}
		out.images = append(out.images, taken)
	}
	return out, nil
}

// pose puts a sheet to the role of a probe and fills in what came of it.
func (s *sitting) pose(ctx context.Context, at *put, p *schemas.Probe, try Try, sample int) error {
	p.ViewDigest, p.Pictures, p.PicturesFull = string(at.digest), int32(at.sheet.Most), int32(at.sheet.Full)
	r, known := at.wording[try]
	if !known {
		var err error
		if r, err = at.sheet.Request(p.Role, at.images, try); err != nil {
			return err
		}
		at.wording[try] = r
	}
	r.Role, r.Sample = p.Role, sample
	got, err := s.taskOf(r).pose(ctx, s.scope, r)
	return s.book(p, at.sheet, got, err)
}

func (s *sitting) taskOf(r pipeline.Request) Task {
	i := slices.IndexFunc(s.tasks, func(t Task) bool { return t.For("").Task == r.Task })
	if i < 0 {
		return s.grader.Grades()
	}
	return s.tasks[i]
}

// grade has an answer graded: the probe of who grades stands after that of who
// answered, and gives it its mark.
func (s *sitting) grade(ctx context.Context, p schemas.Probe) (protocol.Mark, error) {
	sheet, err := s.grader.Grade(s.item, p.Answer)
	if err != nil {
		return protocol.Unasked, err
	}
	at, err := s.laid(ctx, sheet)
	if err != nil {
		return protocol.Unasked, err
	}
	g := schemas.Probe{View: gradedView(p), Role: roleJudge, Rotation: p.Rotation, Run: p.Run}
	if err := s.pose(ctx, at, &g, Try{}, int(p.Run)); err != nil {
		return protocol.Unasked, err
	}
	if p.Mark = g.Mark; g.Mark == schemas.MarkFailed {
		p.Reason = clean("ungraded: " + g.Reason)
	}
	s.probes = append(s.probes, p, g)
	return markOf(p.Mark), nil
}

// answerOf begins the view of who grades an answer: the answer itself, with the
// question and what is right.
const answerOf = "answer_of"

func gradedView(p schemas.Probe) string { return strings.Join([]string{answerOf, p.Role, p.View}, ":") }

func isGrade(p schemas.Probe) bool { return strings.HasPrefix(p.View, answerOf+":") }

// book fills in what came of a call. It returns the error of a call that is to
// be made again.
func (s *sitting) book(p *schemas.Probe, sheet Sheet, got reply, err error) error {
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
	p.Mark, p.Reason = schemas.MarkFailed, clean(why.Code+": "+why.Reason)
	if errors.As(err, &outcome) {
		p.Model, p.Response = outcome.Model, clean(outcome.Text)
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
	return "", schemas.MarkFailed, clean(code + ": " + fmt.Sprintf(format, args...))
}

// maxKept bounds what is kept of a response that is no answer, and of a reason,
// in bytes.
const maxKept = 16 << 10

// clean makes a text of a server fit for a table.
func clean(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), maxKept)], "\uFFFD")
}
