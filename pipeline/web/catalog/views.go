package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// Session is a session with its turns and memory points, in their order.
type Session struct {
	schemas.Session
	Task *schemas.Task
	// Media are those of attachments, by their id.
	Media map[string]Medium
	// Questions are up to PageRows with evidence from it, of QuestionTotal, which is -1 until
	// they are indexed.
	Questions     []Row
	QuestionTotal int64
	Unread        []*TableError
}

// Session returns a session by its id.
func (c *Catalog) Session(ctx context.Context, id string) (Session, error) {
	l := &loader{Catalog: c, ctx: ctx}
	heads, _, err := find[schemas.Session](ctx, c, pipeline.TableSessions, "session_id", id)
	if err != nil {
		return Session{}, err
	}
	if len(heads) == 0 {
		return Session{}, fmt.Errorf("session %.200q: %w", id, ErrNotFound)
	}
	s := Session{Session: heads[0], QuestionTotal: -1}
	s.Turns = load[schemas.Turn](l, pipeline.TableTurns, "session_id", id)
	slices.SortStableFunc(s.Turns, func(a, b schemas.Turn) int { return int(a.Order) - int(b.Order) })
	s.Points = load[schemas.MemoryPoint](l, pipeline.TablePoints, "session_id", id)
	s.Task = first(load[schemas.Task](l, pipeline.TableTasks, "task_id", s.TaskID))
	s.Media = l.loadMedia(schemas.ShownMedia([]schemas.Session{s.Session}))
	s.Questions, s.QuestionTotal = l.resting(FieldSession, id)
	s.Unread = l.failed
	return s, l.broken
}

// resting lists questions that refer to something.
func (l *loader) resting(field, id string) ([]Row, int64) {
	page, err := l.Search(l.ctx, Query{Filters: []Filter{{Field: field, Values: []string{id}}}})
	if err != nil {
		return nil, -1
	}
	return page.Rows, page.Total
}

// SourceView is a source: a row for each of its files, and the questions with evidence from it.
type SourceView struct {
	ID            string
	Files         []schemas.Source
	Questions     []Row
	QuestionTotal int64
	Unread        []*TableError
}

// Source returns a source by its id.
func (c *Catalog) Source(ctx context.Context, id string) (SourceView, error) {
	l := &loader{Catalog: c, ctx: ctx}
	v := SourceView{ID: id, Files: load[schemas.Source](l, pipeline.TableSources, "id", id)}
	if len(v.Files) == 0 {
		return v, errors.Join(append(l.errors(), fmt.Errorf("source %.200q: %w", id, ErrNotFound))...)
	}
	v.Questions, v.QuestionTotal = l.resting(FieldSource, id)
	v.Unread = l.failed
	return v, l.broken
}

// RejectedPage is a page of dropped records.
type RejectedPage struct {
	Rows []schemas.Rejection
	// Questions are the ids that Item knows; the others are of other records.
	Questions map[string]bool
	Total     int64
	// Next is for the following page, empty on the last.
	Next string
}

// Rejected returns dropped records from a place on, empty for the beginning.
func (c *Catalog) Rejected(ctx context.Context, after string, limit int) (RejectedPage, error) {
	shape, ok := c.shapes[tableRejections]
	if !ok {
		return RejectedPage{}, nil
	}
	own, names, err := columnsOf[schemas.Rejection](shape)
	if err != nil {
		return RejectedPage{}, err
	}
	got, err := c.tableRows(ctx, shape, names, TableQuery{After: after, Limit: limit})
	out := RejectedPage{Total: shape.Rows, Next: next(got.next), Questions: map[string]bool{}}
	var ids []string
	for _, cells := range got.cells {
		var r schemas.Rejection
		fill(own, names, cells, &r)
		out.Rows, ids = append(out.Rows, r), append(ids, r.ID)
	}
	for _, table := range []string{pipeline.TableQuestions, tableFlagged} {
		if _, ok := c.shapes[table]; err != nil || !ok || len(ids) == 0 {
			continue
		}
		var known rows
		known, err = c.read(ctx, request{Table: table, Columns: []string{"question_id"}, Column: "question_id", Values: ids})
		for _, cells := range known.cells {
			id, _ := cells[0].(string)
			out.Questions[id] = true
		}
	}
	return out, err
}

// TableQuery asks for rows of a table.
type TableQuery struct {
	// Column and Value keep rows with this text, or number as text, in a column; Column is empty
	// for all.
	Column, Value string
	// After is TablePage.Next of another page. Texts are cut, and bytes left out.
	After string
	Limit int
}

// TablePage is a page of a table.
type TablePage struct {
	TableInfo
	// Cells are as package rowschema has them, Numbers the rows within the table.
	Cells   [][]any
	Numbers []int64
	// Next is for the following page, empty on the last. A page with a filter may hold fewer rows
	// than Limit, or none, and yet have a next one: so many rows were looked at.
	Next string
}

// mostScanned bounds the rows that one page with a filter looks at.
const mostScanned = 500_000

// CellBytes bounds a text of a list: what is longer is cut.
const CellBytes = 4 << 10

// Table returns rows of a table.
func (c *Catalog) Table(ctx context.Context, name string, q TableQuery) (TablePage, error) {
	shape, ok := c.shapes[name]
	if !ok {
		return TablePage{}, fmt.Errorf("table %.80q: %w", name, ErrNotFound)
	}
	out := TablePage{TableInfo: TableInfo{shape.Name, shape.Rows, shape.Keys, shape.Columns}}
	var names []string
	for _, col := range shape.Columns {
		if col.Name == q.Column && col.Kind > rowschema.Float64 {
			return out, fmt.Errorf("table %s cannot be filtered by %s: it holds no plain values", name, q.Column)
		}
		names = append(names, col.Name)
	}
	got, err := c.tableRows(ctx, shape, names, q)
	out.Cells, out.Numbers, out.Next = got.cells, got.numbers, next(got.next)
	return out, err
}

func (c *Catalog) tableRows(ctx context.Context, shape release.TableShape, names []string, q TableQuery) (rows, error) {
	from, err := parseAfter(q.After)
	if err != nil {
		return rows{}, err
	}
	r := request{Table: shape.Name, Columns: names, From: from, Limit: int64(Query{Limit: q.Limit}.limit()), Cut: CellBytes}
	if q.Column != "" {
		r.Column, r.Values, r.Scan = q.Column, []string{q.Value}, mostScanned
	}
	return c.read(ctx, r)
}

// next makes the place of a following page of the first row that is on it.
func next(row int64) string {
	if row < 0 {
		return ""
	}
	return strconv.FormatInt(row-1, 10)
}

// parseAfter returns the first row behind a place.
func parseAfter(after string) (int64, error) {
	if after == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(after, 10, 62)
	if err != nil || n < -1 {
		return 0, fmt.Errorf("%.40q is no place of a page; begin without it", after)
	}
	return n + 1, nil
}
