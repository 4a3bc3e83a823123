package assemble

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// span is a part of a list.
type span struct{ from, to int32 }

// state says what became of a record.
type state uint8

// A record is there, or nothing needs it, or it cannot stand: it refers to what is not
// there, it does not follow from its rows, or it is against a rule.
const (
	stands state = iota
	isUnused
	isMissing
	isChanged
	isBroken
)

// standing is what the walk needs to know of a record that a table holds: the record
// itself lies on disk, under its number in the list of all.
type standing struct {
	state  state
	table  uint16
	places span // of walk.places; the first is its own
	refers span // of walk.refers: elsewhere
	why    int32
	id     name // of the record
	own    name // of its row
	digest name
	group  name // that it follows from, where its table is composed
}

// refer is one id that a record refers to, by the number of the reference.
type refer struct {
	ref uint16
	id  name
}

// reference is a declared one, with its tables by number.
type reference struct {
	weak   bool
	tables []uint16
}

// known says of a table whether a release may have it, and whether this one does: then
// all its rows are known.
type known struct{ declared, present bool }

// walk finds out what of the records can stand in a release.
type walk struct {
	c      *collector
	gates  map[name]int // number of the node that dropped a record, by its item
	tables []pipeline.Table
	number map[string]uint16
	known  []known
	refs   []reference
	refNum map[[3]string]uint16 // by table, column and where it leads
	held   names                // places
	stands []standing
	places []name
	refers []refer
	others int                 // verdicts and what else has no table of its own
	fresh  names               // groups that are still to be compared with their rows
	mine   names               // places of the record at hand
	lost   []schemas.Rejection // all that cannot stand: unfit, and what the walk found
	unfit  []schemas.Rejection
	broken map[int]string // the rules that records, by number, are against
	unused names          // ids of what nothing needs
	// trimmed are the records, by number, that go on without some that they refer to.
	trimmed map[int]bool
}

// rested leaves out records that rest on something which is not released: a gate
// dropped it, or a stage lost it. Each is a rejection of the gate, or else of the
// node that gave the record. Tasks stay without the media that are gone. Tasks and
// media that nothing released needs are left out without a word, with the verdicts
// on them; unused has their ids. The records come by id.
func (c *collector) rested(recs iter.Seq2[collected, error], from []string, sources []schemas.Source, rejected []schemas.Rejection) (*walk, error) {
	w := c.newWalk(sources, rejected)
	bySchema := map[string]pipeline.Table{}
	for _, t := range c.reg.Tables() {
		w.know(t, known{declared: true})
	}
	for _, t := range append(pipeline.CoreTables(), c.tables()...) {
		w.know(t, known{true, true})
		if t.Part == nil {
			bySchema[t.Schema] = t
		}
	}
	for r, err := range recs {
		if err != nil {
			return nil, err
		}
		if err := w.take(r, from, bySchema); err != nil {
			return nil, err
		}
	}
	return w, errors.Join(w.rest(), c.failed)
}

// rest leaves out what cannot stand and what nothing needs.
func (w *walk) rest() error {
	if err := w.settle(); err != nil {
		return err
	}
	for w.use() {
		if err := w.settle(); err != nil {
			return err
		}
	}
	w.trim()
	if err := w.tell(); err != nil {
		return err
	}
	return w.bounded()
}

// newWalk knows what no record gives.
func (c *collector) newWalk(sources []schemas.Source, rejected []schemas.Rejection) *walk {
	w := &walk{
		c: c, gates: c.droppedBy(), number: map[string]uint16{}, refNum: map[[3]string]uint16{}, held: names{},
		fresh: names{}, mine: names{}, unused: names{}, trimmed: map[int]bool{}, broken: map[int]string{},
	}
	w.known[w.table(pipeline.TableSources)] = known{true, true}
	w.known[w.table(pipeline.AnyRecord)] = known{true, true}
	for _, s := range sources {
		w.held.add(w.place(pipeline.TableSources, s.ID))
	}
	for _, r := range rejected {
		w.held.add(w.place(pipeline.AnyRecord, r.ID))
	}
	return w
}

// table numbers the tables.
func (w *walk) table(name string) uint16 {
	n, ok := w.number[name]
	if !ok {
		n = uint16(len(w.tables))
		w.number[name], w.tables, w.known = n, append(w.tables, pipeline.Table{Name: name}), append(w.known, known{})
	}
	return n
}

func (w *walk) know(t pipeline.Table, k known) {
	n := w.table(t.Name)
	w.tables[n], w.known[n] = t, k
}

// place is the name of an id in a table.
func (w *walk) place(table, id string) name { return w.at(w.table(table), w.c.of(id)) }

func (w *walk) at(table uint16, id name) name { return id ^ name(table+1)*0x9e3779b97f4a7c15 }

// take puts a record on the shelf where it belongs, unless a gate dropped it.
func (w *walk) take(r collected, from []string, tables map[string]pipeline.Table) error {
	t, ok := tables[r.Schema]
	if !ok {
		w.others++
		return w.c.shelve(shelfOthers, w.others, "", r.Record)
	}
	if _, dropped := w.gates[w.c.item(r.Schema, r.ID)]; dropped && !slices.ContainsFunc(from, func(node string) bool { return w.c.gives(node, r.Record) }) {
		return nil // the gate has said so itself
	}
	return w.stand(r, t)
}

// stand notes what a record holds and refers to.
func (w *walk) stand(r collected, t pipeline.Table) error {
	w.held.add(w.place(pipeline.AnyRecord, r.ID)) // and stays so: what is lost is a rejection
	rows, err := t.Rows(r.Record)
	if err != nil {
		w.unfit = append(w.unfit, w.c.against(r.Record, fmt.Sprintf("it is no row of table %s: %v", t.Name, err)))
		return nil
	}
	for _, row := range rows {
		switch code, why := release.RowProblem(t, row); code {
		case "":
			continue
		case schemas.ExcludedRule:
			w.unfit = append(w.unfit, w.c.against(r.Record, fmt.Sprintf("its row of table %s %s", row.Table, why)))
		default:
			w.unfit = append(w.unfit, schemas.Rejection{ID: r.ID, Stage: w.c.maker(r.Record), Code: code, Reason: fmt.Sprintf("its row of table %s %s", row.Table, why)})
		}
		return nil
	}
	s := w.standing(r, t, rows)
	group, shelf := "", shelfRecords
	if t.IsComposed() {
		if group, err = t.Group(r.Record); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
		s.group, shelf = w.place(t.Name, group), shelfGroups
		w.fresh.add(s.group)
	}
	w.stands = append(w.stands, s)
	w.alone(len(w.stands) - 1)
	return w.c.shelve(shelf, len(w.stands)-1, t.Name+" "+group, r.Record)
}

// alone lets no record stand that is called like the one before it: nobody knows which
// of the two others mean.
func (w *walk) alone(number int) {
	s := w.stands[number]
	if number == 0 || w.stands[number-1].id != s.id || w.stands[number-1].table != s.table {
		return
	}
	for _, n := range []int{number - 1, number} {
		w.stands[n].state, w.broken[n] = isBroken, "another record of its schema, which says other things, has its id"
		w.leave(w.stands[n])
	}
}

// standing notes the places of a record, and what it refers to that has none of them.
func (w *walk) standing(r collected, t pipeline.Table, rows []pipeline.Row) standing {
	s := standing{table: w.table(t.Name), id: w.c.of(r.ID), digest: w.c.of(string(r.digest)), places: span{from: int32(len(w.places))}, refers: span{from: int32(len(w.refers))}}
	clear(w.mine)
	for _, row := range rows {
		id := w.c.of(fmt.Sprint(row.Cells[0]))
		p := w.at(w.table(row.Table), id)
		if w.places = append(w.places, p); s.own == 0 {
			s.own = id
		}
		w.mine.add(p)
		w.held.add(p)
	}
	for _, ref := range refersOf(t, rows) {
		n := w.reference(ref)
		is := refer{n, w.c.of(ref.id)}
		if !slices.ContainsFunc(w.refs[n].tables, func(table uint16) bool { return w.mine.has(w.at(table, is.id)) }) {
			w.refers = append(w.refers, is)
		}
	}
	s.places.to, s.refers.to = int32(len(w.places)), int32(len(w.refers))
	return s
}

// reference numbers the references.
func (w *walk) reference(r referred) uint16 {
	key := [3]string{r.table, r.Column, strings.Join(r.Tables, " ")}
	n, ok := w.refNum[key]
	if !ok {
		of := reference{weak: r.Weak}
		for _, t := range r.Tables {
			of.tables = append(of.tables, w.table(t))
		}
		n = uint16(len(w.refs))
		w.refNum[key], w.refs = n, append(w.refs, of)
	}
	return n
}

// there reports whether a reference leads to something, or whether that is not to
// be told here: it may lead to rows that are no records, or to no table of the
// release.
func (w *walk) there(r refer) bool {
	some := false
	for _, table := range w.refs[r.ref].tables {
		if w.held.has(w.at(table, r.id)) || !w.known[table].declared {
			return true
		}
		some = some || w.known[table].present
	}
	return !some
}

// released gives the records that are released, as often as one asks: a verdict stays
// where its item was dropped and goes where nothing needs the item.
func (w *walk) released(ctx context.Context) iter.Seq2[pipeline.Record, error] {
	return func(yield func(pipeline.Record, error) bool) {
		for _, shelf := range []string{shelfOthers, shelfRecords, shelfGroups} {
			for s, err := range w.c.shelf(shelf) {
				goes := false
				if err = errors.Join(err, ctx.Err()); err == nil {
					s.Record, goes, err = w.kept(shelf, s)
				}
				if err != nil {
					yield(pipeline.Record{}, fmt.Errorf("release: %w", err))
					return
				}
				if goes && !yield(s.Record, nil) {
					return
				}
			}
		}
	}
}

// kept is a record as it is released, if it is.
func (w *walk) kept(shelf string, s shelved) (pipeline.Record, bool, error) {
	if shelf != shelfOthers {
		if w.stands[s.number].state != stands || !w.trimmed[s.number] {
			return s.Record, w.stands[s.number].state == stands, nil
		}
		r, err := w.without(s)
		return r, true, err
	}
	if s.Schema != schemas.NameVerdict || len(w.unused) == 0 {
		return s.Record, true, nil
	}
	v, err := pipeline.Decode[schemas.Verdict](s.Record)
	return s.Record, !w.unused.has(w.c.of(v.Item)), err
}
