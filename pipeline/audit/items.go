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
	// rejected ids are those of records that some node dropped.
	rejected map[string]bool
}

// form is a record as gates judged it.
type form struct {
	*pipeline.Item
	judgedBy []string
}

// ItemsOf indexes the records of a release, which must not change afterwards: those
// that every release has, and those whose tables the registry declares.
func ItemsOf(reg *pipeline.Registry, c release.Contents) (*Items, error) {
	t := indexed(c)
	for _, schema := range reg.Schemas() {
		table, _ := reg.Table(schema)
		recs, err := c.Records(table)
		if err != nil {
			return nil, fmt.Errorf("audit: records of table %s: %w", table.Name, err)
		}
		for _, r := range recs {
			t.held[schema] = true
			t.shelve(pipeline.ItemOf(r))
		}
	}
	return t, nil
}

// indexed are the records that every release has tables of.
func indexed(c release.Contents) *Items {
	t := &Items{
		forms: map[string][]form{}, held: map[string]bool{schemas.NameQuestion: true, schemas.NameMedia: true, schemas.NameTask: true},
		released: map[string]*schemas.Question{}, flagged: map[string][]*schemas.FlaggedQuestion{},
		others: map[string][]*pipeline.Item{}, rejected: map[string]bool{},
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
		if slices.Contains(accepts, i.Schema) {
			return i
		}
	}
	return nil
}

// holds reports whether the release holds all records of the schemas.
func (t *Items) holds(schemas []string) bool {
	return !slices.ContainsFunc(schemas, func(s string) bool { return !t.held[s] })
}

// gone reports an item that a release may lack: it was dropped, or it is a medium
// or task that nothing in the release needs.
func (t *Items) gone(accepts []string, item string) bool {
	return !slices.Equal(accepts, []string{schemas.NameQuestion}) && (t.rejected[item] || slices.Contains(accepts, schemas.NameMedia) || slices.Contains(accepts, schemas.NameTask))
}
