package assemble

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// settle drops what rests on what is not there, until all that stands does so.
func (w *walk) settle() error {
	for {
		if w.drop(w.missing) {
			continue
		}
		changed, err := w.changed()
		if err != nil {
			return err
		}
		if !w.drop(func(i int, _ standing) (state, int) {
			if changed[i] {
				return isChanged, 0
			}
			return stands, 0
		}) {
			return nil
		}
	}
}

// drop takes out the records of which another state is said, and reports whether there
// are any.
func (w *walk) drop(becomes func(int, standing) (state, int)) (some bool) {
	for i, s := range w.stands {
		if s.state != stands {
			continue
		}
		is, why := becomes(i, s)
		if is == stands {
			continue
		}
		some = true
		w.stands[i].state, w.stands[i].why = is, int32(why)
		w.leave(s)
	}
	return some
}

// leave takes the places of a record.
func (w *walk) leave(s standing) {
	for _, p := range w.places[s.places.from:s.places.to] {
		delete(w.held, p)
	}
	if s.group != 0 {
		w.fresh.add(s.group)
	}
}

// missing finds the first reference for which a record cannot stand in its table.
func (w *walk) missing(_ int, s standing) (state, int) {
	for i, r := range w.refers[s.refers.from:s.refers.to] {
		if !w.refs[r.ref].weak && !w.there(r) {
			return isMissing, i
		}
	}
	return stands, 0
}

// changed are the records, by number, that their rows would not give again. They are
// looked at group by group, for the rows of all would be many, and again only where one
// of the group has gone.
func (w *walk) changed() (map[int]bool, error) {
	out := map[int]bool{}
	var group []shelved
	compare := func() error {
		defer func() { group = group[:0] }()
		return w.compare(group, out)
	}
	if len(w.fresh) > 0 {
		for s, err := range w.c.shelf(shelfGroups) {
			if err != nil {
				return nil, err
			}
			if len(group) > 0 && group[0].group != s.group {
				if err := compare(); err != nil {
					return nil, err
				}
			}
			if of := w.stands[s.number]; of.state == stands && w.fresh.has(of.group) {
				group = append(group, s)
			}
		}
	}
	clear(w.fresh)
	return out, compare()
}

// compare notes which records of a group are others when they are made of their rows.
func (w *walk) compare(group []shelved, changed map[int]bool) error {
	if len(group) == 0 {
		return nil
	}
	table, rows := w.tables[w.stands[group[0].number].table], map[string][][]any{}
	for _, s := range group {
		list, err := table.Rows(s.Record)
		if err != nil {
			return err
		}
		for _, r := range list {
			rows[r.Table] = append(rows[r.Table], r.Cells)
		}
	}
	again, err := table.Records(rows)
	if err != nil {
		return err
	}
	for i, s := range group {
		was, err := pipeline.ItemDigest(s.Record)
		if err != nil {
			return err
		}
		is, err := pipeline.ItemDigest(again[i])
		if err != nil {
			return err
		}
		if was != is {
			changed[s.number] = true
		}
	}
	return nil
}

// use leaves out tasks that no question refers to, and media that nothing does, and
// reports whether there are any.
func (w *walk) use() (some bool) {
	task, medium, question := w.table(pipeline.TableTasks), w.table(pipeline.TableMedia), w.table(pipeline.TableQuestions)
	supports := func(s standing) bool { return s.table == task || s.table == medium }
	used, at := make([]bool, len(w.stands)), map[name]int32{}
	var visit func(standing)
	visit = func(s standing) {
		for _, r := range w.refers[s.refers.from:s.refers.to] {
			for _, table := range w.refs[r.ref].tables {
				if i, ok := at[w.at(table, r.id)]; ok && !used[i] && (table != task || s.table == question) {
					used[i] = true
					visit(w.stands[i])
				}
			}
		}
	}
	for i, s := range w.stands {
		if s.state == stands && supports(s) {
			at[w.places[s.places.from]] = int32(i)
		}
	}
	for _, s := range w.stands {
		if s.state == stands && !supports(s) {
			visit(s)
		}
	}
	for i, s := range w.stands {
		if s.state != stands || !supports(s) || used[i] {
			continue
		}
		w.stands[i].state, some = isUnused, true
		w.unused.add(s.own)
		w.leave(s)
		delete(w.held, w.at(w.table(pipeline.AnyRecord), s.id))
	}
	return some
}

// trim finds the records whose lists name what is not there.
func (w *walk) trim() {
	clear(w.trimmed)
	for i, s := range w.stands {
		gone := func(r refer) bool { return w.refs[r.ref].weak && !w.there(r) }
		if s.state == stands && slices.ContainsFunc(w.refers[s.refers.from:s.refers.to], gone) {
			w.trimmed[i] = true
		}
	}
}

// without is a record whose lists do not name what is not there.
func (w *walk) without(s shelved) (pipeline.Record, error) {
	t := w.tables[w.stands[s.number].table]
	rows, err := t.Rows(s.Record)
	if err != nil {
		return s.Record, err
	}
	gone := map[string]bool{}
	for _, ref := range refersOf(t, rows) {
		if ref.Weak && !w.there(refer{w.reference(ref), w.c.of(ref.id)}) {
			gone[ref.id] = true
		}
	}
	return t.WithoutReferences(s.Record, gone)
}

// tell adds the rejections of the records that cannot stand.
func (w *walk) tell() error {
	w.lost = slices.Clone(w.unfit)
	if !slices.ContainsFunc(w.stands, func(s standing) bool { return s.state > isUnused }) {
		return nil
	}
	for _, shelf := range []string{shelfRecords, shelfGroups} {
		for s, err := range w.c.shelf(shelf) {
			if err == nil && w.stands[s.number].state > isUnused {
				err = w.withheld(s)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// withheld adds the rejection of a record.
func (w *walk) withheld(s shelved) error {
	of := w.stands[s.number]
	out := schemas.Rejection{ID: s.ID, Stage: w.c.maker(s.Record), Code: schemas.ExcludedRecord, Reason: "what it says of other records, or how its parts name it, does not follow from those released"}
	switch of.state {
	case isBroken:
		out = w.c.against(s.Record, w.broken[s.number])
	case isMissing:
		t := w.tables[of.table]
		rows, err := t.Rows(s.Record)
		if err != nil {
			return err
		}
		gone := w.refers[of.refers.from+of.why]
		i := slices.IndexFunc(refersOf(t, rows), func(r referred) bool { return w.reference(r) == gone.ref && w.c.of(r.id) == gone.id })
		w.refused(&out, t, refersOf(t, rows)[i])
	}
	w.lost = append(w.lost, out)
	return nil
}

// refused says of what is not there who dropped it.
func (w *walk) refused(out *schemas.Rejection, of pipeline.Table, ref referred) {
	out.Reason = fmt.Sprintf("it refers to %s %s, which is not released", strings.Join(ref.Tables, " or "), ref.id)
	for _, t := range append(pipeline.CoreTables(), w.c.reg.Tables()...) {
		gate, dropped := w.gates[w.c.item(t.Schema, ref.id)]
		if !dropped || !slices.Contains(ref.Tables, t.Name) {
			continue
		}
		if out.Stage = w.c.nodes[gate].Step.Name; t.Name == pipeline.TableMedia && of.Name == pipeline.TableQuestions {
			out.Code, out.Reason = schemas.ExcludedMedia, "it shows the medium "+ref.id+", which this gate dropped"
		}
	}
}
