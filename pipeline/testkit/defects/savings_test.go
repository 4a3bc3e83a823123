package defects_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/defects"
	"github.com/memforge/memforge/schemas"
)

// spent is how many calls a set takes.
type spent struct {
	// Asked until the verdict is final, and with the full protocol.
	sequential, full int
}

func (s spent) share() float64 { return float64(s.sequential) / float64(max(1, s.full)) }

func (s spent) String() string {
	return fmt.Sprintf("%6d of %6d calls, %4.1f %%", s.sequential, s.full, 100*s.share())
}

// account is what the gates of the chain asked about some items, each gate on
// its own.
type account map[string]struct{ sequential, full judged }

// accountOf asks everything once and as much as is needed once, and wants the
// same verdicts.
func (b bench) accountOf(t testing.TB, panel brain, host string) account {
	t.Helper()
	panel.sit(t, b.house, host)
	out := account{}
	for _, gate := range chain {
		a := out[gate]
		a.sequential = b.house.judge(t, gate, configured(gate, false))
		a.full = b.house.judge(t, gate, configured(gate, true))
		for i, v := range a.full.verdicts {
			w := a.sequential.verdicts[i]
			if v.Outcome != w.Outcome {
				t.Errorf("%s on %s: %s after %d calls, and %s after all %d", gate, b.items[i].Question.QuestionID, w.Outcome, w.CallsMade, v.Outcome, v.CallsMade)
			}
			if v.CallsFull != v.CallsMade || v.CallsFull != w.CallsFull || w.CallsMade > v.CallsMade {
				t.Errorf("%s on %s: %d and %d calls of %d and %d", gate, b.items[i].Question.QuestionID, w.CallsMade, v.CallsMade, w.CallsFull, v.CallsFull)
			}
		}
		out[gate] = a
	}
	return out
}

// ofGate is what a gate takes for the items that keep takes.
func (a account) ofGate(gate string, items []defects.Item, keep func(defects.Item) bool) (s spent) {
	for i, it := range items {
		if keep(it) {
			s.sequential += int(a[gate].sequential.verdicts[i].CallsMade)
			s.full += int(a[gate].full.verdicts[i].CallsMade)
		}
	}
	return s
}

// ofChain is what the chain takes: an item that a gate flags goes no further.
// all is the full protocol of every gate on every item, stopping the full
// protocol of the gates up to the first that flags.
func (a account) ofChain(order []string, items []defects.Item, keep func(defects.Item) bool) (all, stopping spent) {
	for i, it := range items {
		if !keep(it) {
			continue
		}
		out := false
		for _, gate := range order {
			v := a[gate].sequential.verdicts[i]
			all.full += int(v.CallsFull)
			if out {
				continue
			}
			all.sequential += int(v.CallsMade)
			stopping.sequential += int(v.CallsMade)
			stopping.full += int(v.CallsFull)
			out = v.Outcome == schemas.Fail
		}
	}
	return all, stopping
}

func every(defects.Item) bool { return true }

func clean(it defects.Item) bool { return it.Defect == "" }

// sequentialIsFull holds every gate's verdicts against those of the full
// protocol, where models err.
func (b bench) sequentialIsFull(t *testing.T) {
	a := b.accountOf(t, noisy, "noisy.invalid")
	flagged := 0
	for _, gate := range chain {
		for _, f := range a[gate].full.flags() {
			if f {
				flagged++
			}
		}
	}
	if flagged < 30 {
		t.Errorf("%d verdicts of all gates are fail; that many are not enough to compare", flagged)
	}
	all, stopping := a.ofChain(chain, b.items, every)
	t.Logf("%v; with full protocols that stop at a flag %v", all, stopping)
	if all.share() > 0.3 {
		t.Errorf("the chain takes %v, want at most 30 %%", all)
	}
}

// BenchmarkSavings compares the calls of the sequential protocol with those of
// the full one, on the planted set and on its clean items: of each gate alone,
// and of the chain, in which a flagged item stops.
func BenchmarkSavings(b *testing.B) {
	for _, name := range []string{"competent", "noisy"} {
		panel := map[string]brain{"noisy": noisy}[name]
		b.Run(name, func(b *testing.B) {
			part := newBench(b, false)
			var a account
			for b.Loop() {
				a = part.accountOf(b, panel, name+".invalid")
			}
			for _, set := range []string{"planted", "clean"} {
				keep := map[string]func(defects.Item) bool{"planted": every, "clean": clean}[set]
				all, stopping := a.ofChain(chain, part.items, keep)
				b.ReportMetric(float64(all.sequential), set+"-calls")
				b.ReportMetric(100*all.share(), set+"-%")
				b.Log("\n" + a.table(set, part.items, keep, all, stopping))
			}
		})
	}
}

// table has one line for each gate and two for the chain.
func (a account) table(set string, items []defects.Item, keep func(defects.Item) bool, all, stopping spent) string {
	var t strings.Builder
	fmt.Fprintf(&t, "%s items\n", set)
	for _, gate := range chain {
		if s := a.ofGate(gate, items, keep); s.full > 0 {
			fmt.Fprintf(&t, "  %-22s %v\n", gate, s)
		}
	}
	fmt.Fprintf(&t, "  %-22s %v\n  %-22s %v\n", "chain", all, "full stops as well", stopping)
	for _, form := range []string{defects.Single, defects.Joined, defects.Evolving} {
		s, _ := a.ofChain(chain, items, func(it defects.Item) bool { return keep(it) && it.Form == form })
		fmt.Fprintf(&t, "  %-22s %v\n", form, s)
	}
	return t.String()
}
