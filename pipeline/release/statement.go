package release

import (
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// Names of the tables that say what original files show.
const (
	tableEvents = "events"
	tableLabels = "labels"
)

func eventsTable() table {
	return table{name: tableEvents, keys: 2, unique: true, columns: []column{
		str("original"), str("event_id"), f64("from"), f64("to"), str("kind"),
		list("actors", str("")), list("objects", str("")), str("text"), str("source_id"), str("stated_by"),
	}}
}

func labelsTable() table {
	return table{name: tableLabels, keys: 2, unique: true, columns: []column{
		str("original"), str("label_id"), f64("from"), f64("to"), str("attribute"), str("value"), str("source_id"), str("stated_by"),
	}}
}

func eventRow(e schemas.StatedEvent) row {
	return row{
		e.Original, e.EventID, e.From, e.To, e.Kind, texts(e.Actors), texts(e.Objects), optional(e.Text), e.SourceID, e.StatedBy,
	}
}

// labelRow has no seconds where the label holds of the whole original.
func labelRow(l schemas.StatedLabel) row {
	var from, to any
	if l.From != 0 || l.To != 0 {
		from, to = l.From, l.To
	}
	return row{l.Original, l.LabelID, from, to, l.Attribute, l.Value, l.SourceID, l.StatedBy}
}

func eventOf(c cells) schemas.StatedEvent {
	return schemas.StatedEvent{
		EventID: c.text("event_id"), Original: c.text("original"), From: c.number("from"), To: c.number("to"), Kind: c.text("kind"),
		Actors: c.strings("actors"), Objects: c.strings("objects"), Text: c.text("text"),
		SourceID: c.text("source_id"), StatedBy: c.text("stated_by"),
	}
}

func labelOfRow(c cells) schemas.StatedLabel {
	return schemas.StatedLabel{
		LabelID: c.text("label_id"), Original: c.text("original"), From: c.number("from"), To: c.number("to"),
		Attribute: c.text("attribute"), Value: c.text("value"), SourceID: c.text("source_id"), StatedBy: c.text("stated_by"),
	}
}

// idDigits is how much of the digest of a statement is its id.
const idDigits = 32

// eventID and labelID are the digests of all other columns.
func eventID(e schemas.StatedEvent) (string, error) {
	e.EventID = ""
	return statementID(e)
}

func labelID(l schemas.StatedLabel) (string, error) {
	l.LabelID = ""
	return statementID(l)
}

func statementID(statement any) (string, error) {
	b, err := pipeline.Canonical(statement)
	if err != nil {
		return "", fmt.Errorf("collect release: id of a statement: %w", err)
	}
	return string(pipeline.DigestOf(b))[:idDigits], nil
}

// takeStatements keeps each statement about an original that a medium of the release
// shows once, under its id.
func (c *content) takeStatements(all []schemas.Statements) error {
	shown, seen := c.originals(), map[string]bool{}
	for _, f := range all {
		for _, e := range f.Events {
			id, err := eventID(e)
			if err != nil {
				return err
			}
			if e.EventID = id; shown[e.Original] && !seen[id] {
				seen[id] = true
				c.events = append(c.events, e)
			}
		}
		for _, l := range f.Labels {
			id, err := labelID(l)
			if err != nil {
				return err
			}
			if l.LabelID = id; shown[l.Original] && !seen[id] {
				seen[id] = true
				c.labels = append(c.labels, l)
			}
		}
	}
	return nil
}

// originals are the files that the media show parts of.
func (c *content) originals() map[string]bool {
	out := map[string]bool{}
	for _, m := range c.media {
		for _, s := range m.Recipe.Segments {
			out[s.Original] = s.Original != ""
		}
	}
	return out
}

// statements checks that every statement is about an original that a medium shows, comes
// of a source and has the id of its columns.
func (c *checker) statements() {
	shown := c.originals()
	check := func(what, id, follows, original, source string, err error) {
		switch {
		case err != nil:
			c.add("%s %s: %v", what, id, err)
		case id != follows:
			c.add("%s %s: the digest of its other columns is %s", what, id, follows)
		case !shown[original]:
			c.add("%s %s: no medium shows the original %q", what, id, original)
		}
		c.source(what+" "+id, source)
	}
	for _, r := range c.rows[tableEvents] {
		e := eventOf(cells{eventsTable(), r})
		id, err := eventID(e)
		check("event", e.EventID, id, e.Original, e.SourceID, err)
	}
	for _, r := range c.rows[tableLabels] {
		l := labelOfRow(cells{labelsTable(), r})
		id, err := labelID(l)
		check("label", l.LabelID, id, l.Original, l.SourceID, err)
	}
}

func (c *checker) originals() map[string]bool {
	out := map[string]bool{}
	for _, r := range c.rows[tableMedia] {
		for _, s := range mediaOf(cells{mediaTable(), r}).Recipe.Segments {
			out[s.Original] = s.Original != ""
		}
	}
	return out
}

// statementRows adds the rows of both tables.
func (c *content) statementRows(rows map[string][]row) {
	for _, e := range c.events {
		rows[tableEvents] = append(rows[tableEvents], eventRow(e))
	}
	for _, l := range c.labels {
		rows[tableLabels] = append(rows[tableLabels], labelRow(l))
	}
}

// statements reads the rows of both tables.
func (c *Contents) statements(rows map[string][]row) {
	for _, r := range rows[tableEvents] {
		c.Events = append(c.Events, eventOf(cells{eventsTable(), r}))
	}
	for _, r := range rows[tableLabels] {
		c.Labels = append(c.Labels, labelOfRow(cells{labelsTable(), r}))
	}
}

// derivations are those of the families that questions are of.
func (c *content) derivations(known map[string]string) map[string]string {
	out := map[string]string{}
	for _, q := range c.questions {
		if v, ok := known[q.Family]; ok {
			out[q.Family] = v
		}
	}
	return out
}
