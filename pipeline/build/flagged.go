package build

import (
	"context"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/release"
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

// version is one form of a record and the gates that judged it.
type version struct {
	ref   pipeline.Ref
	gates []string
}

// forms are what gates judged that is not released, or not like that. What is too large
// for a row is lost, to each gate that judged it.
type forms struct {
	questions []schemas.FlaggedQuestion
	others    []schemas.FlaggedRecord
	lost      []schemas.Rejection
}

// fits reports whether a form has room in a table of its own; else it is lost.
func (f *forms) fits(v version, data string) bool {
	why := release.TooLarge("", []any{data})
	if why == "" {
		return true
	}
	for _, gate := range v.gates {
		f.lost = append(f.lost, schemas.Rejection{ID: v.ref.ID, Stage: gate, Code: schemas.WithheldSize, Reason: "the form of it that this gate judged " + why})
	}
	return false
}

// forms returns the questions and other records that gates judged in a form that is
// not among those of the release; what nothing needs is no such record.
func (c *collector) forms(ctx context.Context, released []pipeline.Record, unused map[string]bool) (forms, error) {
	kept, digests := map[pipeline.Digest]bool{}, map[[2]string]pipeline.Digest{}
	for _, r := range released {
		ref, err := r.Ref()
		if err != nil {
			return forms{}, err
		}
		kept[ref.Digest] = true
		if !ownTables(r.Schema) {
			continue
		}
		if digests[[2]string{r.Schema, r.ID}], err = pipeline.ItemDigest(r); err != nil {
			return forms{}, err
		}
	}
	at := map[pipeline.Digest]int{}
	var versions []version
	for _, n := range c.nodes {
		for _, ref := range c.judgedOf(n) {
			if kept[ref.Digest] || unused[ref.ID] && ownTables(ref.Schema) {
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
	return c.load(ctx, versions, digests)
}

// ownTables reports schemas whose records a release may change, without another
// ItemDigest, or leave out without a word.
func ownTables(schema string) bool { return schema == schemas.NameTask || schema == schemas.NameMedia }

// judgedOf lists the records that a gate gave a verdict on, as it saw them.
func (c *collector) judgedOf(n engine.NodeRun) []pipeline.Ref {
	if n.Step.Kind != pipeline.KindGate {
		return nil
	}
	var refs []pipeline.Ref
	if n.Step.Each {
		for _, u := range c.units[n.Step.Name] {
			isVerdict := func(r pipeline.Ref) bool { return r.Schema == schemas.NameVerdict }
			if slices.ContainsFunc(u.Out, isVerdict) {
				refs = append(refs, u.In)
			}
		}
		return refs
	}
	seen := map[[2]string]bool{}
	for _, from := range n.Step.From {
		for _, u := range c.units[from] {
			for _, ref := range u.Out {
				key := [2]string{ref.Schema, ref.ID}
				if slices.Contains(n.Step.Spec.Accepts, ref.Schema) && !seen[key] {
					seen[key] = true
					refs = append(refs, ref)
				}
			}
		}
	}
	return refs
}

// load reads versions, counts those of each record and parts questions from others.
// A record whose digest as an item is that of the released one is no other form.
func (c *collector) load(ctx context.Context, versions []version, digests map[[2]string]pipeline.Digest) (out forms, err error) {
	wanted := make([]pipeline.Digest, len(versions))
	for i, v := range versions {
		wanted[i] = v.ref.Digest
	}
	recs, err := c.store.Records(ctx, wanted)
	if err != nil {
		return out, fmt.Errorf("release: load what gates judged: %w", err)
	}
	count := map[[2]string]int32{}
	for i, r := range recs {
		key := [2]string{r.Schema, r.ID}
		slices.Sort(versions[i].gates)
		if r.Schema == schemas.NameQuestion {
			q, err := pipeline.Decode[schemas.Question](r)
			if err != nil {
				return out, fmt.Errorf("release: load what gates judged: %w", err)
			}
			if !out.fits(versions[i], string(r.Data)) {
				continue
			}
			out.questions = append(out.questions, schemas.FlaggedQuestion{Question: q, Version: count[key], JudgedBy: versions[i].gates})
			count[key]++
			continue
		}
		d, err := pipeline.ItemDigest(r)
		if err != nil {
			return out, fmt.Errorf("release: load what gates judged: %w", err)
		}
		if d == digests[key] || !out.fits(versions[i], string(r.Data)) {
			continue
		}
		out.others = append(out.others, schemas.FlaggedRecord{Item: r.ID, Schema: r.Schema, Version: count[key], Record: string(r.Data), JudgedBy: versions[i].gates})
		count[key]++
	}
	return out, nil
}
