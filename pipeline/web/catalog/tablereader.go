package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline/internal/extsort"
	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// request asks for rows of one table: those at Numbers, else those whose text in Column is one
// of Values, else those from row From on.
type request struct {
	Table   string
	Columns []string
	Numbers []int64
	Column  string
	Values  []string
	From    int64
	// Limit bounds the rows that are given, Scan those that are looked at for Values; 0 is all.
	Limit, Scan int64
	// Cut bounds the bytes of a text of a row, 0 is all of it.
	Cut int
	// Count gives the numbers of rows and no cells.
	Count bool
}

// reply is what a request found, in the order of the table. Numbers count rows from 0 over the
// files of the table.
type reply struct {
	Rows    [][]byte // as extsort.AppendRow writes them
	Numbers []int64
	// Next is the first row that was not looked at, -1 behind the last.
	Next int64
	// Err says why the table could not be read, Missing that the release has none of the name.
	Err     string
	Missing bool
}

// most bounds the bytes of the rows of one reply.
const mostReply = 48 << 20

// tableReader reads rows of the tables of a release, for one goroutine at a time.
type tableReader struct {
	in     *release.InPlace
	tables map[string]*openTable
	keys   []keyColumn // the last ones that were searched
}

// openTable is a table with those of its files that are open, and where their rows begin.
type openTable struct {
	shape release.TableShape
	files []*openFile
	first []int64
}

type openFile struct {
	*release.TableFile
	groups []int64
}

// keyColumn is a column of a row group in memory.
type keyColumn struct {
	table  string
	file   int
	group  int
	column string
	texts  []string
}

func newTableReader(ctx context.Context, dir string) (*tableReader, error) {
	in, err := release.OpenInPlace(ctx, dir, func(manifest.FileInfo) bool { return false })
	if err != nil {
		return nil, err
	}
	r := &tableReader{in: in, tables: map[string]*openTable{}}
	for _, s := range in.Tables() {
		t := &openTable{shape: s, files: make([]*openFile, len(s.Files))}
		for n, f := int64(0), 0; f < len(s.Files); f++ {
			t.first, n = append(t.first, n), n+s.Files[f].Rows
		}
		r.tables[s.Name] = t
	}
	return r, nil
}

func (r *tableReader) close() error {
	var errs []error
	for _, t := range r.tables {
		for i := range t.files {
			errs = append(errs, t.closeFile(i))
		}
	}
	return errors.Join(append(errs, r.in.Close())...)
}

func (t *openTable) closeFile(i int) error {
	f := t.files[i]
	t.files[i] = nil
	if f == nil {
		return nil
	}
	return f.Close()
}

// mostOpen bounds the files of a table that stay open.
const mostOpen = 64

func (r *tableReader) file(ctx context.Context, t *openTable, i int) (*openFile, error) {
	if t.files[i] != nil {
		return t.files[i], nil
	}
	open := 0
	for _, f := range t.files {
		if f != nil {
			open++
		}
	}
	for j := 0; open >= mostOpen; j++ {
		if t.files[j] != nil {
			if err := t.closeFile(j); err != nil {
				return nil, err
			}
			open--
		}
	}
	opened, err := r.in.OpenTable(ctx, t.shape, i)
	if err != nil {
		return nil, err
	}
	f := &openFile{TableFile: opened, groups: opened.Groups()}
	n := int64(0)
	for _, g := range f.groups {
		n += g
	}
	if n != t.shape.Files[i].Rows {
		return nil, errors.Join(fmt.Errorf("%s holds %d rows, the manifest says %d", t.shape.Files[i].Path, n, t.shape.Files[i].Rows), opened.Close())
	}
	t.files[i] = f
	return f, nil
}

// answer gives the rows of a request. A table that cannot be read says so in the reply.
func (r *tableReader) answer(ctx context.Context, q request) (out reply) {
	t, ok := r.tables[q.Table]
	if !ok {
		return reply{Missing: true, Next: -1}
	}
	defer func() {
		if p := recover(); p != nil { // of the decoder, in this goroutine
			out = reply{Err: fmt.Sprint(p), Next: -1}
		}
	}()
	c := &collector{request: q, reader: r, table: t, reply: reply{Next: -1}}
	if err := c.run(ctx); err != nil {
		return reply{Err: err.Error(), Next: -1}
	}
	return c.reply
}

// collector collects the rows of one request.
type collector struct {
	request
	reader *tableReader
	table  *openTable
	reply  reply
	bytes  int64
	seen   int64
}

// groupPlace is one row group of a table.
type groupPlace struct {
	file, group int
	first, rows int64
}

func (c *collector) run(ctx context.Context) error {
	if _, err := c.table.shape.Select(append(slices.Clone(c.Columns), c.searched()...)); err != nil {
		return err
	}
	if c.Numbers != nil {
		slices.Sort(c.Numbers)
	}
	for i, first := range c.table.first {
		last := first + c.table.shape.Files[i].Rows
		if last <= c.start() || c.passes(first, last) {
			continue
		}
		f, err := c.reader.file(ctx, c.table, i)
		if err != nil {
			return err
		}
		at := first
		for g, rows := range f.groups {
			place := groupPlace{i, g, at, rows}
			at += rows
			if at <= c.start() || c.passes(place.first, at) {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if more, err := c.group(f, place); err != nil || !more {
				return err
			}
		}
	}
	return nil
}

func (c *collector) searched() []string {
	if c.Column == "" {
		return nil
	}
	return []string{c.Column}
}

// start is the first row that is wanted.
func (c *collector) start() int64 {
	if c.Numbers != nil {
		return 0
	}
	return c.From
}

// passes reports whether none of the numbers lies in [from, to).
func (c *collector) passes(from, to int64) bool {
	if c.Numbers == nil {
		return false
	}
	i, _ := slices.BinarySearch(c.Numbers, from)
	return i == len(c.Numbers) || c.Numbers[i] >= to
}

// group takes the wanted rows of a row group; more is false where the request is answered.
func (c *collector) group(f *openFile, p groupPlace) (more bool, err error) {
	wanted, err := c.wanted(f, p)
	if err != nil {
		return false, err
	}
	if c.seen += p.rows; len(wanted) > 0 {
		if more, err := c.take(f, p, wanted); err != nil || !more {
			return more, err
		}
	}
	if c.Scan > 0 && c.seen >= c.Scan && c.Numbers == nil {
		c.setNext(p.first + p.rows)
		return false, nil
	}
	return true, nil
}

// wanted lists the places of rows within a row group.
func (c *collector) wanted(f *openFile, p groupPlace) ([]int64, error) {
	var out []int64
	switch {
	case c.Numbers != nil:
		i, _ := slices.BinarySearch(c.Numbers, p.first)
		for ; i < len(c.Numbers) && c.Numbers[i] < p.first+p.rows; i++ {
			out = append(out, c.Numbers[i]-p.first)
		}
	case c.Column != "":
		if !slices.ContainsFunc(c.Values, func(v string) bool { return f.MayHold(p.group, c.Column, v) }) {
			return nil, nil
		}
		texts, err := c.reader.keyTexts(c.table.shape.Name, f, p, c.Column)
		if err != nil {
			return nil, err
		}
		for i, text := range texts {
			if p.first+int64(i) >= c.From && slices.Contains(c.Values, text) {
				out = append(out, int64(i))
			}
		}
	default:
		for i := max(c.From-p.first, 0); i < p.rows && (c.Limit == 0 || int64(len(out)+len(c.reply.Numbers)) <= c.Limit); i++ {
			out = append(out, i)
		}
	}
	return out, nil
}

// keptKeys is how many columns of row groups stay in memory.
const keptKeys = 4

// keyTexts returns the texts of a column of a row group; null is empty.
func (r *tableReader) keyTexts(table string, f *openFile, p groupPlace, column string) ([]string, error) {
	for _, k := range r.keys {
		if k.table == table && k.file == p.file && k.group == p.group && k.column == column {
			return k.texts, nil
		}
	}
	rows, err := f.Read(p.group, 0, p.rows, []string{column})
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(rows))
	for i, row := range rows {
		switch cell := row[0].(type) {
		case string:
			texts[i] = cell
		case nil, []any, []byte:
		default:
			texts[i] = fmt.Sprint(cell)
		}
	}
	if r.keys = append(r.keys, keyColumn{table, p.file, p.group, column, texts}); len(r.keys) > keptKeys {
		r.keys = r.keys[1:]
	}
	return texts, nil
}

func (c *collector) take(f *openFile, p groupPlace, wanted []int64) (more bool, err error) {
	var rows [][]any
	if left := c.Limit - int64(len(c.reply.Numbers)); c.Limit > 0 && int64(len(wanted)) > left {
		wanted = wanted[:max(left, 0)+1] // one more says where the next page begins
	}
	first := wanted[0]
	if !c.Count {
		if rows, err = f.Read(p.group, first, wanted[len(wanted)-1]-first+1, c.Columns); err != nil {
			return false, err
		}
	}
	for _, i := range wanted {
		if c.Limit > 0 && int64(len(c.reply.Numbers)) >= c.Limit || c.bytes >= mostReply {
			c.setNext(p.first + i)
			return false, nil
		}
		c.reply.Numbers = append(c.reply.Numbers, p.first+i)
		if c.Count {
			continue
		}
		if c.Cut > 0 {
			rows[i-first], _ = cutCell(rows[i-first], c.Cut).([]any)
		}
		b := extsort.AppendRow(nil, rows[i-first])
		c.bytes += int64(len(b))
		c.reply.Rows = append(c.reply.Rows, b)
	}
	return true, nil
}

func (c *collector) setNext(row int64) {
	if row < c.table.shape.Rows {
		c.reply.Next = row
	}
}

// cutCell shortens the texts of a cell, and leaves bytes out.
func cutCell(cell any, most int) any {
	switch cell := cell.(type) {
	case string:
		return cutText(cell, most)
	case []byte:
		return nil
	case []any:
		if len(cell) > most {
			cell = cell[:most]
		}
		for i := range cell {
			cell[i] = cutCell(cell[i], most)
		}
		return cell
	}
	return cell
}

// fill sets *to, of a record's type, to the cells of columns of these names.
func fill[T any](columns []rowschema.Column, names []string, row []any, to *T) {
	for i, name := range names {
		at := slices.IndexFunc(columns, func(c rowschema.Column) bool { return c.Name == name })
		if at >= 0 && i < len(row) {
			rowschema.Fill(columns[at:at+1], row[i:i+1], to)
		}
	}
}
