package revise

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// flagsStage passes on what gates flagged. What they passed goes its way elsewhere.
type flagsStage struct{}

func newFlags(struct{}) (pipeline.Stage, error) { return flagsStage{}, nil }

// Spec implements pipeline.Stage.
func (flagsStage) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameFlagged}, Emits: []string{schemas.NameFlagged}}
}

// Map implements pipeline.Map.
func (flagsStage) Map(_ context.Context, _ *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	return []pipeline.Record{in}, nil
}

// Forecast implements pipeline.Forecaster.
func (flagsStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameFlagged: in[schemas.NameFlagged]}}
}

// gatherStage lets records of one unit be rewritten together. It reads what the gates of a
// round flagged and what the last of them passed. Where any record of a unit was
// flagged, all of them are handed on as one; the rest goes its way.
type gatherStage struct {
	schemas []string
	// unit names the unit of a record.
	unit func(schemas.Flagged) (string, error)
}

// newGather groups questions with the same words, which are rewritten together:
// those of a mirror group differ only in how their videos are shown, and must
// stay so when a gate flags one of them and not another.
func newGather(struct{}) (pipeline.Stage, error) {
	return gatherStage{[]string{schemas.NameQuestion}, groupOf}, nil
}

// UnitConfig configures unit.gather.
type UnitConfig struct {
	Schemas []string `json:"schemas" doc:"schemas of the records that are rewritten"`
	Unit    string   `json:"unit" doc:"field, a text, that the records of a unit have in common, such as task_id; empty makes each record a unit"`
}

// newUnit groups the records that have a field in common: a session with all
// others of its task, because rewriting one changes what comes after it.
func newUnit(c UnitConfig) (pipeline.Stage, error) {
	if len(c.Schemas) == 0 || slices.Contains(c.Schemas, "") || slices.Contains(c.Schemas, schemas.NameFlagged) {
		return nil, fmt.Errorf("schemas is %q; name those of the records that are rewritten", c.Schemas)
	}
	return gatherStage{c.Schemas, func(f schemas.Flagged) (string, error) {
		if c.Unit == "" {
			return "item " + f.Schema + " " + f.Item, nil
		}
		var fields map[string]json.RawMessage
		var unit string
		if err := json.Unmarshal(f.Record, &fields); err != nil {
			return "", fmt.Errorf("gather %s: %w", f.Item, err)
		}
		if err := json.Unmarshal(fields[c.Unit], &unit); err != nil || unit == "" {
			return "", fmt.Errorf("gather %s: a %s has no text %s to name its unit by", f.Item, f.Schema, c.Unit)
		}
		return "unit " + unit, nil
	}}, nil
}

// Spec implements pipeline.Stage.
func (g gatherStage) Spec() pipeline.Spec {
	both := append(slices.Clone(g.schemas), schemas.NameFlagged)
	return pipeline.Spec{Accepts: both, Emits: both}
}

// Forecast implements pipeline.Forecaster: nothing is added or lost.
func (gatherStage) Forecast(in pipeline.Volume) pipeline.Forecast { return pipeline.Forecast{Out: in} }

// member is a record of a unit, as a gate flagged or passed it.
type member struct {
	record  string // id of the record that was read
	flagged schemas.Flagged
	blobs   []pipeline.Digest
}

// Fold implements pipeline.Fold.
func (g gatherStage) Fold(ctx context.Context, _ *pipeline.Scope, in pipeline.Collection, emit func(pipeline.Record) error) error {
	groups := map[string][]member{}
	if err := eachRecord(ctx, in, []string{schemas.NameFlagged}, func(rec pipeline.Record) error {
		f, err := pipeline.Decode[schemas.Flagged](rec)
		if err != nil {
			return err
		}
		name, err := g.unit(f)
		groups[name] = append(groups[name], member{rec.ID, f, rec.Blobs})
		return err
	}); err != nil {
		return err
	}
	if err := eachRecord(ctx, in, g.schemas, func(rec pipeline.Record) error {
		f := schemas.Flagged{Item: rec.ID, Schema: rec.Schema, Record: rec.Data}
		name, err := g.unit(f)
		if err != nil {
			return err
		}
		if len(groups[name]) == 0 {
			return emit(rec)
		}
		groups[name] = append(groups[name], member{"", f, rec.Blobs})
		return nil
	}); err != nil {
		return err
	}
	return emitUnits(groups, emit)
}

func eachRecord(ctx context.Context, in pipeline.Collection, schemas []string, visit func(pipeline.Record) error) error {
	for rec, err := range in.All {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && slices.Contains(schemas, rec.Schema) {
			err = visit(rec)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func groupOf(f schemas.Flagged) (string, error) {
	q, err := decodeQuestion(f)
	if err != nil {
		return "", fmt.Errorf("gather %s: %w", f.Item, err)
	}
	mirror := q.Labels[schemas.LabelMirror]
	if mirror == "" {
		return "item " + f.Item, nil
	}
	return fmt.Sprintf("group %q %q %q %q", mirror, q.Question, q.QuestionMCQ, q.AnswerKey), nil
}

// emitUnits emits one record for each unit: the first that was flagged, with
// the others as its copies.
func emitUnits(groups map[string][]member, emit func(pipeline.Record) error) error {
	for _, g := range slices.Sorted(maps.Keys(groups)) {
		all := groups[g]
		slices.SortFunc(all, func(a, b member) int { return cmp.Compare(a.flagged.Item, b.flagged.Item) })
		first := slices.IndexFunc(all, func(m member) bool { return m.flagged.Gate != "" })
		lead := all[first]
		for i, m := range all {
			if i == first {
				continue
			}
			lead.flagged.Copies = append(lead.flagged.Copies, m.flagged)
			lead.blobs = append(slices.Clone(lead.blobs), m.blobs...)
		}
		slices.Sort(lead.blobs)
		rec, err := pipeline.NewRecord(schemas.NameFlagged, lead.record, lead.flagged, slices.Compact(lead.blobs)...)
		if err != nil {
			return err
		}
		if err := emit(rec); err != nil {
			return err
		}
	}
	return nil
}
