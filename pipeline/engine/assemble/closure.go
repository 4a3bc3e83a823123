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
	asks   textHash // of a question, hash of its RepeatKey
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
// out without a word, with the verdicts on them. gates counts the verdicts.
func (c *collector) close(ctx context.Context, from []string, sources []schemas.Source, rejected []schemas.Rejection, gates *gateCounter) (*closure, error) {
	l := &closure{
		c: c, dropped: gates.droppedBy, bySchema: map[string]pipeline.Table{}, numbers: map[string]uint16{}, refNumbers: map[[3]string]int{},
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
		return gates.add(r)
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

// add notes what a record holds and refers to, unless a gate dropped it.
func (l *closure) add(ref pipeline.Ref, r pipeline.Record, t pipeline.Table, from []string) error {
	digest, err := pipeline.RawDigest(ref.Digest)
	if err != nil {
		return err
	}
	number := len(l.entries)
	l.entries = append(l.entries, entry{table: l.table(t.Name), id: l.c.hash(r.ID), digest: digest})
	e, item := &l.entries[number], l.c.hashItem(r.Schema, r.ID)
	if _, dropped := l.dropped[item]; dropped && !slices.ContainsFunc(from, func(step string) bool { return l.c.outputsOf(step).has(item) }) {
		e.state = isDropped // the gate has said so itself
		return nil
	}
	l.held[l.row(pipeline.AnyRecord, r.ID)]++ // and stays so: what is lost is a rejection
	if unfit := l.index(e, r, t); unfit != nil {
		e.state, l.unfit = isUnfit, append(l.unfit, *unfit)
		return nil
	}
	if t.Name == pipeline.TableQuestions {
		q, err := pipeline.Decode[schemas.Question](r)
		if err != nil {
			return err
		}
		e.asks = l.c.hash(q.RepeatKey())
	}
	if t.IsComposed() {
		group, err := t.Group(r)
		if err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
		e.group = l.row(t.Name, group)
		l.groups[e.group] = append(l.groups[e.group], int32(number))
		l.stale.add(e.group)
	}
	// Of two records with one id it is unknown which one others refer to.
	if before := number - 1; before >= 0 && l.entries[before].id == e.id && l.entries[before].table == e.table && l.entries[before].state != isUnfit {
		const why = "another record of its schema, which says other things, has its id"
		l.broken[before], l.broken[number] = why, why
		l.drop(before, isBroken)
		l.drop(number, isBroken)
	}
	return nil
}

// index notes the rows of a record, and what they refer to beside themselves. It returns
// why the table cannot hold them, or nil.
func (l *closure) index(e *entry, r pipeline.Record, t pipeline.Table) *schemas.Rejection {
	rows, err := t.Rows(r)
	if err != nil {
		return &schemas.Rejection{ID: r.ID, Stage: l.c.author(r), Code: schemas.ExcludedRule, Reason: fmt.Sprintf("it is no row of table %s: %v", t.Name, err)}
	}
	for _, row := range rows {
		code, why := release.RowProblem(t, row)
		if code == "" {
			continue
		}
		unfit := &schemas.Rejection{ID: r.ID, Stage: l.c.author(r), Code: code, Reason: fmt.Sprintf("its row of table %s %s", row.Table, why)}
		if code != schemas.ExcludedRule {
			unfit.Stage = l.c.maker(r)
		}
		return unfit
	}
	e.rows.from, e.refs.from = int32(len(l.rows)), int32(len(l.refs))
	own := hashSet{}
	for _, row := range rows {
		h := l.row(row.Table, fmt.Sprint(row.Cells[0]))
		l.rows = append(l.rows, h)
		l.held[h]++
		own.add(h)
	}
	for _, ref := range l.referencesOf(t, rows) {
		if ref.number < 0 {
			continue
		}
		to := refer{uint16(ref.number), l.c.hash(ref.id)}
		if !slices.ContainsFunc(l.references[to.reference].tables, func(table uint16) bool { return own.has(rowHash(table, to.id)) }) {
			l.refs = append(l.refs, to)
		}
	}
	e.rows.to, e.refs.to = int32(len(l.rows)), int32(len(l.refs))
	return nil
}

// referred is one id that a row of a table refers to, without the part that follows #.
type referred struct {
	pipeline.Reference
	id string
	// number is its place in closure.references, or -1 if it cannot be checked: it may lead
	// to rows that are no records, or to no table of the release.
	number int
}

func (l *closure) referencesOf(t pipeline.Table, rows []pipeline.Row) (out []referred) {
	byName := map[string]pipeline.Table{}
	for _, of := range t.Tables() {
		byName[of.Name] = of
	}
	for _, row := range rows {
		for _, ref := range byName[row.Table].ReferencesOf(row.Cells) {
			key := [3]string{row.Table, ref.Column, strings.Join(ref.Tables, " ")}
			number, known := l.refNumbers[key]
			if !known {
				to, declared, present := reference{weak: ref.Weak}, true, false
				for _, name := range ref.Tables {
					table := l.table(name)
					declared = declared && l.tables[table].declared
					present = present || l.tables[table].present
					to.tables = append(to.tables, table)
				}
				if number = -1; declared && present {
					number = len(l.references)
					l.references = append(l.references, to)
				}
				l.refNumbers[key] = number
			}
			id, _, _ := strings.Cut(ref.ID, "#")
			out = append(out, referred{ref.Reference, id, number})
		}
	}
	return out
}

// isGone reports whether a reference, weak or not, leads nowhere.
func (l *closure) isGone(weak bool) func(refer) bool {
	return func(r refer) bool {
		to := l.references[r.reference]
		return to.weak == weak && !slices.ContainsFunc(to.tables, func(table uint16) bool { return l.held[rowHash(table, r.id)] > 0 })
	}
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

// exclude drops records that refer to what is not there, that their rows would not give
// again, questions that ask what another asks, and what nothing needs, until all that is left can stand. It holds what is against
// a rule to the max_loss of the steps that gave it.
func (l *closure) exclude(ctx context.Context) error {
	for again := true; again; {
		again = false
		for i, e := range l.entries {
			if e.state != stands {
				continue
			}
			if at := slices.IndexFunc(l.refsOf(e), l.isGone(false)); at >= 0 {
				l.entries[i].why, again = e.refs.from+int32(at), true
				l.drop(i, isMissing)
			}
		}
		if again {
			continue
		}
		changed, err := l.changed(ctx)
		if err != nil {
			return err
		}
		for _, i := range changed {
			l.drop(i, isChanged)
		}
		again = len(changed) > 0 || l.dropRepeats() || l.dropUnused()
	}
	if err := l.reject(ctx); err != nil {
		return err
	}
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
		table := l.tables[l.entries[numbers[0]].table].Table
		var digests []pipeline.Digest
		rows := map[string][][]any{}
		err := l.loadEntries(ctx, numbers, func(_ int, r pipeline.Record) error {
			list, err := table.Rows(r)
			if err != nil {
				return err
			}
			for _, row := range list {
				rows[row.Table] = append(rows[row.Table], row.Cells)
			}
			digest, err := pipeline.ItemDigest(r)
			digests = append(digests, digest)
			return err
		})
		if err != nil {
			return nil, err
		}
		again, err := table.Records(rows)
		if err != nil {
			return nil, err
		}
		for i, was := range digests {
			is, err := pipeline.ItemDigest(again[i])
			if err != nil {
				return nil, err
			}
			if was != is {
				changed = append(changed, numbers[i])
			}
		}
	}
	clear(l.stale)
	return changed, nil
}

// dropRepeats drops the questions that ask what one before them asks, and reports whether
// there are any. What repeats a question that has gone already stays.
func (l *closure) dropRepeats() (some bool) {
	first := map[textHash]int{}
	for i, e := range l.entries {
		if e.state != stands || e.table != l.table(pipeline.TableQuestions) {
			continue
		}
		if _, again := first[e.asks]; !again {
			first[e.asks] = i
			continue
		}
		l.broken[i], some = "it asks what another question asks, of the same", true
		l.drop(i, isBroken)
	}
	return some
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

// reject makes the rejections of the records that cannot stand: what they refer to, and
// which gate dropped that.
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
			of := l.tables[e.table].Table
			rows, err := of.Rows(r)
			if err != nil {
				return err
			}
			all, missing := l.referencesOf(of, rows), l.refs[e.why]
			ref := all[slices.IndexFunc(all, func(r referred) bool {
				return r.number == int(missing.reference) && l.c.hash(r.id) == missing.id
			})]
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
		l.lost = append(l.lost, out)
		return nil
	})
}

// maker returns the last step that gives the record.
func (c *collector) maker(r pipeline.Record) string {
	item, i := c.hashItem(r.Schema, r.ID), len(c.steps)-1
	for i > 0 && !c.outputsOf(c.steps[i].Step.Name).has(item) {
		i--
	}
	return c.steps[i].Step.Name
}

// author returns the step that made the record as it is: the last that gives it and is no
// gate.
func (c *collector) author(r pipeline.Record) string {
	ref, err := r.Ref()
	for _, n := range slices.Backward(c.steps) {
		if err == nil && n.Step.Kind != pipeline.KindGate && c.outputsOf(n.Step.Name).has(c.hash(string(ref.Digest))) {
			return n.Step.Name
		}
	}
	return c.maker(r)
}

// input returns what a release is made of, with the records that can stand in it. They
// are read as they are asked for. Those that turn out to be against a rule are excluded
// with what rests on them.
func (l *closure) input(ctx context.Context, in release.Input) (release.Input, []release.GalleryImage, error) {
	all := in
	f, err := l.judgedForms(ctx)
	if err = errors.Join(err, l.c.failed); err != nil {
		return in, nil, err
	}
	clear(l.c.outputs)
	in.Flagged, in.FlaggedRecords = f.questions, f.others
	excluded := slices.Concat(l.lost, f.lost)
	in.RecordCounts = slices.Clone(in.RecordCounts)
	for i, row := range in.RecordCounts {
		var found codes
		for k, r := range excluded {
			if r.Stage != row.Step {
				continue
			}
			found.add(r.Code)
			if row.Kind == string(pipeline.KindSource) { // what a source gave is of that source
				excluded[k].Source = r.Stage
			}
		}
		in.RecordCounts[i].Excluded = found.sorted()
	}
	in.Rejections = slices.Concat(in.Rejections, excluded)
	in.Stream = func(yield func(pipeline.Record, error) bool) {
		for _, table := range []string{refRows, probeRows} {
			for r, err := range l.released(ctx, table) {
				if !yield(r, err) {
					return
				}
			}
		}
	}
	in.Exclude = func(ctx context.Context, found []release.Violation) (release.Input, []release.GalleryImage, error) {
		if err := l.excludeViolations(ctx, found); err != nil {
			return in, nil, err
		}
		return l.input(ctx, all)
	}
	shown, err := l.c.drawCards(ctx, l.released(ctx, refRows))
	return in, shown, err
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

// released yields the collected records of a table that are released, with lists that do
// not name what is not there. A verdict stays where its item was dropped and goes where
// nothing needs the item.
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
					rows, err := t.Rows(r)
					if err != nil {
						return err
					}
					gone := map[string]bool{}
					for _, ref := range l.referencesOf(t, rows) {
						if ref.number >= 0 && l.isGone(true)(refer{uint16(ref.number), l.c.hash(ref.id)}) {
							gone[ref.id] = true
						}
					}
					if r, err = t.WithoutReferences(r, gone); err != nil {
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
