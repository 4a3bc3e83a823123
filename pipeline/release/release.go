// Package release writes and verifies releases: Parquet tables, media files, a
// manifest that names every byte, a card, a report. A release is written into
// a folder beside its place and renamed into it at the very end, and is never
// edited afterwards. It is the only package that writes Parquet.
//
// The same Input over the same previous releases gives the same bytes, file
// for file: nothing of the clock, the host or the map order enters one.
package release

import (
	"context"
	"iter"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/schemas"
)

// Input is everything that a release is made of.
type Input struct {
	Spec pipeline.Release
	Seed uint64
	// Config is the digest of the plan that was built.
	Config pipeline.Digest
	// Tools maps the name of a tool to the version that shaped bytes.
	Tools map[string]string
	// Models has a row for each node that asked models, in the order of the plan.
	Models []manifest.StepModels
	// Records of schemas question, task, media, statements, verdict and probes, and of
	// those that Tables hold, unique by id. What they refer to is among them. Statements
	// about originals that no medium shows are left out.
	Records []pipeline.Record
	// Stream gives more of them, those that are too many to be held: it is read once
	// and may be nil.
	Stream iter.Seq2[pipeline.Record, error]
	// Exclude gives the release without the records that are to blame, and its gallery;
	// or why there is none. It is asked again as long as there are any. Nil where a
	// release that has some is none.
	Exclude func(context.Context, []Violation) (Input, []GalleryImage, error)
	// Tables are those of plugins that the release has. Records of their schemas are
	// rows of them.
	Tables []pipeline.Table
	// Flagged are the questions that gates judged in a form that is not among
	// Records, unique by id and version.
	Flagged []schemas.FlaggedQuestion
	// FlaggedRecords are other such records.
	FlaggedRecords []schemas.FlaggedRecord
	// Gates that judged anything, in the order of the plan; what Write works out
	// itself may be left open.
	Gates      []manifest.GateInfo
	Sources    []schemas.Source
	Rejections []schemas.Rejection
	// RecordCounts has one row per node, in the order of the plan.
	RecordCounts []manifest.RecordCounts
	// GateCounts says in the same order what each gate did; a row for all items comes
	// before those of single sources.
	GateCounts []manifest.GateCounts
	// Derivations maps every family whose gold can be worked out again to the
	// version of how, see pipeline.Derivation; others than those of the questions
	// are left out.
	Derivations map[string]string
	// Terms explain names in the rows, by family; of others than those of the questions they
	// are left out. Plugins say what sources and stages do.
	Terms   map[string]pipeline.Terms
	Plugins map[string]string
	// Recipe are the files from which the release can be built again, see RecipePath.
	Recipe []RecipeFile
	// Hydration says how files were made of others, for media that the release references;
	// Write takes those it needs.
	Hydration []schemas.HydrationStep
	// Reviewed has the draws that people decided about, by the node that took each, for
	// a release that is to be marked reviewed; Write works out the rest.
	Reviewed []review.SampleMark
	// BuildKey is a digest over everything that determines the release.
	BuildKey string
}

// Options change how a release is written, never what is in its tables.
type Options struct {
	// AllowUnlicensed writes a release despite unknown or absent licences and
	// marks it private.
	AllowUnlicensed bool
	// VersionRule is what becomes of a given version that is too small; RefuseVersion if
	// it is empty.
	VersionRule VersionRule
	// Scratch is a folder for rows that wait for their order, about as large as the
	// tables uncompressed; the system's own if empty.
	Scratch string
	// Shard is how many uncompressed bytes a file of a table has, about; DefaultShard
	// if it is 0.
	Shard int64
	// Gallery is shown in report.html.
	Gallery []GalleryImage
	// Original is set where a release is built again: the version, and what follows from
	// the version before, are those of it.
	Original *Original
}

// Original is what of a release that is built again does not follow from its recipe.
type Original struct {
	Version, Previous string
	Changelog         []byte
}

// GalleryImage is a card of the report: a question, and the PNG that is to stand with
// it, if any. What else stands there follows from the tables.
type GalleryImage struct {
	QuestionID string
	Data       []byte
}

// Written says where a release is. Changed is false when the same release was
// there already and nothing was written.
type Written struct {
	Dir     string
	Version string
	Changed bool
	// VersionWarning says why the version is too small where the rule only warns.
	VersionWarning string
}
