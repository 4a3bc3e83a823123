package panel

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/gates/protocol"
	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// Recompute implements pipeline.Recomputer.
func (g *gate) Recompute(item *pipeline.Item, probes []schemas.Probe, full int) (pipeline.Judgement, error) {
	if full == 0 && len(probes) == 0 {
		return g.unasked(item)
	}
	views, err := g.viewsAsked(item, probes, full)
	if err != nil {
		return pipeline.Judgement{}, err
	}
	probes = slices.SortedFunc(slices.Values(probes), schemas.CompareProbes)
	answers := slices.DeleteFunc(slices.Clone(probes), isGrade)
	if err := g.graded(item, answers, probes); err != nil {
		return pipeline.Judgement{}, err
	}
	marks, err := g.marks(item, views, answers)
	if err != nil {
		return pipeline.Judgement{}, err
	}
	j, err := g.verdict(views, answers, marks)
	j.Probes, j.CallsFull = probes, full
	return j, err
}

// Views implements pipeline.Viewer.
func (g *gate) Views(item *pipeline.Item) []string {
	views, _ := g.settle(item)
	return views
}

// Show implements pipeline.Viewer.
func (g *gate) Show(item *pipeline.Item, p schemas.Probe, probes []schemas.Probe) (pipeline.Shown, error) {
	s, err := g.sheetOf(item, p, probes)
	if err != nil {
		return pipeline.Shown{}, err
	}
	digest, err := s.digest()
	return pipeline.Shown{Digest: digest, Pictures: s.Most, Full: s.Full}, err
}

// sheetOf is what a probe was put by.
func (g *gate) sheetOf(item *pipeline.Item, p schemas.Probe, probes []schemas.Probe) (Sheet, error) {
	if g.grader == nil || !isGrade(p) {
		if views := g.Views(item); !slices.Contains(views, p.View) {
			return Sheet{}, fmt.Errorf("the gate shows the item under %s", cmp.Or(strings.Join(views, ", "), "no view"))
		}
		return g.sheet(item, p.View, int(p.Rotation))
	}
	i := slices.IndexFunc(probes, func(a schemas.Probe) bool {
		return gradedView(a) == p.View && a.Rotation == p.Rotation && a.Run == p.Run
	})
	if i < 0 {
		return Sheet{}, errors.New("it grades an answer that is not there")
	}
	return g.grader.Grade(item, probes[i].Answer)
}

// Label implements pipeline.Labeller.
func (g *gate) Label(item *pipeline.Item) (name, value string, ok bool) {
	if f, is := g.Form.(*labels); is {
		name, value = f.labelOf(item)
		return name, value, value != ""
	}
	return "", "", false
}

// Solves implements pipeline.Solver.
func (g *gate) Solves() string {
	if q, ok := g.Form.(*question); ok && q.propose || g.View == view.Labelling || g.Accepts != schemas.NameQuestion || typicalViews(g.View) > 1 {
		return ""
	}
	return g.View
}

// First implements pipeline.Starter.
func (g *gate) First(scope *pipeline.Scope, item *pipeline.Item) (call schemas.Probe, ok bool) {
	views, settled := g.settle(item)
	if settled.Outcome != "" {
		return schemas.Probe{}, false
	}
	enough := errors.New("one call is enough")
	_, _, err := protocol.Run(g.rule(len(views)), g.drawn(scope, item.ID, len(views)), g.cfg.FullProtocol, func(at int) (protocol.Mark, error) {
		v := at / g.perView()
		who, rotation, run := g.calls(v + 1)[v].Place(at)
		call = schemas.Probe{View: views[v], Role: g.Roles[who], Rotation: int32(rotation), Run: int32(run)}
		return protocol.Unasked, enough
	})
	return call, errors.Is(err, enough)
}

// unasked is the judgement of an item about which nothing was asked.
func (g *gate) unasked(item *pipeline.Item) (pipeline.Judgement, error) {
	if item == nil {
		return pipeline.Judgement{}, pipeline.ErrNeedsItem
	}
	views, j := g.settle(item)
	if j.Outcome == "" {
		return j, fmt.Errorf("nothing was asked about an item that %s asks about under %s", g.Name, strings.Join(views, ", "))
	}
	return j, nil
}

// viewsAsked are the views of the protocol. Without the item, those that nothing
// was asked under have no name.
func (g *gate) viewsAsked(item *pipeline.Item, probes []schemas.Probe, full int) ([]string, error) {
	if item != nil {
		views, j := g.settle(item)
		if j.Outcome != "" {
			return nil, fmt.Errorf("%s asks nothing about such an item (%s)", g.Name, j.Reason)
		}
		if g.full(len(views)) != full {
			return nil, fmt.Errorf("the full protocol has %d calls, not %d", g.full(len(views)), full)
		}
		return views, nil
	}
	n := full/g.full(1) - len(g.Controls)
	if full%g.full(1) != 0 || n < 1 {
		return nil, fmt.Errorf("the full protocol cannot have %d calls: each view takes %d", full, g.full(1))
	}
	var seen []string
	for _, p := range probes {
		if slices.Contains(g.Controls, p.View) || isGrade(p) {
			continue
		}
		if !slices.Contains(seen, p.View) {
			seen = append(seen, p.View)
		}
		if kind, argument, parts := strings.Cut(p.View, ":"); kind != g.View || parts != (argument != "") || !parts && n != 1 {
			return nil, fmt.Errorf("%s does not ask under the view %q", g.Name, p.View)
		}
	}
	if len(seen) > n {
		return nil, fmt.Errorf("%d views were asked under, and the full protocol has %d", len(seen), n)
	}
	slices.Sort(seen)
	return slices.Concat(seen, make([]string, n-len(seen)), g.Controls), nil
}

// graded holds the grades against the answers: one of each answer that needs it,
// with its mark, and no other.
func (g *gate) graded(item *pipeline.Item, answers, probes []schemas.Probe) error {
	left := len(probes) - len(answers)
	if g.grader == nil && left > 0 {
		return fmt.Errorf("%s has no answers graded", g.Name)
	}
	for _, a := range answers {
		if g.grader == nil || a.Answer == "" || a.Answer == answerUnknown {
			continue
		}
		i := slices.IndexFunc(probes, func(p schemas.Probe) bool {
			return p.View == gradedView(a) && p.Role == roleJudge && p.Rotation == a.Rotation && p.Run == a.Run
		})
		if left--; i < 0 || probes[i].Mark != a.Mark {
			return fmt.Errorf("%s: the grade of its answer is missing or another", toldOf(a))
		}
		if err := g.regrade(item, a, probes[i]); err != nil {
			return err
		}
	}
	if left != 0 {
		return fmt.Errorf("%d grades are of no answer, or there twice", left)
	}
	return nil
}

func (g *gate) regrade(item *pipeline.Item, a, p schemas.Probe) error {
	sheet, err := g.grader.Grade(item, a.Answer)
	if err == nil {
		err = wellFormed(p)
	}
	if err == nil && p.Mark != schemas.MarkFailed {
		answer, mark, _ := sheet.Read(p.Response)
		err = differs(p, answer, mark)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", toldOf(p), err)
	}
	return nil
}

func toldOf(p schemas.Probe) string {
	return fmt.Sprintf("probe %s of %s, rotation %d, run %d", p.View, p.Role, p.Rotation, p.Run)
}

// marks places every probe. What a response says is read again where the item
// is known.
func (g *gate) marks(item *pipeline.Item, views []string, probes []schemas.Probe) ([]protocol.Mark, error) {
	marks := make([]protocol.Mark, len(views)*g.perView())
	shown := map[placed]string{}
	for _, p := range probes {
		v, who := slices.Index(views, p.View), slices.Index(g.Roles, p.Role)
		if v < 0 || p.View == "" || who < 0 || p.Rotation < 0 || int(p.Rotation) >= g.Rotations || p.Run < 0 || int(p.Run) >= g.Runs {
			return nil, fmt.Errorf("%s: the protocol has no such call", toldOf(p))
		}
		at := v*g.perView() + (who*g.Rotations+int(p.Rotation))*g.Runs + int(p.Run)
		if marks[at] != protocol.Unasked {
			return nil, fmt.Errorf("%s: it is there twice", toldOf(p))
		}
		if err := g.consistent(item, p); err != nil {
			return nil, fmt.Errorf("%s: %w", toldOf(p), err)
		}
		place := placed{v, int(p.Rotation)}
		if other, known := shown[place]; known && other != p.ViewDigest {
			return nil, fmt.Errorf("%s: another call under its view was shown something else", toldOf(p))
		}
		marks[at], shown[place] = markOf(p.Mark), p.ViewDigest
	}
	if i := slices.Index(marks, protocol.Unasked); g.cfg.FullProtocol && i >= 0 {
		return nil, fmt.Errorf("the gate is set to the full protocol, and of its %d calls %d were made", len(marks), len(probes))
	}
	return marks, g.followed(marks, len(probes))
}

// followed wants a gate that asks in turn to have asked no more than it had to.
func (g *gate) followed(marks []protocol.Mark, made int) error {
	if !g.InTurn || g.cfg.FullProtocol {
		return nil
	}
	_, again, err := protocol.Run(g.rule(len(marks)/g.perView()), inTurn(len(marks)), false, func(call int) (protocol.Mark, error) { return marks[call], nil })
	for _, m := range again {
		if m != protocol.Unasked {
			made--
		}
	}
	if err == nil && made != 0 {
		return errors.New("a call was made though the one before had decided")
	}
	return err
}

// wellFormed holds mark, answer and reason of a probe against each other.
func wellFormed(p schemas.Probe) error {
	switch {
	case !slices.Contains([]string{schemas.MarkRight, schemas.MarkWrong, schemas.MarkFailed}, p.Mark):
		return fmt.Errorf("the mark %q is none", p.Mark)
	case p.Mark == schemas.MarkFailed && (p.Reason == "" || p.Answer != ""):
		return errors.New("it failed, so it must have a reason and no answer")
	case p.Mark != schemas.MarkFailed && p.Reason != "":
		return errors.New("it has an answer and yet a reason why there is none")
	}
	return nil
}

// consistent holds a probe's answer and mark against its response.
func (g *gate) consistent(item *pipeline.Item, p schemas.Probe) error {
	if g.grader != nil && p.Answer != "" && p.Mark == schemas.MarkFailed {
		p.Mark = "" // it is the grade that failed
	} else if err := wellFormed(p); err != nil || p.Mark == schemas.MarkFailed {
		return err
	}
	if item == nil {
		return g.Form.Reread(p)
	}
	sheet, err := g.sheet(item, p.View, int(p.Rotation))
	if err != nil {
		return err
	}
	answer, mark, _ := sheet.Read(p.Response)
	return differs(p, answer, mark)
}

// verdict is what follows from the marks.
func (g *gate) verdict(views []string, probes []schemas.Probe, marks []protocol.Mark) (pipeline.Judgement, error) {
	value := g.rule(len(views)).Value(marks)
	if (value == protocol.True || value == protocol.False) && unread(probes) {
		return pipeline.Insufficient.Because("unread", "the built-in reader looked and could make nothing out"), nil
	}
	if value == protocol.True && g.Able && guessed(probes) {
		return pipeline.Insufficient.Because("guessed", "the built-in guesser looks at no picture and follows no text; that it does not find the answer says nothing"), nil
	}
	switch value {
	case protocol.False:
		return pipeline.Judgement{Outcome: pipeline.Pass}, nil
	case protocol.Broken:
		failed := slices.DeleteFunc(slices.Clone(probes), func(p schemas.Probe) bool { return p.Mark != schemas.MarkFailed })
		return pipeline.GateError.Because("unanswered", "%d of %d calls gave no usable answer, and the verdict rests on them; the first: %s", len(failed), len(probes), failed[0].Reason), nil
	case protocol.Open:
		return pipeline.Judgement{}, fmt.Errorf("%d of %d calls leave the verdict open", len(probes), len(marks))
	}
	if g.Explain != nil {
		code, reason, err := g.Explain(probes)
		return pipeline.Judgement{Outcome: pipeline.Fail, Code: code, Reason: reason}, err
	}
	told := g.Told
	if strings.Contains(told, "%s") {
		told = fmt.Sprintf(told, strings.Join(g.witnesses(views, marks), " or "))
	}
	j := pipeline.Fail.Because(g.Code, "%s", told)
	if g.Relabel != nil {
		j.Relabel = g.Relabel(len(views), probes)
	}
	return j, nil
}

// witnesses tell the views under which the rule holds by itself.
func (g *gate) witnesses(views []string, marks []protocol.Mark) (out []string) {
	for v, calls := range g.calls(len(views) - len(g.Controls)) {
		if g.Rule([]protocol.Calls{calls}).Value(marks) == protocol.True {
			out = append(out, view.Words(views[v]))
		}
	}
	return out
}
