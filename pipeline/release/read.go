package release

import (
	"context"
	"errors"
	"iter"
	"slices"

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
