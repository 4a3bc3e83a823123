package catalog

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	_ "modernc.org/sqlite" // the database/sql driver "sqlite"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// indexFormat changes with what an index holds. It is part of its file's name.
const indexFormat = 3

const indexLayout = `
CREATE VIRTUAL TABLE words USING fts5(` + columnText + `, ` + columnKeys + `, content='', tokenize='unicode61');
CREATE TABLE blobs (name TEXT PRIMARY KEY, data BLOB NOT NULL);
`

// Names of blobs: indexMeta as JSON, the number of the fact of each row, and facets by place.
const (
	blobMeta  = "meta"
	blobFacts = "facts"
	blobFacet = "facet-"
)

// indexMeta says what an index is of.
type indexMeta struct {
	Format int
	Digest pipeline.Digest
	Rows   int64
	Facts  int64
	Facets []*facetCodes
	// Keyed are fields that have too many values to be facets.
	Keyed []string
}

// index is an open one.
type index struct {
	indexMeta
	db    *sql.DB
	facts []uint32

	mu   sync.Mutex // over last, and the codes of facets
	last []*result  // most recent first
}

// result is what a query finds, without its page.
type result struct {
	key   string
	rows  bitmap
	total int64
	facts int64
}

// openIndex opens the file of an index, which nobody writes any more.
func openIndex(ctx context.Context, file string, digest pipeline.Digest, rows int64) (_ *index, err error) {
	name := url.URL{Scheme: "file", OmitHost: true, Path: file, RawQuery: "mode=ro&immutable=1&_pragma=cache_size(-8000)&_pragma=query_only(1)"}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	x := &index{db: db}
	defer func() {
		if err != nil {
			err = fmt.Errorf("open index: %w", errors.Join(err, db.Close()))
		}
	}()
	db.SetMaxOpenConns(2)
	meta, err := x.blob(ctx, blobMeta)
	if err == nil {
		err = json.Unmarshal(meta, &x.indexMeta)
	}
	if err != nil {
		return nil, err
	}
	if x.Format != indexFormat || x.Digest != digest || x.Rows != rows {
		return nil, errors.New("it is that of another release")
	}
	facts, err := x.blob(ctx, blobFacts)
	if err != nil || int64(len(facts)) != 4*rows {
		return nil, errors.Join(err, fmt.Errorf("%d bytes of facts for %d rows", len(facts), rows))
	}
	x.facts = make([]uint32, rows)
	for i := range x.facts {
		if x.facts[i] = binary.LittleEndian.Uint32(facts[4*i:]); int64(x.facts[i]) >= x.Facts {
			return nil, fmt.Errorf("row %d has no fact", i)
		}
	}
	return x, nil
}

// facet returns a facet with its codes, which are read when they are first asked for; nil where
// there is none of the name.
func (x *index) facet(ctx context.Context, name string) (*facetCodes, error) {
	i := slices.IndexFunc(x.Facets, func(f *facetCodes) bool { return f.Name == name })
	if i < 0 {
		return nil, nil
	}
	f := x.Facets[i]
	x.mu.Lock()
	defer x.mu.Unlock()
	if f.codes != nil {
		return f, nil
	}
	data, err := x.blob(ctx, fmt.Sprint(blobFacet, i))
	if err == nil {
		err = f.load(data, x.Rows)
	}
	if err != nil {
		return nil, fmt.Errorf("facet %q of the index: %w", name, err)
	}
	return f, nil
}

func (x *index) blob(ctx context.Context, name string) (data []byte, err error) {
	err = x.db.QueryRowContext(ctx, "SELECT data FROM blobs WHERE name = ?", name).Scan(&data)
	return data, err
}

func (x *index) close() error { return x.db.Close() }

// FieldError says that questions have no field of a name, or none that can be filtered like that.
type FieldError struct{ Field, Why string }

func (e *FieldError) Error() string { return fmt.Sprintf("filter %.80q: %s", e.Field, e.Why) }

// keptResults is how many results stay in memory.
const keptResults = 16

// find returns what a query finds. ids looks up rows of ids.
func (x *index) find(ctx context.Context, q Query, ids func([]string) ([]int64, error)) (*result, error) {
	q.After, q.Limit = "", 0
	key := q.String()
	x.mu.Lock()
	i := slices.IndexFunc(x.last, func(r *result) bool { return r.key == key })
	if i >= 0 {
		r := x.last[i]
		x.last = slices.Insert(slices.Delete(x.last, i, i+1), 0, r)
		x.mu.Unlock()
		return r, nil
	}
	x.mu.Unlock()
	r, err := x.search(ctx, q, ids)
	if err != nil {
		return nil, err
	}
	r.key = key
	x.mu.Lock()
	defer x.mu.Unlock()
	x.last = slices.Insert(x.last, 0, r)
	x.last = x.last[:min(len(x.last), keptResults)]
	return r, nil
}

func (x *index) search(ctx context.Context, q Query, ids func([]string) ([]int64, error)) (*result, error) {
	r := &result{rows: fullBitmap(x.Rows)}
	if strings.TrimSpace(q.Text) != "" {
		r.rows = newBitmap(x.Rows)
		if said := match(parseText(q.Text)); said != "" {
			if err := x.match(ctx, said, r.rows); err != nil {
				return nil, err
			}
		}
	}
	for _, f := range q.Filters {
		if err := x.filter(ctx, r.rows, f, ids); err != nil {
			return nil, err
		}
	}
	r.total = r.rows.count()
	seen := newBitmap(x.Facts)
	r.rows.each(func(row int64) { seen.add(int64(x.facts[row])) })
	r.facts = seen.count()
	return r, nil
}

// match adds the rows that an expression of FTS5 finds.
func (x *index) match(ctx context.Context, expression string, to bitmap) error {
	found, err := x.db.QueryContext(ctx, "SELECT rowid FROM words WHERE words MATCH ?", expression)
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	defer found.Close()
	for found.Next() {
		var id int64
		if err := found.Scan(&id); err != nil {
			return fmt.Errorf("search: %w", err)
		}
		to.add(id & rowMask)
	}
	return found.Err()
}

// filter keeps what a filter keeps.
func (x *index) filter(ctx context.Context, rows bitmap, f Filter, ids func([]string) ([]int64, error)) error {
	if codes, err := x.facet(ctx, f.Field); err != nil || codes != nil {
		if err == nil {
			codes.filter(rows, f)
		}
		return err
	}
	found := newBitmap(x.Rows)
	switch {
	case !slices.Contains(x.Keyed, f.Field) && isFacet(f.Field): // no question has a value
		if f.Missing {
			found = fullBitmap(x.Rows)
		}
	case f.Missing:
		return &FieldError{f.Field, "questions without a value are found only where it is a facet"}
	case f.Field == FieldID:
		numbers, err := ids(f.Values)
		if err != nil {
			return err
		}
		for _, n := range numbers {
			found.add(n)
		}
	case slices.Contains(x.Keyed, f.Field):
		for _, v := range f.Values {
			if err := x.match(ctx, columnKeys+` : "`+keyToken(f.Field, v)+`"`, found); err != nil {
				return err
			}
		}
	default:
		return &FieldError{f.Field, "questions have no such field"}
	}
	rows.keep(found, f.Not)
	return nil
}

// page returns the rows of a page of a result, and the places of its neighbours.
func (r *result) page(from, limit int64) (numbers []int64, p Page) {
	p.Total, p.Facts = r.total, r.facts
	row := r.rows.next(from)
	for ; row >= 0 && int64(len(numbers)) < limit; row = r.rows.next(row + 1) {
		numbers = append(numbers, row)
	}
	p.Next = next(row)
	p.First = r.rows.before(from) + 1
	if p.First > 1 {
		start := from
		for range limit {
			if before := r.rows.previous(start - 1); before >= 0 {
				start = before
			}
		}
		p.Previous = next(start)
	}
	return numbers, p
}

// around returns the rows before and after one, -1 where there is none, and its place from 1, 0
// where the result does not have it.
func (r *result) around(number int64) (before, after, place int64) {
	if r.rows.has(number) {
		place = r.rows.before(number) + 1
	}
	return r.rows.previous(number - 1), r.rows.next(number + 1), place
}

// fill fills in what the index knows of rows of a list.
func (x *index) fill(ctx context.Context, rows []Row) error {
	for i := range rows {
		rows[i].Outcomes = map[string]int{}
	}
	for _, meta := range x.Facets {
		gate, isGate := strings.CutPrefix(meta.Name, PrefixGate)
		if !isGate && !slices.Contains([]string{FieldType, FieldFamily, FieldSplit, FieldRoles, FieldShows, FieldOptions}, meta.Name) {
			continue
		}
		f, err := x.facet(ctx, meta.Name)
		if err != nil {
			return err
		}
		for i := range rows {
			r, value := &rows[i], f.text(rows[i].Number)
			switch {
			case isGate && value != "":
				if r.Outcomes[value]++; value == schemas.Fail {
					r.Failed = append(r.Failed, gate)
				}
			case f.Name == FieldOptions:
				r.Options, _ = strconv.Atoi(value)
			case !isGate:
				*map[string]*string{FieldType: &r.Type, FieldFamily: &r.Family, FieldSplit: &r.Split, FieldRoles: &r.Roles, FieldShows: &r.Shows}[f.Name] = value
			}
		}
	}
	return nil
}
