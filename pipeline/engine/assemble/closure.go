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

// closure finds out which records can stand in a release: those that fit their tables
// and refer to nothing but what stands too. Of a record it holds hashes of its rows and
// of what it refers to; what the record says is read from the store when it is asked for.
type closure struct {
	c          *collector
	dropped    map[textHash]int // by item, the number of the gate that dropped it
	bySchema   map[string]pipeline.Table
	tables     []knownTable
	numbers    map[string]uint16 // of tables, by name
	references []reference
	refNumbers map[[3]string]int // by table, column and where it leads; -1 is not checked
	entries    []entry           // of the records that tables hold, by id
	rows       []textHash        // of all entries
	refs       []refer           // of all entries
	held       map[textHash]int32
	groups     map[textHash][]int32 // entries that follow from each other
	stale      hashSet              // groups that are still to be compared with their rows
	unused     hashSet              // ids of what nothing needs
	broken     map[int]string       // the rules that entries are against
	unfit      []schemas.Rejection
	lost       []schemas.Rejection // all that cannot stand: unfit, and what was found out later
}

// knownTable says of a table whether a release may have it, and whether this one does:
// then all its rows are known.
type knownTable struct {
	pipeline.Table
	declared, present bool
}

// reference is a declared one that can be checked, with its tables by number.
type reference struct {
	weak   bool
	tables []uint16
}

// refer is one id that a record refers to.
type refer struct {
	reference uint16
	id        textHash
}

// entry is what the closure knows of one record.
type entry struct {
	state  state
	table  uint16
	id     textHash
	rows   span // of closure.rows
	refs   span // of closure.refs
	why    int32
	group  textHash // 0 for none
	digest [32]byte
}

// span is a part of a list.
type span struct{ from, to int32 }

// state says what became of a record.
type state uint8

// A record stands; or it is left out without a word of the closure, because a gate dropped
// it, it is in unfit, or nothing needs it; or it goes since it refers to what is not
// there, does not follow from its rows, or is against a rule.
const (
	stands state = iota
	isDropped
	isUnfit
	isUnused
	isMissing
	isChanged
	isBroken
)

// close finds out which records of a release can stand. Each that cannot is a rejection of
// the gate that dropped what it refers to, or else of the step that gave it. Tasks stay
// without the media that are gone. Tasks and media that nothing released needs are left
// out without a word, with the verdicts on them. visit sees each record once.
func (c *collector) close(ctx context.Context, from []string, sources []schemas.Source, rejected []schemas.Rejection, visit func(pipeline.Record) error) (*closure, error) {
	l := &closure{
		c: c, dropped: c.droppedBy(), bySchema: map[string]pipeline.Table{}, numbers: map[string]uint16{}, refNumbers: map[[3]string]int{},
		held: map[textHash]int32{}, groups: map[textHash][]int32{}, stale: hashSet{}, unused: hashSet{}, broken: map[int]string{},
	}
	for _, t := range c.reg.Tables() {
		l.tables[l.table(t.Name)] = knownTable{Table: t, declared: true}
	}
	for _, t := range append(pipeline.CoreTables(), c.tables()...) {
		l.tables[l.table(t.Name)] = knownTable{t, true, true}
		if t.Part == nil {
			l.bySchema[t.Schema] = t
		}
	}
	for _, name := range []string{pipeline.TableSources, pipeline.AnyRecord} {
		n := l.table(name)
		l.tables[n].declared, l.tables[n].present = true, true
	}
	for _, s := range sources {
		l.held[l.row(pipeline.TableSources, s.ID)]++
	}
	for _, r := range rejected {
		l.held[l.row(pipeline.AnyRecord, r.ID)]++
	}
	err := c.load(ctx, c.references(refRows), func(ref pipeline.Ref, r pipeline.Record) error {
		if t, ok := l.bySchema[r.Schema]; ok {
			if err := l.add(ref, r, t, from); err != nil {
				return err
			}
		}
		return visit(r)
	})
	if err != nil {
		return nil, err
	}
	return l, errors.Join(l.exclude(ctx), c.failed)
}

func (l *closure) table(name string) uint16 {
	n, ok := l.numbers[name]
	if !ok {
		n = uint16(len(l.tables))
		l.numbers[name], l.tables = n, append(l.tables, knownTable{Table: pipeline.Table{Name: name}})
	}
	return n
}

// row returns the hash of a row that has an id in a table.
func (l *closure) row(table, id string) textHash { return rowHash(l.table(table), l.c.hash(id)) }

func rowHash(table uint16, id textHash) textHash { return id ^ textHash(table+1)*0x9e3779b97f4a7c15 }

// add notes what a record holds and refers to.
func (l *closure) add(ref pipeline.Ref, r pipeline.Record, t pipeline.Table, from []string) error {
	digest, err := pipeline.RawDigest(ref.Digest)
	if err != nil {
		return err
	}
	e := entry{table: l.table(t.Name), id: l.c.hash(r.ID), digest: digest}
	number := len(l.entries)
	if _, dropped := l.dropped[l.c.hashItem(r.Schema, r.ID)]; dropped && !slices.ContainsFunc(from, func(step string) bool { return l.c.gives(step, r) }) {
		e.state = isDropped // the gate has said so itself
		l.entries = append(l.entries, e)
		return nil
	}
	l.held[l.row(pipeline.AnyRecord, r.ID)]++ // and stays so: what is lost is a rejection
	rows, unfit := l.fit(r, t)
	if unfit != nil {
		e.state = isUnfit
		l.unfit, l.entries = append(l.unfit, *unfit), append(l.entries, e)
		return nil
	}
	e.rows, e.refs = l.addRows(rows), l.addReferences(t, rows)
	if t.IsComposed() {
		group, err := t.Group(r)
		if err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
		e.group = l.row(t.Name, group)
		l.groups[e.group] = append(l.groups[e.group], int32(number))
		l.stale.add(e.group)
	}
	l.entries = append(l.entries, e)
	// Of two records with one id it is unknown which one others refer to.
	if before := number - 1; before >= 0 && l.entries[before].id == e.id && l.entries[before].table == e.table && l.entries[before].state != isUnfit {
		const why = "another record of its schema, which says other things, has its id"
		l.broken[before], l.broken[number] = why, why
		l.drop(before, isBroken)
		l.drop(number, isBroken)
	}
	return nil
}

// fit returns the rows of a record, or why its table cannot hold them.
func (l *closure) fit(r pipeline.Record, t pipeline.Table) ([]pipeline.Row, *schemas.Rejection) {
	against := func(why string) *schemas.Rejection {
		return &schemas.Rejection{ID: r.ID, Stage: l.c.author(r), Code: schemas.ExcludedRule, Reason: why}
	}
	rows, err := t.Rows(r)
	if err != nil {
		return nil, against(fmt.Sprintf("it is no row of table %s: %v", t.Name, err))
	}
	for _, row := range rows {
		code, why := release.RowProblem(t, row)
		if code == "" {
			continue
		}
		out := against(fmt.Sprintf("its row of table %s %s", row.Table, why))
		if code != schemas.ExcludedRule {
			out.Stage, out.Code = l.c.maker(r), code
		}
		return nil, out
	}
	return rows, nil
}

func (l *closure) addRows(rows []pipeline.Row) span {
	from := len(l.rows)
	for _, row := range rows {
		h := l.row(row.Table, fmt.Sprint(row.Cells[0]))
		l.rows = append(l.rows, h)
		l.held[h]++
	}
	return span{int32(from), int32(len(l.rows))}
}

// addReferences notes what rows refer to beside themselves. Theirs were added last.
func (l *closure) addReferences(t pipeline.Table, rows []pipeline.Row) span {
	from := len(l.refs)
	own := hashSet{}
	for _, h := range l.rows[len(l.rows)-len(rows):] {
		own.add(h)
	}
	for _, ref := range referencesOf(t, rows) {
		n := l.reference(ref)
		if n < 0 {
			continue
		}
		id := l.c.hash(ref.id)
		if !slices.ContainsFunc(l.references[n].tables, func(table uint16) bool { return own.has(rowHash(table, id)) }) {
			l.refs = append(l.refs, refer{uint16(n), id})
		}
	}
	return span{int32(from), int32(len(l.refs))}
}

// reference returns the number of a reference, or -1 if it cannot be checked: it may
// lead to rows that are no records, or to no table of the release.
func (l *closure) reference(r referred) int {
	key := [3]string{r.table, r.Column, strings.Join(r.Tables, " ")}
	n, ok := l.refNumbers[key]
	if ok {
		return n
	}
	of, present := reference{weak: r.Weak}, false
	for _, t := range r.Tables {
		number := l.table(t)
		if !l.tables[number].declared {
			l.refNumbers[key] = -1
			return -1
		}
		present = present || l.tables[number].present
		of.tables = append(of.tables, number)
	}
	if n = -1; present {
		n = len(l.references)
		l.references = append(l.references, of)
	}
	l.refNumbers[key] = n
	return n
}

// referred is one id that a row of a table refers to, without the part that follows #.
type referred struct {
	pipeline.Reference
	table, id string
}

func referencesOf(t pipeline.Table, rows []pipeline.Row) (out []referred) {
	byName := map[string]pipeline.Table{}
	for _, of := range t.Tables() {
		byName[of.Name] = of
	}
	for _, row := range rows {
		for _, ref := range byName[row.Table].ReferencesOf(row.Cells) {
			id, _, _ := strings.Cut(ref.ID, "#")
			out = append(out, referred{ref.Reference, row.Table, id})
		}
	}
	return out
}

func (l *closure) isHeld(r refer) bool {
	return slices.ContainsFunc(l.references[r.reference].tables, func(table uint16) bool { return l.held[rowHash(table, r.id)] > 0 })
}

// isGone reports whether a reference, weak or not, leads nowhere.
func (l *closure) isGone(weak bool) func(refer) bool {
	return func(r refer) bool { return l.references[r.reference].weak == weak && !l.isHeld(r) }
}

func (l *closure) refsOf(e entry) []refer { return l.refs[e.refs.from:e.refs.to] }

// drop takes out a record that stands, and its rows.
func (l *closure) drop(number int, becomes state) {
	e := &l.entries[number]
	if e.state != stands {
		return
	}
	e.state = becomes
	for _, h := range l.rows[e.rows.from:e.rows.to] {
		if l.held[h]--; l.held[h] == 0 {
			delete(l.held, h)
		}
	}
	if e.group != 0 {
		l.stale.add(e.group)
	}
}

// exclude drops what cannot stand and what nothing needs, until all that is left can.
func (l *closure) exclude(ctx context.Context) error {
	for {
		if err := l.excludeDangling(ctx); err != nil {
			return err
		}
		if !l.dropUnused() {
			break
		}
	}
	if err := l.reject(ctx); err != nil {
		return err
	}
	return l.checkLosses()
}

// excludeDangling drops records that refer to what is not there, or that their rows would
// not give again.
func (l *closure) excludeDangling(ctx context.Context) error {
	for {
		some := false
		for i, e := range l.entries {
			if e.state != stands {
				continue
			}
			if at := slices.IndexFunc(l.refsOf(e), l.isGone(false)); at >= 0 {
				l.entries[i].why, some = e.refs.from+int32(at), true
				l.drop(i, isMissing)
			}
		}
		if some {
			continue
		}
		changed, err := l.changed(ctx)
		if err != nil || len(changed) == 0 {
			return err
		}
		for _, i := range changed {
			l.drop(i, isChanged)
		}
	}
}

// changed returns the records that their rows would not give again, for the groups of
// which one is new or has gone.
func (l *closure) changed(ctx context.Context) (changed []int, err error) {
	for group := range l.stale {
		var numbers []int
		for _, i := range l.groups[group] {
			if l.entries[i].state == stands {
				numbers = append(numbers, int(i))
			}
		}
		if len(numbers) == 0 {
			continue
		}
		var recs []pipeline.Record
		if err := l.loadEntries(ctx, numbers, func(_ int, r pipeline.Record) error { recs = append(recs, r); return nil }); err != nil {
			return nil, err
		}
		other, err := notRepeated(l.tables[l.entries[numbers[0]].table].Table, recs)
		if err != nil {
			return nil, err
		}
		for _, at := range other {
			changed = append(changed, numbers[at])
		}
	}
	clear(l.stale)
	return changed, nil
}

// notRepeated returns which records of a group are others when they are made of their rows.
func notRepeated(t pipeline.Table, recs []pipeline.Record) (other []int, err error) {
	rows := map[string][][]any{}
	for _, r := range recs {
		list, err := t.Rows(r)
		if err != nil {
			return nil, err
		}
		for _, row := range list {
			rows[row.Table] = append(rows[row.Table], row.Cells)
		}
	}
	again, err := t.Records(rows)
	if err != nil {
		return nil, err
	}
	for i := range recs {
		was, err := pipeline.ItemDigest(recs[i])
		if err != nil {
			return nil, err
		}
		is, err := pipeline.ItemDigest(again[i])
		if err != nil {
			return nil, err
		}
		if was != is {
			other = append(other, i)
		}
	}
	return other, nil
}

// dropUnused leaves out tasks that no question refers to, and media that nothing does, and
// reports whether there are any.
func (l *closure) dropUnused() (some bool) {
	task, medium, question := l.table(pipeline.TableTasks), l.table(pipeline.TableMedia), l.table(pipeline.TableQuestions)
	supports := func(e entry) bool { return e.state == stands && (e.table == task || e.table == medium) }
	byRow := map[textHash]int{}
	for i, e := range l.entries {
		if supports(e) {
			byRow[l.rows[e.rows.from]] = i
		}
	}
	used := map[int]bool{}
	var visit func(entry)
	visit = func(e entry) {
		for _, r := range l.refsOf(e) {
			for _, table := range l.references[r.reference].tables {
				if i, ok := byRow[rowHash(table, r.id)]; ok && !used[i] && (table != task || e.table == question) {
					used[i] = true
					visit(l.entries[i])
				}
			}
		}
	}
	for _, e := range l.entries {
		if e.state == stands && !supports(e) {
			visit(e)
		}
	}
	for i, e := range l.entries {
		if !supports(e) || used[i] {
			continue
		}
		some = true
		l.unused.add(e.id)
		l.drop(i, isUnused)
		delete(l.held, rowHash(l.table(pipeline.AnyRecord), e.id))
	}
	return some
}

func (l *closure) loadEntries(ctx context.Context, numbers []int, visit func(int, pipeline.Record) error) error {
	at := -1
	refs := refsOf(numbers, func(i int) pipeline.Ref { return pipeline.Ref{Digest: pipeline.DigestOfSum(l.entries[i].digest)} })
	return l.c.load(ctx, refs, func(_ pipeline.Ref, r pipeline.Record) error {
		at++
		return visit(numbers[at], r)
	})
}

// reject makes the rejections of the records that cannot stand.
func (l *closure) reject(ctx context.Context) error {
	l.lost = slices.Clone(l.unfit)
	var gone []int
	for i, e := range l.entries {
		if e.state > isUnused {
			gone = append(gone, i)
		}
	}
	return l.loadEntries(ctx, gone, func(i int, r pipeline.Record) error {
		e := l.entries[i]
		out := schemas.Rejection{ID: r.ID, Stage: l.c.maker(r), Code: schemas.ExcludedRecord, Reason: "what it says of other records, or how its parts name it, does not follow from those released"}
		switch e.state {
		case isBroken:
			out.Stage, out.Code, out.Reason = l.c.author(r), schemas.ExcludedRule, l.broken[i]
		case isMissing:
			t := l.tables[e.table].Table
			rows, err := t.Rows(r)
			if err != nil {
				return err
			}
			all, missing := referencesOf(t, rows), l.refs[e.why]
			at := slices.IndexFunc(all, func(r referred) bool {
				return l.reference(r) == int(missing.reference) && l.c.hash(r.id) == missing.id
			})
			l.explainMissing(&out, t, all[at])
		}
		l.lost = append(l.lost, out)
		return nil
	})
}

// explainMissing says what is not there, and which gate dropped it.
func (l *closure) explainMissing(out *schemas.Rejection, of pipeline.Table, ref referred) {
	out.Reason = fmt.Sprintf("it refers to %s %s, which is not released", strings.Join(ref.Tables, " or "), ref.id)
	for _, t := range append(pipeline.CoreTables(), l.c.reg.Tables()...) {
		gate, dropped := l.dropped[l.c.hashItem(t.Schema, ref.id)]
		if !dropped || !slices.Contains(ref.Tables, t.Name) {
			continue
		}
		if out.Stage = l.c.steps[gate].Step.Name; t.Name == pipeline.TableMedia && of.Name == pipeline.TableQuestions {
			out.Code, out.Reason = schemas.ExcludedMedia, "it shows the medium "+ref.id+", which this gate dropped"
		}
	}
}

// checkLosses holds what is against a rule to the max_loss of the steps that gave it.
func (l *closure) checkLosses() error {
	first, count := map[string]schemas.Rejection{}, map[string]int{}
	for _, r := range l.lost {
		if r.Code != schemas.ExcludedRule {
			continue
		}
		if count[r.Stage]++; count[r.Stage] == 1 {
			first[r.Stage] = r
		}
	}
	for _, n := range l.c.steps {
		name, s := n.Step.Name, n.Summary
		e := &WithheldError{Step: name, Withheld: count[name], Lost: s.Lost, Of: s.Out + s.Lost, Max: n.Step.MaxLoss, First: first[name]}
		if e.Withheld > 0 && e.share() > e.Max {
			return e
		}
	}
	return nil
}

// excludeViolations takes out the records whose rows are to blame, and what rests on them.
// Of two that hold the same row it is the later one. That no record is to blame is a
// *release.ReferenceError.
func (l *closure) excludeViolations(ctx context.Context, found []release.Violation) error {
	type blame struct {
		release.Violation
		left int // how many records that hold the row are still to go for it
	}
	byRow := map[textHash]blame{}
	for _, v := range found {
		h := l.row(v.Table, v.ID)
		if b := byRow[h]; b.left == 0 || b.Violation == v {
			byRow[h] = blame{v, b.left + 1}
		}
	}
	some := false
	for i, e := range slices.Backward(l.entries) {
		if e.state != stands {
			continue
		}
		for n, h := range l.rows[e.rows.from:e.rows.to] {
			b := byRow[h]
			if b.left == 0 {
				continue
			}
			byRow[h] = blame{b.Violation, b.left - 1}
			if l.broken[i] = b.Why; n > 0 {
				l.broken[i] = b.String()
			}
			l.drop(i, isBroken)
			some = true
			break
		}
	}
	if !some {
		return &release.ReferenceError{Problems: found}
	}
	return l.exclude(ctx)
}

// released yields the collected records of a table that are released: a verdict stays
// where its item was dropped and goes where nothing needs the item.
func (l *closure) released(ctx context.Context, table string) iter.Seq2[pipeline.Record, error] {
	return func(yield func(pipeline.Record, error) bool) {
		number := -1
		err := l.c.load(ctx, l.c.references(table), func(_ pipeline.Ref, r pipeline.Record) error {
			t, tabled := l.bySchema[r.Schema]
			if tabled {
				number++
				e := l.entries[number]
				if e.state != stands {
					return nil
				}
				if slices.ContainsFunc(l.refsOf(e), l.isGone(true)) {
					var err error
					if r, err = l.trim(t, r); err != nil {
						return err
					}
				}
			} else if r.Schema == schemas.NameVerdict && len(l.unused) > 0 {
				v, err := pipeline.Decode[schemas.Verdict](r)
				if err != nil || l.unused.has(l.c.hash(v.Item)) {
					return err
				}
			}
			if !yield(r, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(pipeline.Record{}, fmt.Errorf("release: %w", err))
		}
	}
}

// trim returns a record whose lists do not name what is not there.
func (l *closure) trim(t pipeline.Table, r pipeline.Record) (pipeline.Record, error) {
	rows, err := t.Rows(r)
	if err != nil {
		return r, err
	}
	gone := map[string]bool{}
	for _, ref := range referencesOf(t, rows) {
		if n := l.reference(ref); n >= 0 && ref.Weak && !l.isHeld(refer{uint16(n), l.c.hash(ref.id)}) {
			gone[ref.id] = true
		}
	}
	return t.WithoutReferences(r, gone)
}
