// Package audit works out again what a release states about itself, from its
// own tables and nothing else: every verdict of every gate, every count, every
// text with figures. Who made manifest and digests anew over changed tables is
// found out where these no longer follow from each other.
package audit

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/release"
)

// State is what came of working something out again.
type State string

// The states. NotRecomputable is no fault: what it takes is not in a release.
// Errored means that this program cannot do it, another may.
const (
	Same            State = "same"
	Differs         State = "differs"
	NotRecomputable State = "not recomputable"
	// Unjudged says that nothing differs and that nothing vouches for some
	// questions: no gate decided about them.
	Unjudged State = "unjudged"
	Errored  State = "errored"
)

// Report is what an audit found.
type Report struct {
	// Release is the id of the manifest.
	Release string `json:"release"`
	// Gates in the order of the manifest, Parts everything else that a release
	// states: files with figures, counts of the manifest.
	Gates []Gate `json:"gates"`
	Parts []Part `json:"parts"`
	// Gold by family: what follows from events, labels and recipes.
	Gold []Gold `json:"gold"`
	// Agreement of those who were asked, gate by gate.
	Agreement []Agreement `json:"agreement"`
	// Reviews is the agreement of the people who decided, draw by draw.
	Reviews []Agreement `json:"reviews"`
	// Gains of seeing pictures, by model and view; see Gain.
	Gains []Gain `json:"gains"`
}

// Gate is one gate, worked out again.
type Gate struct {
	Name  string `json:"name"`
	Use   string `json:"use"`
	State State  `json:"state"`
	// Why it could not be worked out.
	Why string `json:"why"`
	// Verdicts in the release, and Probes that they rest on.
	Verdicts int `json:"verdicts"`
	Probes   int `json:"probes"`
	// Outcomes are what the verdicts in the release amount to.
	Outcomes engine.VerdictCounts `json:"outcomes"`
	// Unshown verdicts are errors that rest on a medium which could not be
	// shown: no table tells.
	Unshown int `json:"unshown"`
	// Wrong verdicts do not follow; Differences say why, one or more of each.
	Wrong       int      `json:"wrong"`
	Differences []string `json:"differences"`
}

// Part is something else that a release states.
type Part struct {
	Name  string `json:"name"`
	State State  `json:"state"`
	Why   string `json:"why"`
	// Checked counts the rows or figures that were held against what they follow
	// from, Unchecked those of which no table or file tells; Why says why. Both
	// are 0 where a part is one text.
	Checked     int      `json:"checked"`
	Unchecked   int      `json:"unchecked"`
	Differences []string `json:"differences"`
	// Rendered says that the part is a text made of what the others state: where one
	// of them differs, so does the text.
	Rendered bool `json:"rendered"`
}

// State of the whole: that of the worst part. What cannot be recomputed by
// anybody does not count.
func (r Report) State() State {
	worst := Same
	for _, s := range r.states() {
		switch {
		case s == Differs:
			return Differs
		case s == Errored, s == Unjudged && worst == Same:
			worst = s
		}
	}
	return worst
}

func (r Report) states() []State {
	var all []State
	for _, g := range r.Gates {
		all = append(all, g.State)
	}
	for _, p := range r.Parts {
		all = append(all, p.State)
	}
	return all
}

// FollowsFromOthers reports whether a part differs as something that it is rendered from
// does: it has no cause of its own that anybody could name.
func (r Report) FollowsFromOthers(p Part) bool {
	cause := func(p Part) bool { return p.State == Differs && !p.Rendered }
	return p.Rendered && p.State == Differs &&
		(slices.ContainsFunc(r.Gates, func(g Gate) bool { return g.State == Differs }) || slices.ContainsFunc(r.Parts, cause))
}

// AddDamaged adds what release.ReadRows found of the bytes of tables whose rows were
// audited.
func (r *Report) AddDamaged(found []release.Problem) {
	var parts []Part
	for _, p := range found {
		parts = append(parts, part(p.Path, []string{p.Detail}))
	}
	r.Parts = append(parts, r.Parts...)
}

const (
	// gcPercent is the heap growth between two collections.
	gcPercent = 40
	// fewRows take some megabytes, which would be collected all the time.
	fewRows = 20_000
)

// Run audits what release.Read gave. The registry has the gates.
func Run(ctx context.Context, reg *pipeline.Registry, c release.Contents) (r Report, err error) {
	rows := int64(0)
	for _, t := range c.Manifest.Tables {
		rows += t.Rows
	}
	if rows > fewRows {
		// Much lives as long as the audit: the usual headroom of the heap would double it.
		defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	}
	r = Report{Release: c.Manifest.ID, Gates: []Gate{}, Parts: []Part{}}
	items, err := IndexItems(reg, c)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, items.Close()) }()
	verdicts := newRecomputer(reg, items, c)
	for _, info := range c.Manifest.Gates {
		g, err := verdicts.recomputeGate(ctx, info)
		if err != nil {
			return r, fmt.Errorf("audit: gate %s: %w", info.Name, err)
		}
		r.Gates = append(r.Gates, g)
	}
	texts, err := release.CheckTexts(ctx, c)
	if err != nil {
		return r, fmt.Errorf("audit: %w", err)
	}
	r.Parts = append(r.Parts, checkGates(reg, c), checkJudged(items, c), checkAsked(c), checkRecordCounts(items, c), checkReleased(reg, c, r.Gates), checkBound(items, c), checkSteps(reg, c), checkSources(c))
	files, read, err := checkMedia(ctx, c)
	if err != nil {
		return r, fmt.Errorf("audit: %w", err)
	}
	r.Parts = append(r.Parts, files, checkRecipes(c, read))
	gold, parts := DeriveGold(reg, c, items)
	r.Gold, r.Parts = gold, slices.Concat(r.Parts, parts, declaredTables(reg, c), checkRecords(reg, items, c), checkReviewed(c), checkDecided(reg, c))
	for _, t := range texts {
		r.Parts = append(r.Parts, textPart(t))
	}
	if r.Agreement, err = verdicts.agreements(c); err != nil {
		return r, fmt.Errorf("audit: %w", err)
	}
	if r.Reviews, err = reviewAgreements(c); err != nil {
		return r, fmt.Errorf("audit: %w", err)
	}
	if r.Gains, err = verdicts.gains(c); err != nil {
		return r, fmt.Errorf("audit: %w", err)
	}
	return r, nil
}

func textPart(t release.TextCheck) Part {
	p := part(t.Path, t.Differs)
	p.Rendered = t.Text
	if t.Unknown != "" {
		p.State, p.Why = NotRecomputable, t.Unknown
	}
	if t.OtherVersion {
		p.State = Errored
	}
	return p
}

func part(name string, differences []string) Part {
	p := Part{Name: name, State: Same, Differences: differences}
	if len(differences) > 0 {
		p.State = Differs
	} else {
		p.Differences = []string{}
	}
	return p
}
