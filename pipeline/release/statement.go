package release

import (
	"fmt"
	"iter"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// idDigits is the length of a statement's id, the begin of a digest.
const idDigits = 32

// eventID and labelID return the digest of all other columns.
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

// addStatements keeps each statement about an original that a medium of the release
// shows once, under its id.
func (c *content) addStatements(all []schemas.Statements) error {
	shown, seen := originalsShown(c.media), map[string]bool{}
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

// originalsShown returns the files that the media show parts of.
func originalsShown(media iter.Seq[schemas.Media]) map[string]bool {
	out := map[string]bool{}
	for m := range media {
		for _, s := range m.Recipe.Segments {
			out[s.Original] = s.Original != ""
		}
	}
	return out
}

// checkStatements checks that every statement has the id of its columns and is about an
// original that a medium shows.
func (c *checker) checkStatements() {
	shown := originalsShown(mediaOf(c.rows))
	check := func(what, id, follows, original string, err error) {
		switch {
		case err != nil:
			c.addProblem("%s %s: %v", what, id, err)
		case id != follows:
			c.addProblem("%s %s: the digest of its other columns is %s", what, id, follows)
		case !shown[original]:
			c.addProblem("%s %s: no medium shows the original %q", what, id, original)
		}
	}
	for e := range recordsOf[schemas.StatedEvent](c.rows, tableEvents) {
		id, err := eventID(e)
		check("event", e.EventID, id, e.Original, err)
	}
	for r := range recordsOf[labelRow](c.rows, tableLabels) {
		l := r.label()
		id, err := labelID(l)
		check("label", l.LabelID, id, l.Original, err)
	}
}

// ofFamilies returns what is known of the families of questions, flagged ones too: an audit
// works them out as well.
func ofFamilies[T any](c *content, known map[string]T) map[string]T {
	out := map[string]T{}
	note := func(family string) {
		if v, ok := known[family]; ok {
			out[family] = v
		}
	}
	for q := range c.questions {
		note(q.Family)
	}
	for _, f := range c.flagged {
		note(f.Question.Family)
	}
	return out
}
