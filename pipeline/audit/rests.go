package audit

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// records are those that derivations rest on besides media and statements. A schema
// is read when a derivation first asks for it.
type records struct {
	registry *pipeline.Registry
	contents release.Contents
	// of is by schema and by what a record belongs to: a task or a medium.
	of map[string]map[string][]pipeline.Record
}

// owned is what tells whose a record is.
type owned struct {
	TaskID  string `json:"task_id"`
	MediaID string `json:"media_id"`
}

// judgedOf begins the name under which records are kept that a release has in
// flagged_records alone, by the id of the record.
const judgedOf = "judged "

// about are the records of a task and of its media, by schema; of a schema that has no
// table, those that gates judged and that the task was made from.
func (r *records) about(t schemas.Task, reads []string) (map[string][]pipeline.Record, error) {
	out := map[string][]pipeline.Record{}
	for _, schema := range reads {
		by, err := r.read(schema)
		if err != nil {
			return nil, err
		}
		out[schema] = slices.Clone(by[t.TaskID])
		for _, m := range t.Media {
			out[schema] = append(out[schema], by[m]...)
		}
		for _, id := range t.SourceRecords {
			out[schema] = append(out[schema], by[judgedOf+id]...)
		}
	}
	return out, nil
}

func (r *records) read(schema string) (map[string][]pipeline.Record, error) {
	if by, known := r.of[schema]; known {
		return by, nil
	}
	tables := r.registry.Tables()
	at := slices.IndexFunc(tables, func(t pipeline.Table) bool { return t.Schema == schema && t.Part == nil })
	if at < 0 && r.registry.Discloses(schema) {
		return r.judged(schema), nil
	}
	if at < 0 {
		return nil, fmt.Errorf("its gold rests on records of schema %q, for which no table is declared", schema)
	}
	by := map[string][]pipeline.Record{}
	for rec, err := range r.contents.Records(tables[at]) {
		if err != nil {
			return nil, fmt.Errorf("read table %s: %w", tables[at].Name, err)
		}
		var is owned
		if err := json.Unmarshal(rec.Data, &is); err != nil {
			return nil, fmt.Errorf("%s %s: %w", schema, rec.ID, err)
		}
		owner := is.TaskID
		if owner == "" {
			owner = is.MediaID
		}
		by[owner] = append(by[owner], rec)
	}
	r.of[schema] = by
	return by, nil
}

// judged are the records of a schema without a table that gates judged.
func (r *records) judged(schema string) map[string][]pipeline.Record {
	by := map[string][]pipeline.Record{}
	for _, f := range r.contents.FlaggedRecords {
		if f.Schema == schema {
			by[judgedOf+f.Item] = append(by[judgedOf+f.Item], pipeline.Record{ID: f.Item, Schema: f.Schema, Data: []byte(f.Record)})
		}
	}
	r.of[schema] = by
	return by
}
