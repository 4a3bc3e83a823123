package review

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

// Relabel is a record with another value of a label or, where it has none at all, of
// a column that is a text.
func Relabel(rec pipeline.Record, label [2]string) (pipeline.Record, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(rec.Data, &fields); err != nil {
		return rec, fmt.Errorf("record %s %q: %w", rec.Schema, rec.ID, err)
	}
	var old string
	labels := map[string]string{}
	switch value := fields["labels"]; {
	case value != nil && json.Unmarshal(value, &labels) == nil:
		if labels == nil {
			labels = map[string]string{}
		}
		labels[label[0]] = label[1]
		set, err := pipeline.Canonical(labels)
		if err != nil {
			return rec, err
		}
		fields["labels"] = set
	case value == nil && !strings.HasSuffix(label[0], "_id") && json.Unmarshal(fields[label[0]], &old) == nil:
		set, err := pipeline.Canonical(label[1])
		if err != nil {
			return rec, err
		}
		fields[label[0]] = set
	default:
		return rec, fmt.Errorf("people decided on %s=%s for the %s %s, which has neither labels nor a text %s; reject it, or correct the decision", label[0], label[1], rec.Schema, rec.ID, label[0])
	}
	return pipeline.NewRecord(rec.Schema, rec.ID, fields, rec.Blobs...)
}
