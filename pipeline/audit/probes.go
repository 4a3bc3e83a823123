package audit

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// Limits of what is worked out of one item: a stranger's release may claim
// anything.
const (
	maxPieces = 2048
	maxCalls  = 1 << 20
)

// panelGate is a gate whose judgements follow from probes.
type panelGate struct {
	pipeline.Recomputer
	info release.GateInfo
}

// compareProbes works verdicts out of what the panel answered, and holds every
// probe against the item, the response it quotes and the models of the gate.
func (t *recomputer) compareProbes(ctx context.Context, g panelGate, verdicts []schemas.Verdict, f *comparison) error {
	for _, v := range verdicts {
		if err := ctx.Err(); err != nil {
			return err
		}
		item, probes := t.Item(g.Spec().Accepts, v.Item, v.Gate), t.probes[v.Gate][v.Item]
		if n := evidenceCount(item); n > maxPieces || v.CallsFull > maxCalls {
			return fmt.Errorf("%s: %d pieces of evidence and %d calls; at most %d and %d are looked at", v.Item, n, v.CallsFull, maxPieces, maxCalls)
		}
		var wrong findings
		for _, p := range probes {
			for _, why := range g.check(item, p, probes) {
				wrong.add("probe %s of %s, rotation %d, run %d: %s", p.View, p.Role, p.Rotation, p.Sample, why)
			}
		}
		j, why, err := g.recompute(item, v, probes)
		switch {
		case err != nil:
			return err
		case why != "" && isUnshown(v, probes):
			f.unshown++
		case why != "":
			wrong.add("%s", why)
		}
		f.addVerdict(v.Item, append(wrong, t.rejectionProblem(v, j)...)...)
	}
	return nil
}

// evidenceCount counts the evidence of a question.
func evidenceCount(item *pipeline.Item) int {
	if item == nil || item.Schema != schemas.NameQuestion {
		return 0
	}
	q, err := pipeline.ItemValue[schemas.Question](item)
	if err != nil {
		return 0
	}
	return len(q.Evidence)
}

// isUnshown reports an error on an item that nobody was asked about although the
// gate asks about such items: a medium could not be shown. Only who looks at the
// medium can say whether that is so; the item was withheld.
func isUnshown(v schemas.Verdict, probes []schemas.Probe) bool {
	return v.Outcome == schemas.Error && v.CallsFull == 0 && v.CallsMade == 0 && len(probes) == 0
}

// recompute says where a verdict is another than follows. A panic is that of a
// gate which a stranger's rows surprise.
func (g panelGate) recompute(item *pipeline.Item, v schemas.Verdict, probes []schemas.Probe) (j pipeline.Judgement, why string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: the gate panicked: %v", v.Item, p)
		}
	}()
	if j, err = g.Recompute(item, probes, int(v.CallsFull)); err != nil {
		return pipeline.Judgement{}, "its probes give no verdict: " + err.Error(), nil
	}
	return j, strings.Join(verdictDifferences(v, j), "; "), nil
}

// check says what of a probe does not fit its item or its gate.
func (g panelGate) check(item *pipeline.Item, p schemas.Probe, probes []schemas.Probe) (why []string) {
	if want := cmp.Or(g.info.Models[p.Role], pipeline.BuiltInModel); p.Model != want && (p.Model != "" || p.Mark != schemas.MarkFailed) {
		why = append(why, fmt.Sprintf("it is of model %q, and the role is played by %q", p.Model, want))
	}
	viewer, ok := g.Recomputer.(pipeline.Viewer)
	if !ok || item == nil {
		return why
	}
	defer func() {
		if v := recover(); v != nil {
			why = append(why, fmt.Sprintf("the view cannot be made: %v", v))
		}
	}()
	shown, err := viewer.Show(item, p, probes)
	if err != nil {
		return append(why, err.Error())
	}
	if string(shown.Digest) != p.ViewDigest {
		why = append(why, fmt.Sprintf("what the view shows has digest %s, not %q", shown.Digest, p.ViewDigest))
	}
	if shown.Pictures != int(p.Pictures) || shown.FullPictures != int(p.PicturesFull) {
		why = append(why, fmt.Sprintf("the view shows %d of %d pictures, not %d of %d", shown.Pictures, shown.FullPictures, p.Pictures, p.PicturesFull))
	}
	return why
}
