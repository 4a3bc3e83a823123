// Package rerun asks a release's gates again with another panel and says how far
// its answers and verdicts are those of the release.
package rerun

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/schemas"
)

// Options of a rerun.
type Options struct {
	// Roles are played by these models, the others by the built-in model; Models
	// answers for them.
	Roles  map[string]pipeline.ModelIdentity
	Models pipeline.Models
	// Full asks the full protocol, so that every call of the release is put again.
	Full bool
	// Workers bounds the items that are judged at once.
	Workers int
	// Temp is a folder for pictures and scratch.
	Temp string
}

// Report is what a panel said, beside what the release has.
type Report struct {
	Release string `json:"release"`
	Gates   []Gate `json:"gates"`
	// Answers and Verdicts are over all gates together; null when none was asked.
	Answers  *audit.PairAgreement `json:"answers"`
	Verdicts *audit.PairAgreement `json:"verdicts"`
	// Partial says that some gate was; see Gate.
	Partial bool `json:"partial"`
	// Answered and Judged are the flips: other answers to the same call, other
	// verdicts on the same item.
	Answered []AnswerFlip  `json:"answer_flips"`
	Judged   []VerdictFlip `json:"verdict_flips"`
	// Skipped items could not be judged again.
	Skipped []Skip `json:"skipped"`
}

// Gate is one gate asked again.
type Gate struct {
	Name string `json:"name"`
	Use  string `json:"use"`
	// Why it was not asked; the rest is then empty.
	Why string `json:"why"`
	// Models that played its roles.
	Models map[string]string `json:"models"`
	Items  int               `json:"items"`
	// Calls of the panel, and of these the ones that the release has as well.
	Calls  int `json:"calls"`
	Shared int `json:"shared"`
	// Partial says that release or panel stopped as soon as a verdict was settled.
	// Then the answers decide which calls both have, and those have no kappa;
	// verdicts do.
	Partial bool `json:"partial"`
	// Answers compares what the release and the panel answered to shared calls,
	// Verdicts what followed.
	Answers  *audit.PairAgreement `json:"answers"`
	Verdicts *audit.PairAgreement `json:"verdicts"`
}

// AnswerFlip is a call that was answered otherwise. An answer is empty where
// there was none that could be used.
type AnswerFlip struct {
	Item     string `json:"item"`
	Gate     string `json:"gate"`
	View     string `json:"view"`
	Role     string `json:"role"`
	Rotation int32  `json:"rotation"`
	Run      int32  `json:"run"`
	Release  string `json:"release"`
	Rerun    string `json:"rerun"`
}

// VerdictFlip is an item that was judged otherwise.
type VerdictFlip struct {
	Item    string `json:"item"`
	Gate    string `json:"gate"`
	Release string `json:"release"`
	Rerun   string `json:"rerun"`
	// Reasons as the gates give them.
	ReleaseReason string `json:"release_reason"`
	RerunReason   string `json:"rerun_reason"`
}

// Skip is an item that could not be judged again.
type Skip struct {
	Item string `json:"item"`
	Gate string `json:"gate"`
	Why  string `json:"why"`
}

// Roles lists the roles that the gates of a release ask, sorted. Gates that
// this program does not have ask none.
func Roles(reg *pipeline.Registry, c release.Contents) []string {
	var roles []string
	for _, info := range c.Manifest.Gates {
		g, err := reg.Gate(identity(c, info))
		if err != nil {
			continue
		}
		for _, a := range g.Spec().Asks {
			roles = append(roles, a.Role)
		}
	}
	slices.Sort(roles)
	return slices.Compact(roles)
}

// PictureUse is a gate that shows pictures to a role, the most in one request.
type PictureUse struct {
	Gate, Role string
	Pictures   int
}

// PictureUses lists what the gates of a release show, in their order. Another panel is
// shown the same, whatever it takes.
func PictureUses(reg *pipeline.Registry, c release.Contents) []PictureUse {
	var out []PictureUse
	for _, info := range c.Manifest.Gates {
		g, err := reg.Gate(identity(c, info))
		if err != nil {
			continue
		}
		shower, ok := g.(pipeline.PictureSender)
		if !ok || shower.MaxPictures() == 0 {
			continue
		}
		var known []string
		for _, a := range g.Spec().Asks {
			if !slices.Contains(known, a.Role) {
				known = append(known, a.Role)
				out = append(out, PictureUse{info.Name, a.Role, shower.MaxPictures()})
			}
		}
	}
	return out
}

func identity(c release.Contents, info manifest.GateInfo) pipeline.Identity {
	return pipeline.Identity{
		Name: info.Name, Kind: pipeline.KindGate, Use: info.Use, Version: info.Version, Config: info.Config, OnFail: info.OnFail, Seed: c.Manifest.Seed,
	}
}

// Run judges every item of every gate that asks models again. The report is
// useful also where an error ended the run: what was answered is recorded, and
// another run goes on from there.
func Run(ctx context.Context, reg *pipeline.Registry, c release.Contents, o Options) (r Report, err error) {
	r = Report{Release: c.Manifest.ID, Gates: []Gate{}, Answered: []AnswerFlip{}, Judged: []VerdictFlip{}, Skipped: []Skip{}}
	shelf, done, err := store.OpenScratch(ctx, o.Temp, c.MediaFiles())
	if err != nil {
		return r, fmt.Errorf("ask again: %w", err)
	}
	defer func() { err = errors.Join(err, done()) }()
	tally, err := newComparison(reg, c)
	if err != nil {
		return r, fmt.Errorf("ask again: %w", err)
	}
	defer func() { err = errors.Join(err, tally.Close()) }()
	for _, info := range c.Manifest.Gates {
		s := &gateRun{reg: reg, opts: o, contents: c, info: info, store: shelf, tally: tally}
		g, asks, err := s.run(ctx, &r)
		if err != nil {
			return r, fmt.Errorf("ask again: gate %s: %w", info.Name, err)
		}
		if asks {
			r.Gates = append(r.Gates, g)
		}
	}
	if r.Answers, err = tally.answers.agreement("all"); r.Partial {
		r.Answers.DropEstimates()
	}
	if err != nil {
		return r, err
	}
	r.Verdicts, err = tally.verdicts.agreement("all")
	return r, err
}

// gateRun puts one gate's items to the new panel.
type gateRun struct {
	reg      *pipeline.Registry
	opts     Options
	contents release.Contents
	info     manifest.GateInfo
	store    pipeline.Store
	tally    *comparison
}

type itemResult struct {
	verdict   schemas.Verdict
	judgement pipeline.Judgement
	skip      string
}

func (s *gateRun) run(ctx context.Context, r *Report) (Gate, bool, error) {
	out := Gate{Name: s.info.Name, Use: s.info.Use, Models: map[string]string{}}
	id := identity(s.contents, s.info)
	if s.opts.Full {
		var err error
		if id.Config, err = engine.FullProtocol(id.Config); err != nil {
			out.Why = err.Error()
			return out, true, nil
		}
	}
	gate, err := s.reg.Gate(id)
	if err != nil {
		out.Why = err.Error()
		return out, true, nil
	}
	if len(gate.Spec().Asks) == 0 {
		return out, false, nil
	}
	id.Models, out.Models = rolePlayers(gate, s.opts.Roles)
	results, err := s.judge(ctx, id)
	if err != nil {
		return out, true, err
	}
	return out, true, s.count(&out, results, r)
}

// judge judges all items, Workers at once, and keeps their order.
func (s *gateRun) judge(ctx context.Context, id pipeline.Identity) ([]itemResult, error) {
	items := s.tally.items[s.info.Name]
	results := make([]itemResult, len(items))
	errs := make([]error, len(items))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	next := make(chan int)
	var group sync.WaitGroup
	for range max(1, min(s.opts.Workers, len(items))) {
		group.Go(func() {
			for i := range next {
				if results[i], errs[i] = s.judgeItem(ctx, id, items[i]); errs[i] != nil {
					cancel()
				}
			}
		})
	}
	for i := range items {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	group.Wait()
	return results, firstCause(errs, ctx)
}

// firstCause returns the error that ended the work, and not those of work that was
// cancelled because of it.
func firstCause(errs []error, ctx context.Context) error {
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return ctx.Err()
}

// judgeItem judges one item again; a problem of this item alone skips it.
func (s *gateRun) judgeItem(ctx context.Context, id pipeline.Identity, v schemas.Verdict) (itemResult, error) {
	out := itemResult{verdict: v}
	gate, err := s.reg.Gate(id)
	if err != nil {
		return out, err
	}
	item := s.tally.Item(gate.Spec().Accepts, v.Item, v.Gate)
	if item == nil {
		out.skip = "it is in neither questions nor flagged"
		return out, nil
	}
	rec, err := item.Record()
	if err != nil {
		return out, err
	}
	rt := engine.Runtime{Registry: s.reg, Store: s.store, Models: s.opts.Models, TempRoot: s.opts.Temp}
	js, err := engine.Rejudge(ctx, rt, id, gate, []pipeline.Record{rec})
	var lost *pipeline.Rejection
	switch {
	case ctx.Err() != nil:
		return out, ctx.Err()
	case errors.As(err, &lost):
		out.skip = lost.Code + ": " + lost.Reason
	case errors.Is(err, pipeline.ErrNoBlob):
		out.skip = "a medium that it shows is not in the release"
	case err != nil:
		return out, err
	default:
		out.judgement = js[0]
	}
	return out, nil
}

// Ask puts a gate that asks models to questions of a release whose builder need not have
// asked it: the full protocol, of the gate as it is without settings. The probes name it
// as this program does. Skipped questions could not be asked about.
func Ask(ctx context.Context, reg *pipeline.Registry, c release.Contents, use string, questions []string, o Options) (probes []schemas.Probe, skipped []Skip, err error) {
	info, gate, err := fullProtocolGate(reg, use)
	if err != nil {
		return nil, nil, err
	}
	c.Manifest.Gates, c.Probes, c.Verdicts = []manifest.GateInfo{info}, nil, nil
	for _, id := range questions {
		c.Verdicts = append(c.Verdicts, schemas.Verdict{Item: id, Gate: use})
	}
	shelf, done, err := store.OpenScratch(ctx, o.Temp, c.MediaFiles())
	if err != nil {
		return nil, nil, fmt.Errorf("ask gate %s: %w", use, err)
	}
	defer func() { err = errors.Join(err, done()) }()
	tally, err := newComparison(reg, c)
	if err != nil {
		return nil, nil, fmt.Errorf("ask gate %s: %w", use, err)
	}
	defer func() { err = errors.Join(err, tally.Close()) }()
	id := identity(c, info)
	id.Models, _ = rolePlayers(gate, o.Roles)
	results, err := (&gateRun{reg: reg, opts: o, contents: c, info: info, store: shelf, tally: tally}).judge(ctx, id)
	if err != nil {
		return nil, nil, fmt.Errorf("ask gate %s: %w", use, err)
	}
	for _, r := range results {
		if r.skip != "" {
			skipped = append(skipped, Skip{Item: r.verdict.Item, Gate: use, Why: r.skip})
		}
		for _, p := range r.judgement.Probes {
			p.Item, p.Gate = r.verdict.Item, use
			probes = append(probes, p)
		}
	}
	return probes, skipped, nil
}

// fullProtocolGate builds a gate of this program that asks its full protocol, and names
// it as a release would.
func fullProtocolGate(reg *pipeline.Registry, use string) (manifest.GateInfo, pipeline.Gate, error) {
	plugin, _ := reg.Plugin(pipeline.KindGate, use)
	info := manifest.GateInfo{Name: use, Use: use, Config: pipeline.RawConfig(`{"full_protocol":true}`)}
	if plugin != nil {
		info.Version = plugin.Version
	}
	gate, err := reg.Gate(identity(release.Contents{}, info))
	if err != nil {
		return info, nil, fmt.Errorf("ask gate %s: %w", use, err)
	}
	return info, gate, nil
}

// RolesOf lists the roles that gates ask, sorted.
func RolesOf(reg *pipeline.Registry, uses []string) (roles []string, err error) {
	for _, use := range uses {
		_, gate, err := fullProtocolGate(reg, use)
		if err != nil {
			return nil, err
		}
		for _, a := range gate.Spec().Asks {
			roles = append(roles, a.Role)
		}
	}
	slices.Sort(roles)
	return slices.Compact(roles), nil
}

// rolePlayers returns the models behind the roles of a gate, and their names.
func rolePlayers(gate pipeline.Gate, roles map[string]pipeline.ModelIdentity) (models map[string]pipeline.ModelIdentity, names map[string]string) {
	models, names = map[string]pipeline.ModelIdentity{}, map[string]string{}
	for _, a := range gate.Spec().Asks {
		names[a.Role] = pipeline.BuiltInModel
		if m, ok := roles[a.Role]; ok {
			models[a.Role], names[a.Role] = m, m.Model
		}
	}
	return models, names
}
