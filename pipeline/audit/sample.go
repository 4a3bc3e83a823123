package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/schemas"
)

// SampledRecord is a record to review, with all that a reviewer needs.
type SampledRecord struct {
	Item   string `json:"item"`
	Schema string `json:"of"`
	// Stratum holds the values of what is drawn by, in its order.
	Stratum []string `json:"stratum"`
	// Why is "flagged" for a record that some gate flagged and that was kept,
	// "drawn" for the others.
	Why string `json:"why"`
	*ReviewQuestion
	// Record is one that is no question.
	Record json.RawMessage `json:"record,omitempty"`
	// Verdicts are all on the record, in the order of the gates' names.
	Verdicts []schemas.Verdict `json:"verdicts"`
	// Same are the other questions of its mirror group: who reviews one reviews
	// what all of them ask.
	Same []string `json:"same"`

	entry review.Entry
}

// ReviewQuestion is what a reviewer sees of a question.
type ReviewQuestion struct {
	QuestionID string             `json:"question_id"`
	Question   string             `json:"question"` // with its options
	Answer     string             `json:"answer"`
	Because    string             `json:"explanation,omitempty"`
	Media      []string           `json:"media"` // files within the release
	Evidence   []schemas.Evidence `json:"evidence"`
}

// Sample lists, sorted by stratum, every record of the draw's schema that a gate flagged
// and those of the others that are drawn within each stratum. Questions of a mirror
// group count as one. The same release and draw give the same list; a record more or
// less changes it only within its stratum. The registry has the tables of other records
// than questions, tasks and media.
func Sample(reg *pipeline.Registry, c release.Contents, d pipeline.ReviewSample) ([]SampledRecord, error) {
	if err := review.CheckSample(d); err != nil {
		return nil, err
	}
	all, err := sampleUnits(reg, c, d)
	if err != nil {
		return nil, fmt.Errorf("draw from records of schema %s: %w", d.Schema, err)
	}
	from := review.NewPopulation(d)
	strata := map[string][]SampledRecord{}
	for _, one := range all {
		from.Add(one.entry.DrawnRow(d))
		key := strings.Join(one.Stratum, "\x00")
		strata[key] = append(strata[key], one)
	}
	drawn := from.Drawn()
	var out []SampledRecord
	for _, key := range slices.Sorted(maps.Keys(strata)) {
		for _, why := range []string{whyFlagged, whySampled} {
			for _, one := range strata[key] {
				if one.Why == why && (why == whyFlagged || drawn[one.entry.Unit()]) {
					out = append(out, one)
				}
			}
		}
	}
	return out, nil
}

// Why a record is listed.
const (
	whyFlagged = "flagged"
	whySampled = "drawn"
)

// sampleUnits returns the records of a release, one for each mirror group: the first
// that is flagged, else the first.
func sampleUnits(reg *pipeline.Registry, c release.Contents, d pipeline.ReviewSample) ([]SampledRecord, error) {
	said := map[string][]schemas.Verdict{}
	for _, v := range c.Verdicts {
		said[v.Item] = append(said[v.Item], v)
	}
	at := map[string]int{}
	var out []SampledRecord
	for rec, err := range recordsOf(reg, c, d.Schema) {
		if err != nil {
			return nil, err
		}
		one, err := sampledRecord(c, rec, said[rec.ID], d)
		if err != nil {
			return nil, err
		}
		i, known := at[one.entry.Unit()]
		switch {
		case !known:
			at[one.entry.Unit()] = len(out)
			out = append(out, one)
		case one.Why == whyFlagged && out[i].Why != whyFlagged:
			one.Same = append(out[i].Same, out[i].Item)
			out[i] = one
		default:
			out[i].Same = append(out[i].Same, one.Item)
		}
	}
	return out, nil
}

func recordsOf(reg *pipeline.Registry, c release.Contents, schema string) iter.Seq2[pipeline.Record, error] {
	switch schema {
	case schemas.NameQuestion:
		return recordsIn(schema, c.Questions, func(q schemas.Question) string { return q.QuestionID })
	case schemas.NameTask:
		return recordsIn(schema, c.Tasks, func(t schemas.Task) string { return t.TaskID })
	case schemas.NameMedia:
		return recordsIn(schema, c.Media, func(m schemas.Media) string { return m.MediaID })
	}
	table, ok := reg.Table(schema)
	if !ok || !c.HasTable(table) {
		return func(yield func(pipeline.Record, error) bool) {
			yield(pipeline.Record{}, errors.New("the release has no table of them, or this program does not know it"))
		}
	}
	return c.Records(table)
}

func recordsIn[T any](schema string, all []T, id func(T) string) iter.Seq2[pipeline.Record, error] {
	return func(yield func(pipeline.Record, error) bool) {
		for _, v := range all {
			if !yield(pipeline.NewRecord(schema, id(v), v)) {
				return
			}
		}
	}
}

func sampledRecord(c release.Contents, rec pipeline.Record, said []schemas.Verdict, d pipeline.ReviewSample) (SampledRecord, error) {
	out := SampledRecord{Item: rec.ID, Schema: rec.Schema, Why: whySampled, Verdicts: append([]schemas.Verdict{}, said...), Same: []string{}}
	if slices.ContainsFunc(said, func(v schemas.Verdict) bool { return v.Outcome == schemas.Fail }) {
		out.Why = whyFlagged
	}
	var err error
	if out.entry, err = review.EntryOf(rec); err != nil {
		return out, err
	}
	if rec.Schema != schemas.NameQuestion {
		out.Record, out.Stratum = rec.Data, out.entry.Stratum(d)
		return out, nil
	}
	q, err := pipeline.Decode[schemas.Question](rec)
	out.ReviewQuestion = &ReviewQuestion{QuestionID: q.QuestionID, Question: q.QuestionMCQ, Answer: q.AnswerText, Because: q.Explanation, Evidence: q.Evidence, Media: []string{}}
	for _, m := range q.Media {
		out.Media = append(out.Media, c.Files[m])
	}
	out.entry.Set("source", sourcesOf(c, q.TaskID))
	out.Stratum = out.entry.Stratum(d)
	return out, err
}

// sourcesOf names the records that a task was made from.
func sourcesOf(c release.Contents, task string) string {
	i, ok := slices.BinarySearchFunc(c.Tasks, task, func(t schemas.Task, id string) int { return strings.Compare(t.TaskID, id) })
	if !ok {
		return ""
	}
	return strings.Join(slices.Sorted(slices.Values(c.Tasks[i].SourceRecords)), "+")
}

// Undecided keeps those of drawn records that so many annotators have not decided
// about, or not alike.
func Undecided(drawn []SampledRecord, reviews []schemas.Review, draw string, annotators int) []SampledRecord {
	said := map[string][]schemas.Review{}
	for _, r := range reviews {
		if r.Sample == draw {
			said[r.Item] = append(said[r.Item], r)
		}
	}
	return slices.DeleteFunc(slices.Clone(drawn), func(d SampledRecord) bool {
		decisions := slices.Clone(said[d.Item])
		for _, id := range d.Same {
			decisions = append(decisions, said[id]...)
		}
		return review.FindMajority(decisions, annotators, "").Decision != ""
	})
}
