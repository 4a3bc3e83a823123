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
	// Files maps a media id to its file, slash-separated within the release; a referenced
	// medium that was not hydrated has none.
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

// contents reads the tables once more, as records: holding rows beside them would take
// several times their memory.
func (v *verifier) contents() (Contents, error) {
	c := contentsOf(v.report, func(t table) iter.Seq[row] { return internTexts(v.each(t)) })
	c.Dir, c.ended = v.dir, func() error { return v.failed }
	if v.failed != nil {
		return Contents{}, v.failed
	}
	return c, nil
}

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
		if _, absent := slices.BinarySearch(of.Referenced, m.MediaID); !absent {
			c.Files[m.MediaID] = m.FileName
		}
	}
	for l := range recordsOf[labelRow](rows, tableLabels) {
		c.Labels = append(c.Labels, l.label())
	}
	return c
}

// internTexts yields rows that share equal texts with the row before: in the order of a
// table most are equal, and who holds all rows holds them once.
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

// rewrittenTables are tables that are read although their bytes are not those listed, or
// not what memforge writes, with the place of the finding that says so. Where it is nil
// none is.
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

// addRewritten notes a table of other bytes, whose finding is the last one.
func (v *verifier) addRewritten(rel string) {
	if v.rewritten != nil && isTable(rel) {
		v.rewritten[rel] = len(v.problems) - 1
	}
}

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

// groupMemory bounds the bytes of rows in memory that wait for the others of their
// group.
const groupMemory = 8 << 20

// groups yields the rows, by table, of records that follow from each other: groups in the
// order in which their first records stand in the table. Rows of composed tables are sorted
// on disk.
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
		set := extsort.New(os.TempDir(), groupMemory)
		more, err := true, c.sortGroups(t, set)
		if err == nil {
			more, err = readGroups(t, set, yield)
		}
		if err = errors.Join(err, set.Close()); more && err != nil {
			yield(nil, err)
		}
	}
}

// readGroups yields the groups that sortGroups sorted; more is false where no more are wanted.
func readGroups(t pipeline.Table, set *extsort.Tables, yield func(map[string][][]any, error) bool) (more bool, err error) {
	rows, group := map[string][][]any{}, int64(0)
	for b, err := range set.Rows(t.Name) {
		if err != nil {
			return true, err
		}
		r := extsort.DecodeRow(b) // its group, the number of its table, and its cells
		if of := r[0].(int64); of != group {
			if !yield(rows, nil) {
				return false, nil
			}
			rows, group = map[string][][]any{}, of
		}
		name := t.Tables()[r[1].(int64)].Name
		rows[name] = append(rows[name], r[2:])
	}
	return len(rows) == 0 || yield(rows, nil), nil
}

// sortGroups puts the rows of records, and those of their lists, in the order of groups. A
// row of a list whose record is not there is left out.
func (c Contents) sortGroups(t pipeline.Table, set *extsort.Tables) error {
	add := func(group int64, table int, r row) error {
		place := []any{group, int64(table)}
		return set.Add(t.Name, extsort.AppendKey(nil, place...), append(place, r...))
	}
	group, place := map[string]int64{}, map[string]int64{} // by name, and by record
	for r := range c.rows(declaredTable(t)) {
		alone, err := t.Records(map[string][][]any{t.Name: {r}})
		if err != nil {
			return err
		}
		name, err := t.Group(alone[0])
		if err != nil {
			return err
		}
		if _, known := group[name]; !known {
			group[name] = int64(len(group))
		}
		place[fmt.Sprint(r[0])] = group[name]
		if err := add(group[name], 0, r); err != nil {
			return err
		}
	}
	for i, of := range t.Tables()[1:] {
		list := declaredTable(of)
		owner, _ := list.column(of.Part.Column)
		for r := range c.rows(list) {
			if at, known := place[fmt.Sprint(r[owner])]; known {
				if err := add(at, i+1, r); err != nil {
					return err
				}
			}
		}
	}
	return nil
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
