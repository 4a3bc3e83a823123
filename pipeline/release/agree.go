package release

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/schemas"
)

// checkColumnRules finds a value that is not what the rules of its column want.
func (c *checker) checkColumnRules(t table, r row) {
	if why := rowschema.Violation(t.columns, r); why != "" {
		c.blameRow(t.name, r[0], "column %s", why)
	}
}

// sharedColumns are the columns that rows of each table are to have alike with those that
// refer to them.
func sharedColumns(all []table) map[string]map[string]*idSet {
	out := map[string]map[string]*idSet{}
	for _, t := range all {
		for _, ref := range t.references {
			for _, name := range ref.Tables {
				to, _ := findTable(all, name)
				if _, there := to.column(ref.Same); ref.Same == "" || !there {
					continue
				}
				if out[name] == nil {
					out[name] = map[string]*idSet{}
				}
				out[name][ref.Same] = newIDSet()
			}
		}
	}
	return out
}

// noteShared keeps what a row says in these columns.
func (c *checker) noteShared(t table, r row) {
	for column, known := range c.shared[t.name] {
		i, _ := t.column(column)
		known.add(r[0], r[i])
	}
}

// checkShared checks that a row has alike with what it refers to what it should.
func (c *checker) checkShared(t table, r row, ref pipeline.RowReference) {
	if !c.ruled || ref.Same == "" {
		return
	}
	id := refID(ref.ID)
	for _, name := range ref.Tables {
		known := c.shared[name][ref.Same]
		if known != nil && c.ids[name].has(id) && !known.has(id, ref.SharedValue) {
			c.blameRow(t.name, r[0], "column %s refers to %q, which has another %s than %q", ref.Column, ref.ID, ref.Same, ref.SharedValue)
		}
	}
}

// checkSourceTotals checks what is repeated on each row of a source.
func (c *checker) checkSourceTotals() {
	var last schemas.Source
	for s := range recordsOf[schemas.Source](c.rows, tableSources) {
		if s.ID == last.ID && (s.Kind != last.Kind || s.Records != last.Records || s.Losses != last.Losses) {
			c.addProblem("source %s: its rows say %s, %d records and %d losses, and %s, %d records and %d losses", s.ID,
				last.Kind, last.Records, last.Losses, s.Kind, s.Records, s.Losses)
		}
		last = s
	}
}
