package audit

import (
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// Items are the records of a release as gates judged them.
type Items struct {
	released map[string]*schemas.Question
	// flagged has the forms that were not released, by id.
	flagged map[string][]*schemas.FlaggedQuestion
	// others are the records of other schemas, by id, forms those of them that were
	// not released like that.
	others map[string][]*pipeline.Item
	forms  map[string][]form
	// held are the schemas all records of which a release holds in some table.
	held map[string]bool
	// rejected ids are those of records that some node dropped, absent the forms, by
	// gate and item, that were too large for a row.
	rejected map[string]bool
	absent   map[[2]string]bool
	// given are the ids, by schema, of the records in tables that plugins declared.
	given map[string][]string
}

// form is a record as gates judged it.
type form struct {
	*pipeline.Item
	judgedBy []string
}

// ItemsOf indexes the records of a release, which must not change afterwards: those
// that every release has, and those of the tables that the registry declares which
// have a verdict.
func ItemsOf(reg *pipeline.Registry, c release.Contents) (*Items, error) {
	t := indexed(c)
	judged := map[string]bool{}
	for _, v := range c.Verdicts {
		judged[v.Item] = true
	}
	for _, schema := range reg.Schemas() {
		table, _ := reg.Table(schema)
		for r, err := range c.Records(table) {
			if err != nil {
				return nil, fmt.Errorf("audit: %w", err)
			}
			t.given[schema] = append(t.given[schema], r.ID)
			if t.held[schema] = true; judged[r.ID] {
				t.shelve(pipeline.ItemOf(r))
			}
		}
	}
	return t, nil
}

// indexed are the records that every release has tables of.
func indexed(c release.Contents) *Items {
	t := &Items{
		forms: map[string][]form{}, held: map[string]bool{schemas.NameQuestion: true, schemas.NameMedia: true, schemas.NameTask: true},
		released: map[string]*schemas.Question{}, flagged: map[string][]*schemas.FlaggedQuestion{},
		others: map[string][]*pipeline.Item{}, rejected: map[string]bool{}, absent: map[[2]string]bool{}, given: map[string][]string{},
	}
	for i := range c.Questions {
		t.released[c.Questions[i].QuestionID] = &c.Questions[i]
	}
	for i := range c.Flagged {
		id := c.Flagged[i].Question.QuestionID
		t.flagged[id] = append(t.flagged[id], &c.Flagged[i])
	}
	for i := range c.Media {
		t.shelve(pipeline.NewItem(schemas.NameMedia, c.Media[i].MediaID, &c.Media[i]))
	}
	for i := range c.Tasks {
		t.shelve(pipeline.NewItem(schemas.NameTask, c.Tasks[i].TaskID, &c.Tasks[i]))
	}
	for _, r := range c.Rejections {
		t.rejected[r.ID] = true
		if r.Code == schemas.WithheldSize {
			t.absent[[2]string{r.Stage, r.ID}] = true
		}
	}
	for _, f := range c.FlaggedRecords {
		rec := pipeline.Record{ID: f.Item, Schema: f.Schema, Data: []byte(f.Record)}
		t.forms[f.Item] = append(t.forms[f.Item], form{pipeline.ItemOf(rec), f.JudgedBy})
		t.held[f.Schema] = true
	}
	return t
}

func (t *Items) shelve(i *pipeline.Item) { t.others[i.ID] = append(t.others[i.ID], i) }

// Question is an item in the form that a gate judged, nil where it is no
// question that the release holds.
func (t *Items) Question(item, gate string) *schemas.Question {
	for _, f := range t.flagged[item] {
		if slices.Contains(f.JudgedBy, gate) {
			return &f.Question
		}
	}
	if t.absent[[2]string{gate, item}] {
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
		if slices.Contains(f.judgedBy, gate) && slices.Contains(accepts, f.Schema) {
			return f.Item
		}
	}
	for _, i := range t.others[item] {
		if slices.Contains(accepts, i.Schema) && !t.absent[[2]string{gate, item}] {
			return i
		}
	}
	return nil
}

// holds reports whether the release holds all records of the schemas.
func (t *Items) holds(schemas []string) bool {
	return !slices.ContainsFunc(schemas, func(s string) bool { return !t.held[s] })
}

// gone reports an item that a release may lack: it was dropped, or the form that the
// gate judged was too large, or it is a medium or task that nothing in the release needs.
func (t *Items) gone(accepts []string, item, gate string) bool {
	return t.absent[[2]string{gate, item}] || !slices.Equal(accepts, []string{schemas.NameQuestion}) && (t.rejected[item] || slices.Contains(accepts, schemas.NameMedia) || slices.Contains(accepts, schemas.NameTask))
}
