// Package describe writes the texts of a release: the dataset card, the report, the list of
// licences, the changes and the Croissant description. All follow from the manifest and the
// tables, so that an audit writes them again and compares.
package describe

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/release/diff"
	"github.com/memforge/memforge/pipeline/release/license"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// Version is that of the wording of the texts: it rises when the same tables would give
// other texts.
const Version = 17

// Names of the texts.
const (
	ChangelogName = "CHANGELOG.md"
	LicensesName  = "LICENSES.md"
	CardName      = "README.md"
	ReportName    = "report.html"
	CroissantName = "croissant.json"
)

// changesHead begins CHANGELOG.md.
const changesHead = "# Changes\n\n"

// Release is what the texts of a release are made of. Sequences are in the order of their
// tables and are read several times.
type Release struct {
	// Manifest needs no files and no id.
	Manifest  manifest.Manifest
	License   license.Decision
	Tables    []Table
	Questions iter.Seq[schemas.Question]
	Tasks     iter.Seq[schemas.Task]
	Media     iter.Seq[schemas.Media]
	Verdicts  iter.Seq[schemas.Verdict]
	Probes    iter.Seq[schemas.Probe]
	// Sessions, Turns and Checkpoints are nil where the release has no such table.
	Sessions    iter.Seq[schemas.Session]
	Turns       iter.Seq[schemas.Turn]
	Checkpoints iter.Seq[schemas.Checkpoint]
	// Events and Labels are what is stated of originals.
	Events     []schemas.StatedEvent
	Labels     []schemas.StatedLabel
	Flagged    []schemas.FlaggedQuestion
	Sources    []schemas.Source
	Rejections []schemas.Rejection
	// Reviews are the decisions about what was sampled.
	Reviews []schemas.Review
	Cards   []Card
	// MediaPath returns where the file of a medium is in the release; empty if it is not.
	MediaPath func(schemas.Media) string
	// Changes are those since the release before, whose own are PreviousChanges.
	Changes         diff.Summary
	PreviousChanges string
}

// Table is a table of the release by name and columns, in the order of the manifest.
type Table struct {
	Name    string
	Columns []rowschema.Column
}

// Text is one text file of a release.
type Text struct {
	Path string
	Data []byte
}

// Texts writes all texts but the Croissant description, which lists the others.
func (rel Release) Texts() ([]Text, error) {
	card, report, err := rel.cardAndReport()
	if err != nil {
		return nil, err
	}
	return []Text{
		{CardName, card},
		{LicensesName, []byte(rel.licensesText())},
		{ChangelogName, []byte(rel.changelog())},
		{ReportName, report},
	}, nil
}

// rows returns how many rows a table has.
func (rel Release) rows(table string) int64 {
	info, _ := rel.Manifest.Table(table)
	return info.Rows
}

// TrimChangesHead returns a change log as one that comes after it holds it.
func TrimChangesHead(changes []byte) string { return strings.TrimPrefix(string(changes), changesHead) }

// LicenseParts is what is under one licence: sources by name, and how many media.
type LicenseParts struct {
	Sources []string
	Media   int
	First   string // of the media, by id
}

// Licenses groups sources and media by licence.
func Licenses(sources []schemas.Source, media iter.Seq[schemas.Media]) map[string]LicenseParts {
	out := map[string]LicenseParts{}
	for _, s := range sources {
		l := out[s.License]
		l.Sources = append(l.Sources, "source "+s.ID)
		out[s.License] = l
	}
	for m := range media {
		l := out[m.License]
		l.Media++
		l.First = cmp.Or(l.First, m.MediaID)
		out[m.License] = l
	}
	for id, l := range out {
		slices.Sort(l.Sources)
		l.Sources = slices.Compact(l.Sources)
		out[id] = l
	}
	return out
}
