package audit

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// recomputer works out the verdicts of a release again.
type recomputer struct {
	*Items
	reg      *pipeline.Registry
	gates    []manifest.GateInfo
	seed     uint64
	verdicts map[string][]schemas.Verdict // by gate, sorted by item
	probes   map[string]map[string][]schemas.Probe
	codes    map[[2]string]string // of rejections, by gate and item
	pictures *pictureStore
}

func newRecomputer(reg *pipeline.Registry, items *Items, c release.Contents) *recomputer {
	t := &recomputer{
		Items: items, reg: reg, gates: c.Manifest.Gates, seed: c.Manifest.Seed,
		verdicts: map[string][]schemas.Verdict{}, probes: map[string]map[string][]schemas.Probe{},
		codes: map[[2]string]string{}, pictures: newPictureStore(c),
	}
	for _, r := range c.Rejections {
		if !schemas.Excluded(r.Code) {
			t.codes[[2]string{r.Stage, r.ID}] = r.Code
		}
	}
	for _, v := range c.Verdicts {
		t.verdicts[v.Gate] = append(t.verdicts[v.Gate], v)
	}
	for _, vs := range t.verdicts {
		slices.SortFunc(vs, func(a, b schemas.Verdict) int { return strings.Compare(a.Item, b.Item) })
	}
	for start, i := 0, 1; i <= len(c.Probes); i++ {
		p := c.Probes[start]
		if i < len(c.Probes) && c.Probes[i].Item == p.Item && c.Probes[i].Gate == p.Gate {
			continue
		}
		if t.probes[p.Gate] == nil {
			t.probes[p.Gate] = map[string][]schemas.Probe{}
		}
		// A part of the list, which has them together: they are too many for a copy.
		run := c.Probes[start:i:i]
		if before := t.probes[p.Gate][p.Item]; before != nil {
			run = slices.Concat(before, run)
		}
		t.probes[p.Gate][p.Item], start = run, i
	}
	return t
}

// recomputeGate works out the verdicts of one gate: from its probes where it asks models,
// and by judging the items again where it asks no model. A panic is that of a gate which a
// stranger's rows surprise.
func (t *recomputer) recomputeGate(ctx context.Context, info manifest.GateInfo) (Gate, error) {
	out, gate := t.openGate(info)
	if gate == nil {
		return out, nil
	}
	panel, asks := gate.(pipeline.Recomputer)
	f, held := t.splitHeld(gate.Spec().Accepts, t.verdicts[info.Name], asks)
	var err error
	if !asks {
		err, held = t.judgeAgain(ctx, gate, info, held, &f), nil
	}
	for _, v := range held {
		item, probes := t.Item(gate.Spec().Accepts, v.Item, v.Gate), t.probes[v.Gate][v.Item]
		var wrong findings
		if wrong, err = checkProbes(ctx, panel, info, item, v, probes); err != nil {
			break
		}
		var j pipeline.Judgement
		var unclear error
		var panicked any
		func() {
			defer func() { panicked = recover() }()
			j, unclear = panel.Recompute(item, probes, int(v.CallsFull))
		}()
		if panicked != nil {
			err = fmt.Errorf("%s: the gate panicked: %v", v.Item, panicked)
			break
		}
		why := strings.Join(verdictDifferences(v, j), "; ")
		if unclear != nil {
			j, why = pipeline.Judgement{}, "its probes give no verdict: "+unclear.Error()
		}
		switch {
		case why != "" && v.Outcome == schemas.Error && v.CallsFull == 0 && v.CallsMade == 0 && len(probes) == 0:
			// The gate asks about such items and made no call: a medium could not be shown. Only
			// who looks at the medium can say whether that is so; the item was excluded.
			f.unshown++
		case why != "":
			wrong.add("%s", why)
		}
		f.addVerdict(v.Item, append(wrong, t.rejectionProblem(v, j)...)...)
	}
	out.Unshown = f.unshown
	switch {
	case err != nil && (ctx.Err() != nil || errors.Is(err, context.Canceled)):
		return out, err
	case errors.Is(err, pipeline.ErrNoStore):
		out.State, out.Why = NotRecomputable, "it looks at files that a release does not hold"
	case err != nil:
		out.State, out.Why = Errored, err.Error()
	case len(f.findings) > 0:
		out.State, out.Wrong, out.Differences = Differs, f.wrong, f.findings
	}
	return out, nil
}

// openGate counts what a release states of a gate, and constructs the gate; nil where its
// verdicts cannot be worked out.
func (t *recomputer) openGate(info manifest.GateInfo) (Gate, pipeline.Gate) {
	verdicts := t.verdicts[info.Name]
	out := Gate{Name: info.Name, Use: info.Use, State: Same, Verdicts: len(verdicts), Differences: []string{}}
	for _, v := range verdicts {
		out.Outcomes.Add(v)
	}
	for _, ps := range t.probes[info.Name] {
		out.Probes += len(ps)
	}
	gate, err := t.reg.Gate(t.identity(info))
	if err != nil {
		out.State, out.Why = Errored, err.Error()
		return out, nil
	}
	if why := t.whyNotRecomputable(gate); why != "" {
		out.State, out.Why = NotRecomputable, why
		if calls := t.unaskedCalls(gate, info); len(calls) > 0 {
			out.State, out.Why, out.Wrong, out.Differences = Differs, "", len(calls), calls
		}
		return out, nil
	}
	return out, gate
}

func (t *recomputer) identity(info manifest.GateInfo) pipeline.Identity {
	return pipeline.Identity{
		Name: info.Name, Kind: pipeline.KindGate, Use: info.Use, Version: info.Version, Config: info.Config, OnFail: info.OnFail, Seed: t.seed,
	}
}

// whyNotRecomputable says why no table can give a gate's verdicts.
func (t *recomputer) whyNotRecomputable(g pipeline.Gate) string {
	s := g.Spec()
	if !t.holds(s.Accepts) || len(s.Tools) > 0 && !slices.Contains(s.Accepts, schemas.NameQuestion) {
		return fmt.Sprintf("it judges records of %s, and what it holds them against is in the builder's store", strings.Join(s.Accepts, ", "))
	}
	if _, ok := g.(pipeline.Recomputer); ok {
		return ""
	}
	if len(s.Tools) > 0 || s.Resource != "" && s.Resource != pipeline.CPU {
		return "it looks at files that a release does not hold"
	}
	if len(s.Asks) > 0 {
		return "it asks models and does not say how its verdict follows from the answers"
	}
	return ""
}

// unaskedCalls lists the verdicts that count calls although their gate asks no model.
func (t *recomputer) unaskedCalls(g pipeline.Gate, info manifest.GateInfo) (f findings) {
	if len(g.Spec().Asks) > 0 {
		return nil
	}
	for _, v := range t.verdicts[info.Name] {
		if v.CallsFull != 0 || v.CallsMade != 0 {
			f.add("%s: it counts %d calls of %d, and the gate asks no model", v.Item, v.CallsMade, v.CallsFull)
		}
	}
	return f
}

// comparison collects the verdicts that do not follow.
type comparison struct {
	findings
	wrong, unshown int // verdicts
}

func (f *comparison) addVerdict(item string, why ...string) {
	for _, w := range why {
		f.add("%s: %s", item, w)
	}
	if len(why) > 0 {
		f.wrong++
	}
}

// splitHeld returns the verdicts that can be worked out, and what is wrong with the others.
// The answers of a panel give a verdict on an item that the release may lack.
func (t *recomputer) splitHeld(accepts []string, verdicts []schemas.Verdict, asks bool) (f comparison, held []schemas.Verdict) {
	for _, v := range verdicts {
		missing := t.mayBeMissing(accepts, v.Item, v.Gate)
		switch {
		case t.Item(accepts, v.Item, v.Gate) != nil, asks && v.CallsMade > 0 && missing:
			held = append(held, v)
		case missing:
			f.unshown++
		default:
			f.addVerdict(v.Item, "it has a verdict and is in neither questions nor flagged")
		}
	}
	return f, held
}

// judgedAtOnce bounds how many records are held for a gate that judges each alone.
const judgedAtOnce = 256

// judgeAgain runs a gate that asks no model over the items of its verdicts.
func (t *recomputer) judgeAgain(ctx context.Context, gate pipeline.Gate, info manifest.GateInfo, held []schemas.Verdict, f *comparison) error {
	together := judgedAtOnce
	if gate.Spec().Whole {
		together = max(1, len(held))
	}
	for verdicts := range slices.Chunk(held, together) {
		items := make([]pipeline.Record, len(verdicts))
		for i, v := range verdicts {
			var err error
			if items[i], err = t.Item(gate.Spec().Accepts, v.Item, v.Gate).Record(); err != nil {
				return err
			}
		}
		judgements, err := engine.Rejudge(ctx, engine.Runtime{Registry: t.reg, Store: t.pictures}, t.identity(info), gate, items)
		for i, j := range judgements {
			f.addVerdict(verdicts[i].Item, append(verdictDifferences(verdicts[i], j), t.rejectionProblem(verdicts[i], j)...)...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Limits of what is worked out of one item: a stranger's release may claim
// anything.
const (
	maxPieces = 2048
	maxCalls  = 1 << 20
)

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

// checkProbes says what of the probes of an item does not fit: the item, the response that
// one quotes, or the models of the gate. More than the limits allow is an error.
func checkProbes(ctx context.Context, gate pipeline.Recomputer, info manifest.GateInfo, item *pipeline.Item, v schemas.Verdict, probes []schemas.Probe) (wrong findings, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if n := evidenceCount(item); n > maxPieces || v.CallsFull > maxCalls {
		return nil, fmt.Errorf("%s: %d pieces of evidence and %d calls; at most %d and %d are looked at", v.Item, n, v.CallsFull, maxPieces, maxCalls)
	}
	for _, p := range probes {
		for _, why := range checkProbe(gate, info, item, p, probes) {
			wrong.add("probe %s of %s, rotation %d, run %d: %s", p.View, p.Role, p.Rotation, p.Sample, why)
		}
	}
	return wrong, nil
}

// checkProbe says what of a probe does not fit its item or its gate.
func checkProbe(gate pipeline.Recomputer, info manifest.GateInfo, item *pipeline.Item, p schemas.Probe, probes []schemas.Probe) (why []string) {
	if want := cmp.Or(info.Models[p.Role], pipeline.BuiltInModel); p.Model != want && (p.Model != "" || p.Mark != schemas.MarkFailed) {
		why = append(why, fmt.Sprintf("it is of model %q, and the role is played by %q", p.Model, want))
	}
	viewer, ok := gate.(pipeline.Viewer)
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

// rejectionProblem says where an item that failed was rejected under another code.
func (t *recomputer) rejectionProblem(v schemas.Verdict, j pipeline.Judgement) []string {
	code, rejected := t.codes[[2]string{v.Gate, v.Item}]
	if !rejected || j.Outcome != pipeline.Fail || code == j.Code {
		return nil
	}
	return []string{fmt.Sprintf("it is rejected as %q, %q follows", code, j.Code)}
}

// verdictDifferences says where a verdict is another than the judgement that follows.
func verdictDifferences(v schemas.Verdict, j pipeline.Judgement) (why findings) {
	say := func(what string, has, follows any) {
		if has != follows {
			why.add("%s is %q, %q follows", what, fmt.Sprint(has), fmt.Sprint(follows))
		}
	}
	say("outcome", v.Outcome, string(j.Outcome))
	say("reason", v.Reason, j.Reason)
	say("calls_made", int(v.CallsMade), len(j.Probes))
	say("calls_full", int(v.CallsFull), j.CallsFull)
	return why
}

// largestPicture bounds what a gate is given to look at, in bytes: as much as a source
// takes of a stranger's picture.
const largestPicture = 64 << 20

// pictureStore is what a gate that asks no model finds in an audit: the pictures of the release.
// Every other blob is pipeline.ErrNoStore, so a gate that looks at videos or at what
// stands in the builder's store is not worked out again.
type pictureStore struct {
	pipeline.Store // nil: a scope asks for nothing else
	contents       release.Contents
	pictures       map[pipeline.Digest]bool
}

func newPictureStore(c release.Contents) *pictureStore {
	s := &pictureStore{contents: c, pictures: map[pipeline.Digest]bool{}}
	for _, m := range c.Media {
		if m.Kind == "image" && m.Bytes <= largestPicture && c.Files[m.MediaID] != "" {
			s.pictures[pipeline.Digest(m.MediaID)] = true
		}
	}
	return s
}

// OpenBlob reads a picture, and holds that it still has the bytes that were verified.
func (s *pictureStore) OpenBlob(ctx context.Context, d pipeline.Digest) (io.ReadCloser, error) {
	if !s.pictures[d] {
		return nil, pipeline.ErrNoStore
	}
	var data []byte
	err := s.contents.ReadMedium(ctx, string(d), func(f *os.File) (err error) {
		data, err = io.ReadAll(io.LimitReader(f, largestPicture+1))
		return err
	})
	if err != nil {
		return nil, err
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

// PutBlob keeps nothing.
func (*pictureStore) PutBlob(context.Context, io.Reader) (pipeline.Blob, error) {
	return pipeline.Blob{}, pipeline.ErrNoStore
}

// PutFile keeps nothing.
func (*pictureStore) PutFile(context.Context, string, bool) (pipeline.Blob, error) {
	return pipeline.Blob{}, pipeline.ErrNoStore
}

// BlobPath gives no file: who reads one could not tell that it was exchanged.
func (*pictureStore) BlobPath(context.Context, pipeline.Digest) (string, error) {
	return "", pipeline.ErrNoStore
}

// MissingBlobs is asked of stores that something is put into.
func (*pictureStore) MissingBlobs(context.Context, []pipeline.Digest) ([]pipeline.Digest, error) {
	return nil, pipeline.ErrNoStore
}
