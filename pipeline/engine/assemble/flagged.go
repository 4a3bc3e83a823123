package assemble

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// gates tells of every gate what it takes to run it again.
func (c *collector) gates() []manifest.GateInfo {
	var out []manifest.GateInfo
	for _, n := range c.steps {
		if n.Step.Kind != pipeline.KindGate {
			continue
		}
		id := n.Step.Identity
		g := manifest.GateInfo{Name: n.Step.Name, Use: id.Use, Summary: n.Step.Summary, Version: id.Version, Config: id.Config, OnFail: id.OnFail}
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
		f.lost = append(f.lost, schemas.Rejection{ID: v.ref.ID, Stage: gate, Code: schemas.ExcludedSize, Reason: "the form of it that this gate judged " + why})
	}
	return false
}

// judgedForms returns the questions and other records that gates judged in a form that is
// not among those of the release; what nothing needs is no such record.
func (l *closure) judgedForms(ctx context.Context) (forms, error) {
	c := l.c
	kept := hashSet{}
	for _, e := range l.entries {
		if e.state == stands && !slices.ContainsFunc(l.refsOf(e), l.isGone(true)) {
			kept.add(c.hash(string(pipeline.DigestOfSum(e.digest))))
		}
	}
	at := map[pipeline.Digest]int{}
	var versions []version
	for _, n := range c.steps {
		for ref := range c.judgedOf(n) {
			if kept.has(c.hash(string(ref.Digest))) || mayChange(ref.Schema) && l.unused.has(c.hash(ref.ID)) {
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
	digests, err := l.itemDigests(ctx, versions)
	if err != nil {
		return forms{}, err
	}
	return c.loadForms(ctx, versions, digests)
}

// itemDigests returns, by schema and id, the digests as items of those records that a
// release may change and that gates judged in another form.
func (l *closure) itemDigests(ctx context.Context, versions []version) (map[[2]string]pipeline.Digest, error) {
	out := map[[2]string]pipeline.Digest{}
	for _, v := range versions {
		if mayChange(v.ref.Schema) {
			out[[2]string{v.ref.Schema, v.ref.ID}] = ""
		}
	}
	if len(out) == 0 {
		return out, nil
	}
	for r, err := range l.released(ctx, refRows) {
		if err != nil {
			return nil, err
		}
		key := [2]string{r.Schema, r.ID}
		if _, judged := out[key]; !judged {
			continue
		}
		if out[key], err = pipeline.ItemDigest(r); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// mayChange reports schemas whose records a release may change, without another
// ItemDigest, or leave out without a word.
func mayChange(schema string) bool { return schema == schemas.NameTask || schema == schemas.NameMedia }

// judgedOf yields the records that a gate gave a verdict on, as it saw them.
func (c *collector) judgedOf(n engine.StepRun) iter.Seq[pipeline.Ref] {
	return func(yield func(pipeline.Ref) bool) {
		switch {
		case n.Step.Kind != pipeline.KindGate:
		case n.Step.Each:
			isVerdict := func(r pipeline.Ref) bool { return r.Schema == schemas.NameVerdict }
			for u := range c.each(n.Step.Name) {
				if slices.ContainsFunc(u.Out, isVerdict) && !yield(u.In) {
					return
				}
			}
		default:
			c.inputsOf(n, yield)
		}
	}
}

// inputsOf gives what a gate over all items at once read.
func (c *collector) inputsOf(n engine.StepRun, yield func(pipeline.Ref) bool) {
	seen := hashSet{}
	for _, from := range n.Step.From {
		for u := range c.each(from) {
			for _, ref := range u.Out {
				item := c.hashItem(ref.Schema, ref.ID)
				if !slices.Contains(n.Step.Spec.Accepts, ref.Schema) || seen.has(item) {
					continue
				}
				if seen.add(item); !yield(ref) {
					return
				}
			}
		}
	}
}

// loadForms reads versions, counts those of each record and parts questions from others.
// A record whose digest as an item is that of the released one is no other form.
func (c *collector) loadForms(ctx context.Context, versions []version, digests map[[2]string]pipeline.Digest) (out forms, err error) {
	count, at := map[[2]string]int32{}, -1
	err = c.load(ctx, refsOf(versions, func(v version) pipeline.Ref { return v.ref }), func(_ pipeline.Ref, r pipeline.Record) error {
		at++
		slices.Sort(versions[at].gates)
		shown, err := c.reg.Disclose(r)
		if err != nil {
			return err
		}
		return out.add(versions[at], shown, digests, count)
	})
	if err != nil {
		return out, fmt.Errorf("release: load what gates judged: %w", err)
	}
	return out, nil
}

// add takes a version in, with the number that it has among those of its record.
func (f *forms) add(v version, r pipeline.Record, digests map[[2]string]pipeline.Digest, count map[[2]string]int32) error {
	key := [2]string{r.Schema, r.ID}
	if r.Schema == schemas.NameQuestion {
		q, err := pipeline.Decode[schemas.Question](r)
		if err != nil || !f.fits(v, string(r.Data)) {
			return err
		}
		f.questions = append(f.questions, schemas.FlaggedQuestion{Question: q, Version: count[key], JudgedBy: v.gates})
		count[key]++
		return nil
	}
	d, err := pipeline.ItemDigest(r)
	if err != nil || d == digests[key] || !f.fits(v, string(r.Data)) {
		return err
	}
	f.others = append(f.others, schemas.FlaggedRecord{Item: r.ID, Schema: r.Schema, Version: count[key], Record: string(r.Data), JudgedBy: v.gates})
	count[key]++
	return nil
}
