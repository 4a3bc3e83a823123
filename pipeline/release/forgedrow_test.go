package release

import (
	"errors"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// ForgeRow writes a release into dest in which the row that begins with these keys has
// other values by column, and everything that follows is restated, digests of items
// included.
func (f *Forger) ForgeRow(dest, name string, keys []any, values map[string]any) error {
	t := f.shape(name)
	i := slices.IndexFunc(f.rows[name], func(r row) bool { return slices.Equal(r[:len(keys)], keys) })
	if i < 0 {
		return fmt.Errorf("table %s has no row %v", name, keys)
	}
	now := slices.Clone(f.rows[name][i])
	for column, v := range values {
		at, ok := t.column(column)
		if !ok {
			return fmt.Errorf("table %s has no column %s", name, column)
		}
		if now[at] == v {
			return fmt.Errorf("row %v of %s has this %s already", keys, name, column)
		}
		now[at] = v
	}
	return f.exchange(dest, name, i, now, true)
}

// Rows are the rows of a release by table, with names for their columns.
type Rows struct {
	f    *Forger
	rows map[string][]row
}

// At is the place of a column.
func (r Rows) At(name, column string) int {
	at, _ := r.f.shape(name).column(column)
	return at
}

// Find is the first row of a table of which something holds.
func (r Rows) Find(name string, holds func(row []any) bool) []any {
	return r.rows[name][slices.IndexFunc(r.rows[name], holds)]
}

// List is a cell that is a list.
func (r Rows) List(name string, of []any, column string) []any {
	list, _ := of[r.At(name, column)].([]any)
	return list
}

// Set changes a cell.
func (r Rows) Set(name string, of []any, column string, v any) { of[r.At(name, column)] = v }

// Add puts a copy of a row, with other values in its first columns, into a table.
func (r Rows) Add(name string, like []any, values ...any) []any {
	now := append(slices.Clone(values), like[len(values):]...)
	r.rows[name] = append(r.rows[name], now)
	return now
}

// ForgeRows writes a release into dest in which rows are changed as change does, with
// the totals of gates and all texts and digests of files restated.
func (f *Forger) ForgeRows(dest string, change func(Rows)) error {
	g := f.begin()
	for name, rows := range g.rows {
		g.rows[name] = nil
		for _, r := range rows {
			g.rows[name] = append(g.rows[name], deep(r).([]any))
		}
	}
	change(Rows{f, g.rows})
	for _, t := range shapesOf(g.manifest) {
		t.sort(g.rows[t.name])
	}
	if err := g.restateGates(); err != nil {
		return err
	}
	return g.write(dest)
}

// deep copies a cell with all that is in it.
func deep(v any) any {
	list, ok := v.([]any)
	if !ok {
		return v
	}
	out := make([]any, len(list))
	for i, e := range list {
		out[i] = deep(e)
	}
	return out
}

// DropSession writes a release into dest that is without a session, its turns, points
// and verdicts, what asks about it, and all that these would dangle from.
func (f *Forger) DropSession(dest, id string) error {
	g := f.begin()
	gone := map[any]bool{id: true}
	of := func(name, column string, adds bool) {
		at, ok := f.shape(name).column(column)
		if !ok {
			return
		}
		g.rows[name] = slices.DeleteFunc(g.rows[name], func(r row) bool {
			drop := gone[r[at]]
			if drop && adds {
				gone[r[0]] = true
			}
			return drop
		})
	}
	of(pipeline.TableSessions, "session_id", true)
	of(pipeline.TableTurns, "session_id", true)
	of("memory_points", "session_id", true)
	for _, r := range f.rows[tableQuestions] {
		q := recordOf[schemas.Question](tableQuestions, r)
		if slices.ContainsFunc(q.Evidence, func(e schemas.Evidence) bool { return e.SessionID == id }) {
			gone[q.QuestionID] = true
		}
	}
	of(tableQuestions, "question_id", false)
	of(tableVerdicts, "item", false)
	of(tableProbes, "item", false)
	if err := g.restateGates(); err != nil {
		return err
	}
	return g.write(dest)
}

func (f *Forger) shape(name string) table {
	all := shapesOf(f.manifest)
	return all[slices.IndexFunc(all, func(t table) bool { return t.name == name })]
}

// begin is a forgery in which nothing is changed yet.
func (f *Forger) begin() *forged {
	g := &forged{Forger: f, rows: map[string][]row{}, manifest: f.manifest}
	for name, rows := range f.rows {
		g.rows[name] = slices.Clone(rows)
	}
	return g
}

// restateRecords gives verdicts on records of tables that plugins declare the digests
// that these have now: of one, or of all that follow from it.
func (g *forged) restateRecords() error {
	before, err := digestsOf(g.Forger.tables, g.Forger.rows)
	if err != nil {
		return err
	}
	after, err := digestsOf(g.Forger.tables, g.rows)
	if err != nil {
		return err
	}
	at, _ := tableOf(tableVerdicts).column("item_digest")
	for i, r := range g.rows[tableVerdicts] {
		id, _ := r[0].(string)
		if now := after[id]; now != "" && r[at] == before[id] && now != before[id] {
			g.rows[tableVerdicts][i], _ = replaced(r, []int{at}, now).([]any)
		}
	}
	return nil
}

// Knows has digests of the records of families restated as well.
func (f *Forger) Knows(reg *pipeline.Registry) { f.tables = reg }

// digestsOf are the digests of such records by their ids.
func digestsOf(reg *pipeline.Registry, rows map[string][]row) (map[string]string, error) {
	out := map[string]string{}
	if reg == nil {
		reg = pipeline.NewRegistry()
	}
	for _, schema := range reg.Schemas() {
		t, _ := reg.Table(schema)
		recs, err := t.Records(rows)
		if err != nil {
			return nil, err
		}
		for _, r := range recs {
			d, err := pipeline.ItemDigest(r)
			if err != nil {
				return nil, err
			}
			out[r.ID] = string(d)
		}
	}
	return out, nil
}

// Copy writes the release into dest with everything restated and nothing changed.
func (f *Forger) Copy(dest string) error {
	g := f.begin()
	if err := errors.Join(g.restateRecords(), g.restateGates()); err != nil {
		return err
	}
	return g.write(dest)
}
