package build

import (
	"context"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/run"
	"github.com/memforge/memforge/schemas"
)

// gates tells of every gate what it takes to run it again.
func (c *collector) gates() []release.GateInfo {
	var out []release.GateInfo
	for _, n := range c.nodes {
		if n.Step.Kind != pipeline.KindGate {
			continue
		}
		id := n.Step.Identity
		g := release.GateInfo{Name: n.Step.Name, Use: id.Use, Summary: n.Step.Summary, Version: id.Version, Config: id.Config, OnFail: id.OnFail}
		for role, m := range id.Models {
			if g.Models == nil {
				g.Models = map[string]string{}
			}
			g.Models[role] = m.Model
		}
		out = append(out, g)
	}
	return out
}

// version is one form of a question and the gates that judged it.
type version struct {
	ref   pipeline.Ref
	gates []string
}

// forms returns the questions that gates judged in a form that is not among
// the records of the release.
func (c *collector) forms(ctx context.Context, released []pipeline.Record) ([]schemas.FlaggedQuestion, error) {
	kept := map[pipeline.Digest]bool{}
	for _, r := range released {
		if r.Schema != schemas.NameQuestion {
			continue
		}
		ref, err := r.Ref()
		if err != nil {
			return nil, err
		}
		kept[ref.Digest] = true
	}
	at := map[pipeline.Digest]int{}
	var versions []version
	for _, n := range c.nodes {
		for _, ref := range c.questionsOf(n) {
			if kept[ref.Digest] {
				continue
			}
			i, known := at[ref.Digest]
			if !known {
				i = len(versions)
				at[ref.Digest] = i
				versions = append(versions, version{ref: ref})
			}
			versions[i].gates = append(versions[i].gates, n.Step.Name)
		}
	}
	return c.load(ctx, versions)
}

// questionsOf lists the questions that a gate gave a verdict on, as it saw them.
func (c *collector) questionsOf(n run.Node) []pipeline.Ref {
	if n.Step.Kind != pipeline.KindGate || !slices.Contains(n.Step.Spec.Accepts, schemas.NameQuestion) {
		return nil
	}
	var refs []pipeline.Ref
	if n.Step.Each {
		for _, u := range c.units[n.Step.Name] {
			isVerdict := func(r pipeline.Ref) bool { return r.Schema == schemas.NameVerdict }
			if u.In.Schema == schemas.NameQuestion && slices.ContainsFunc(u.Out, isVerdict) {
				refs = append(refs, u.In)
			}
		}
		return refs
	}
	seen := map[string]bool{}
	for _, from := range n.Step.From {
		for _, u := range c.units[from] {
			for _, ref := range u.Out {
				if ref.Schema == schemas.NameQuestion && !seen[ref.ID] {
					seen[ref.ID] = true
					refs = append(refs, ref)
				}
			}
		}
	}
	return refs
}

// load reads the questions of versions and counts the versions of each.
func (c *collector) load(ctx context.Context, versions []version) ([]schemas.FlaggedQuestion, error) {
	digests := make([]pipeline.Digest, len(versions))
	for i, v := range versions {
		digests[i] = v.ref.Digest
	}
	recs, err := c.store.Records(ctx, digests)
	if err != nil {
		return nil, fmt.Errorf("release: load what gates judged: %w", err)
	}
	count := map[string]int32{}
	out := make([]schemas.FlaggedQuestion, len(recs))
	for i, r := range recs {
		q, err := pipeline.Decode[schemas.Question](r)
		if err != nil {
			return nil, fmt.Errorf("release: load what gates judged: %w", err)
		}
		slices.Sort(versions[i].gates)
		out[i] = schemas.FlaggedQuestion{Question: q, Version: count[q.QuestionID], JudgedBy: versions[i].gates}
		count[q.QuestionID]++
	}
	return out, nil
}
