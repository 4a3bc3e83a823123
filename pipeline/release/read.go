package release

import (
	"context"

	"github.com/memforge/memforge/schemas"
)

// Contents are the tables of a release as the records they were written from.
type Contents struct {
	Dir      string
	Manifest Manifest
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
	// Sums and Signature are those of Report.
	Sums, Signature []byte
	// Files maps a media id to its file, slash-separated within the release.
	Files map[string]string
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
	return v.contents(), nil
}

// contents are the rows of all tables as records.
func (v *verifier) contents() Contents {
	c := Contents{
		Dir: v.dir, Manifest: v.report.Manifest, Sums: v.report.Sums, Signature: v.report.Signature, Files: map[string]string{},
		Questions:  recordsOf[schemas.Question](tableQuestions, v.rows[tableQuestions]),
		Tasks:      recordsOf[schemas.Task](tableTasks, v.rows[tableTasks]),
		Events:     recordsOf[schemas.StatedEvent](tableEvents, v.rows[tableEvents]),
		Sources:    recordsOf[schemas.Source](tableSources, v.rows[tableSources]),
		Verdicts:   recordsOf[schemas.Verdict](tableVerdicts, v.rows[tableVerdicts]),
		Probes:     recordsOf[schemas.Probe](tableProbes, v.rows[tableProbes]),
		Rejections: recordsOf[schemas.Rejection](tableRejections, v.rows[tableRejections]),
	}
	for _, m := range recordsOf[mediaRow](tableMedia, v.rows[tableMedia]) {
		c.Media = append(c.Media, m.Media)
		c.Files[m.MediaID] = m.FileName
	}
	for _, f := range recordsOf[flaggedRow](tableFlagged, v.rows[tableFlagged]) {
		c.Flagged = append(c.Flagged, f.question())
	}
	for _, l := range recordsOf[labelRow](tableLabels, v.rows[tableLabels]) {
		c.Labels = append(c.Labels, l.label())
	}
	return c
}
