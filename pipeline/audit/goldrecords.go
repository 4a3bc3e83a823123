package audit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// goldRecords are those that derivations rest on besides media and statements. Whose a
// record of a schema is, is found out when a derivation first asks for it; the records
// themselves are read for one task after another.
type goldRecords struct {
	registry *pipeline.Registry
	items    *Items
	// of is by schema and by what a record belongs to: a task or a medium.
	of map[string]map[string][]*recordPlace
	// last are those of the task at hand, by the schemas that are read of it: tables have
	// the questions of a task together.
	last map[string]taskRecords
}

// taskRecords is what the records of a task are, by schema.
type taskRecords struct {
	task    string
	records map[string][]pipeline.Record
}

// ownerFields is what tells whose a record is.
type ownerFields struct {
	TaskID  string `json:"task_id"`
	MediaID string `json:"media_id"`
}

// flaggedPrefix begins the name under which records are kept that a release has in
// flagged_records alone, by the id of the record.
const flaggedPrefix = "judged "

// about are the records of a task and of its media, by schema; of a schema that has no
// table, those that gates judged and that the task was made from. They are not to be
// changed.
func (r *goldRecords) about(t schemas.Task, reads []string) (map[string][]pipeline.Record, error) {
	key := strings.Join(reads, " ")
	if was, known := r.last[key]; known && was.task == t.TaskID {
		return was.records, nil
	}
	delete(r.last, key)
	out := map[string][]pipeline.Record{}
	for _, schema := range reads {
		by, err := r.read(schema)
		if err != nil {
			return nil, err
		}
		of := slices.Clone(by[t.TaskID])
		for _, m := range t.Media {
			of = append(of, by[m]...)
		}
		for _, id := range t.SourceRecords {
			of = append(of, by[flaggedPrefix+id]...)
		}
		for _, k := range of {
			rec, err := r.items.item(k).Record()
			if err != nil {
				return nil, err
			}
			out[schema] = append(out[schema], rec)
		}
	}
	r.last[key] = taskRecords{t.TaskID, out}
	return out, nil
}

func (r *goldRecords) read(schema string) (map[string][]*recordPlace, error) {
	if by, known := r.of[schema]; known {
		return by, nil
	}
	by := map[string][]*recordPlace{}
	switch _, declared := r.registry.Table(schema); {
	case !declared && r.registry.Discloses(schema):
		r.items.addFlagged(schema, by)
	case !declared:
		return nil, fmt.Errorf("its gold rests on records of schema %q, for which no table is declared", schema)
	}
	for _, k := range r.items.declared[schema] {
		rec, err := r.items.record(k)
		if err != nil {
			return nil, err
		}
		var is ownerFields
		if err := json.Unmarshal(rec.Data, &is); err != nil {
			return nil, fmt.Errorf("%s %s: %w", schema, rec.ID, err)
		}
		owner := cmp.Or(is.TaskID, is.MediaID)
		by[owner] = append(by[owner], k)
	}
	r.of[schema] = by
	return by, nil
}

// addFlagged adds the records of a schema without a table that gates judged.
func (t *Items) addFlagged(schema string, by map[string][]*recordPlace) {
	for id, forms := range t.forms {
		for _, f := range forms {
			if f.Schema == schema {
				by[flaggedPrefix+id] = append(by[flaggedPrefix+id], &recordPlace{id: id, schema: schema, row: flaggedItem(f)})
			}
		}
	}
}
