package catalog

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/schemas"
)

// indexBuilder makes the index of a release in one pass over each table that it needs.
type indexBuilder struct {
	ctx    context.Context
	r      *tableReader
	rows   int64
	report func(done int64)
	docs   chan document

	facets []*facetCodes
	keyed  []string
	late   int64 // documents that were added to rows behind their own
	seed   maphash.Seed
	ids    map[uint64]uint32 // rows by the hash of their id
	facts  []uint64
	tasks  map[uint64]taskFacts
	media  map[uint64]mediumFacts
	origin map[uint64]string // sources of sessions that name one
	judged []byte            // outcomes of each row, a bit for each
}

// document is what is indexed under a number, of which rowMask gives the row.
type document struct {
	id         int64
	text, keys string
}

const rowMask = 1<<32 - 1

type taskFacts struct{ domain, scenario string }

type mediumFacts struct {
	video   bool
	seconds float32
}

// buildIndex writes the index of the release in dir to a new file, and reports how many rows of
// questions it has taken in.
func buildIndex(ctx context.Context, dir, file string, report func(done int64)) (err error) {
	defer func() {
		if p := recover(); p != nil { // of a decoder
			err = fmt.Errorf("damaged table: %v", p)
		}
		if err != nil {
			err = fmt.Errorf("build index: %w", err)
		}
	}()
	r, err := newTableReader(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	b := &indexBuilder{
		r: r, report: report, docs: make(chan document, 1000), seed: maphash.MakeSeed(),
		ids: map[uint64]uint32{}, tasks: map[uint64]taskFacts{}, media: map[uint64]mediumFacts{}, origin: map[uint64]string{},
	}
	if t := r.tables[pipeline.TableQuestions]; t != nil {
		b.rows = t.shape.Rows
	}
	if b.rows > rowMask {
		return fmt.Errorf("%d questions; at most %d are indexed", b.rows, int64(rowMask))
	}
	b.judged = make([]byte, b.rows)
	db, err := createIndex(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	group, ctx := errgroup.WithContext(ctx)
	b.ctx = ctx
	group.Go(func() error { return insertDocuments(ctx, db, b.docs) })
	group.Go(func() (err error) {
		defer close(b.docs)
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("damaged table: %v", p)
			}
		}()
		return b.readTables()
	})
	if err := group.Wait(); err != nil {
		return err
	}
	return b.writeBlobs(db)
}

// createIndex makes a database that is not safe from a crash: its file gets its name later.
func createIndex(file string) (*sql.DB, error) {
	name := url.URL{Scheme: "file", OmitHost: true, Path: file, RawQuery: "_pragma=journal_mode(OFF)&_pragma=synchronous(OFF)&_pragma=locking_mode(EXCLUSIVE)&_pragma=cache_size(-16000)"}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	for _, statement := range []string{indexLayout, "INSERT INTO words(words, rank) VALUES('hashsize', 8000000)"} {
		if _, err := db.Exec(statement); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	return db, nil
}

// insertDocuments inserts documents until the channel is closed.
func insertDocuments(ctx context.Context, db *sql.DB, docs <-chan document) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	insert, err := tx.Prepare("INSERT INTO words(rowid, " + columnText + ", " + columnKeys + ") VALUES(?, ?, ?)")
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	for d := range docs {
		if _, err := insert.Exec(d.id, d.text, d.keys); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

func (b *indexBuilder) send(d document) error {
	select {
	case b.docs <- d:
		return nil
	case <-b.ctx.Done():
		return b.ctx.Err()
	}
}

func (b *indexBuilder) readTables() error {
	b.declareFacets()
	for _, pass := range []func() error{b.readTasks, b.readMedia, b.readSessions, b.readQuestions, b.readVerdicts, b.readReviews} {
		if err := pass(); err != nil {
			return err
		}
	}
	return nil
}

// each visits the rows of columns of a table as records of type T, none where there is no table.
func each[T any](b *indexBuilder, table string, names []string, visit func(row int64, v *T) error) error {
	t, ok := b.r.tables[table]
	if !ok {
		return nil
	}
	own, err := t.shape.Select(names)
	if err != nil {
		return err
	}
	all, _, err := columnsOf[T](t.shape)
	if err != nil {
		return err
	}
	for i := range own { // those of the type, which know their fields
		at := slices.IndexFunc(all, func(c rowschema.Column) bool { return c.Name == names[i] })
		own[i] = all[at]
	}
	for i := range t.shape.Files {
		f, err := b.r.file(b.ctx, t, i)
		if err != nil {
			return fmt.Errorf("table %s: %w", table, err)
		}
		row := t.first[i]
		for g, n := range f.groups {
			if err := b.ctx.Err(); err != nil {
				return err
			}
			rows, err := f.Read(g, 0, n, names)
			if err != nil {
				return err
			}
			for _, cells := range rows {
				var v T
				rowschema.Fill(own, cells, &v)
				if err := visit(row, &v); err != nil {
					return err
				}
				row++
			}
			if table == pipeline.TableQuestions {
				b.report(row)
			}
		}
	}
	return nil
}

func (b *indexBuilder) hash(id string) uint64 { return maphash.String(b.seed, id) }

// internFew returns a function that gives equal texts the same memory, and nothing for long ones
// and those behind the first thousands.
func internFew() func(string) string {
	texts := map[string]string{}
	return func(s string) string {
		if known, ok := texts[s]; ok {
			return known
		}
		if len(s) > mostValue || len(texts) > 4*mostCodes {
			return ""
		}
		own := strings.Clone(s)
		texts[own] = own
		return own
	}
}

func (b *indexBuilder) readTasks() error {
	intern := internFew()
	return each(b, pipeline.TableTasks, []string{"task_id", "domain", "scenario"}, func(_ int64, t *schemas.Task) error {
		b.tasks[b.hash(t.TaskID)] = taskFacts{intern(t.Domain), intern(t.Scenario)}
		return nil
	})
}

func (b *indexBuilder) readSessions() error {
	intern := internFew()
	return each(b, pipeline.TableSessions, []string{"session_id", "source_id"}, func(_ int64, s *schemas.Session) error {
		if id := intern(s.SourceID); id != "" {
			b.origin[b.hash(s.SessionID)] = id
		}
		return nil
	})
}

func (b *indexBuilder) readMedia() error {
	return each(b, pipeline.TableMedia, []string{"media_id", "kind", "duration"}, func(_ int64, m *schemas.Media) error {
		b.media[b.hash(m.MediaID)] = mediumFacts{m.Kind == schemas.ModalityVideo, float32(m.Duration)}
		return nil
	})
}

// questionColumns are those that the index is made from.
var questionColumns = []string{
	"question_id", "family", "task_id", "question", "options", "answer_key", "answer_text", "type", "labels",
	"evidence", "media", "question_media", "explanation", "split",
}

func (b *indexBuilder) readQuestions() error {
	return each(b, pipeline.TableQuestions, questionColumns, func(row int64, q *schemas.Question) error {
		b.ids[b.hash(q.QuestionID)] = uint32(row)
		fact := FactID(q.Fact())
		n, err := strconv.ParseUint(fact[:16], 16, 64)
		if err != nil {
			return err
		}
		b.facts = append(b.facts, n)
		keys := questionKeys(q, fact)
		for _, v := range b.valuesOf(q) {
			token, err := b.set(row, v.field, v.values...)
			if err != nil {
				return err
			}
			keys = append(keys, token...)
		}
		slices.Sort(keys)
		return b.send(document{row, questionText(q), strings.Join(slices.Compact(keys), " ")})
	})
}

// questionText is what a search looks into.
func questionText(q *schemas.Question) string {
	var t strings.Builder
	t.WriteString(spaceOut(q.Question))
	for _, o := range q.Options {
		t.WriteString("\n" + spaceOut(o.Text))
	}
	for _, s := range []string{q.AnswerText, q.Explanation, q.QuestionID} {
		t.WriteString("\n" + spaceOut(s))
	}
	return t.String()
}

// questionKeys are words for what a question refers to.
func questionKeys(q *schemas.Question, fact string) []string {
	keys := []string{keyToken(FieldFact, fact), keyToken(FieldTask, q.TaskID)}
	for _, id := range slices.Concat(q.Media, q.QuestionMedia) {
		keys = append(keys, keyToken(FieldMedia, id))
	}
	for _, e := range q.Evidence {
		if id := mediumOf(e); id != "" {
			keys = append(keys, keyToken(FieldMedia, id))
		}
		switch {
		case e.SessionID != "":
			keys = append(keys, keyToken(FieldSession, e.SessionID))
		case e.Kind == schemas.EvidenceSession:
			keys = append(keys, keyToken(FieldSession, e.Ref))
		}
	}
	return keys
}

// fieldValues are the values of a row in one field.
type fieldValues struct {
	field  string
	values []string
}

func (b *indexBuilder) valuesOf(q *schemas.Question) []fieldValues {
	var sources, modalities []string
	for _, e := range q.Evidence {
		modalities = append(modalities, e.Modality)
		sources = append(sources, cmp.Or(e.SourceID, b.origin[b.hash(cmp.Or(e.SessionID, e.Ref))]))
	}
	task := b.tasks[b.hash(q.TaskID)]
	out := []fieldValues{
		{FieldType, []string{q.Type}}, {FieldFamily, []string{q.Family}}, {FieldSplit, []string{q.Split}},
		{FieldDomain, []string{task.domain}}, {FieldScenario, []string{task.scenario}},
		{FieldRoles, []string{rolesOf(q.Evidence)}}, {FieldShows, []string{b.shows(q.Media)}},
		{FieldOptions, []string{strconv.Itoa(len(q.Options))}}, {FieldAnswer, []string{q.AnswerKey}},
		{FieldSource, setOf(sources)}, {FieldModality, setOf(modalities)},
	}
	for key, value := range q.Labels {
		out = append(out, fieldValues{PrefixLabel + key, []string{value}})
	}
	slices.SortStableFunc(out[11:], func(a, b fieldValues) int { return strings.Compare(a.field, b.field) })
	return out
}

func setOf(values []string) []string {
	slices.Sort(values)
	return slices.DeleteFunc(slices.Compact(values), func(v string) bool { return v == "" })
}

func (b *indexBuilder) shows(ids []string) string {
	known := make(map[string]schemas.Media, len(ids))
	for _, id := range ids {
		if m, ok := b.media[b.hash(id)]; ok && m.video {
			known[id] = schemas.Media{Kind: schemas.ModalityVideo, Duration: float64(m.seconds)}
		}
	}
	return showsOf(ids, known)
}

// facetMemory bounds the codes of all facets.
const facetMemory = 160 << 20

// declareFacets makes the facets that every release has, in their order.
func (b *indexBuilder) declareFacets() {
	names := slices.Clone(facetFields[:len(facetFields)-1])
	for _, g := range b.r.in.Manifest.Gates {
		names = append(names, PrefixGate+g.Name)
	}
	for _, name := range append(names, FieldReview) {
		b.facet(name)
	}
	b.keyed = append(b.keyed, FieldFact, FieldTask, FieldSession, FieldMedia)
}

// facet returns a facet, nil where there are too many, or it has too many values.
func (b *indexBuilder) facet(name string) *facetCodes {
	for _, f := range b.facets {
		if f.Name == name {
			return f
		}
	}
	if slices.Contains(b.keyed, name) {
		return nil
	}
	if int64(len(b.facets)) >= max(facetMemory/max(2*b.rows, 1), 16) || len(b.facets) >= 400 {
		b.keyed = append(b.keyed, name)
		return nil
	}
	b.facets = append(b.facets, newFacetCodes(name, b.rows))
	return b.facets[len(b.facets)-1]
}

// set gives a row its values in a field, as a facet or, where that has too many, as the words
// that it returns.
func (b *indexBuilder) set(row int64, field string, values ...string) (keys []string, err error) {
	if len(values) == 0 || len(values) == 1 && values[0] == "" {
		return nil, nil
	}
	f := b.facet(field)
	if f != nil && f.set(row, values...) {
		return nil, nil
	}
	if f != nil {
		if err := b.dissolve(f); err != nil {
			return nil, err
		}
	}
	for _, v := range values {
		keys = append(keys, keyToken(field, v))
	}
	return keys, nil
}

// dissolve makes a facet a field that is found by value: rows that have a code get documents with
// their words.
func (b *indexBuilder) dissolve(f *facetCodes) error {
	b.facets = slices.DeleteFunc(b.facets, func(o *facetCodes) bool { return o == f })
	b.keyed = append(b.keyed, f.Name)
	b.late++
	for row := range b.rows {
		code := f.codes[row]
		if code == 0 {
			continue
		}
		var keys []string
		for _, v := range f.Sets[code-1] {
			keys = append(keys, keyToken(f.Name, v))
		}
		if err := b.send(document{b.late<<32 | row, "", strings.Join(keys, " ")}); err != nil {
			return err
		}
	}
	return nil
}

func (b *indexBuilder) readVerdicts() error {
	outcomes := schemas.Outcomes()
	err := each(b, tableVerdicts, []string{"item", "gate", "outcome"}, func(_ int64, v *schemas.Verdict) error {
		row, ok := b.ids[b.hash(v.Item)]
		bit := slices.Index(outcomes, v.Outcome)
		if !ok || bit < 0 {
			return nil
		}
		b.judged[row] |= 1 << bit
		keys, err := b.set(int64(row), PrefixGate+v.Gate, v.Outcome)
		if err == nil && len(keys) > 0 {
			b.late++
			err = b.send(document{b.late<<32 | int64(row), "", strings.Join(keys, " ")})
		}
		return err
	})
	if err != nil {
		return err
	}
	for row, bits := range b.judged {
		var had []string
		for i, o := range outcomes {
			if bits>>i&1 == 1 {
				had = append(had, o)
			}
		}
		if _, err := b.set(int64(row), FieldOutcome, had...); err != nil {
			return err
		}
	}
	return nil
}

func (b *indexBuilder) readReviews() error {
	had := map[uint32][]string{}
	err := each(b, tableReviews, []string{"item", "decision"}, func(_ int64, r *schemas.Review) error {
		if row, ok := b.ids[b.hash(r.Item)]; ok && !slices.Contains(had[row], r.Decision) {
			had[row] = append(had[row], r.Decision)
		}
		return nil
	})
	for row, decisions := range had {
		slices.Sort(decisions)
		if _, err := b.set(int64(row), FieldReview, decisions...); err != nil {
			return err
		}
	}
	return err
}

// writeBlobs stores what is held in memory once an index is open.
func (b *indexBuilder) writeBlobs(db *sql.DB) error {
	distinct := slices.Sorted(slices.Values(b.facts))
	distinct = slices.Compact(distinct)
	numbers := make([]byte, 0, 4*len(b.facts))
	for _, f := range b.facts {
		n, _ := slices.BinarySearch(distinct, f)
		numbers = binary.LittleEndian.AppendUint32(numbers, uint32(min(n, math.MaxUint32)))
	}
	// Labels stand behind the other facets, by name.
	slices.SortStableFunc(b.facets, func(x, y *facetCodes) int {
		isX, isY := strings.HasPrefix(x.Name, PrefixLabel), strings.HasPrefix(y.Name, PrefixLabel)
		switch {
		case isX && isY:
			return strings.Compare(x.Name, y.Name)
		case isX:
			return 1
		case isY:
			return -1
		}
		return 0
	})
	b.facets = slices.DeleteFunc(b.facets, func(f *facetCodes) bool { return len(f.Sets) == 0 })
	meta, err := json.Marshal(indexMeta{Format: indexFormat, Digest: b.r.in.Digest, Rows: b.rows, Facts: int64(len(distinct)), Facets: b.facets, Keyed: b.keyed})
	if err != nil {
		return err
	}
	put := func(name string, data []byte) error {
		_, err := db.Exec("INSERT INTO blobs(name, data) VALUES(?, ?)", name, data)
		return err
	}
	errs := []error{put(blobMeta, meta), put(blobFacts, nonNil(numbers))}
	for i, f := range b.facets {
		errs = append(errs, put(fmt.Sprint(blobFacet, i), nonNil(f.bytes())))
	}
	return errors.Join(errs...)
}

func nonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
