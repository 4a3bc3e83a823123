package pipeline

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/schemas"
)

// Table is a table of releases that a plugin declares: a row for every record of
// its schema, or for every element of a list that the records have.
type Table struct {
	Name   string `json:"name"`
	Schema string `json:"schema"`
	// The first Keys columns identify a row, the first of them is what others
	// refer to.
	Keys       int                `json:"keys"`
	Columns    []rowschema.Column `json:"columns"`
	References []Reference        `json:"references,omitempty"`
	// Part is set where the rows are elements of a list.
	Part *Part `json:"part,omitempty"`

	codec *rowCodec // nil where a manifest declares the table
}

// Part says of which records the rows of a table are elements: those that are rows
// of the table Of, whose id stands in Column. Elements of one record are in the order
// of the whole number in By, or of their keys where it is empty.
type Part struct {
	Of     string `json:"of"`
	Column string `json:"column"`
	By     string `json:"by,omitempty"`
}

// Reference says that what is in a column is the id of a row of one of the tables;
// an empty one refers to nothing. Column may lead into a list or a struct, as in
// "evidence.ref". What follows a # is not part of the id.
type Reference struct {
	Column string   `json:"column"`
	Tables []string `json:"tables"`
	// Weak says that the column, a list, goes on without what is not released.
	Weak bool `json:"weak,omitempty"`
	// Same names a column that row and referred row have alike, where the table
	// referred to has one of that name: with "task_id" what is referred to is of the
	// same task. In a list it is first looked for in the element.
	Same string `json:"same,omitempty"`
}

// AnyRecord stands in Reference.Tables for every table of records, and for what was
// flagged or rejected: what judges a record stays where the record goes.
const AnyRecord = "*"

var tableName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)

// AddTable declares a table of releases whose rows are the records of a schema, of
// type T: see package rowschema for the columns that it gets, and for lists that become
// tables of their own. The keys are those by which a row is found and sorted. A
// reference may lead into such a list ("turns.attachments.media_id"). A record that
// refers to what a gate dropped is left out with it.
func AddTable[T any](r *Registry, name, schema string, keys []string, references ...Reference) {
	t, err := NewTable[T](name, schema, keys, references...)
	switch {
	case err != nil:
	case schemas.ReleasedSchema(schema):
		err = fmt.Errorf("records of schema %q have a table already", schema)
	case r.tables[schema].Name != "":
		err = fmt.Errorf("table %q holds the records of schema %q", r.tables[schema].Name, schema)
	default:
		for _, of := range t.Tables() {
			if slices.ContainsFunc(r.Tables(), func(o Table) bool { return o.Name == of.Name }) {
				err = fmt.Errorf("the name is taken: %s", of.Name)
			}
		}
	}
	if err != nil {
		r.errs = append(r.errs, fmt.Errorf("register table %q: %w", name, err))
		return
	}
	r.tables[schema] = t
}

// NewTable returns the table that AddTable declares.
func NewTable[T any](name, schema string, keys []string, references ...Reference) (Table, error) {
	t := Table{Name: name, Schema: schema, Keys: len(keys), References: slices.Clone(references)}
	var err error
	if t.Columns, err = rowschema.Of(reflect.TypeFor[T](), keys...); err != nil {
		return t, err
	}
	lists, err := rowschema.ElementsOf(reflect.TypeFor[T]())
	if err != nil {
		return t, err
	}
	f := &rowCodec{}
	for _, l := range lists {
		of := Table{Name: l.Table, Schema: schema, Keys: 1, Columns: l.Columns, Part: &Part{Of: name, Column: t.Columns[0].Name, By: l.By}}
		of.References = []Reference{{Column: of.Part.Column, Tables: []string{name}}}
		t.References = slices.DeleteFunc(t.References, func(ref Reference) bool {
			column, within := strings.CutPrefix(ref.Column, l.Field+".")
			if within {
				moved := ref
				moved.Column = column
				of.References = append(of.References, moved)
			}
			return within
		})
		f.parts, f.lists = append(f.parts, of), append(f.lists, l)
	}
	t.codec = f
	f.group, f.rows, f.records = groupOf[T], rowsOf[T](t), recordsOf[T](t)
	var problems []error
	for _, of := range t.Tables() {
		problems = append(problems, of.Check())
	}
	return t, errors.Join(problems...)
}

// Check reports a declaration that no release can hold. What references lead to is
// for a release to know.
func (t Table) Check() error {
	if !tableName.MatchString(t.Name) {
		return fmt.Errorf("a table is named by lower-case letters, digits and underscores, not %q", t.Name)
	}
	if t.Schema == "" || t.Keys < 1 || t.Keys > len(t.Columns) {
		return fmt.Errorf("a table needs a schema and keys that are columns; it has schema %q and %d keys", t.Schema, t.Keys)
	}
	if err := rowschema.Check(t.Columns, t.Keys); err != nil {
		return err
	}
	for _, ref := range t.References {
		if !rowschema.IsTextPath(t.Columns, ref.Column) || len(ref.Tables) == 0 {
			return fmt.Errorf("%q refers to %v: it must be a column of text that refers to at least one table", ref.Column, ref.Tables)
		}
		if k, _ := t.kindOf(ref.Column); ref.Weak && (k != rowschema.List || t.Part != nil || t.codec != nil && t.IsComposed()) {
			return fmt.Errorf("%q is weak: only a list of a record that is nothing but a row can go on without an element", ref.Column)
		}
	}
	return t.Part.check(t)
}

func (t Table) kindOf(name string) (rowschema.Kind, bool) {
	i := slices.IndexFunc(t.Columns, func(c rowschema.Column) bool { return c.Name == name })
	if i < 0 {
		return 0, false
	}
	return t.Columns[i].Kind, true
}

func (p *Part) check(t Table) error {
	if p == nil {
		return nil
	}
	by, ordered := t.kindOf(p.By)
	if k, ok := t.kindOf(p.Column); !ok || k != rowschema.String || p.By != "" && (!ordered || by != rowschema.Int32 && by != rowschema.Int64) || t.Columns[0].Kind != rowschema.String {
		return fmt.Errorf("the elements of records of %s need a text %q that names the record, a text as key, and a whole number %q where they are in its order", p.Of, p.Column, p.By)
	}
	return nil
}

// Tables returns the table and those of the lists of its records.
func (t Table) Tables() []Table {
	if t.codec == nil {
		return []Table{t}
	}
	return append([]Table{t}, t.codec.parts...)
}

// ReferencesOf lists the tables and ids that a row refers to.
func (t Table) ReferencesOf(row []any) (out []RowReference) {
	for _, ref := range t.References {
		for _, text := range rowschema.TextsAt(t.Columns, row, ref.Column, ref.Same) {
			out = append(out, RowReference{ref, text.Value, text.Sibling})
		}
	}
	return out
}

// RowReference is one id that a row refers to, and what the row says in the column Same.
type RowReference struct {
	Reference
	ID, SharedValue string
}

// Table finds the table that holds the records of a schema.
func (r *Registry) Table(schema string) (Table, bool) {
	t, ok := r.tables[schema]
	return t, ok
}

// Tables lists the declared tables by name, those of lists among them.
func (r *Registry) Tables() (out []Table) {
	for _, t := range r.tables {
		out = append(out, t.Tables()...)
	}
	slices.SortFunc(out, func(a, b Table) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// Schemas lists the schemas whose records the declared tables hold, sorted.
func (r *Registry) Schemas() []string { return slices.Sorted(maps.Keys(r.tables)) }

// Releases reports whether records of a schema are rows of a release.
func (r *Registry) Releases(schema string) bool {
	_, ok := r.tables[schema]
	return ok || schemas.ReleasedSchema(schema)
}

// Row is a row of a table.
type Row struct {
	Table string
	Cells []any
}

// GroupDerived is a record type with fields, tagged `table:"derived"`, that follow from
// the other records of its group. They stand in no table.
type GroupDerived[T any] interface {
	Group() string
	// DeriveFields gives the record with these fields as they follow. The group, in no
	// order, may hold the record itself.
	DeriveFields(group []T) T
}

// rowCodec is how records of a Go type become rows and are made of them again.
type rowCodec struct {
	parts   []Table
	lists   []rowschema.Elements // of the parts
	follows bool
	group   func(Record) (string, error)
	rows    func(Record) ([]Row, error)
	records func(rows map[string][][]any) ([]Record, error)
}

// Rows returns the rows that a record is: its own comes first.
func (t Table) Rows(rec Record) ([]Row, error) { return t.codec.rows(rec) }

// Records returns the records that rows, by table, were made of, in the order of its
// own. Without blobs and named by their keys, they have the ItemDigests of those that
// were written.
func (t Table) Records(rows map[string][][]any) ([]Record, error) { return t.codec.records(rows) }

// Group names the records that a record follows from: its own id where it follows
// from none.
func (t Table) Group(rec Record) (string, error) {
	if !t.codec.follows {
		return rec.ID, nil
	}
	return t.codec.group(rec)
}

func groupOf[T any](rec Record) (string, error) {
	v, err := Decode[T](rec)
	if f, ok := any(v).(GroupDerived[T]); ok {
		return f.Group(), err
	}
	return rec.ID, err
}

// WithoutReferences returns the record whose weak references do not name what is gone.
func (t Table) WithoutReferences(rec Record, gone map[string]bool) (Record, error) {
	rows, err := t.Rows(rec)
	if err != nil {
		return rec, err
	}
	cells := rows[0].Cells
	for i, c := range t.Columns {
		if slices.ContainsFunc(t.References, func(ref Reference) bool { return ref.Weak && ref.Column == c.Name }) {
			left, _ := cells[i].([]any)
			cells[i] = slices.DeleteFunc(left, func(id any) bool { return gone[fmt.Sprint(id)] })
		}
	}
	again, err := t.Records(map[string][][]any{t.Name: {cells}})
	if err != nil {
		return rec, err
	}
	again[0].ID, again[0].Blobs = rec.ID, rec.Blobs
	return again[0], nil
}

// IsComposed reports whether a record is more than its row.
func (t Table) IsComposed() bool { return len(t.codec.parts) > 0 || t.codec.follows }

func rowsOf[T any](t Table) func(Record) ([]Row, error) {
	return func(rec Record) ([]Row, error) {
		v, err := Decode[T](rec)
		if err != nil {
			return nil, err
		}
		out := []Row{{t.Name, rowschema.Cells(t.Columns, v)}}
		for i, l := range t.codec.lists {
			for _, cells := range l.Rows(v) {
				out = append(out, Row{t.codec.parts[i].Name, cells})
			}
		}
		return out, nil
	}
}

func recordsOf[T any](t Table) func(map[string][][]any) ([]Record, error) {
	_, t.codec.follows = any(*new(T)).(GroupDerived[T])
	return func(rows map[string][][]any) ([]Record, error) {
		values := make([]T, len(rows[t.Name]))
		owned := make([]map[string][][]any, len(t.codec.parts))
		for i, part := range t.codec.parts {
			owned[i] = groupByOwner(part, rows[part.Name])
		}
		for i, cells := range rows[t.Name] {
			rowschema.Fill(t.Columns, cells, &values[i])
			for j, l := range t.codec.lists {
				l.Fill(owned[j][fmt.Sprint(cells[0])], &values[i])
			}
		}
		deriveGroupFields(values)
		out := make([]Record, len(values))
		for i, v := range values {
			var err error
			if out[i], err = NewRecord(t.Schema, fmt.Sprint(rows[t.Name][i][0]), v); err != nil {
				return nil, fmt.Errorf("table %s: %w", t.Name, err)
			}
		}
		return out, nil
	}
}

func groupByOwner(part Table, rows [][]any) map[string][][]any {
	at, out := part.ownerColumn(), map[string][][]any{}
	for _, r := range rows {
		id := fmt.Sprint(r[at])
		out[id] = append(out[id], r)
	}
	for _, rows := range out {
		slices.SortStableFunc(rows, func(a, b []any) int { return cmp.Compare(fmt.Sprint(a[0]), fmt.Sprint(b[0])) })
	}
	return out
}

func (t Table) ownerColumn() int {
	for i, c := range t.Columns {
		if c.Name == t.Part.Column {
			return i
		}
	}
	return 0
}

func deriveGroupFields[T any](values []T) {
	groups := map[string][]T{}
	for _, v := range values {
		if f, ok := any(v).(GroupDerived[T]); ok {
			groups[f.Group()] = append(groups[f.Group()], v)
		}
	}
	for i, v := range values {
		if f, ok := any(v).(GroupDerived[T]); ok {
			values[i] = f.DeriveFields(groups[f.Group()])
		}
	}
}

// Names of tables that references lead to.
const (
	TableQuestions   = "questions"
	TableTasks       = "tasks"
	TableMedia       = "media"
	TableSources     = "sources"
	TableSessions    = "sessions"
	TableTurns       = "turns"
	TablePoints      = "memory_points"
	TableCheckpoints = "checkpoints"
)

// CoreTables declare the records that every release has a table of. What questions
// rest on stands here and nowhere else.
func CoreTables() []Table {
	return []Table{
		mustTable(NewTable[schemas.Question](TableQuestions, schemas.NameQuestion, []string{"question_id"},
			refersTo("task_id", TableTasks), refersWithin("task_id", "checkpoint_id", TableCheckpoints), refersTo("media", TableMedia), refersTo("question_media", TableMedia),
			refersWithin("session_id", "evidence.ref", TableMedia, TableTasks, TableSources, TableSessions, TableTurns), refersTo("evidence.media", TableMedia),
			refersWithin("task_id", "evidence.session_id", TableSessions), refersTo("evidence.source_id", TableSources))),
		mustTable(NewTable[schemas.Task](TableTasks, schemas.NameTask, []string{"task_id"},
			Reference{Column: "media", Tables: []string{TableMedia}, Weak: true})),
		mustTable(NewTable[schemas.Media](TableMedia, schemas.NameMedia, []string{"media_id"}, refersTo("recipe.segments.source_id", TableSources))),
	}
}

var _ GroupDerived[schemas.Session] = schemas.Session{} // which is asked for at run time alone

// addSharedTables declares the records that several families have: a release has their
// tables where a step of it gives such records.
func addSharedTables(r *Registry) {
	AddTable[schemas.Session](r, TableSessions, schemas.NameSession, []string{"session_id"},
		refersTo("task_id", TableTasks), refersTo("source_id", TableSources), refersTo("turns.attachments.media_id", TableMedia),
		refersTo("memory_points.supersedes", TablePoints), refersTo("memory_points.resembles", TablePoints),
		refersWithin("session_id", "memory_points.evidence_turns", TableTurns), refersTo("memory_points.evidence_media", TableMedia))
	AddTable[schemas.Checkpoint](r, TableCheckpoints, schemas.NameCheckpoint, []string{"checkpoint_id"},
		refersTo("task_id", TableTasks), refersWithin("task_id", "sessions", TableSessions))
	AddTable[schemas.Review](r, "reviews", schemas.NameReview, []string{"item", "draw", "annotator"}, refersTo("item", AnyRecord))
	AddTable[schemas.Sampled](r, "draws", schemas.NameSampled, []string{"item", "draw"}) // of what need not be released
}

func refersTo(column string, tables ...string) Reference {
	return Reference{Column: column, Tables: tables}
}

// refersWithin is to what has the same in a column: of the same task, of the same session.
func refersWithin(same, column string, tables ...string) Reference {
	return Reference{Column: column, Tables: tables, Same: same}
}

// mustTable is for types of this program: one that no table can hold is a mistake of it.
func mustTable(t Table, err error) Table {
	if err != nil {
		panic(err)
	}
	return t
}
