package release

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/extsort"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// Contents are the tables of a release as the records they were written from. One
// goroutine at a time reads them: streams of a table keep in it what ended them early.
type Contents struct {
	Dir      string
	Manifest manifest.Manifest
	// All are in the order of their tables, except that questions of several
	// splits follow each other.
	Questions  []schemas.Question
	Flagged    []schemas.FlaggedQuestion
	Tasks      []schemas.Task
	Media      []schemas.Media
	Events     []schemas.StatedEvent
	Labels     []schemas.StatedLabel
	Sources    []schemas.Source
	Verdicts   []schemas.Verdict
	Probes     []schemas.Probe
	Rejections []schemas.Rejection
	// Reviews are what people decided, see Sampled.
	Reviews []schemas.Review
	// FlaggedRecords are those of other schemas than question.
	FlaggedRecords []schemas.FlaggedRecord
	// Sums and Signature are those of Report.
	Sums      string
	Signature []byte
	// Files maps a media id to its file, slash-separated within the release.
	Files map[string]string

	rows  rowSource    // those of plugins' tables are read as they are asked for
	ended func() error // what ended the reading
}

// Read verifies the release in dir as Verify does and returns what its tables
// hold: nothing is decoded that has not the digest the manifest names. A
// release that does not verify is a *DamagedError.
func Read(ctx context.Context, dir string) (Contents, error) { return Limits{}.Read(ctx, dir) }

// Read is Read within other limits.
func (l Limits) Read(ctx context.Context, dir string) (Contents, error) {
	v, err := l.verify(ctx, dir)
	if err != nil {
		return Contents{}, err
	}
	return v.contents()
}

// contents reads the tables once more, as records: to hold rows beside them would
// take several times their memory.
func (v *verifier) contents() (Contents, error) {
	c := contentsOf(v.report, func(t table) iter.Seq[row] { return internTexts(v.each(t)) })
	c.Dir, c.ended = v.dir, func() error { return v.failed }
	if v.failed != nil {
		return Contents{}, v.failed
	}
	return c, nil
}

// contentsOf are the rows of all tables as records.
func contentsOf(of Report, rows rowSource) Contents {
	c := Contents{
		Manifest: of.Manifest, Sums: of.Sums, Signature: of.Signature, Files: map[string]string{}, rows: rows, ended: func() error { return nil },
		Questions:  slices.Collect(recordsOf[schemas.Question](rows, tableQuestions)),
		Flagged:    slices.Collect(recordsOf[schemas.FlaggedQuestion](rows, tableFlagged)),
		Tasks:      slices.Collect(recordsOf[schemas.Task](rows, tableTasks)),
		Events:     slices.Collect(recordsOf[schemas.StatedEvent](rows, tableEvents)),
		Sources:    slices.Collect(recordsOf[schemas.Source](rows, tableSources)),
		Verdicts:   slices.Collect(recordsOf[schemas.Verdict](rows, tableVerdicts)),
		Probes:     slices.Collect(recordsOf[schemas.Probe](rows, tableProbes)),
		Rejections: slices.Collect(recordsOf[schemas.Rejection](rows, tableRejections)),
	}
	if t, ok := findDeclared(shapesOf(of.Manifest), tableFlaggedRecords); ok {
		c.FlaggedRecords = slices.Collect(declaredRecords[schemas.FlaggedRecord](rows, t))
	}
	c.Reviews = slices.Collect(reviewTables(currentShapes(of.Manifest), rows).Reviews)
	for m := range recordsOf[mediaRow](rows, tableMedia) {
		c.Media = append(c.Media, m.Media)
		c.Files[m.MediaID] = m.FileName
	}
	for l := range recordsOf[labelRow](rows, tableLabels) {
		c.Labels = append(c.Labels, l.label())
	}
	return c
}

// internTexts gives rows whose texts are those of the row before where they are equal: in
// the order of a table most of them are, and who holds all rows holds them once.
func internTexts(rows iter.Seq[row]) iter.Seq[row] {
	return func(yield func(row) bool) {
		var last row
		for r := range rows {
			internCells(last, r)
			if last = r; !yield(r) {
				return
			}
		}
	}
}

// internCells puts the texts of one list of cells into another where these are equal.
func internCells(from, to []any) {
	for i := range min(len(from), len(to)) {
		switch is := to[i].(type) {
		case string:
			if was, ok := from[i].(string); ok && was == is {
				to[i] = from[i]
			}
		case []any:
			if was, ok := from[i].([]any); ok {
				internCells(was, is)
			}
		}
	}
}

// rewrittenTables are tables whose bytes are not those listed, or not what memforge writes,
// and that are read in spite of it, with the place of the finding that says so.
// Where it is nil none is.
type rewrittenTables map[string]int

// ReadRows is Read for who judges rows by what they say. Tables may have other
// bytes than the lists name, or than memforge writes, as when another program wrote
// the same rows anew.
// Where all else verifies, rows and all, the contents come together with a
// *DamagedError that has one finding for each such file; contents without a Dir
// are none.
func (l Limits) ReadRows(ctx context.Context, dir string) (Contents, error) {
	v := l.verifier(ctx, dir)
	v.rewritten, v.held = rewrittenTables{}, true
	err := v.verifyAll()
	var damaged *DamagedError
	if err == nil || errors.As(err, &damaged) && v.unread == 0 && len(v.problems) == len(v.rewritten) {
		c, failed := v.contents()
		return c, errors.Join(err, failed)
	}
	return Contents{}, err
}

// addRewritten keeps a table of other bytes, whose finding is the last one.
func (v *verifier) addRewritten(rel string) {
	if v.rewritten != nil && isTable(rel) {
		v.rewritten[rel] = len(v.problems) - 1
	}
}

// isRewritten reports whether a table has other bytes than listed.
func (v *verifier) isRewritten(path string) bool {
	_, ok := v.rewritten[path]
	return ok
}

// Records gives the records of a plugin's table as they were written, but for their
// blobs, those that follow from each other together; none where the release has the
// table not, or not like that. They are read from the disk as they are asked for. An
// error is the last thing that comes.
func (c Contents) Records(t pipeline.Table) iter.Seq2[pipeline.Record, error] {
	return func(yield func(pipeline.Record, error) bool) {
		if !c.HasTable(t) {
			return
		}
		for rows, err := range c.groups(t) {
			var recs []pipeline.Record
			if err == nil {
				recs, err = t.Records(rows)
			}
			if err != nil {
				yield(pipeline.Record{}, fmt.Errorf("records of table %s: %w", t.Name, err))
				return
			}
			for _, r := range recs {
				if !yield(r, nil) {
					return
				}
			}
		}
		if err := c.ended(); err != nil {
			yield(pipeline.Record{}, err)
		}
	}
}

// HasTable reports whether the release has a plugin's table like that.
func (c Contents) HasTable(t pipeline.Table) bool {
	return !slices.ContainsFunc(t.Tables(), func(of pipeline.Table) bool {
		info, _ := c.Manifest.Table(of.Name)
		return info.Declared == nil || !slices.Equal(schemaLines(declaredTable(*info.Declared)), schemaLines(declaredTable(of)))
	})
}

// groupMemory is how many bytes of rows are in memory while they wait for the others of
// their group.
const groupMemory = 8 << 20

// groups gives the rows, by table, of records that follow from each other: groups in the
// order in which their first records stand in the table.
func (c Contents) groups(t pipeline.Table) iter.Seq2[map[string][][]any, error] {
	return func(yield func(map[string][][]any, error) bool) {
		if !t.IsComposed() {
			for r := range c.rows(declaredTable(t)) {
				if !yield(map[string][][]any{t.Name: {r}}, nil) {
					return
				}
			}
			return
		}
		g := grouping{table: t, set: extsort.New(os.TempDir(), groupMemory)}
		err := g.fill(c)
		if err == nil {
			err = g.each(func(rows map[string][][]any) bool { return yield(rows, nil) })
		}
		if err = errors.Join(err, g.set.Close()); err != nil && !errors.Is(err, errEnough) {
			yield(nil, err)
		}
	}
}

// errEnough says that nobody asks for more groups.
var errEnough = errors.New("no more groups are asked for")

// grouping puts the rows of records, and those of their lists, in the order of groups.
type grouping struct {
	table  pipeline.Table
	set    *extsort.Tables
	groups int64
}

// fill takes the rows of all tables. A row of a list whose record is not there is left
// out.
func (g *grouping) fill(c Contents) error {
	group, place := map[string]int64{}, map[string]int64{} // by name, and by record
	for r := range c.rows(declaredTable(g.table)) {
		alone, err := g.table.Records(map[string][][]any{g.table.Name: {r}})
		if err != nil {
			return err
		}
		name, err := g.table.Group(alone[0])
		if err != nil {
			return err
		}
		if _, known := group[name]; !known {
			group[name] = int64(len(group))
		}
		place[fmt.Sprint(r[0])] = group[name]
		if err := g.add(g.table.Name, group[name], r); err != nil {
			return err
		}
	}
	g.groups = int64(len(group))
	for _, of := range g.table.Tables()[1:] {
		t := declaredTable(of)
		owner, _ := t.column(of.Part.Column)
		for r := range c.rows(t) {
			if at, known := place[fmt.Sprint(r[owner])]; known {
				if err := g.add(of.Name, at, r); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// add takes a row of a group. Within a group rows keep their order.
func (g *grouping) add(table string, group int64, r row) error {
	return g.set.Add(table, extsort.AppendKey(nil, group), append([]any{group}, r...))
}

// each hands on one group after another.
func (g *grouping) each(yield func(map[string][][]any) bool) error {
	var tables []*groupRows
	defer func() {
		for _, t := range tables {
			t.stop()
		}
	}()
	for _, of := range g.table.Tables() {
		next, stop := iter.Pull2(g.set.Rows(of.Name))
		tables = append(tables, &groupRows{name: of.Name, next: next, stop: stop})
	}
	for group := range g.groups {
		rows := map[string][][]any{}
		for _, t := range tables {
			of, err := t.of(group)
			if err != nil {
				return err
			}
			rows[t.name] = of
		}
		if !yield(rows) {
			return errEnough
		}
	}
	return nil
}

// groupRows reads the rows of a table, which are in the order of groups.
type groupRows struct {
	name string
	next func() ([]byte, error, bool)
	stop func()
	head row // the first of a later group
}

// of are the rows of a group.
func (t *groupRows) of(group int64) (rows [][]any, err error) {
	for {
		if t.head == nil {
			b, err, more := t.next()
			if err != nil || !more {
				return rows, err
			}
			t.head = extsort.DecodeRow(b)
		}
		if t.head[0] != group {
			return rows, nil
		}
		rows, t.head = append(rows, t.head[1:]), nil
	}
}

// DecodeTable gives the records of a plugin's table by the type that it was declared with.
// A release that has the table not, or with other columns, is an error.
func DecodeTable[T any](c Contents, name string) ([]T, error) {
	info, found := c.Manifest.Table(name)
	if !found || info.Declared == nil {
		return nil, fmt.Errorf("release %s has no table %s of a plugin", c.Manifest.ID, name)
	}
	var keys []string
	for _, k := range info.Declared.Columns[:info.Declared.Keys] {
		keys = append(keys, k.Name)
	}
	t, err := pipeline.NewTable[T](name, info.Declared.Schema, keys, info.Declared.References...)
	if err != nil {
		return nil, fmt.Errorf("table %s of release %s: %w", name, c.Manifest.ID, err)
	}
	if !c.HasTable(t) {
		return nil, fmt.Errorf("table %s of release %s has other columns than %T", name, c.Manifest.ID, *new(T))
	}
	out := []T{}
	for r, err := range c.Records(t) {
		if err != nil {
			return nil, err
		}
		v, err := pipeline.Decode[T](r)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}
