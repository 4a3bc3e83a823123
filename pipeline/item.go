package pipeline

import (
	"bytes"
	"cmp"
	"encoding/json"

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

// QuestionDigest is the SHA-256 over the canonical JSON of a question with its
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

// MediaDigest is the SHA-256 over the canonical JSON of a medium with its
// recipe, whose lists without elements are [] (segments) or left out
// (swap_frames).
func MediaDigest(m schemas.Media) (Digest, error) {
	m.Recipe.Segments = nonNil(m.Recipe.Segments)
	return digestJSON(m)
}

// TaskDigest is the SHA-256 over the canonical JSON of a task but for its list of
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
	b, err := canonicalJSON(v)
	if err != nil {
		return "", err
	}
	return DigestOf(b), nil
}
