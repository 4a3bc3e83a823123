package build

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// place is an id in a table.
type place struct{ table, id string }

// standing is a record that a table holds, with its places and what it refers to
// elsewhere.
type standing struct {
	rec    pipeline.Record
	table  pipeline.Table
	places []place
	refers []pipeline.Referred
	group  place // table and name of those that it follows from
}

// walk finds out what of the records can stand in a release.
type walk struct {
	c     *collector
	gates map[[2]string]string // that dropped a record, by schema and id
	held  map[place]bool
	// known has the tables of which held has all rows: true for those of this release,
	// false for others that are declared.
	known  map[string]bool
	stands []standing
	others []pipeline.Record // verdicts and what else has no table of its own
	lost   []schemas.Rejection
	unused map[string]bool // ids of what nothing needs
}

// rested leaves out records that rest on something which is not released: a gate
// dropped it, or a stage lost it. Each is a rejection of the gate, or else of the
// node that gave the record. Tasks stay without the media that are gone. Tasks and
// media that nothing released needs are left out without a word, with the verdicts
// on them; unused has their ids.
func (c *collector) rested(recs []pipeline.Record, from []string, sources []schemas.Source, rejected []schemas.Rejection) (*walk, error) {
	w := c.newWalk(sources, rejected)
	bySchema := map[string]pipeline.Table{}
	for _, t := range c.reg.Tables() {
		w.known[t.Name] = false
	}
	for _, t := range append(pipeline.CoreTables(), c.tables()...) {
		w.known[t.Name] = true
		if t.Part == nil {
			bySchema[t.Schema] = t
		}
	}
	for _, r := range recs {
		t, ok := bySchema[r.Schema]
		given := slices.ContainsFunc(from, func(node string) bool { return c.gives(node, r) })
		if ok && !given && w.gates[[2]string{r.Schema, r.ID}] != "" {
			continue // the gate has said so itself
		}
		if !ok {
			w.others = append(w.others, r)
			continue
		}
		if err := w.stand(r, t); err != nil {
			return nil, err
		}
	}
	if err := w.settle(); err != nil {
		return nil, err
	}
	w.use()
	return w, errors.Join(w.settle(), w.trim())
}

// newWalk knows what no record gives.
func (c *collector) newWalk(sources []schemas.Source, rejected []schemas.Rejection) *walk {
	w := &walk{c: c, gates: c.droppedBy(), held: map[place]bool{}, known: map[string]bool{pipeline.TableSources: true, pipeline.AnyRecord: true}, unused: map[string]bool{}}
	for _, s := range sources {
		w.held[place{pipeline.TableSources, s.ID}] = true
	}
	for _, r := range rejected {
		w.held[place{pipeline.AnyRecord, r.ID}] = true
	}
	return w
}

// stand notes what a record holds and refers to.
func (w *walk) stand(r pipeline.Record, t pipeline.Table) error {
	rows, err := t.Rows(r)
	if err != nil {
		return fmt.Errorf("table %s: %w", t.Name, err)
	}
	group, err := t.Group(r)
	if err != nil {
		return fmt.Errorf("table %s: %w", t.Name, err)
	}
	s := standing{rec: r, table: t, group: place{t.Name, group}}
	w.held[place{pipeline.AnyRecord, r.ID}] = true // and stays so: what is lost is a rejection
	own, shapes := map[place]bool{}, map[string]pipeline.Table{}
	for _, of := range t.Tables() {
		shapes[of.Name] = of
	}
	for _, row := range rows {
		if why := release.TooLarge(row.Table, row.Cells); why != "" {
			w.lost = append(w.lost, schemas.Rejection{ID: r.ID, Stage: w.c.maker(r), Code: schemas.WithheldSize, Reason: fmt.Sprintf("its row of table %s %s", row.Table, why)})
			return nil
		}
	}
	for _, row := range rows {
		p := place{row.Table, fmt.Sprint(row.Cells[0])}
		s.places, own[p], w.held[p] = append(s.places, p), true, true
	}
	for _, row := range rows {
		for _, ref := range shapes[row.Table].Refers(row.Cells) {
			ref.ID, _, _ = strings.Cut(ref.ID, "#")
			if !slices.ContainsFunc(ref.Tables, func(name string) bool { return own[place{name, ref.ID}] }) {
				s.refers = append(s.refers, ref)
			}
		}
	}
	w.stands = append(w.stands, s)
	return nil
}

// settle drops what rests on what is not there, until all that stands does so.
func (w *walk) settle() error {
	for before := -1; before != len(w.lost); {
		before = len(w.lost)
		w.drop(w.missing)
		if before != len(w.lost) {
			continue
		}
		changed, err := w.changed()
		if err != nil {
			return err
		}
		w.drop(func(s standing) *schemas.Rejection {
			if !changed[s.places[0]] {
				return nil
			}
			return w.withheld(s, w.c.maker(s.rec), "what it says of other records, or how its parts name it, does not follow from those released")
		})
	}
	return nil
}

func (w *walk) drop(why func(standing) *schemas.Rejection) {
	w.stands = slices.DeleteFunc(w.stands, func(s standing) bool {
		lost := why(s)
		if lost == nil {
			return false
		}
		w.lost = append(w.lost, *lost)
		for _, p := range s.places {
			delete(w.held, p)
		}
		return true
	})
}

func (w *walk) withheld(s standing, stage, why string) *schemas.Rejection {
	return &schemas.Rejection{ID: s.rec.ID, Stage: stage, Code: schemas.WithheldRecord, Reason: why}
}

// missing says why a record cannot stand in its table; nil where it can.
func (w *walk) missing(s standing) *schemas.Rejection {
	for _, ref := range s.refers {
		if ref.Weak || w.there(ref) {
			continue
		}
		stage := w.c.maker(s.rec)
		out := w.withheld(s, stage, fmt.Sprintf("it refers to %s %s, which is not released", strings.Join(ref.Tables, " or "), ref.ID))
		for _, t := range append(pipeline.CoreTables(), w.c.reg.Tables()...) {
			gate := w.gates[[2]string{t.Schema, ref.ID}]
			if gate == "" || !slices.Contains(ref.Tables, t.Name) {
				continue
			}
			if out.Stage = gate; t.Name == pipeline.TableMedia && s.table.Name == pipeline.TableQuestions {
				out.Code, out.Reason = schemas.WithheldMedia, "it shows the medium "+ref.ID+", which this gate dropped"
			}
		}
		return out
	}
	return nil
}

// there reports whether a reference leads to something, or whether that is not to
// be told here: it may lead to rows that are no records, or to no table of the
// release.
func (w *walk) there(ref pipeline.Referred) bool {
	some := false
	for _, table := range ref.Tables {
		present, declared := w.known[table]
		if w.held[place{table, ref.ID}] || !declared {
			return true
		}
		some = some || present
	}
	return !some
}

// changed are the records that their rows would not give again. They are looked at
// group by group: the rows of all would be many.
func (w *walk) changed() (map[place]bool, error) {
	groups := map[place][]standing{}
	for _, s := range w.stands {
		if s.table.Composed() {
			groups[s.group] = append(groups[s.group], s)
		}
	}
	out := map[place]bool{}
	for _, group := range groups {
		if err := compare(group, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// compare notes which records of a group are others when they are made of their rows.
func compare(group []standing, changed map[place]bool) error {
	rows := map[string][][]any{}
	for _, s := range group {
		list, err := s.table.Rows(s.rec)
		if err != nil {
			return err
		}
		for _, r := range list {
			rows[r.Table] = append(rows[r.Table], r.Cells)
		}
	}
	again, err := group[0].table.Records(rows)
	if err != nil {
		return err
	}
	for i, s := range group {
		was, err := pipeline.ItemDigest(s.rec)
		if err != nil {
			return err
		}
		is, err := pipeline.ItemDigest(again[i])
		if err != nil {
			return err
		}
		changed[s.places[0]] = was != is
	}
	return nil
}

// use leaves out tasks and media that nothing refers to.
func (w *walk) use() {
	supports := func(s standing) bool {
		return s.table.Name == pipeline.TableTasks || s.table.Name == pipeline.TableMedia
	}
	used, at := map[place]bool{}, map[place]standing{}
	var visit func(standing)
	visit = func(s standing) {
		for _, ref := range s.refers {
			for _, table := range ref.Tables {
				p := place{table, ref.ID}
				if of, ok := at[p]; ok && !used[p] {
					used[p] = true
					visit(of)
				}
			}
		}
	}
	for _, s := range w.stands {
		if supports(s) {
			at[s.places[0]] = s
		}
	}
	for _, s := range w.stands {
		if !supports(s) {
			visit(s)
		}
	}
	w.stands = slices.DeleteFunc(w.stands, func(s standing) bool {
		gone := supports(s) && !used[s.places[0]]
		if gone {
			w.unused[s.places[0].id] = true
			delete(w.held, s.places[0])
			delete(w.held, place{pipeline.AnyRecord, s.rec.ID})
		}
		return gone
	})
}

// trim takes out of lists what is not there.
func (w *walk) trim() error {
	for i, s := range w.stands {
		gone := map[string]bool{}
		for _, ref := range s.refers {
			if ref.Weak && !w.there(ref) {
				gone[ref.ID] = true
			}
		}
		if len(gone) == 0 {
			continue
		}
		rec, err := s.table.Without(s.rec, gone)
		if err != nil {
			return err
		}
		w.stands[i].rec = rec
	}
	return nil
}

// records are those that are released: a verdict stays where its item was dropped
// and goes where nothing needs the item.
func (w *walk) records() (out []pipeline.Record, err error) {
	for _, r := range w.others {
		if r.Schema == schemas.NameVerdict {
			v, err := pipeline.Decode[schemas.Verdict](r)
			if err != nil {
				return nil, err
			}
			if w.unused[v.Item] {
				continue
			}
		}
		out = append(out, r)
	}
	for _, s := range w.stands {
		out = append(out, s.rec)
	}
	return out, nil
}
