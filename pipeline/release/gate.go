package release

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"hash"
	"iter"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// gateInfos adds the sums of its rows to each gate, and leaves out gates without a row.
func gateInfos(gates []manifest.GateInfo, verdicts iter.Seq[schemas.Verdict], probes iter.Seq[schemas.Probe]) ([]manifest.GateInfo, error) {
	totals, err := totalsOf(verdicts, probes)
	if err != nil {
		return nil, err
	}
	out := make([]manifest.GateInfo, 0, len(gates))
	for _, g := range gates {
		t, judged := totals[g.Name]
		if !judged {
			continue
		}
		g.GateTotals = t
		out = append(out, g)
	}
	return out, nil
}

// SumGates sums up verdicts and probes by gate, whatever order they are in.
func SumGates(verdicts []schemas.Verdict, probes []schemas.Probe) (map[string]manifest.GateTotals, error) {
	verdicts = inOrder(verdicts, func(a, b schemas.Verdict) int { return cmp.Compare(a.Item, b.Item) })
	return totalsOf(slices.Values(verdicts), slices.Values(inOrder(probes, schemas.CompareProbes)))
}

// inOrder returns a list in order, without a copy where it is so already.
func inOrder[T any](list []T, compare func(a, b T) int) []T {
	if slices.IsSortedFunc(list, compare) {
		return list
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, compare)
	return list
}

// totalsOf sums up verdicts and probes by gate; those of each gate must be in order.
func totalsOf(verdicts iter.Seq[schemas.Verdict], probes iter.Seq[schemas.Probe]) (map[string]manifest.GateTotals, error) {
	sums := map[string]*gateSum{}
	of := func(gate string) *gateSum {
		if sums[gate] == nil {
			sums[gate] = &gateSum{rows: sha256.New()}
		}
		return sums[gate]
	}
	for v := range verdicts {
		s := of(v.Gate)
		s.totals.Verdicts++
		if err := s.add(v); err != nil {
			return nil, fmt.Errorf("verdict of gate %s on %s: %w", v.Gate, v.Item, err)
		}
	}
	for p := range probes {
		s := of(p.Gate)
		s.totals.Calls++
		s.totals.InputTokens += p.InputTokens
		s.totals.OutputTokens += p.OutputTokens
		if err := s.add(p); err != nil {
			return nil, fmt.Errorf("probe of gate %s on %s: %w", p.Gate, p.Item, err)
		}
	}
	out := make(map[string]manifest.GateTotals, len(sums))
	for gate, s := range sums {
		s.totals.Rows = pipeline.DigestOfSum([sha256.Size]byte(s.rows.Sum(nil)))
		out[gate] = s.totals
	}
	return out, nil
}

type gateSum struct {
	totals manifest.GateTotals
	rows   hash.Hash
}

func (s *gateSum) add(v any) error {
	b, err := pipeline.Canonical(v)
	if err != nil {
		return err
	}
	_, err = s.rows.Write(append(b, '\n'))
	return err
}
