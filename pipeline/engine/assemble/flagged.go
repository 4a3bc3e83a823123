package assemble

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

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
	// digests as items, by schema and id, of the records that a release may change
	digests := map[[2]string]pipeline.Digest{}
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
			if mayChange(ref.Schema) {
				digests[[2]string{ref.Schema, ref.ID}] = ""
			}
		}
	}
	if len(digests) > 0 {
		for r, err := range l.released(ctx, refRows) {
			if err != nil {
				return forms{}, err
			}
			key := [2]string{r.Schema, r.ID}
			if _, judged := digests[key]; !judged {
				continue
			}
			if digests[key], err = pipeline.ItemDigest(r); err != nil {
				return forms{}, err
			}
		}
	}
	return c.loadForms(ctx, versions, digests)
}

// mayChange reports schemas whose records a release may change, without another
// ItemDigest, or leave out without a word.
func mayChange(schema string) bool { return schema == schemas.NameTask || schema == schemas.NameMedia }

// judgedOf yields the records that a gate gave a verdict on, as it saw them: the inputs of
// its units, or all that a gate over all items at once read.
func (c *collector) judgedOf(n engine.StepRun) iter.Seq[pipeline.Ref] {
	return func(yield func(pipeline.Ref) bool) {
		if n.Step.Kind != pipeline.KindGate {
			return
		}
		if n.Step.Each {
			isVerdict := func(r pipeline.Ref) bool { return r.Schema == schemas.NameVerdict }
			for u := range c.each(n.Step.Name) {
				if slices.ContainsFunc(u.Out, isVerdict) && !yield(u.In) {
					return
				}
			}
			return
		}
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
}

// loadForms reads versions, counts those of each record and parts questions from others.
// A record whose digest as an item is that of the released one is no other form. A form
// without room in a table of its own is lost.
func (c *collector) loadForms(ctx context.Context, versions []version, digests map[[2]string]pipeline.Digest) (out forms, err error) {
	count, at := map[[2]string]int32{}, -1
	err = c.load(ctx, refsOf(versions, func(v version) pipeline.Ref { return v.ref }), func(_ pipeline.Ref, judged pipeline.Record) error {
		at++
		v := versions[at]
		slices.Sort(v.gates)
		r, err := c.reg.Disclose(judged)
		if err != nil {
			return err
		}
		key, data := [2]string{r.Schema, r.ID}, string(r.Data)
		var q schemas.Question
		if r.Schema == schemas.NameQuestion {
			q, err = pipeline.Decode[schemas.Question](r)
		} else if d, failed := pipeline.ItemDigest(r); failed != nil || d == digests[key] {
			return failed
		}
		if err != nil {
			return err
		}
		if why := release.TooLarge("", []any{data}); why != "" {
			for _, gate := range v.gates {
				out.lost = append(out.lost, schemas.Rejection{ID: v.ref.ID, Stage: gate, Code: schemas.ExcludedSize, Reason: "the form of it that this gate judged " + why})
			}
			return nil
		}
		if r.Schema == schemas.NameQuestion {
			out.questions = append(out.questions, schemas.FlaggedQuestion{Question: q, Version: count[key], JudgedBy: v.gates})
		} else {
			out.others = append(out.others, schemas.FlaggedRecord{Item: r.ID, Schema: r.Schema, Version: count[key], Record: data, JudgedBy: v.gates})
		}
		count[key]++
		return nil
	})
	if err != nil {
		return out, fmt.Errorf("release: load what gates judged: %w", err)
	}
	return out, nil
}
