package audit

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/spool"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// Items are the records of a release as gates judged them. Those of tables that plugins
// declared lie in a pile and are read when somebody asks for one. They may be read by
// several at once.
type Items struct {
	released map[string]*schemas.Question
	// flagged has the forms that were not released, by id.
	flagged map[string][]*schemas.FlaggedQuestion
	// others are the records of other schemas, by id, forms those of them that were
	// not released like that.
	others map[string][]*recordPlace
	forms  map[string][]schemas.FlaggedRecord
	// held are the schemas all records of which a release holds in some table.
	held map[string]bool
	// rejected ids are those of records that some node dropped, absent the forms, by
	// gate and item, that were too large for a row.
	rejected map[string]bool
	tooLarge map[[2]string]bool
	// declared are the records, by schema, of the tables that plugins declared, in order.
	declared map[string][]*recordPlace
	spool    *spool.Spool
}

// recordPlace tells where a record is: a row of those that the contents hold, or in the
// spool.
type recordPlace struct {
	id, schema string
	row        *pipeline.Item // nil for one in the pile
	place      spool.Position
}

// spoolMemory bounds the bytes of packed records in memory.
const spoolMemory = 8 << 20

// IndexItems indexes the records of a release, which must not change afterwards: those
// that every release has, and those of the tables that the registry declares. Who has
// them closes them.
func IndexItems(reg *pipeline.Registry, c release.Contents) (*Items, error) {
	t := indexBuiltin(c)
	if err := t.spoolDeclared(reg, c); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// Close gives back what lies on disk.
func (t *Items) Close() error { return t.spool.Close() }

// spoolDeclared spools the records of declared tables and indexes by id those that have
// a verdict.
func (t *Items) spoolDeclared(reg *pipeline.Registry, c release.Contents) error {
	judged := map[string]bool{}
	for _, v := range c.Verdicts {
		judged[v.Item] = true
	}
	for _, schema := range reg.Schemas() {
		table, _ := reg.Table(schema)
		for r, err := range c.Records(table) {
			if err != nil {
				return fmt.Errorf("audit: %w", err)
			}
			place, err := t.spool.Put(r.Data)
			if err != nil {
				return fmt.Errorf("audit: %w", err)
			}
			k := &recordPlace{id: r.ID, schema: r.Schema, place: place}
			t.declared[schema] = append(t.declared[schema], k)
			if t.held[schema] = true; judged[r.ID] {
				t.addOther(k)
			}
		}
	}
	return nil
}

// indexBuiltin indexes the tables that every release has.
func indexBuiltin(c release.Contents) *Items {
	t := &Items{
		forms: map[string][]schemas.FlaggedRecord{}, held: map[string]bool{schemas.NameQuestion: true, schemas.NameMedia: true, schemas.NameTask: true},
		released: map[string]*schemas.Question{}, flagged: map[string][]*schemas.FlaggedQuestion{},
		others: map[string][]*recordPlace{}, rejected: map[string]bool{}, tooLarge: map[[2]string]bool{}, declared: map[string][]*recordPlace{},
		spool: spool.New(os.TempDir(), spoolMemory),
	}
	for i := range c.Questions {
		t.released[c.Questions[i].QuestionID] = &c.Questions[i]
	}
	for i := range c.Flagged {
		id := c.Flagged[i].Question.QuestionID
		t.flagged[id] = append(t.flagged[id], &c.Flagged[i])
	}
	for i := range c.Media {
		t.addRow(pipeline.NewItem(schemas.NameMedia, c.Media[i].MediaID, &c.Media[i]))
	}
	for i := range c.Tasks {
		t.addRow(pipeline.NewItem(schemas.NameTask, c.Tasks[i].TaskID, &c.Tasks[i]))
	}
	for _, r := range c.Rejections {
		t.rejected[r.ID] = true
		if r.Code == schemas.ExcludedSize {
			t.tooLarge[[2]string{r.Stage, r.ID}] = true
		}
	}
	for _, f := range c.FlaggedRecords {
		t.forms[f.Item] = append(t.forms[f.Item], f)
		t.held[f.Schema] = true
	}
	return t
}

func (t *Items) addOther(k *recordPlace) { t.others[k.id] = append(t.others[k.id], k) }

func (t *Items) addRow(row *pipeline.Item) {
	t.addOther(&recordPlace{id: row.ID, schema: row.Schema, row: row})
}

func (t *Items) item(k *recordPlace) *pipeline.Item {
	if k.row != nil {
		return k.row
	}
	return pipeline.LazyItem(k.schema, k.id, func() (pipeline.Record, error) { return t.record(k) })
}

func (t *Items) ids(schema string) (out []string) {
	for _, k := range t.declared[schema] {
		out = append(out, k.id)
	}
	return out
}

func (t *Items) record(k *recordPlace) (pipeline.Record, error) {
	data, err := t.spool.Get(k.place)
	if err != nil {
		return pipeline.Record{}, fmt.Errorf("%s %s: %w", k.schema, k.id, err)
	}
	return pipeline.Record{ID: k.id, Schema: k.schema, Data: data}, nil
}

func flaggedRecord(f schemas.FlaggedRecord) pipeline.Record {
	return pipeline.Record{ID: f.Item, Schema: f.Schema, Data: []byte(f.Record)}
}

func flaggedItem(f schemas.FlaggedRecord) *pipeline.Item {
	return pipeline.LazyItem(f.Schema, f.Item, func() (pipeline.Record, error) { return flaggedRecord(f), nil })
}

// Question is an item in the form that a gate judged, nil where it is no
// question that the release holds.
func (t *Items) Question(item, gate string) *schemas.Question {
	for _, f := range t.flagged[item] {
		if slices.Contains(f.JudgedBy, gate) {
			return &f.Question
		}
	}
	if t.tooLarge[[2]string{gate, item}] {
		return nil
	}
	return t.released[item]
}

// Item is a record in the form that a gate judged, which accepts these schemas;
// nil where the release does not hold it.
func (t *Items) Item(accepts []string, item, gate string) *pipeline.Item {
	if slices.Contains(accepts, schemas.NameQuestion) {
		if q := t.Question(item, gate); q != nil {
			return pipeline.NewItem(schemas.NameQuestion, q.QuestionID, q)
		}
	}
	for _, f := range t.forms[item] {
		if slices.Contains(f.JudgedBy, gate) && slices.Contains(accepts, f.Schema) {
			return flaggedItem(f)
		}
	}
	for _, k := range t.others[item] {
		if slices.Contains(accepts, k.schema) && !t.tooLarge[[2]string{gate, item}] {
			return t.item(k)
		}
	}
	return nil
}

func (t *Items) holds(schemas []string) bool {
	return !slices.ContainsFunc(schemas, func(s string) bool { return !t.held[s] })
}

// mayBeMissing reports whether a release may lack an item: it was dropped, the form that
// the gate judged was too large, or it is a medium or task that nothing in the release
// needs.
func (t *Items) mayBeMissing(accepts []string, item, gate string) bool {
	return t.tooLarge[[2]string{gate, item}] || !slices.Equal(accepts, []string{schemas.NameQuestion}) && (t.rejected[item] || slices.Contains(accepts, schemas.NameMedia) || slices.Contains(accepts, schemas.NameTask))
}

// checkBound compares the digest that each verdict carries with the row of what it
// judged. Verdicts on items that the release does not hold, such as a dropped medium,
// are counted.
func checkBound(items *Items, c release.Contents) Part {
	b := itemDigests{Items: items, known: map[string]pipeline.Digest{}, kept: map[*recordPlace]pipeline.Digest{}}
	var f findings
	unchecked := 0
	for _, v := range c.Verdicts {
		want, known, err := b.digest(v)
		switch {
		case err != nil:
			f.add("%s, verdict of %s: %v", v.Item, v.Gate, err)
		case !known:
			unchecked++
		case v.ItemDigest != string(want):
			f.add("%s: the verdict of %s is on an item of digest %q, its row has %s", v.Item, v.Gate, v.ItemDigest, want)
		}
	}
	p := part("items that the verdicts are on", f)
	p.Checked, p.Unchecked = len(c.Verdicts)-unchecked, unchecked
	if unchecked > 0 {
		p.Why = fmt.Sprintf("%d verdicts are on items that the release does not hold", unchecked)
	}
	return p
}

type itemDigests struct {
	*Items
	// known digests of released questions, which many gates judged; kept are those of
	// other records.
	known map[string]pipeline.Digest
	kept  map[*recordPlace]pipeline.Digest
}

// digest returns the digest of a verdict's item; known is false where no table has it.
func (b itemDigests) digest(v schemas.Verdict) (d pipeline.Digest, known bool, err error) {
	if q := b.Question(v.Item, v.Gate); q != nil {
		if q != b.released[v.Item] {
			d, err = pipeline.QuestionDigest(*q)
			return d, true, err
		}
		if d, known = b.known[v.Item]; !known {
			d, err = pipeline.QuestionDigest(*q)
			b.known[v.Item] = d
		}
		return d, true, err
	}
	return b.other(v)
}

// other returns the digest of an item that is no question.
func (b itemDigests) other(v schemas.Verdict) (d pipeline.Digest, known bool, err error) {
	for _, f := range b.forms[v.Item] {
		if slices.Contains(f.JudgedBy, v.Gate) {
			d, err = pipeline.ItemDigest(flaggedRecord(f))
			return d, true, err
		}
	}
	list := b.others[v.Item]
	if len(list) == 0 || b.tooLarge[[2]string{v.Gate, v.Item}] {
		return "", false, nil
	}
	if d, known = b.kept[list[0]]; known {
		return d, true, nil
	}
	rec, err := b.item(list[0]).Record()
	if err == nil {
		d, err = pipeline.ItemDigest(rec)
	}
	if err == nil {
		b.kept[list[0]] = d
	}
	return d, true, err
}
