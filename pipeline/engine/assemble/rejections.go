package assemble

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/schemas"
)

// noted are the notes on files: by source and file, and how many each step found,
// by code.
type noted struct {
	files map[[2]string][]schemas.RecordNote
	found map[string]map[string]int64
}

// notes reads what records say of themselves. A note belongs to the step that
// found it: those after it hand it on, perhaps in other records.
func (c *collector) notes(ctx context.Context) (noted, error) {
	all := noted{files: map[[2]string][]schemas.RecordNote{}, found: map[string]map[string]int64{}}
	for _, n := range c.steps {
		var refs []pipeline.Ref
		var sources []string
		ask := func() error {
			err := c.sourceFiles(ctx, refs, func(i int, t pipeline.SourceFile) {
				for _, note := range t.Notes {
					all.add(n.Step.Name, [2]string{sources[i], t.File}, schemas.RecordNote{Item: refs[i].ID, Code: note.Code, Text: note.Text})
				}
			})
			refs, sources = refs[:0], sources[:0]
			return err
		}
		for u := range c.each(n.Step.Name) {
			for _, r := range u.Out {
				if !c.reg.HasSourceFile(r.Schema) {
					continue
				}
				if source := c.origin(n, c.hash(r.ID), c.hash(u.In.ID)); source != "" {
					refs, sources = append(refs, r), append(sources, source)
				}
			}
			if len(refs) < readBatch {
				continue
			}
			if err := ask(); err != nil {
				return all, err
			}
		}
		if err := ask(); err != nil {
			return all, err
		}
	}
	return all, c.failed
}

// origin names the source a record descends from, where only maps, gates and the
// steps of a loop lie between them; a fold mixes its inputs, so there it is empty. id is
// the record as step n had it, in the input of n that it came of, if that is known.
func (c *collector) origin(n engine.StepRun, id, in textHash) string {
	if n.Step.Kind == pipeline.KindSource {
		return n.Step.Name
	}
	in = cmp.Or(in, id)
	for _, from := range n.Step.From {
		input, ok := c.inputOf(from, in)
		if !ok {
			continue
		}
		i := slices.IndexFunc(c.steps, func(o engine.StepRun) bool { return o.Step.Name == from })
		_, round := pipeline.SplitRound(from)
		switch up := c.steps[i].Step; {
		case up.Each || up.Kind == pipeline.KindSource:
		case up.Kind == pipeline.KindGate || round > 0:
			input = in // it read everything at once and gives what it read
		default:
			return ""
		}
		return c.origin(c.steps[i], in, input)
	}
	return ""
}

// inputOf finds the input of the unit of a step that gave the record id.
func (c *collector) inputOf(step string, id textHash) (textHash, bool) {
	inputs, ok := c.inputs[step]
	if !ok {
		inputs = map[textHash]textHash{}
		for u := range c.each(step) {
			in := c.hash(u.In.ID)
			for _, r := range u.Out {
				inputs[c.hash(r.ID)] = in
			}
		}
		c.inputs[step] = inputs
	}
	in, ok := inputs[id]
	return in, ok
}

// lostBy lists what a step lost on the way, and what it flagged if that is asked for,
// with the file that each is of.
func (c *collector) lostBy(ctx context.Context, n engine.StepRun, flagged bool) (all []schemas.Rejection, err error) {
	var refs []pipeline.Ref                // of all, where some step gave the record
	elsewhere := map[string]pipeline.Ref{} // what is not the input of its unit
	for u := range c.each(n.Step.Name) {
		for _, r := range u.Rejections {
			if r.Flagged && !flagged {
				continue
			}
			out, ref := schemas.Rejection{
				ID: r.ID, Stage: n.Step.Name, Code: r.Code, Reason: r.Reason, Source: c.origin(n, c.hash(r.ID), c.hash(u.In.ID)),
			}, pipeline.Ref{}
			switch {
			case n.Step.Kind == pipeline.KindSource:
				if slices.ContainsFunc(n.Assets, func(a pipeline.Asset) bool { return a.Path == r.ID }) {
					out.Path = r.ID
				}
			case u.In.ID == r.ID:
				ref = u.In
			default:
				elsewhere[r.ID] = pipeline.Ref{}
			}
			all, refs = append(all, out), append(refs, ref)
		}
	}
	c.find(n.Step.From, elsewhere)
	var asked []int
	var records []pipeline.Ref
	for i, l := range all {
		if ref, ok := elsewhere[l.ID]; ok && refs[i].ID == "" {
			refs[i] = ref
		}
		if l.Source != "" && c.reg.HasSourceFile(refs[i].Schema) {
			asked, records = append(asked, i), append(records, refs[i])
		}
	}
	return all, c.sourceFiles(ctx, records, func(i int, t pipeline.SourceFile) { all[asked[i]].Path = t.File })
}

// find looks for records, by id, among what steps gave: the first step that gave one
// counts, and the last that it gave.
func (c *collector) find(nodes []string, wanted map[string]pipeline.Ref) {
	by := map[string]string{}
	for _, node := range nodes {
		if len(by) == len(wanted) {
			return
		}
		for u := range c.each(node) {
			for _, r := range u.Out {
				if _, ok := wanted[r.ID]; ok && (by[r.ID] == "" || by[r.ID] == node) {
					wanted[r.ID], by[r.ID] = r, node
				}
			}
		}
	}
}

// sourceFiles asks records which files they are of, and hands on what each says.
func (c *collector) sourceFiles(ctx context.Context, refs []pipeline.Ref, each func(int, pipeline.SourceFile)) error {
	at := -1
	err := c.load(ctx, refsOf(refs, func(r pipeline.Ref) pipeline.Ref { return r }), func(_ pipeline.Ref, rec pipeline.Record) error {
		at++
		f, err := c.reg.SourceFile(rec)
		if err == nil {
			each(at, f)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("release: look for the files of records: %w", err)
	}
	return nil
}

func (a noted) add(node string, file [2]string, note schemas.RecordNote) {
	if slices.ContainsFunc(a.files[file], func(o schemas.RecordNote) bool { return o.Code == note.Code && o.Text == note.Text }) {
		return
	}
	a.files[file] = append(a.files[file], note)
	if a.found[node] == nil {
		a.found[node] = map[string]int64{}
	}
	a.found[node][note.Code]++
}

// addTo puts the notes into the rows of sources: of their file where it has a row,
// else into the first row of the source, for a member of an archive has none.
func (a noted) addTo(rows []schemas.Source) {
	first, own := map[string]int{}, map[[2]string]int{}
	for i, r := range rows {
		if _, ok := first[r.ID]; !ok {
			first[r.ID] = i
		}
		own[[2]string{r.ID, r.Path}] = i
	}
	for file, notes := range a.files {
		i, ok := own[file]
		if !ok {
			i, ok = first[file[0]]
		}
		if ok {
			rows[i].Notes = append(rows[i].Notes, notes...)
		}
	}
	for i := range rows {
		slices.SortFunc(rows[i].Notes, byNote)
	}
}

func byNote(a, b schemas.RecordNote) int {
	return slices.Compare([]string{a.Item, a.Code, a.Text}, []string{b.Item, b.Code, b.Text})
}

// lossesOf lists what sources and stages lost in this run, which tells the user
// more than a count does. Also a run that failed has some.
func lossesOf(ctx context.Context, reg *pipeline.Registry, st pipeline.Store, nodes []engine.StepRun) ([]schemas.Rejection, error) {
	lossy := func(n engine.StepRun) bool {
		return n.Step.Kind != pipeline.KindGate && n.Built() > 0 && n.Summary.Lost > 0
	}
	if !slices.ContainsFunc(nodes, lossy) {
		return nil, nil
	}
	c := newCollector(ctx, reg, st, nodes, "")
	var out []schemas.Rejection
	for _, n := range c.steps {
		if !lossy(n) {
			continue
		}
		lost, err := c.lostBy(ctx, n, false)
		if err != nil {
			return out, errors.Join(err, c.failed)
		}
		out = append(out, lost...)
	}
	return out, c.failed
}
