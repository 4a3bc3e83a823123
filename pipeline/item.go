package pipeline

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/memforge/memforge/pipeline/internal/canonicaljson"
	"github.com/memforge/memforge/schemas"
)

// ItemDigest names exactly what a gate judged: what a verdict carries as
// item_digest. For a question, a medium or a task it follows from the row that
// the item has in a release; for a record of any other schema it is the digest
// of its data, in which a list or object without elements is null.
func ItemDigest(r Record) (Digest, error) {
	switch r.Schema {
	case schemas.NameQuestion:
		return digestAs(r, QuestionDigest)
	case schemas.NameMedia:
		return digestAs(r, MediaDigest)
	case schemas.NameTask:
		return digestAs(r, TaskDigest)
	}
	return digestWithoutEmpty(r.Data)
}

// digestWithoutEmpty makes a record and what its rows give agree: a row does not tell an
// empty list from none.
func digestWithoutEmpty(data []byte) (Digest, error) {
	if !bytes.Contains(data, []byte("[]")) && !bytes.Contains(data, []byte("{}")) {
		return DigestOf(data), nil
	}
	var v any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return "", err
	}
	return digestJSON(dropEmptyValues(v))
}

func dropEmptyValues(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = dropEmptyValues(v[i])
		}
		if len(v) == 0 {
			return nil
		}
	case map[string]any:
		for k := range v {
			v[k] = dropEmptyValues(v[k])
		}
		if len(v) == 0 {
			return nil
		}
	}
	return v
}

func digestAs[T any](r Record, digest func(T) (Digest, error)) (Digest, error) {
	v, err := Decode[T](r)
	if err != nil {
		return "", err
	}
	return digest(v)
}

// QuestionDigest returns the SHA-256 over the canonical JSON of a question with its
// options, labels, evidence, media and revisions. A list without elements is
// [], labels are an object, and a question without a split is in that of
// schemas.DefaultSplit, so that a record and its row in a release agree; what it
// was written from is no part of a release, and of none of its digests.
func QuestionDigest(q schemas.Question) (Digest, error) {
	q.Basis = ""
	q.Split = cmp.Or(q.Split, schemas.DefaultSplit)
	q.Options, q.Evidence, q.Media = nonNil(q.Options), nonNil(q.Evidence), nonNil(q.Media)
	if q.Labels == nil {
		q.Labels = map[string]string{}
	}
	return digestJSON(q)
}

// MediaDigest returns the SHA-256 over the canonical JSON of a medium with its
// recipe, whose lists without elements are [] (segments) or left out
// (swap_frames).
func MediaDigest(m schemas.Media) (Digest, error) {
	m.Recipe.Segments = nonNil(m.Recipe.Segments)
	return digestJSON(m)
}

// TaskDigest returns the SHA-256 over the canonical JSON of a task but for its list of
// media: a release leaves those out of it that a gate dropped.
func TaskDigest(t schemas.Task) (Digest, error) {
	t.SourceRecords, t.Media = nonNil(t.SourceRecords), []string{}
	return digestJSON(t)
}

func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func digestJSON(v any) (Digest, error) {
	b, err := canonicaljson.Marshal(v)
	if err != nil {
		return "", err
	}
	return DigestOf(b), nil
}

// Item is what a gate judges, whatever its schema: a record, or the row that it
// has in a release. It is read into its type once and must not be changed. It may
// be read by several at once.
type Item struct {
	ID, Schema string

	mu     sync.Mutex
	record Record
	read   func() (Record, error) // or nil
	value  any                    // pointer to the typed value, or nil
}

// RecordItem returns a record as an item.
func RecordItem(r Record) *Item { return &Item{ID: r.ID, Schema: r.Schema, record: r} }

// LazyItem returns an item whose record is read each time that it is asked for: many of them
// take no memory.
func LazyItem(schema, id string, read func() (Record, error)) *Item {
	return &Item{ID: id, Schema: schema, read: read}
}

// NewItem returns the item with a typed value.
func NewItem[T any](schema, id string, v *T) *Item { return &Item{ID: id, Schema: schema, value: v} }

// Record returns the item as a record. That of a value has no blobs.
func (i *Item) Record() (Record, error) {
	switch {
	case i.record.ID != "":
		return i.record, nil
	case i.read != nil:
		return i.read()
	}
	return NewRecord(i.Schema, i.ID, i.value)
}

// ItemValue returns the typed value of an item: nil of a nil item, an error where the item
// is of another type.
func ItemValue[T any](i *Item) (*T, error) {
	if i == nil {
		return nil, nil
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if v, ok := i.value.(*T); ok {
		return v, nil
	}
	if i.record.ID == "" && i.read == nil {
		return nil, fmt.Errorf("item %q is a %s and no %T", i.ID, i.Schema, *new(T))
	}
	rec, err := i.Record()
	if err != nil {
		return nil, err
	}
	v, err := Decode[T](rec)
	if err != nil {
		return nil, err
	}
	i.value = &v
	return &v, nil
}

// Because returns a judgement with its reason, which begins with the code.
func (o Outcome) Because(code, format string, args ...any) Judgement {
	return Judgement{Outcome: o, Code: code, Reason: code + ": " + fmt.Sprintf(format, args...)}
}
