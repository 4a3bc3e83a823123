package pipeline

import (
	"cmp"

	"github.com/memforge/memforge/schemas"
)

// ItemDigest names exactly what a gate judged: what a verdict carries as
// item_digest. For a question, a medium or a task it follows from the row that
// the item has in a release; for a record of any other schema it is the digest
// of its data.
func ItemDigest(r Record) (Digest, error) {
	switch r.Schema {
	case schemas.NameQuestion:
		return digestAs(r, QuestionDigest)
	case schemas.NameMedia:
		return digestAs(r, MediaDigest)
	case schemas.NameTask:
		return digestAs(r, TaskDigest)
	}
	return DigestOf(r.Data), nil
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
	q.Options, q.Evidence, q.Media = filled(q.Options), filled(q.Evidence), filled(q.Media)
	if q.Labels == nil {
		q.Labels = map[string]string{}
	}
	return digestJSON(q)
}

// MediaDigest is the SHA-256 over the canonical JSON of a medium with its
// recipe, whose lists without elements are [] (segments) or left out
// (swap_frames).
func MediaDigest(m schemas.Media) (Digest, error) {
	m.Recipe.Segments = filled(m.Recipe.Segments)
	return digestJSON(m)
}

// TaskDigest is the SHA-256 over the canonical JSON of a task but for its list of
// media: a release leaves those out of it that a gate dropped.
func TaskDigest(t schemas.Task) (Digest, error) {
	t.SourceRecords, t.Media = filled(t.SourceRecords), []string{}
	return digestJSON(t)
}

func filled[T any](list []T) []T {
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
