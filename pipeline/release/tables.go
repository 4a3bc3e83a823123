package release

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/shape"
	"github.com/memforge/memforge/schemas"
)

// Names of the tables, and the split of tables that are not divided. Loaders
// call undivided data train, so that is the name that surprises nobody.
const (
	tableQuestions  = "questions"
	tableFlagged    = "flagged"
	tableTasks      = "tasks"
	tableMedia      = "media"
	tableEvents     = "events"
	tableLabels     = "labels"
	tableSources    = "sources"
	tableProbes     = "probes"
	tableVerdicts   = "verdicts"
	tableRejections = "rejections"
	// tableFiles is media/videos/metadata.parquet: what a folder loader needs and
	// nothing a solver must not see.
	tableFiles = "metadata"

	wholeSplit = "train"

	kindOfVideo = "video"
	kindOfImage = "image"
)

// row is a row of a table, see package shape.
type row = []any

// table is a table's shape. Rows are sorted by the first keys columns, which
// are strings or whole numbers, then by all others.
type table struct {
	name   string
	keys   int
	unique bool // the keys identify a row
	// told names the columns that no two rows have alike, where the keys identify none.
	told    []string
	divided bool // one file for each value of column split
	columns []shape.Column
	// soft names columns whose change is not a change of the item.
	soft []string
	// declared is what the plugin says whose table it is; nil for those of this
	// package.
	declared *pipeline.Table
}

// Types of rows that are not records as they are.
type (
	flaggedRow struct {
		schemas.Question
		Version  int32    `json:"version"`
		JudgedBy []string `json:"judged_by"`
	}
	mediaRow struct {
		schemas.Media
		FileName string         `json:"file_name"`
		Image    *shape.Picture `json:"image"`
	}
	besideRow struct {
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

// tables lists the shapes of the tables that every release has, in the order of
// the manifest.
func tables() []table { return slices.Clip(declared()[:len(declared())-1]) }

// declared are the tables and, last, the one beside media files.
var declared = sync.OnceValue(func() []table {
	questions := keyed[schemas.Question](tableQuestions, "question_id")
	questions.divided, questions.soft = true, []string{"explanation", "setting", "revisions"}
	media := keyed[mediaRow](tableMedia, "media_id")
	media.soft = []string{"caption", "license"}
	sources := keyed[schemas.Source](tableSources, "id", "path")
	sources.unique, sources.told = false, []string{"id", "path", "url", "revision", "sha256"}
	rejections := keyed[schemas.Rejection](tableRejections, "id", "stage", "code", "reason")
	rejections.unique = false
	return []table{
		questions, keyed[flaggedRow](tableFlagged, "question_id", "version"), keyed[schemas.Task](tableTasks, "task_id"), media,
		keyed[schemas.StatedEvent](tableEvents, "original", "event_id"), keyed[labelRow](tableLabels, "original", "label_id"), sources,
		keyed[schemas.Probe](tableProbes, "item", "gate", "view", "role", "rotation", "run"),
		keyed[schemas.Verdict](tableVerdicts, "item", "gate"), rejections,
		keyed[besideRow](tableFiles, "file_name"),
	}
})

// keyed declares a table whose rows the keys identify. The types are known here:
// one that no table can hold is a mistake of this package.
func keyed[T any](name string, keys ...string) table {
	columns, err := shape.Of(reflect.TypeFor[T](), keys...)
	if err != nil {
		panic(err)
	}
	return table{name: name, keys: len(keys), unique: true, columns: columns}
}

// tableOf is a table by its name, which is one of those above.
func tableOf(name string) table {
	all := declared()
	return all[slices.IndexFunc(all, func(t table) bool { return t.name == name })]
}

// rowsOf appends rows for values of the table's type.
func rowsOf[T any](name string, values []T) []row {
	t := tableOf(name)
	out := make([]row, len(values))
	for i, v := range values {
		out[i] = shape.Cells(t.columns, v)
	}
	return out
}

func rowOf[T any](name string, v T) row { return shape.Cells(tableOf(name).columns, v) }

// recordsOf are the values that the rows of a table were made of.
func recordsOf[T any](name string, rows []row) []T {
	t := tableOf(name)
	var out []T
	for _, r := range rows {
		var v T
		shape.Fill(t.columns, r, &v)
		out = append(out, v)
	}
	return out
}

func recordOf[T any](name string, r row) T { return recordsOf[T](name, []row{r})[0] }

func (t table) column(name string) (int, bool) {
	i := slices.IndexFunc(t.columns, func(c shape.Column) bool { return c.Name == name })
	return i, i >= 0
}

// check reports a value that does not fit its column.
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

// sort puts rows in the table's order.
func (t table) sort(rows []row) {
	slices.SortStableFunc(rows, func(a, b row) int {
		for i := range t.columns {
			if i >= t.keys && t.unique {
				return 0
			}
			if c := compareScalars(a[i], b[i]); c != 0 {
				return c
			}
		}
		return 0
	})
}

// compareScalars orders nil before everything and equal types by value. Nested
// values are equal to it: no table needs them as a key.
func compareScalars(a, b any) int {
	if a == nil || b == nil {
		switch {
		case a == nil && b == nil:
			return 0
		case a == nil:
			return -1
		}
		return 1
	}
	switch a := a.(type) {
	case string:
		return cmp.Compare(a, b.(string))
	case int64:
		return cmp.Compare(a, b.(int64))
	case int32:
		return cmp.Compare(a, b.(int32))
	}
	return 0
}

// flaggedRowOf and question convert a flagged question to its row and back.
func flaggedRowOf(f schemas.FlaggedQuestion) flaggedRow {
	return flaggedRow{f.Question, f.Version, f.JudgedBy}
}

func (r flaggedRow) question() schemas.FlaggedQuestion {
	return schemas.FlaggedQuestion{Question: r.Question, Version: r.Version, JudgedBy: r.JudgedBy}
}

// mediaRowOf takes the bytes of a picture that is small enough to sit in the table,
// or nil.
func mediaRowOf(m schemas.Media, fileName string, picture []byte) mediaRow {
	r := mediaRow{Media: m, FileName: fileName}
	if m.Kind == kindOfImage {
		r.Image = &shape.Picture{Bytes: picture, Path: fileName}
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
