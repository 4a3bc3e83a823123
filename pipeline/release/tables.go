package release

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// Names of the tables, and the split of tables that are not divided. Loaders
// call undivided data train, so that is the name that readers expect.
const (
	tableQuestions  = pipeline.TableQuestions
	tableFlagged    = "flagged"
	tableTasks      = pipeline.TableTasks
	tableMedia      = pipeline.TableMedia
	tableEvents     = "events"
	tableLabels     = "labels"
	tableSources    = pipeline.TableSources
	tableProbes     = "probes"
	tableVerdicts   = "verdicts"
	tableRejections = "rejections"
	// tableFlaggedRecords is there where gates judged other records than questions in
	// a form that is not released.
	tableFlaggedRecords = "flagged_records"
	// tableHydration is there where the release references videos.
	tableHydration = "hydration"
	// tableFiles is media/videos/metadata.parquet: what a folder loader needs and
	// nothing a solver must not see.
	tableFiles = "metadata"

	wholeSplit = "train"

	kindOfVideo = "video"
	kindOfImage = "image"
)

// row is a row of a table, see package rowschema.
type row = []any

// table is the shape of a table. Rows are sorted by the first keys columns, which are
// strings or whole numbers, then by all others.
type table struct {
	name   string
	keys   int
	unique bool // the keys identify a row
	// identity names the columns that no two rows have alike, where the keys identify none.
	identity   []string
	divided    bool // one file for each value of column split
	columns    []rowschema.Column
	references []pipeline.Reference
	// records says that the rows are records, or what became of some.
	records bool
	// declared is what the plugin says whose table it is; nil for those that every
	// release has.
	declared *pipeline.Table
	// laterColumns names columns that the first format of releases did not have.
	laterColumns []string
}

// Types of rows that are not records as they are.
type (
	mediaRow struct {
		schemas.Media
		FileName string             `json:"file_name"`
		Image    *rowschema.Picture `json:"image"`
	}
	folderRow struct {
		FileName string `json:"file_name"`
		MediaID  string `json:"media_id"`
	}
	// labelRow has no seconds where the label holds of the whole original.
	labelRow struct {
		Original  string   `json:"original"`
		LabelID   string   `json:"label_id"`
		From      *float64 `json:"from"`
		To        *float64 `json:"to"`
		Attribute string   `json:"attribute"`
		Value     string   `json:"value"`
		SourceID  string   `json:"source_id"`
		StatedBy  string   `json:"stated_by"`
	}
)

// tables returns the tables that every release has, in the order of the manifest.
func tables() []table { return slices.Clip(builtinTables()[:len(builtinTables())-1]) }

// firstFormat returns the table as the first format of releases had it.
func (t table) firstFormat() table {
	t.columns = withoutColumns(t.columns, t.laterColumns)
	return t
}

// withoutColumns leaves out columns, named as in "evidence.ref".
func withoutColumns(columns []rowschema.Column, names []string) []rowschema.Column {
	var out []rowschema.Column
	for _, c := range columns {
		var within []string
		for _, name := range names {
			if inner, ok := strings.CutPrefix(name, c.Name+"."); ok {
				within = append(within, inner)
			}
		}
		if len(within) > 0 {
			elem := *c.Elem
			elem.Fields = withoutColumns(elem.Fields, within)
			c.Elem = &elem
		}
		if !slices.Contains(names, c.Name) {
			out = append(out, c)
		}
	}
	return out
}

// widenRow gives a row of the first format the columns that came later, empty.
func widenRow(m manifest.Manifest, t table, r row) row {
	if m.Format >= manifest.WideFormat || len(t.laterColumns) == 0 {
		return r
	}
	return widenCells(tableOf(t.name).columns, t.firstFormat().columns, r)
}

func widenCells(all, some []rowschema.Column, cells []any) []any {
	out := make([]any, len(all))
	for i, c := range all {
		at := slices.IndexFunc(some, func(o rowschema.Column) bool { return o.Name == c.Name })
		switch {
		case at < 0 && c.Kind == rowschema.List:
			out[i] = []any{}
		case at >= 0:
			out[i] = cells[at]
			if c.Kind == rowschema.List && c.Elem.Kind == rowschema.Struct && len(c.Elem.Fields) > len(some[at].Elem.Fields) {
				list, _ := cells[at].([]any)
				for j := range list {
					if e, ok := list[j].([]any); ok {
						list[j] = widenCells(c.Elem.Fields, some[at].Elem.Fields, e)
					}
				}
			}
		}
	}
	return out
}

// builtinTables returns these tables and, last, the one beside media files.
var builtinTables = sync.OnceValue(func() []table {
	core := pipeline.CoreTables()
	late := []string{"question_media", "tools", "evidence.task_aware_caption"}
	questions := recordTable(core[0])
	questions.divided, questions.laterColumns = true, late
	flagged := newTable[schemas.FlaggedQuestion](tableFlagged, "question_id", "version")
	flagged.records, flagged.laterColumns = true, late
	flagged.columns = rowschema.WithoutRules(flagged.columns) // what is wrong with one may be why it was flagged
	media := newTable[mediaRow](tableMedia, "media_id")
	media.records, media.references = true, core[2].References
	sources := newTable[schemas.Source](tableSources, "id", "path")
	sources.unique, sources.identity = false, []string{"id", "path", "url", "revision", "sha256"}
	rejections := newTable[schemas.Rejection](tableRejections, "id", "stage", "code", "reason")
	rejections.unique, rejections.records = false, true
	events, labels := newTable[schemas.StatedEvent](tableEvents, "original", "event_id"), newTable[labelRow](tableLabels, "original", "label_id")
	verdicts := newTable[schemas.Verdict](tableVerdicts, "item", "gate")
	verdicts.references = []pipeline.Reference{{Column: "item", Tables: []string{pipeline.AnyRecord}}}
	for _, t := range []*table{&events, &labels} {
		t.references = []pipeline.Reference{{Column: "source_id", Tables: []string{tableSources}}}
	}
	return []table{
		questions, flagged, recordTable(core[1]), media, events, labels, sources,
		newTable[schemas.Probe](tableProbes, "item", "gate", "view", "role", "rotation", "run"), verdicts, rejections,
		newTable[folderRow](tableFiles, "file_name"),
	}
})

// newTable declares a table whose rows the keys identify. A type that no table can hold
// is a mistake of this package.
func newTable[T any](name string, keys ...string) table {
	columns, err := rowschema.Of(reflect.TypeFor[T](), keys...)
	if err != nil {
		panic(err)
	}
	return table{name: name, keys: len(keys), unique: true, columns: columns}
}

func recordTable(t pipeline.Table) table {
	return table{name: t.Name, keys: t.Keys, unique: true, columns: t.Columns, references: t.References, records: true}
}

// tableOf returns one of the tables above.
func tableOf(name string) table {
	t, _ := findTable(builtinTables(), name)
	return t
}

func findTable(all []table, name string) (table, bool) {
	i := slices.IndexFunc(all, func(t table) bool { return t.name == name })
	if i < 0 {
		return table{}, false
	}
	return all[i], true
}

func rowOf[T any](name string, v T) row { return rowschema.Cells(tableOf(name).columns, v) }

// recordsOf decodes the rows of a table that every release has.
func recordsOf[T any](rows rowSource, name string) iter.Seq[T] {
	return valuesOf[T](rows, tableOf(name), tableOf(name).columns)
}

// mediaOf decodes the media of a release: their rows begin with the cells of the
// records.
func mediaOf(rows rowSource) iter.Seq[schemas.Media] {
	return valuesOf[schemas.Media](rows, tableOf(tableMedia), mediaRecords().columns)
}

func valuesOf[T any](rows rowSource, t table, columns []rowschema.Column) iter.Seq[T] {
	return func(yield func(T) bool) {
		for r := range rows(t) {
			var v T
			rowschema.Fill(columns, r, &v)
			if !yield(v) {
				return
			}
		}
	}
}

func recordOf[T any](name string, r row) (v T) {
	rowschema.Fill(tableOf(name).columns, r, &v)
	return v
}

func (t table) column(name string) (int, bool) {
	i := slices.IndexFunc(t.columns, func(c rowschema.Column) bool { return c.Name == name })
	return i, i >= 0
}

func (t table) check(r row) error {
	if len(r) != len(t.columns) {
		return fmt.Errorf("%d values for %d columns", len(r), len(t.columns))
	}
	for i, c := range t.columns {
		if err := c.Check(r[i]); err != nil {
			return err
		}
	}
	return nil
}

// mediaRowOf returns the row of a medium, with the bytes of a picture that is small
// enough for the table, or nil.
func mediaRowOf(m schemas.Media, fileName string, picture []byte) mediaRow {
	r := mediaRow{Media: m, FileName: fileName}
	if m.Kind == kindOfImage {
		r.Image = &rowschema.Picture{Bytes: picture, Path: fileName}
	}
	return r
}

func labelRowOf(l schemas.StatedLabel) labelRow {
	r := labelRow{
		Original: l.Original, LabelID: l.LabelID, Attribute: l.Attribute, Value: l.Value,
		SourceID: l.SourceID, StatedBy: l.StatedBy,
	}
	if l.From != 0 || l.To != 0 {
		r.From, r.To = &l.From, &l.To
	}
	return r
}

func (r labelRow) label() schemas.StatedLabel {
	l := schemas.StatedLabel{
		LabelID: r.LabelID, Original: r.Original, Attribute: r.Attribute, Value: r.Value,
		SourceID: r.SourceID, StatedBy: r.StatedBy,
	}
	if r.From != nil {
		l.From = *r.From
	}
	if r.To != nil {
		l.To = *r.To
	}
	return l
}
