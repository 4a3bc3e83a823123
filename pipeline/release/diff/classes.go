package diff

import (
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// Class says what a change changes for those who use a release.
type Class string

// The classes. Each says what it asks for; see docs/maintain.md.
const (
	// Item is a row of what is asked, shown or kept: major where it is gone, minor where
	// it is new.
	Item Class = "row"
	// These ask for a major version: what a system was scored by or shown is other.
	Gold     Class = "gold"
	Wording  Class = "wording"
	Options  Class = "options"
	Evidence Class = "evidence"
	Media    Class = "media"
	Place    Class = "place" // another split, task, checkpoint or place in an order
	Labels   Class = "labels"
	Record   Class = "record" // a row of a plugin's table
	Columns  Class = "columns"
	// These ask for a minor version: only something came to it.
	NewLabels Class = "new labels"
	Format    Class = "format"
	// These ask for a patch: they say how items were made and judged.
	Verdict    Class = "verdict"
	Checks     Class = "checks" // calls, decisions, rejections, forms that are not released
	Statements Class = "statements"
	Sources    Class = "sources"
	Notes      Class = "notes" // explanations, captions for people, licences
	Packaging  Class = "packaging"
)

// AllClasses lists the classes, those that ask for most first.
func AllClasses() []Class {
	return []Class{
		Gold, Wording, Options, Evidence, Media, Place, Labels, Record, Columns, Item,
		NewLabels, Format, Verdict, Checks, Statements, Sources, Notes, Packaging,
	}
}

// Grade is the part of a version number that a change asks to be raised.
type Grade = manifest.Change

// asks returns what a change of a class asks for.
func (c Class) asks(kind Kind) Grade {
	switch c {
	case NewLabels, Format:
		return manifest.MinorChange
	case Item, Columns:
		if kind == Added {
			return manifest.MinorChange
		}
		return manifest.MajorChange
	case Verdict, Checks, Statements, Sources, Notes, Packaging:
		return manifest.PatchChange
	}
	return manifest.MajorChange
}

// Name returns what stands in lists: "gold changed", "added", "columns gone".
func Name(kind Kind, c Class) string {
	switch {
	case c == NewLabels:
		return "labels added"
	case kind == Changed && c == Checks:
		return "details changed"
	case kind == Changed && !slices.Contains([]Class{Record, Statements, Sources, Packaging}, c):
		return string(c) + " changed"
	case c == Columns:
		return "table " + string(kind)
	}
	return string(kind)
}

// Names of the tables that the classes know besides those of package pipeline.
const (
	tableFlagged    = "flagged"
	tableProbes     = "probes"
	tableVerdicts   = "verdicts"
	tableRejections = "rejections"
	tableEvents     = "events"
	tableLabels     = "labels"
	manifestName    = manifest.FileName
)

// isJudgement reports a table that says how items were judged, not what they are.
func isJudgement(table string) bool {
	return slices.Contains([]string{tableFlagged, "flagged_records", tableProbes, tableRejections, "reviews", "draws"}, table)
}

// classOfRow returns the class of a row that is new or gone.
func classOfRow(table string) Class {
	switch {
	case table == tableVerdicts:
		return Verdict
	case isJudgement(table):
		return Checks
	case table == tableEvents || table == tableLabels:
		return Statements
	case table == pipeline.TableSources:
		return Sources
	}
	return Item
}

var index = regexp.MustCompile(`\[\d+\]`)

// classify returns the classes of a changed row and its fields without those that follow
// from others.
func classify(table string, fields []Field) ([]Field, []Class) {
	if table == pipeline.TableQuestions {
		fields = independent(fields)
	}
	found := map[Class]bool{}
	for _, f := range fields {
		found[classOf(table, index.ReplaceAllString(f.Path, ""), f, fields)] = true
	}
	return fields, slices.DeleteFunc(AllClasses(), func(c Class) bool { return !found[c] })
}

// classOf returns the class of a changed field.
func classOf(table, path string, f Field, all []Field) Class {
	top, _, _ := strings.Cut(path, ".")
	switch table {
	case pipeline.TableQuestions:
		return classOfQuestion(top, path, f, all)
	case pipeline.TableTasks:
		return oneOf(top, Notes, in(Media, "media"), in(Labels, "family", "domain", "scenario"))
	case pipeline.TableMedia:
		return oneOf(top, Media, in(Notes, "caption", "license"), in(Packaging, "file_name", "image"), in(Evidence, "recipe"))
	case pipeline.TableSessions:
		return oneOf(top, Wording, in(Place, "task_id", "order", "position"), in(Notes, "source_id"), in(Labels, "arc", "arc_role", "event_type", "on_main_line"))
	case pipeline.TableTurns:
		if path == "attachments" || path == "attachments.media_id" {
			return Media
		}
		return oneOf(top, Wording, in(Place, "session_id", "order", "position"))
	case pipeline.TablePoints:
		return oneOf(top, Gold, in(Place, "session_id"), in(Labels, "type"), in(Evidence, "evidence_turns", "evidence_media"))
	case pipeline.TableCheckpoints:
		return Place
	case tableVerdicts:
		return oneOf(top, Checks, in(Verdict, "outcome", "reason"))
	}
	if c := classOfRow(table); c != Item {
		return c
	}
	return Record
}

func classOfQuestion(top, path string, f Field, all []Field) Class {
	switch {
	case path == "options.role":
		return Labels
	case top == "labels" && f.Before == nil:
		return NewLabels
	case top == "answer_key" && !has(all, "answer_text") && has(all, "options"):
		return Options // the right one stands at another place
	}
	return oneOf(top, Wording, in(Gold, "answer_key", "answer_text", "answer_call"), in(Options, "options", "tools"),
		in(Evidence, "evidence"), in(Media, "media", "question_media"), in(Place, "task_id", "checkpoint_id", "split"),
		in(Labels, "family", "type", "labels"), in(Notes, "explanation", "setting", "revisions"))
}

// group is a class with the columns that belong to it.
type group struct {
	class   Class
	columns []string
}

func in(c Class, columns ...string) group { return group{c, columns} }

// oneOf returns the class of the group that has a column, or else the first.
func oneOf(column string, other Class, groups ...group) Class {
	for _, g := range groups {
		if slices.Contains(g.columns, column) {
			return g.class
		}
	}
	return other
}

func has(fields []Field, column string) bool {
	return slices.ContainsFunc(fields, func(f Field) bool {
		return f.Path == column || strings.HasPrefix(f.Path, column+"[") || strings.HasPrefix(f.Path, column+".")
	})
}

// independent leaves out the choice form of a question where it changed only because the
// question or its options did.
func independent(fields []Field) []Field {
	return slices.DeleteFunc(slices.Clone(fields), func(f Field) bool {
		return f.Path == "question_mcq" && (has(fields, "question") || has(fields, "options") && stem(f.Before) == stem(f.After))
	})
}

// stem returns what stands above the options of a choice form.
func stem(form any) string {
	text, _ := form.(string)
	if at := strings.LastIndex(text, "\nA. "); at >= 0 {
		return text[:at]
	}
	return text
}
