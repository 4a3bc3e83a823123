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
func (g *gate) Recompute(item *schemas.Question, probes []schemas.Probe, full int) (pipeline.Judgement, error) {
	if full == 0 && len(probes) == 0 {
		return g.unasked(item)
	}
	views, err := g.viewsAsked(item, probes, full)
	if err != nil {
		return pipeline.Judgement{}, err
	}
	probes = slices.SortedFunc(slices.Values(probes), inOrder)
	marks, err := g.marks(item, views, probes)
	if err != nil {
		return pipeline.Judgement{}, err
	}
	j, err := g.verdict(views, probes, marks)
	j.Probes, j.CallsFull = probes, full
	return j, err
}

// Views implements pipeline.Viewer.
func (g *gate) Views(item *schemas.Question) []string {
	views, _ := g.settle(item)
	return views
}

// Show implements pipeline.Viewer.
func (g *gate) Show(item *schemas.Question, name string, rotation int) (pipeline.Shown, error) {
	s, err := g.see(item, name, rotation)
	if err != nil {
		return pipeline.Shown{}, err
	}
	digest, err := s.Digest()
	return pipeline.Shown{Digest: digest, Pictures: s.Pictures(), Full: s.FullPictures()}, err
}

// First implements pipeline.Starter.
func (g *gate) First(scope *pipeline.Scope, item *schemas.Question) (call schemas.Probe, ok bool) {
	views, settled := g.settle(item)
	if settled != nil {
		return schemas.Probe{}, false
	}
	enough := errors.New("one call is enough")
	_, _, err := protocol.Run(g.rule(len(views)), g.drawn(scope, item.QuestionID, len(views)), g.cfg.FullProtocol, func(at int) (protocol.Mark, error) {
		v := at / g.perView()
		who, rotation, run := g.calls(v + 1)[v].Place(at)
		call = schemas.Probe{View: views[v], Role: g.roles[who], Rotation: int32(rotation), Run: int32(run)}
		return protocol.Unasked, enough
	})
	return call, errors.Is(err, enough)
}

// inOrder sorts as the probes table does.
func inOrder(a, b schemas.Probe) int {
	return cmp.Or(cmp.Compare(a.View, b.View), cmp.Compare(a.Role, b.Role), cmp.Compare(a.Rotation, b.Rotation), cmp.Compare(a.Run, b.Run))
}

// unasked is the judgement of an item about which nothing was asked.
func (g *gate) unasked(item *schemas.Question) (pipeline.Judgement, error) {
	if item == nil {
		return pipeline.Judgement{}, pipeline.ErrNeedsItem
	}
	views, j := g.settle(item)
	if j == nil {
		return pipeline.Judgement{}, fmt.Errorf("nothing was asked about an item that %s asks about under %s", g.name, strings.Join(views, ", "))
	}
	return *j, nil
}

// viewsAsked are the views of the protocol. Without the item, those that nothing
// was asked under have no name.
func (g *gate) viewsAsked(item *schemas.Question, probes []schemas.Probe, full int) ([]string, error) {
	if item != nil {
		views, j := g.settle(item)
		if j != nil {
			return nil, fmt.Errorf("%s asks nothing about such an item (%s)", g.name, j.Reason)
		}
		if len(views)*g.perView() != full {
			return nil, fmt.Errorf("the full protocol has %d calls, not %d", len(views)*g.perView(), full)
		}
		return views, nil
	}
	n := full/g.perView() - len(g.controls)
	if full%g.perView() != 0 || n < 1 {
		return nil, fmt.Errorf("the full protocol cannot have %d calls: each view takes %d", full, g.perView())
	}
	var seen []string
	for _, p := range probes {
		if !slices.Contains(seen, p.View) && !slices.Contains(g.controls, p.View) {
			seen = append(seen, p.View)
		}
		kind, argument, parts := strings.Cut(p.View, ":")
		if !slices.Contains(g.controls, p.View) && (kind != g.view || parts != (argument != "") || !parts && n != 1) {
			return nil, fmt.Errorf("%s does not ask under the view %q", g.name, p.View)
		}
	}
	if len(seen) > n {
		return nil, fmt.Errorf("%d views were asked under, and the full protocol has %d", len(seen), n)
	}
	slices.Sort(seen)
	return slices.Concat(seen, make([]string, n-len(seen)), g.controls), nil
}

// marks places every probe. What a response says is read again where the item
// is known.
func (g *gate) marks(item *schemas.Question, views []string, probes []schemas.Probe) ([]protocol.Mark, error) {
	marks := make([]protocol.Mark, len(views)*g.perView())
	for _, p := range probes {
		told := fmt.Sprintf("probe %s of %s, rotation %d, run %d", p.View, p.Role, p.Rotation, p.Run)
		v, who := slices.Index(views, p.View), slices.Index(g.roles, p.Role)
		if v < 0 || p.View == "" || who < 0 || p.Rotation < 0 || int(p.Rotation) >= g.rotations || p.Run < 0 || int(p.Run) >= g.runs {
			return nil, fmt.Errorf("%s: the protocol has no such call", told)
		}
		at := v*g.perView() + (who*g.rotations+int(p.Rotation))*g.runs + int(p.Run)
		if marks[at] != protocol.Unasked {
			return nil, fmt.Errorf("%s: it is there twice", told)
		}
		if err := g.consistent(item, p); err != nil {
			return nil, fmt.Errorf("%s: %w", told, err)
		}
		marks[at] = markOf(p.Mark)
	}
	return marks, nil
}

// consistent holds a probe's answer and mark against its response.
func (g *gate) consistent(item *schemas.Question, p schemas.Probe) error {
	switch {
	case !slices.Contains([]string{schemas.MarkRight, schemas.MarkWrong, schemas.MarkFailed}, p.Mark):
		return fmt.Errorf("the mark %q is none", p.Mark)
	case p.Mark == schemas.MarkFailed && (p.Reason == "" || p.Answer != ""):
		return errors.New("it failed, so it must have a reason and no answer")
	case p.Mark == schemas.MarkFailed:
		return nil
	case p.Reason != "":
		return errors.New("it has an answer and yet a reason why there is none")
	case g.form == formAnswer && item == nil:
		return nil
	}
	if answer, mark, _ := g.read(item, p.Response, int(p.Rotation)); answer != p.Answer || mark != p.Mark {
		return fmt.Errorf("its response says %q, which is %s, and not %q, %s", answer, mark, p.Answer, p.Mark)
	}
	return nil
}

// verdict is what follows from the marks.
func (g *gate) verdict(views []string, probes []schemas.Probe, marks []protocol.Mark) (pipeline.Judgement, error) {
	switch g.rule(len(views)).Value(marks) {
	case protocol.False:
		return pipeline.Judgement{Outcome: pipeline.Pass}, nil
	case protocol.Broken:
		failed := slices.DeleteFunc(slices.Clone(probes), func(p schemas.Probe) bool { return p.Mark != schemas.MarkFailed })
		return gateError("unanswered", "%d of %d calls gave no usable answer, and the verdict rests on them; the first: %s", len(failed), len(probes), failed[0].Reason), nil
	case protocol.Open:
		return pipeline.Judgement{}, fmt.Errorf("%d of %d calls leave the verdict open", len(probes), len(marks))
	}
	told := g.told
	if strings.Contains(told, "%s") {
		told = fmt.Sprintf(told, strings.Join(g.witnesses(views, marks), " or "))
	}
	j := fail(g.code, "%s", told)
	if g.relabel != nil {
		offering(j, g.relabel(len(views)))
	}
	return *j, nil
}

// witnesses tell the views under which the rule holds by itself.
func (g *gate) witnesses(views []string, marks []protocol.Mark) (out []string) {
	for v, calls := range g.calls(len(views) - len(g.controls)) {
		if g.flagged([]protocol.Calls{calls}).Value(marks) == protocol.True {
			out = append(out, view.Words(views[v]))
		}
	}
	return out
}
