package release

import (
	"context"
	"slices"

	"github.com/memforge/memforge/pipeline"
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
	// Reviews are what people decided, where a plugin's table holds such.
	Reviews []schemas.Review
	// FlaggedRecords are those of other schemas than question.
	FlaggedRecords []schemas.FlaggedRecord
	// Sums and Signature are those of Report.
	Sums, Signature []byte
	// Files maps a media id to its file, slash-separated within the release.
	Files map[string]string

	declared map[string][]row // by table of a plugin
}

// Records gives the records of a plugin's table as they were written, but for their
// blobs; none where the release has the table not, or not like that.
func (c Contents) Records(t pipeline.Table) ([]pipeline.Record, error) {
	for _, of := range t.Tables() {
		info, _ := c.Manifest.table(of.Name)
		if info.Declared == nil || !slices.Equal(schemaLines(pluggedTable(*info.Declared)), schemaLines(pluggedTable(of))) {
			return nil, nil
		}
	}
	return t.Records(c.declared)
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
		Questions:  slices.Collect(recordsOf[schemas.Question](v.each, tableQuestions)),
		Tasks:      slices.Collect(recordsOf[schemas.Task](v.each, tableTasks)),
		Events:     slices.Collect(recordsOf[schemas.StatedEvent](v.each, tableEvents)),
		Sources:    slices.Collect(recordsOf[schemas.Source](v.each, tableSources)),
		Verdicts:   slices.Collect(recordsOf[schemas.Verdict](v.each, tableVerdicts)),
		Probes:     slices.Collect(recordsOf[schemas.Probe](v.each, tableProbes)),
		Rejections: slices.Collect(recordsOf[schemas.Rejection](v.each, tableRejections)),
	}
	c.declared = map[string][]row{}
	for _, t := range v.report.Manifest.shapes() {
		switch {
		case t.declared == nil:
			continue
		case t.declared.Schema == schemas.NameReview:
			c.Reviews = pluggedAs[schemas.Review](v.each, t)
		case t.name == tableFlaggedRecords:
			c.FlaggedRecords = pluggedAs[schemas.FlaggedRecord](v.each, t)
		}
		c.declared[t.name] = slices.Collect(v.each(t))
	}
	for m := range recordsOf[mediaRow](v.each, tableMedia) {
		c.Media = append(c.Media, m.Media)
		c.Files[m.MediaID] = m.FileName
	}
	for f := range recordsOf[flaggedRow](v.each, tableFlagged) {
		c.Flagged = append(c.Flagged, f.question())
	}
	for l := range recordsOf[labelRow](v.each, tableLabels) {
		c.Labels = append(c.Labels, l.label())
	}
	return c
}
