package panel

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/gates/protocol"
	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// outcomes visits every assignment of marks to n calls where there are at most
// 3^8, else 2,000 that are drawn: of these, all values of a rule come up because
// each has its own chances.
func outcomes(n int, visit func(rnd *rand.Rand, marks []protocol.Mark)) {
	marks := make([]protocol.Mark, n)
	if n <= 8 {
		total := 1
		for range n {
			total *= 3
		}
		for code := range total {
			for i, c := 0, code; i < n; i, c = i+1, c/3 {
				marks[i] = protocol.Right + protocol.Mark(c%3)
			}
			visit(rand.New(rand.NewPCG(1, uint64(code))), marks)
		}
		return
	}
	for k := range 2000 {
		rnd := rand.New(rand.NewPCG(2, uint64(k)))
		right, failed := []float64{0.3, 0.9, 1}[k%3], []float64{0, 0.1, 0.4}[k/3%3]
		for i := range marks {
			switch {
			case rnd.Float64() < failed:
				marks[i] = protocol.Failed
			case rnd.Float64() < right:
				marks[i] = protocol.Right
			default:
				marks[i] = protocol.Wrong
			}
		}
		visit(rnd, marks)
	}
}

// probesOf writes marks down as a gate does; unasked calls have no probe.
func (g *gate) probesOf(views []string, marks []protocol.Mark) (out []schemas.Probe) {
	for _, call := range slices.Concat(g.calls(len(views))...) {
		m := marks[call.Index]
		if m == protocol.Unasked {
			continue
		}
		p := newProbe(views, call)
		p.Mark, p.Reason = schemas.MarkFailed, "model-refusal: no"
		if m != protocol.Failed {
			yes := m == protocol.Right
			p.Reason, p.Mark = "", map[bool]string{true: schemas.MarkRight, false: schemas.MarkWrong}[yes]
			p.Answer = map[bool]string{true: "yes", false: "no"}[yes]
			p.Response = fmt.Sprintf(`{"why":"so","supported":%q}`, p.Answer)
			if g.View == view.Full {
				p.Answer = map[bool]string{true: "yes", false: "ambiguous"}[yes]
				p.Response = fmt.Sprintf(`{"why":"so","answerable":"yes","unambiguous":%q,"grammatical":"yes","self_contained":"yes"}`, map[bool]string{true: "yes", false: "no"}[yes])
			}
			if g.View == view.Labelling {
				values := g.Form.(*labelForm).values
				p.Answer = map[bool]string{true: values[0].Value, false: values[1].Value}[yes]
				p.Response = fmt.Sprintf(`{"why":"so","value":%q}`, p.Answer)
			}
		}
		if g.grader != nil && m != protocol.Failed {
			grade := p
			grade.View, grade.Role, grade.Response = gradeView(p), roleJudge, fmt.Sprintf(`{"why":"so","correct":%q}`, p.Answer)
			p.Answer, p.Response = "green", `{"why":"so","answer":"green"}`
			out = append(out, grade)
		}
		out = append(out, p)
	}
	return out
}

// TestEverySequentialVerdictIsTheFullOne runs the protocol of every gate, as it
// is defined, over all outcomes, with one part of evidence, two and three. The
// verdict must be that of the full protocol, and must recompute from the probes
// that were made, shuffled, without the item.
func TestEverySequentialVerdictIsTheFullOne(t *testing.T) {
	for _, d := range definitions() {
		g := build(t, d.Name, "{}")
		for parts := 1; parts <= 3; parts++ {
			views := namedViews(g, parts)
			if views == nil {
				continue
			}
			calls := g.calls(len(views))
			n, made, full := len(views)*g.callsPerView(), 0, 0
			seen := map[pipeline.Outcome]int{}
			outcomes(n, func(rnd *rand.Rand, marks []protocol.Mark) {
				shown := make([]string, len(views))
				for v := range shown {
					shown[v] = fmt.Sprint(rnd.Uint64())
				}
				whole, err := g.verdict(views, calls, g.probesOf(views, marks), marks)
				if err != nil {
					t.Fatalf("%s over %d views: the full protocol leaves it open: %v", g.Name, len(views), err)
				}
				_, asked, err := protocol.Run(g.rule(calls), g.orderCalls(calls, shown), false, func(c protocol.Call) (protocol.Mark, error) { return marks[c.Index], nil })
				if err != nil {
					t.Fatal(err)
				}
				probes := g.probesOf(views, asked)
				rnd.Shuffle(len(probes), func(i, j int) { probes[i], probes[j] = probes[j], probes[i] })
				j, err := g.Recompute(nil, probes, g.fullCalls(len(views)))
				if err != nil || j.Outcome != whole.Outcome || j.Code != whole.Code {
					t.Fatalf("%s over %d views, %v: sequential %s %s (%v), full %s %s", g.Name, len(views), marks, j.Outcome, j.Code, err, whole.Outcome, whole.Code)
				}
				seen[j.Outcome]++
				made, full = made+len(probes), full+g.fullCalls(len(views))
			})
			if seen[pipeline.Pass] == 0 || seen[pipeline.Fail] == 0 || seen[pipeline.GateError] == 0 {
				t.Errorf("%s over %d views: outcomes %v; all three should come up", g.Name, len(views), seen)
			}
			if made >= full && g.callsPerView() > 1 {
				t.Errorf("%s over %d views asks everything", g.Name, len(views))
			}
		}
	}
}

// namedViews are views as an item with so many parts has them.
func namedViews(g *gate, parts int) (views []string) {
	switch {
	case typicalViews(g.View) == 1 && parts > 1, parts < g.MinViews, g.View == "only_source" && parts < 2:
		return nil
	case typicalViews(g.View) == 1:
		views = []string{g.View}
	default:
		for i := range parts {
			views = append(views, fmt.Sprintf("%s:%d", g.View, i+1))
		}
	}
	return append(views, g.Controls...)
}

func TestRecomputeRefusesWhatCannotBe(t *testing.T) {
	b := newBench(t)
	b.ask(reader(t, "green", "Ann owns", "is green"))
	q := item("q")
	got := b.judge("answerable-alone", "", q)
	g := build(t, "answerable-alone", "{}")
	full := int(got.CallsFull)
	for name, tc := range map[string]struct {
		edit func([]schemas.Probe) []schemas.Probe
		full int
		want string
	}{
		"missing probe":    {func(p []schemas.Probe) []schemas.Probe { return p[1:] }, full, "open"},
		"none at all":      {func([]schemas.Probe) []schemas.Probe { return nil }, full, "open"},
		"twice":            {func(p []schemas.Probe) []schemas.Probe { return append(p, p[0]) }, full, "twice"},
		"other full":       {func(p []schemas.Probe) []schemas.Probe { return p }, full + 1, "full protocol"},
		"one view":         {func(p []schemas.Probe) []schemas.Probe { return p }, 4, "full protocol"},
		"foreign view":     {func(p []schemas.Probe) []schemas.Probe { p[0].View = "without:1"; return p }, full, ""},
		"no such rotation": {func(p []schemas.Probe) []schemas.Probe { p[0].Rotation = 4; return p }, full, "no such call"},
		"foreign role":     {func(p []schemas.Probe) []schemas.Probe { p[0].Role = roleB; return p }, full, "no such call"},
		"no mark":          {func(p []schemas.Probe) []schemas.Probe { p[0].Mark = "good"; return p }, full, "mark"},
		"two answers":      {func(p []schemas.Probe) []schemas.Probe { p[0].Reason = "odd"; return p }, full, "reason"},
		"failed with one":  {func(p []schemas.Probe) []schemas.Probe { p[0].Mark = schemas.MarkFailed; return p }, full, "failed"},
	} {
		for _, item := range []*pipeline.Item{itemOf(&q), nil} {
			_, err := g.Recompute(item, tc.edit(slices.Clone(got.probes)), tc.full)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s, item known: %v: %v", name, item != nil, err)
			}
		}
	}
	for name, edit := range map[string]func(*schemas.Probe){
		"another mark":     func(p *schemas.Probe) { p.Mark = schemas.MarkRight },
		"another answer":   func(p *schemas.Probe) { p.Answer = "a" },
		"another response": func(p *schemas.Probe) { p.Response = `{"why":"x","answer":"B"}` },
		"another rotation": func(p *schemas.Probe) { p.Rotation = (p.Rotation + 1) % 4; p.Response = `{"why":"x","answer":"B"}` },
	} {
		probes := slices.Clone(got.probes)
		edit(&probes[0])
		if _, err := g.Recompute(itemOf(&q), probes, full); err == nil || !strings.Contains(err.Error(), "response") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := g.Recompute(nil, nil, 0); !errors.Is(err, pipeline.ErrNeedsItem) {
		t.Errorf("without anything: %v", err)
	}
	if _, err := g.Recompute(itemOf(&q), nil, 0); err == nil {
		t.Error("an item that must be asked about was judged without probes")
	}
	bare := item("q")
	bare.Evidence = nil
	if _, err := g.Recompute(itemOf(&bare), got.probes, full); err == nil {
		t.Error("probes of an item without evidence were taken")
	}
	if v := g.Views(itemOf(&q)); len(v) != 2 || g.Views(itemOf(&bare)) != nil {
		t.Errorf("views %v", v)
	}
}
