package release

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/memforge/memforge/schemas"
)

var splitName = regexp.MustCompile(`^\w+(\.\w+)*$`)

// references checks the rows of all tables against each other: ids are unique
// and in order, and every reference resolves. Building and verifying share it,
// so what one accepts the other does.
func references(all []table, rows map[string][]row) []string {
	c := checker{rows: rows, ids: map[string]map[string]bool{}}
	for _, t := range all {
		c.collect(t)
	}
	c.questions()
	c.tasks()
	c.segments()
	c.statements()
	for _, r := range rows[tableVerdicts] {
		item, _ := r[0].(string)
		if !c.known(item, tableQuestions, tableFlagged, tableTasks, tableMedia, tableRejections) {
			c.add("verdict of %v: item %q is neither a question, a flagged one, a task, a medium nor a rejection", r[1], item)
		}
	}
	c.probes()
	c.flagged()
	c.plugged(all)
	return c.problems
}

// flagged questions are there because gates judged them. What else is wrong
// with one may be why it was flagged.
func (c *checker) flagged() {
	judged := map[[2]string]bool{}
	for _, r := range c.rows[tableVerdicts] {
		item, _ := r[0].(string)
		gate, _ := r[1].(string)
		judged[[2]string{item, gate}] = true
	}
	seen := map[[2]string]bool{}
	for _, r := range c.rows[tableFlagged] {
		id, _ := r[0].(string)
		gates, _ := r[len(r)-1].([]any)
		if len(gates) == 0 {
			c.add("flagged question %v: no gate judged it", id)
		}
		for _, g := range gates {
			gate, _ := g.(string)
			key := [2]string{id, gate}
			if !judged[key] || seen[key] {
				c.add("flagged question %v, version %v: gate %q has no verdict on it, or judged two versions", id, r[1], gate)
			}
			seen[key] = true
		}
	}
}

// probes belong to a verdict, and a verdict names how many it rests on.
func (c *checker) probes() {
	made := map[string]int32{}
	for _, r := range c.rows[tableProbes] {
		made[fmt.Sprintf("%q", r[:2])]++
	}
	for _, r := range c.rows[tableVerdicts] {
		key := fmt.Sprintf("%q", r[:2])
		if calls, _ := r[4].(int32); calls != made[key] {
			c.add("verdict of %v on %v: it rests on %d probes, the table has %d", r[1], r[0], calls, made[key])
		}
		delete(made, key)
	}
	for key := range made {
		c.add("probes of %s: there is no such verdict", key)
	}
}

type checker struct {
	rows     map[string][]row
	ids      map[string]map[string]bool
	problems []string
}

func (c *checker) add(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

func (c *checker) known(id string, tables ...string) bool {
	for _, t := range tables {
		if c.ids[t][id] {
			return true
		}
	}
	return false
}

// collect gathers the ids of a table and checks their order and uniqueness.
func (c *checker) collect(t table) {
	ids := map[string]bool{}
	c.ids[t.name] = ids
	seen := map[string]bool{}
	for i, r := range c.rows[t.name] {
		id, _ := r[0].(string)
		if id == "" {
			c.add("%s: row %d has no %s", t.name, i, t.columns[0].Name)
			continue
		}
		ids[id] = true
		key := fmt.Sprintf("%q", r[:t.keys])
		if len(t.told) > 0 {
			key = t.tells(r)
		}
		if (t.unique || len(t.told) > 0) && seen[key] {
			c.add("%s: %s occurs twice", t.name, key)
		}
		seen[key] = true
	}
}

// tells is what a row says in the columns that no other has alike.
func (t table) tells(r row) string {
	var values []any
	for _, name := range t.told {
		i, _ := t.column(name)
		values = append(values, r[i])
	}
	return fmt.Sprintf("%q", values)
}

func (c *checker) questions() {
	for _, q := range recordsOf[schemas.Question](tableQuestions, c.rows[tableQuestions]) {
		if !splitName.MatchString(q.Split) {
			c.add("question %s: split %q; a split is a word, or words joined by dots", q.QuestionID, q.Split)
		}
		if !c.known(q.TaskID, tableTasks) {
			c.add("question %s: no task %q", q.QuestionID, q.TaskID)
		}
		c.mediaList("question "+q.QuestionID, q.Media)
		for _, e := range q.Evidence {
			c.evidence(q.QuestionID, e)
		}
		c.answer(q)
		c.wording(q)
	}
}

// evidence checks what one piece of evidence refers to.
func (c *checker) evidence(question string, e schemas.Evidence) {
	if !c.known(refID(e.Ref), tableMedia, tableTasks, tableSources) {
		c.add("question %s: evidence %q is neither a medium, a task nor a source", question, e.Ref)
	}
	if e.Media != "" && !c.known(refID(e.Media), tableMedia) {
		c.add("question %s: no medium %q", question, e.Media)
	}
	c.source("question "+question+": evidence", e.SourceID)
}

// wording checks that what a solver is shown is the question, with its options
// or without, and nothing else.
func (c *checker) wording(q schemas.Question) {
	if !slices.Contains([]string{"", q.Question, schemas.MCQ(q.Question, q.Options)}, q.QuestionMCQ) {
		c.add("question %s: question_mcq is neither the question nor the question with its options, one a line as \"A. text\"", q.QuestionID)
	}
}

// answer checks that the gold key names exactly one option, with the gold text.
func (c *checker) answer(q schemas.Question) {
	found := 0
	for _, o := range q.Options {
		if o.Key != q.AnswerKey {
			continue
		}
		if found++; o.Text != q.AnswerText {
			c.add("question %s: the answer %q is not the text of option %s", q.QuestionID, q.AnswerText, o.Key)
		}
	}
	if len(q.Options) > 0 && found != 1 {
		c.add("question %s: %d options have the answer's key %s", q.QuestionID, found, q.AnswerKey)
	}
}

func (c *checker) tasks() {
	for _, t := range recordsOf[schemas.Task](tableTasks, c.rows[tableTasks]) {
		c.mediaList("task "+t.TaskID, t.Media)
	}
}

// maxSegments bounds a recipe. What reads one looks at each piece of it for every
// question.
const maxSegments = 4096

// segments checks that every piece of a composed medium leads to a source, and
// that there are no more than such a video has.
func (c *checker) segments() {
	for _, m := range recordsOf[mediaRow](tableMedia, c.rows[tableMedia]) {
		if n := len(m.Recipe.Segments); n > maxSegments {
			c.add("medium %s: its recipe has %d segments, at most %d are possible", m.MediaID, n, maxSegments)
			continue
		}
		for _, s := range m.Recipe.Segments {
			c.source("medium "+m.MediaID+": segment", s.SourceID)
		}
	}
}

// source checks the id of a source, if one is given.
func (c *checker) source(owner, id string) {
	if id != "" && !c.known(id, tableSources) {
		c.add("%s: no source %q", owner, id)
	}
}

func (c *checker) mediaList(owner string, ids []string) {
	for _, id := range ids {
		if !c.known(id, tableMedia) {
			c.add("%s: no medium %q", owner, id)
		}
	}
}
