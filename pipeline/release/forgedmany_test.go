package release

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// A Forgery is what a forger may change together: rows of tables, and the manifest.
type Forgery struct {
	Manifest *manifest.Manifest
	g        *forged
}

// Many writes a release into dest in which several values are others, and everything
// that follows is restated, digests of items included.
func (f *Forger) Many(dest string, change func(*Forgery) error) error {
	g := f.begin()
	g.manifest.Gates, g.manifest.GateCounts = slices.Clone(g.manifest.Gates), slices.Clone(g.manifest.GateCounts)
	g.manifest.RecordCounts, g.manifest.Tables = slices.Clone(g.manifest.RecordCounts), slices.Clone(g.manifest.Tables)
	g.manifest.Models = slices.Clone(g.manifest.Models)
	if err := change(&Forgery{Manifest: &g.manifest, g: g}); err != nil {
		return err
	}
	if err := errors.Join(g.restateQuestions(), g.restateRows(tableMedia), g.restateRows(tableTasks)); err != nil {
		return err
	}
	for _, t := range shapesOf(g.manifest) {
		t.sort(g.rows[t.name])
	}
	if err := errors.Join(g.restateRecords(), g.restateGates()); err != nil {
		return err
	}
	for i, n := range g.manifest.RecordCounts {
		if n.Kind == "stage" {
			g.manifest.RecordCounts[i].Lost -= min(n.Flagged, n.Lost) // a stage's flagged are no losses
		}
	}
	if err := g.restateMarks(); err != nil {
		return err
	}
	return g.write(dest)
}

// restateRows gives verdicts on changed rows of a table the digests that these have now.
func (g *forged) restateRows(place string) (err error) {
	for _, now := range g.rows[place] {
		at := slices.IndexFunc(g.Forger.rows[place], func(old row) bool { return old[0] == now[0] })
		if at >= 0 {
			err = errors.Join(err, g.restateItems(place, g.Forger.rows[place][at], now))
		}
	}
	return err
}

// restateMarks counts draws and decisions again.
func (g *forged) restateMarks() (err error) {
	g.manifest.Reviewed = slices.Clone(g.manifest.Reviewed)
	c := g.contents()
	for i, m := range g.manifest.Reviewed {
		if g.manifest.Reviewed[i], err = reviewTables(currentShapes(g.manifest), c.rows).Mark(m.Step, m.ReviewSample); err != nil {
			return err
		}
	}
	return nil
}

// restateQuestions gives verdicts on changed questions the digests that these have now.
func (g *forged) restateQuestions() error {
	for i, r := range g.rows[tableQuestions] {
		at := slices.IndexFunc(g.Forger.rows[tableQuestions], func(o row) bool { return o[0] == r[0] })
		if at < 0 {
			continue
		}
		if err := g.restateItems(tableQuestions, g.Forger.rows[tableQuestions][at], g.rows[tableQuestions][i]); err != nil {
			return err
		}
	}
	return nil
}

// Rows are those of a table that begin with these keys.
func (f *Forgery) Rows(name string, keys ...any) (out [][]any) {
	for _, r := range f.g.rows[name] {
		if slices.Equal(r[:len(keys)], keys) {
			out = append(out, r)
		}
	}
	return out
}

// Drop takes these rows out.
func (f *Forgery) Drop(name string, keys ...any) {
	f.g.rows[name] = slices.DeleteFunc(f.g.rows[name], func(r row) bool { return slices.Equal(r[:len(keys)], keys) })
}

// Add puts a row in.
func (f *Forgery) Add(name string, r []any) { f.g.rows[name] = append(f.g.rows[name], r) }

// Set gives the rows that begin with these keys another value.
func (f *Forgery) Set(name, column string, v any, keys ...any) error {
	at, ok := f.g.shape(name).column(column)
	if rows := f.Rows(name, keys...); !ok || len(rows) == 0 {
		return fmt.Errorf("table %s has no row %v or no column %s", name, keys, column)
	}
	for i, r := range f.g.rows[name] {
		if slices.Equal(r[:len(keys)], keys) {
			f.g.rows[name][i] = slices.Clone(r)
			f.g.rows[name][i][at] = v
		}
	}
	return nil
}

// Edit gives the rows that begin with these keys other texts wherever they stand, and
// says how many rows it changed.
func (f *Forgery) Edit(name string, edit func(string) string, keys ...any) (changed int) {
	for i, r := range f.g.rows[name] {
		if !slices.Equal(r[:len(keys)], keys) {
			continue
		}
		if now, _ := edited(r, edit).([]any); !reflect.DeepEqual(now, r) {
			f.g.rows[name][i] = now
			changed++
		}
	}
	return changed
}

// edited is a value as a table holds it, with other texts.
func edited(v any, edit func(string) string) any {
	switch v := v.(type) {
	case string:
		return edit(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = edited(v[i], edit)
		}
		return out
	}
	return v
}

// Unflag puts a flagged question back among those released.
func (f *Forgery) Unflag(id string) {
	for _, r := range f.Rows(tableFlagged, id) {
		f.Add(tableQuestions, rowOf(tableQuestions, recordOf[schemas.FlaggedQuestion](tableFlagged, r).Question))
	}
}

// Question changes a released question.
func (f *Forgery) Question(id string, change func(*schemas.Question)) {
	for i, r := range f.g.rows[tableQuestions] {
		if r[0] == id {
			q := recordOf[schemas.Question](tableQuestions, r)
			change(&q)
			f.g.rows[tableQuestions][i] = rowOf(tableQuestions, q)
		}
	}
}

// OtherGold makes another option of a question right.
func OtherGold(q *schemas.Question) { otherGold(q) }

// Fewer lowers what a node took in and gave, and what a gate of that name passed, by one.
func (f *Forgery) Fewer(nodes ...string) {
	for _, node := range nodes {
		for i := range f.Manifest.GateCounts {
			if j := &f.Manifest.GateCounts[i]; j.Step() == node {
				j.In, j.Passed = j.In-1, j.Passed-1
			}
		}
		for i := range f.Manifest.RecordCounts {
			if n := &f.Manifest.RecordCounts[i]; n.Step == node {
				n.In, n.Out = n.In-1, n.Out-1
			}
		}
	}
}

// Forget takes gates out of the manifest, with their verdicts and probes.
func (f *Forgery) Forget(gates ...string) {
	is := func(name string) bool { return slices.Contains(gates, name) }
	m := f.Manifest
	m.Gates = slices.DeleteFunc(m.Gates, func(g manifest.GateInfo) bool { return is(g.Name) })
	m.GateCounts = slices.DeleteFunc(m.GateCounts, func(j manifest.GateCounts) bool { return is(j.Gate) })
	m.RecordCounts = slices.DeleteFunc(m.RecordCounts, func(n manifest.RecordCounts) bool { return is(n.Step) })
	m.Models = slices.DeleteFunc(m.Models, func(n manifest.StepModels) bool { return is(n.Step) })
	for _, name := range []string{tableVerdicts, tableProbes} {
		f.g.rows[name] = slices.DeleteFunc(f.g.rows[name], func(r row) bool { return is(strings.TrimSpace(fmt.Sprint(r[1]))) })
	}
}

// Node is a row of the funnel.
func (f *Forgery) Node(name string) *manifest.RecordCounts {
	i := slices.IndexFunc(f.Manifest.RecordCounts, func(n manifest.RecordCounts) bool { return n.Step == name })
	return &f.Manifest.RecordCounts[i]
}
