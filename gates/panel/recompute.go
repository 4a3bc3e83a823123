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
		return g.judgeUnasked(item)
	}
	views, err := g.probedViews(item, probes, full)
	if err != nil {
		return pipeline.Judgement{}, err
	}
	probes = slices.SortedFunc(slices.Values(probes), schemas.CompareProbes)
	answers := slices.DeleteFunc(slices.Clone(probes), isGrade)
	if err := g.checkGrades(item, answers, probes); err != nil {
		return pipeline.Judgement{}, err
	}
	calls := g.calls(len(views))
	marks, err := g.probeMarks(item, views, calls, answers)
	if err != nil {
		return pipeline.Judgement{}, err
	}
	j, err := g.verdict(views, calls, answers, marks)
	j.Probes, j.CallsFull = probes, full
	return j, err
}

// Views implements pipeline.Viewer.
func (g *gate) Views(item *pipeline.Item) []string {
	views, _ := g.selectViews(item)
	return views
}

// Show implements pipeline.Viewer.
func (g *gate) Show(item *pipeline.Item, p schemas.Probe, probes []schemas.Probe) (pipeline.ShownView, error) {
	s, err := g.probePrompt(item, p, probes)
	if err != nil {
		return pipeline.ShownView{}, err
	}
	digest, err := s.digest()
	return pipeline.ShownView{Digest: digest, Pictures: s.MaxPictures, FullPictures: s.FullPictures}, err
}

func (g *gate) probePrompt(item *pipeline.Item, p schemas.Probe, probes []schemas.Probe) (Prompt, error) {
	if g.grader == nil || !isGrade(p) {
		if views := g.Views(item); !slices.Contains(views, p.View) {
			return Prompt{}, fmt.Errorf("the gate shows the item under %s", cmp.Or(strings.Join(views, ", "), "no view"))
		}
		return g.buildPrompt(item, p.View, int(p.Rotation))
	}
	i := slices.IndexFunc(probes, func(a schemas.Probe) bool {
		return gradeView(a) == p.View && a.Rotation == p.Rotation && a.Sample == p.Sample
	})
	if i < 0 {
		return Prompt{}, errors.New("it grades an answer that is not there")
	}
	return g.grader.GradePrompt(item, probes[i].Answer)
}

// Label implements pipeline.Labeller.
func (g *gate) Label(item *pipeline.Item) (name, value string, ok bool) {
	if f, is := g.Form.(*labelForm); is {
		name, value = f.itemLabel(item)
		return name, value, value != ""
	}
	return "", "", false
}

// AnswerView implements pipeline.Solver.
func (g *gate) AnswerView() string {
	if q, ok := g.Form.(*questionForm); ok && q.propose || g.View == view.Labelling || g.Accepts != schemas.NameQuestion || typicalViews(g.View) > 1 {
		return ""
	}
	return g.View
}

// FirstCall implements pipeline.Starter.
func (g *gate) FirstCall(_ *pipeline.Scope, item *pipeline.Item) (call schemas.Probe, ok bool) {
	views, settled := g.selectViews(item)
	if settled.Outcome != "" {
		return schemas.Probe{}, false
	}
	enough := errors.New("one call is enough")
	calls := g.calls(len(views))
	order, err := g.orderOf(item, views, calls)
	if err != nil {
		return schemas.Probe{}, false
	}
	_, _, err = protocol.Run(g.rule(calls), order, g.cfg.FullProtocol, func(c protocol.Call) (protocol.Mark, error) {
		call = newProbe(views, c)
		return protocol.Unasked, enough
	})
	return call, errors.Is(err, enough)
}

func (g *gate) judgeUnasked(item *pipeline.Item) (pipeline.Judgement, error) {
	if item == nil {
		return pipeline.Judgement{}, pipeline.ErrNeedsItem
	}
	views, j := g.selectViews(item)
	if j.Outcome == "" && g.ByRule != nil {
		return g.ByRule(item), nil
	}
	if j.Outcome == "" {
		return j, fmt.Errorf("nothing was asked about an item that %s asks about under %s", g.Name, strings.Join(views, ", "))
	}
	return j, nil
}

// probedViews returns the views of the protocol. Without the item, views without probes have
// no name.
func (g *gate) probedViews(item *pipeline.Item, probes []schemas.Probe, full int) ([]string, error) {
	if item != nil {
		views, j := g.selectViews(item)
		if j.Outcome != "" {
			return nil, fmt.Errorf("%s asks nothing about such an item (%s)", g.Name, j.Reason)
		}
		if g.fullCalls(len(views)) != full {
			return nil, fmt.Errorf("the full protocol has %d calls, not %d", g.fullCalls(len(views)), full)
		}
		return views, nil
	}
	n := full/g.fullCalls(1) - len(g.Controls)
	if full%g.fullCalls(1) != 0 || n < 1 {
		return nil, fmt.Errorf("the full protocol cannot have %d calls: each view takes %d", full, g.fullCalls(1))
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

// checkGrades wants one grade for each answer that needs it, with its mark, and no other.
func (g *gate) checkGrades(item *pipeline.Item, answers, probes []schemas.Probe) error {
	left := len(probes) - len(answers)
	if g.grader == nil && left > 0 {
		return fmt.Errorf("%s has no answers graded", g.Name)
	}
	for _, a := range answers {
		if g.grader == nil || a.Answer == "" || a.Answer == answerUnknown {
			continue
		}
		i := slices.IndexFunc(probes, func(p schemas.Probe) bool {
			return p.View == gradeView(a) && p.Role == roleJudge && p.Rotation == a.Rotation && p.Sample == a.Sample
		})
		if left--; i < 0 || probes[i].Mark != a.Mark {
			return fmt.Errorf("%s: the grade of its answer is missing or another", describeProbe(a))
		}
		if err := g.checkGrade(item, a, probes[i]); err != nil {
			return err
		}
	}
	if left != 0 {
		return fmt.Errorf("%d grades are of no answer, or there twice", left)
	}
	return nil
}

func (g *gate) checkGrade(item *pipeline.Item, a, p schemas.Probe) error {
	sheet, err := g.grader.GradePrompt(item, a.Answer)
	if err == nil {
		err = checkProbeFields(p)
	}
	if err == nil && p.Mark != schemas.MarkFailed {
		answer, mark, _ := sheet.Read(p.Response)
		err = compareProbe(p, answer, mark)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", describeProbe(p), err)
	}
	return nil
}

func describeProbe(p schemas.Probe) string {
	return fmt.Sprintf("probe %s of %s, rotation %d, run %d", p.View, p.Role, p.Rotation, p.Sample)
}

// probeMarks returns the marks of probes by the index of their calls. Where the item is
// known, it reads responses again.
func (g *gate) probeMarks(item *pipeline.Item, views []string, calls [][]protocol.Call, probes []schemas.Probe) ([]protocol.Mark, error) {
	marks := make([]protocol.Mark, len(views)*g.callsPerView())
	shown := map[viewRotation]string{}
	for _, p := range probes {
		call, ok := findCall(views, calls, p)
		if !ok {
			return nil, fmt.Errorf("%s: the protocol has no such call", describeProbe(p))
		}
		if marks[call.Index] != protocol.Unasked {
			return nil, fmt.Errorf("%s: it is there twice", describeProbe(p))
		}
		if err := g.checkProbe(item, p, g.unusableBefore(p, probes)); err != nil {
			return nil, fmt.Errorf("%s: %w", describeProbe(p), err)
		}
		at := viewRotation{call.View, call.Rotation}
		if other, known := shown[at]; known && other != p.ViewDigest {
			return nil, fmt.Errorf("%s: another call under its view was shown something else", describeProbe(p))
		}
		marks[call.Index], shown[at] = markOf(p.Mark), p.ViewDigest
	}
	if g.cfg.FullProtocol && slices.Contains(marks, protocol.Unasked) {
		return nil, fmt.Errorf("the gate is set to the full protocol, and of its %d calls %d were made", len(marks), len(probes))
	}
	return marks, g.checkInTurn(calls, marks, len(probes))
}

func findCall(views []string, calls [][]protocol.Call, p schemas.Probe) (protocol.Call, bool) {
	v := slices.Index(views, p.View)
	if v < 0 || p.View == "" {
		return protocol.Call{}, false
	}
	i := slices.IndexFunc(calls[v], func(c protocol.Call) bool {
		return c.Role == p.Role && c.Rotation == int(p.Rotation) && c.Sample == int(p.Sample)
	})
	if i < 0 {
		return protocol.Call{}, false
	}
	return calls[v][i], true
}

// checkInTurn wants a gate that asks in turn to have asked no more than it had to.
func (g *gate) checkInTurn(calls [][]protocol.Call, marks []protocol.Mark, made int) error {
	if !g.InTurn || g.cfg.FullProtocol {
		return nil
	}
	_, again, err := protocol.Run(g.rule(calls), slices.Concat(calls...), false, func(c protocol.Call) (protocol.Mark, error) { return marks[c.Index], nil })
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

func checkProbeFields(p schemas.Probe) error {
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

// unusableBefore returns the responses that a gate which asks in turn could not use since the last
// one that it could, before a probe.
func (g *gate) unusableBefore(p schemas.Probe, sorted []schemas.Probe) (out []string) {
	for _, o := range sorted {
		switch {
		case !g.InTurn || o.View != p.View || o.Role != p.Role || o.Rotation != p.Rotation || o.Sample >= p.Sample:
		case o.Mark == schemas.MarkFailed:
			out = append(out, o.Response)
		default:
			out = nil
		}
	}
	return out
}

func (g *gate) checkProbe(item *pipeline.Item, p schemas.Probe, earlier []string) error {
	if g.grader != nil && p.Answer != "" && p.Mark == schemas.MarkFailed {
		p.Mark = "" // it is the grade that failed
	} else if err := checkProbeFields(p); err != nil || p.Mark == schemas.MarkFailed {
		return err
	}
	if item == nil {
		return g.Form.CheckProbe(p, earlier)
	}
	sheet, err := g.buildPrompt(item, p.View, int(p.Rotation))
	if err != nil {
		return err
	}
	if len(earlier) > 0 && sheet.Continue != nil {
		sheet = sheet.Continue(earlier)
	}
	answer, mark, _ := sheet.Read(p.Response)
	return compareProbe(p, answer, mark)
}

func (g *gate) verdict(views []string, calls [][]protocol.Call, probes []schemas.Probe, marks []protocol.Mark) (pipeline.Judgement, error) {
	value := g.rule(calls).Value(marks)
	if (value == protocol.True || value == protocol.False) && allUnreadable(probes) {
		return pipeline.Insufficient.Because("unread", "the built-in reader looked and could make nothing out"), nil
	}
	if value == protocol.True && g.NeedsAbility && allGuessed(probes) {
		return pipeline.Insufficient.Because("guessed", "the built-in guesser looks at no picture and follows no text; that it does not find the answer says nothing"), nil
	}
	switch value {
	case protocol.False:
		if i := slices.IndexFunc(probes, func(p schemas.Probe) bool { return p.Pictures < p.PicturesFull }); g.Rest && i >= 0 {
			return pipeline.Judgement{Outcome: pipeline.Pass, Reason: fmt.Sprintf("thinned: %d of %d pictures were shown, so that no other answer fits was tested on a part", probes[i].Pictures, probes[i].PicturesFull)}, nil
		}
		return pipeline.Judgement{Outcome: pipeline.Pass}, nil
	case protocol.Broken:
		failed := slices.DeleteFunc(slices.Clone(probes), func(p schemas.Probe) bool { return p.Mark != schemas.MarkFailed })
		return pipeline.GateError.Because(pipeline.CodeUnanswered, "%d of %d calls gave no usable answer, and the verdict rests on them; the first: %s", len(failed), len(probes), failed[0].Reason), nil
	case protocol.Open:
		return pipeline.Judgement{}, fmt.Errorf("%d of %d calls leave the verdict open", len(probes), len(marks))
	}
	if g.Explain != nil {
		code, reason, err := g.Explain(probes)
		return pipeline.Judgement{Outcome: pipeline.Fail, Code: code, Reason: reason}, err
	}
	told := g.Message
	if strings.Contains(told, "%s") {
		told = fmt.Sprintf(told, strings.Join(g.decidingViews(views, calls, marks), " or "))
	}
	j := pipeline.Fail.Because(g.Code, "%s", told)
	if g.Relabel != nil {
		j.Relabel = g.Relabel(len(views), probes)
	}
	return j, nil
}

// decidingViews tell the views under which the rule holds by itself.
func (g *gate) decidingViews(views []string, calls [][]protocol.Call, marks []protocol.Mark) (out []string) {
	for v, own := range calls[:len(calls)-len(g.Controls)] {
		if g.Rule([][]protocol.Call{own}).Value(marks) == protocol.True {
			out = append(out, view.Describe(views[v]))
		}
	}
	return out
}
