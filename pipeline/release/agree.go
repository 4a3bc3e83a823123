package release

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/schemas"
)

// breach finds a value that is not what the rules of its column want.
func (c *checker) breach(t table, r row) {
	if why := rowschema.Breach(t.columns, r); why != "" {
		c.blame(t.name, r[0], "column %s", why)
	}
}

// sharedBy are the columns that rows of each table are to have alike with those that
// refer to them.
func sharedBy(all []table) map[string]map[string]*idSet {
	out := map[string]map[string]*idSet{}
	for _, t := range all {
		for _, ref := range t.references {
			for _, name := range ref.Tables {
				to, _ := find(all, name)
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

// share keeps what a row says in these columns.
func (c *checker) share(t table, r row) {
	for column, known := range c.shared[t.name] {
		i, _ := t.column(column)
		known.add(r[0], r[i])
	}
}

// together checks that a row has alike with what it refers to what it should.
func (c *checker) together(t table, r row, ref pipeline.Referred) {
	if !c.ruled || ref.Same == "" {
		return
	}
	id := refID(ref.ID)
	for _, name := range ref.Tables {
		known := c.shared[name][ref.Same]
		if known != nil && c.ids[name].has(id) && !known.has(id, ref.Shared) {
			c.blame(t.name, r[0], "column %s refers to %q, which has another %s than %q", ref.Column, ref.ID, ref.Same, ref.Shared)
		}
	}
}

// totals checks what is repeated on each row of a source.
func (c *checker) totals() {
	var last schemas.Source
	for s := range recordsOf[schemas.Source](c.rows, tableSources) {
		if s.ID == last.ID && (s.Kind != last.Kind || s.Records != last.Records || s.Losses != last.Losses) {
			c.add("source %s: its rows say %s, %d records and %d losses, and %s, %d records and %d losses", s.ID,
				last.Kind, last.Records, last.Losses, s.Kind, s.Records, s.Losses)
		}
		last = s
	}
}
