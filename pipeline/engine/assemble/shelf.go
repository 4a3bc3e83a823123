package assemble

import (
	"fmt"
	"iter"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/extsort"
)

// Records that may be released wait on disk: those that no table holds by itself, those
// that are nothing but a row, and those that follow from each other, which are together.
const (
	shelfOthers  = "others"
	shelfRecords = "records"
	shelfGroups  = "groups"
)

// shelved is a record that waits, under the number and group that it was given.
type shelved struct {
	pipeline.Record
	number int
	group  string
}

// shelve lets a record wait.
func (c *collector) shelve(shelf string, number int, group string, r pipeline.Record) error {
	blobs := make([]any, len(r.Blobs))
	for i, b := range r.Blobs {
		blobs[i] = string(b)
	}
	key := extsort.AppendKey(nil, int64(number))
	if shelf == shelfGroups {
		key = extsort.AppendKey(nil, group, int64(number))
	}
	if err := c.rows.Add(shelf, key, []any{int64(number), group, r.ID, r.Schema, []byte(r.Data), blobs}); err != nil {
		return fmt.Errorf("record %s %q: %w", r.Schema, r.ID, err)
	}
	return nil
}

// shelf gives the records that wait: by number, and before that by group where they
// have one.
func (c *collector) shelf(name string) iter.Seq2[shelved, error] {
	return func(yield func(shelved, error) bool) {
		for b, err := range c.rows.Rows(name) {
			if err != nil {
				yield(shelved{}, err)
				return
			}
			cells := extsort.DecodeRow(b)
			s := shelved{number: int(cells[0].(int64)), group: cells[1].(string)}
			s.ID, s.Schema, s.Data = cells[2].(string), cells[3].(string), cells[4].([]byte)
			for _, b := range cells[5].([]any) {
				s.Blobs = append(s.Blobs, pipeline.Digest(b.(string)))
			}
			if !yield(s, nil) {
				return
			}
		}
	}
}

// referred is one id that a row of a table refers to, without the part that follows #.
type referred struct {
	pipeline.Reference
	table, id string
}

// refersOf lists what the rows of a record refer to.
func refersOf(t pipeline.Table, rows []pipeline.Row) (out []referred) {
	shapes := map[string]pipeline.Table{}
	for _, of := range t.Tables() {
		shapes[of.Name] = of
	}
	for _, row := range rows {
		for _, ref := range shapes[row.Table].ReferencesOf(row.Cells) {
			id, _, _ := strings.Cut(ref.ID, "#")
			out = append(out, referred{ref.Reference, row.Table, id})
		}
	}
	return out
}
