package panel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/memforge/memforge/gates/protocol"
	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

// Tasks of the panel.
const (
	taskAnswer        = "gate.answer"
	taskSupport       = "gate.support"
	taskContradiction = "gate.contradiction"
)

// passage is what a model is shown of a piece of evidence. Pictures are numbers
// of attached images, from 1. Absence marks, for a judge, what the answer says
// that something does not occur in.
type passage struct {
	Number   int    `json:"passage"`
	Span     string `json:"span,omitempty"`
	Text     string `json:"text,omitempty"`
	Caption  string `json:"caption,omitempty"`
	Pictures []int  `json:"pictures,omitempty"`
	Absence  bool   `json:"absence,omitempty"`
}

// answerInput is a question put for an answer; Pictures counts the images. Form
// says where the prompt puts the question, see forms.
type answerInput struct {
	Question string        `json:"question"`
	Options  []view.Choice `json:"options"`
	Setting  string        `json:"setting,omitempty"`
	Passages []passage     `json:"passages"`
	Pictures int           `json:"pictures"`
	Form     int           `json:"form,omitempty"`
}

type answerGiven struct {
	Why    string `json:"why"`
	Answer string `json:"answer"`
}

// supportInput is an answer put for a check: whether what is shown establishes
// it, or contradicts it. Options are the texts of those that were offered.
type supportInput struct {
	Question string    `json:"question"`
	Options  []string  `json:"options,omitempty"`
	Proposed string    `json:"proposed"`
	Setting  string    `json:"setting,omitempty"`
	Passages []passage `json:"passages"`
	Pictures int       `json:"pictures"`
	Form     int       `json:"form,omitempty"`
}

type supportGiven struct {
	Why       string `json:"why"`
	Supported string `json:"supported"`
}

type contradictionGiven struct {
	Why          string `json:"why"`
	Contradicted string `json:"contradicted"`
}

// Answers that are no option.
const (
	answerUnknown = "unknown"
	answerYes     = "yes"
	answerNo      = "no"
)

// sitting is one item before the panel.
type sitting struct {
	*gate
	scope    *pipeline.Scope
	question *schemas.Question
	views    []string
	taken    map[view.Picture][]pipeline.Digest
	put      map[placed]put
	probes   []schemas.Probe
	// waiting is set when a call of the full protocol waits for a batch: the
	// others are put all the same, so that one batch holds them all.
	waiting error
}

// placed is a view with the options in one placement and the question in one
// place: what roles and samples have in common.
type placed struct{ view, rotation, form int }

// forms are the ways to put one and the same question: after what is shown,
// before it, or both. A call that is repeated goes through them before another
// sample is drawn, for a model without a temperature gives the same words the same
// answer, and a copy is no vote.
const forms = 3

// put is what they are asked, and the digest of what is shown.
type put struct {
	request pipeline.Request
	digest  pipeline.Digest
	// pictures are how many are shown at most, full how many it would be if the
	// view were not fitted.
	pictures, full int
}

// reply is what came of a call.
type reply struct {
	text, model string
	usage       pipeline.Usage
}

// ask makes one call. Its error is anything but a finding about the item: what
// another build may answer differently is no answer.
func (s *sitting) ask(ctx context.Context, call int) (protocol.Mark, error) {
	v := call / s.perView()
	who, rotation, run := s.calls(v + 1)[v].Place(call)
	role := s.roles[who]
	again := s.again(rotation, run)
	asked, err := s.word(ctx, placed{v, rotation, again % forms}, role)
	if err != nil {
		return protocol.Unasked, err
	}
	p := schemas.Probe{
		View: s.views[v], ViewDigest: string(asked.digest), Pictures: int32(asked.pictures), PicturesFull: int32(asked.full),
		Role: role, Rotation: int32(rotation), Run: int32(run),
	}
	asked.request.Role, asked.request.Sample = role, again/forms
	got, err := s.pose(ctx, asked.request)
	if err := s.book(&p, got, err); err != nil {
		return protocol.Unasked, err
	}
	s.probes = append(s.probes, p)
	return markOf(p.Mark), nil
}

// again is how often a view was put before with the options placed like that: in
// other runs, or where a placement comes round again.
func (s *sitting) again(rotation, run int) int {
	if len(s.question.Options) == 0 {
		return run
	}
	return run + s.runs*(rotation/len(s.question.Options))
}

// word renders what is asked, once for all roles and samples.
func (s *sitting) word(ctx context.Context, at placed, role string) (put, error) {
	if known, ok := s.put[at]; ok {
		return known, nil
	}
	sight, err := s.see(s.question, s.views[at.view], at.rotation)
	if err != nil {
		return put{}, err
	}
	digest, err := sight.Digest()
	if err != nil {
		return put{}, err
	}
	passages, images, err := s.show(ctx, sight)
	if err != nil {
		return put{}, err
	}
	out := put{digest: digest, pictures: sight.Pictures(), full: sight.FullPictures()}
	if out.request, err = s.request(role, sight, passages, images, at.form); err == nil {
		s.put[at] = out
	}
	return out, err
}

// request puts a sight in the gate's form.
func (s *sitting) request(role string, sight view.Sight, passages []passage, images []pipeline.Digest, form int) (pipeline.Request, error) {
	if s.form == formAnswer {
		in := answerInput{sight.Question, sight.Options, sight.Setting, passages, len(images), form}
		return s.answer.Request(role, in, 0, images...)
	}
	in := supportInput{Question: sight.Question, Proposed: sight.Proposed, Setting: sight.Setting, Passages: passages, Pictures: len(images), Form: form}
	for _, o := range sight.Options {
		in.Options = append(in.Options, o.Text)
	}
	if view.Absent(s.question) {
		return s.contradiction.Request(role, in, 0, images...)
	}
	return s.support.Request(role, in, 0, images...)
}

func (s *sitting) pose(ctx context.Context, r pipeline.Request) (reply, error) {
	switch r.Task {
	case taskSupport:
		got, err := s.support.Put(ctx, s.scope, r)
		return reply{got.Text, got.Model, got.Usage}, err
	case taskContradiction:
		got, err := s.contradiction.Put(ctx, s.scope, r)
		return reply{got.Text, got.Model, got.Usage}, err
	}
	got, err := s.answer.Put(ctx, s.scope, r)
	return reply{got.Text, got.Model, got.Usage}, err
}

// show makes passages of a sight and takes their pictures.
func (s *sitting) show(ctx context.Context, sight view.Sight) ([]passage, []pipeline.Digest, error) {
	var images []pipeline.Digest
	passages := []passage{}
	for i, p := range sight.Passages {
		out := passage{Number: i + 1, Span: p.Span, Text: p.Text, Caption: p.Caption, Absence: p.Absence}
		if p.Picture != nil {
			taken, err := s.pictures(ctx, *p.Picture)
			if err != nil {
				return nil, nil, err
			}
			for range taken {
				out.Pictures = append(out.Pictures, len(images)+len(out.Pictures)+1)
			}
			images = append(images, taken...)
		}
		passages = append(passages, out)
	}
	return passages, images, nil
}

// book fills in what came of a call. It returns the error of a call that is to
// be made again.
func (s *sitting) book(p *schemas.Probe, got reply, err error) error {
	if err == nil {
		p.Response, p.Model, p.InputTokens, p.OutputTokens = got.text, got.model, got.usage.Input, got.usage.Output
		p.Answer, p.Mark, p.Reason = s.read(s.question, got.text, int(p.Rotation))
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

// read takes the answer out of a response that fits its schema.
func (g *gate) read(q *schemas.Question, text string, rotation int) (answer, mark, reason string) {
	if g.form == formSupport {
		return readSupport(q, text)
	}
	var given answerGiven
	if err := json.Unmarshal([]byte(text), &given); err != nil {
		return "", schemas.MarkFailed, model.CodeInvalid + ": the response is not an answer"
	}
	if given.Answer == answerUnknown {
		return answerUnknown, schemas.MarkWrong, ""
	}
	n := len(q.Options)
	if len(given.Answer) != 1 || given.Answer < "A" || given.Answer > view.Letter(n-1) {
		return "", schemas.MarkFailed, fmt.Sprintf("%s: it answers %q, and the letters A to %s were shown", model.CodeInvalid, clean(given.Answer), view.Letter(n-1))
	}
	key := q.Options[view.Stands(int(given.Answer[0]-'A'), rotation, n)].Key
	if key == q.AnswerKey {
		return key, schemas.MarkRight, ""
	}
	return key, schemas.MarkWrong, ""
}

// readSupport reads an answer of a judge: that the evidence establishes the
// proposed answer is right, that it contradicts it wrong. Which of the two was
// asked follows from the item, where it is known.
func readSupport(q *schemas.Question, text string) (answer, mark, reason string) {
	var given struct {
		Supported    string `json:"supported"`
		Contradicted string `json:"contradicted"`
	}
	err := json.Unmarshal([]byte(text), &given)
	said := given.Supported + given.Contradicted
	absent := given.Supported == ""
	if err != nil || said != answerYes && said != answerNo || q != nil && view.Absent(q) != absent {
		return "", schemas.MarkFailed, model.CodeInvalid + ": the response is neither yes nor no to what was asked"
	}
	if (said == answerYes) != absent {
		return said, schemas.MarkRight, ""
	}
	return said, schemas.MarkWrong, ""
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

// maxKept bounds what is kept of a response that is no answer, and of a reason,
// in bytes.
const maxKept = 16 << 10

// clean makes a text of a server fit for a table.
func clean(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), maxKept)], "\uFFFD")
}
