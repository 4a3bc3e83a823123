package release

import (
	"bytes"
	"iter"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/extsort"
	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// checkReferences checks the rows of all tables against each other: ids are unique
// and in order, and every reference resolves. Building and verifying share it,
// so what one accepts the other does. Tables are read once to learn their ids, and
// again to follow what they refer to; that of probes, the longest, only once.
//
// What came with RuledFormat (rules of columns, what is to be of the same task, how
// sessions, turns, evidence and tasks agree) holds only where ruled says so.
func checkReferences(all []table, rows rowSource, ruled bool) []Violation {
	c := checker{rows: rows, ids: map[string]*idSet{}, ruled: ruled, shared: sharedColumns(all)}
	for _, t := range all {
		if t.name == tableProbes {
			continue
		}
		c.ids[t.name] = newIDSet()
		if t.records {
			c.records = append(c.records, t.name)
		}
		for r := range c.uniqueRows(t) {
			c.ids[t.name].add(r[0])
			for column, known := range c.shared[t.name] {
				i, _ := t.column(column)
				known.add(r[0], r[i])
			}
		}
	}
	for _, t := range all {
		c.checkRefs(t)
	}
	if ruled {
		c.checkSessions(all)
	}
	c.checkQuestions()
	if ruled {
		c.checkCitations(all)
		c.checkSourceTotals()
	}
	c.checkSegments()
	c.checkStatements()
	c.checkProbes()
	for _, t := range all {
		if t.name == tableFlagged || t.name == tableFlaggedRecords {
			c.checkFlagged(t)
		}
	}
	return c.problems
}

// checkRefs checks that the references of a table resolve. Ids that lead to no table of
// the release, such as those of checkpoints where nothing gave any, are names and no
// more.
func (c *checker) checkRefs(t table) {
	if len(t.references) == 0 {
		return
	}
	refers := pipeline.Table{Columns: t.columns, References: t.references}
	for r := range c.rows(t) {
		for _, ref := range refers.ReferencesOf(r) {
			there := slices.ContainsFunc(ref.Tables, func(name string) bool { return c.ids[name] != nil || name == pipeline.AnyRecord })
			if there && !c.knows(refID(ref.ID), ref.Tables...) {
				c.blameRow(t.name, r[0], "column %s refers to %q, which is in %s", ref.Column, ref.ID, notFoundIn(ref.Tables))
			}
			c.checkShared(t, r, ref)
		}
	}
}

func notFoundIn(tables []string) string {
	switch {
	case tables[0] == pipeline.AnyRecord:
		return "no table of records"
	case len(tables) == 1:
		return "no row of " + tables[0]
	}
	return "none of the tables " + strings.Join(tables, ", ")
}

type checker struct {
	rows rowSource
	ids  map[string]*idSet
	// shared are, by table, the columns that rows referring to it have alike, and what
	// each row says there.
	shared   map[string]map[string]*idSet
	ruled    bool
	turns    *turnIndex
	records  []string // tables of records, and of what became of some
	problems []Violation
}

func (c *checker) each(name string) iter.Seq[row] { return c.rows(tableOf(name)) }

// uniqueRows yields the rows of a table and reports those without an id or with the id
// of another: such rows follow each other.
func (c *checker) uniqueRows(t table) iter.Seq[row] {
	return func(yield func(row) bool) {
		var last row
		told := newIDSet()
		n := -1
		ruled := c.ruled && rowschema.HasRules(t.columns)
		for r := range c.rows(t) {
			n++
			if id, _ := r[0].(string); id == "" {
				c.blameRow(t.name, "", "row %d has no %s", n, t.columns[0].Name)
				continue
			}
			switch {
			case len(t.identity) > 0 && !told.add(t.identityOf(r)...):
				c.blameRow(t.name, r[0], "%q occurs twice", t.identityOf(r))
			case t.unique && last != nil && slices.Equal(last[:t.keys], r[:t.keys]):
				c.blameRow(t.name, r[0], "%q occurs twice", r[:t.keys])
			}
			if ruled {
				if why := rowschema.Violation(t.columns, r); why != "" {
					c.blameRow(t.name, r[0], "column %s", why)
				}
			}
			if last = r; !yield(r) {
				return
			}
		}
	}
}

// identityOf returns the cells that no two rows may share.
func (t table) identityOf(r row) (values []any) {
	for _, name := range t.identity {
		i, _ := t.column(name)
		values = append(values, r[i])
	}
	return values
}

// checkFlagged checks that gates judged the flagged records. Whatever else is wrong with
// one may be why it was flagged.
func (c *checker) checkFlagged(t table) {
	judged, seen := newIDSet(), newIDSet()
	for r := range c.each(tableVerdicts) {
		if c.ids[t.name].has(r[0]) {
			judged.add(r[0], r[1])
		}
	}
	for r := range c.rows(t) {
		gates, _ := r[len(r)-1].([]any)
		if len(gates) == 0 {
			c.addProblem("%s %v: no gate judged it", t.name, r[0])
		}
		for _, gate := range gates {
			if !seen.add(r[0], gate) || !judged.has(r[0], gate) {
				c.addProblem("%s %v, version %v: gate %q has no verdict on it, or judged two versions", t.name, r[0], r[1], gate)
			}
		}
	}
}

// checkProbes checks that each probe belongs to a verdict, and that verdicts count their
// probes. Both tables begin with the item and the gate.
func (c *checker) checkProbes() {
	next, stop := iter.Pull(c.each(tableVerdicts))
	defer stop()
	verdict, more := next()
	made := int32(0)
	pass := func() {
		if calls, _ := verdict[4].(int32); calls != made {
			c.addProblem("verdict of %v on %v: it rests on %d probes, the table has %d", verdict[1], verdict[0], calls, made)
		}
		verdict, more = next()
		made = 0
	}
	var missing row
	for r := range c.uniqueRows(tableOf(tableProbes)) {
		for more && bytes.Compare(extsort.AppendKey(nil, verdict[:2]...), extsort.AppendKey(nil, r[:2]...)) < 0 {
			pass()
		}
		switch {
		case more && slices.Equal(verdict[:2], r[:2]):
			made++
		case missing == nil || !slices.Equal(missing[:2], r[:2]):
			missing = r
			c.addProblem("probes of %q: there is no such verdict", r[:2])
		}
	}
	for more {
		pass()
	}
}

func (c *checker) knows(id string, tables ...string) bool {
	if slices.Contains(tables, pipeline.AnyRecord) {
		tables = c.records
	}
	for _, t := range tables {
		if c.ids[t].has(id) {
			return true
		}
	}
	return false
}

func (c *checker) checkQuestions() {
	for q := range recordsOf[schemas.Question](c.rows, tableQuestions) {
		if !manifest.SplitPattern.MatchString(q.Split) {
			c.blameRow(tableQuestions, q.QuestionID, "split %q; a split is a word, or words joined by dots", q.Split)
		}
		c.checkAnswer(q)
		c.checkWording(q)
		c.checkTimeOrder(q)
	}
}

// checkWording checks that what a solver is shown is the question, or a question of one
// line with the options, and nothing else.
func (c *checker) checkWording(q schemas.Question) {
	stem, ok := q.Stem()
	plain := q.QuestionMCQ == "" || q.QuestionMCQ == q.Question || q.QuestionMCQ == schemas.MCQ(q.Question, q.Options)
	if !plain && (!ok || strings.Contains(stem, "\n")) {
		c.blameRow(tableQuestions, q.QuestionID, "question_mcq is neither the question nor a question of one line with its options, one a line as \"A. text\"")
	}
}

// checkAnswer checks that the gold key names exactly one option, with the gold text.
func (c *checker) checkAnswer(q schemas.Question) {
	found := 0
	for _, o := range q.Options {
		if o.Key != q.AnswerKey {
			continue
		}
		if found++; o.Text != q.AnswerText {
			c.blameRow(tableQuestions, q.QuestionID, "the answer %q is not the text of option %s", q.AnswerText, o.Key)
		}
	}
	if len(q.Options) > 0 && found != 1 {
		c.blameRow(tableQuestions, q.QuestionID, "%d options have the answer's key %s", found, q.AnswerKey)
	}
}

// maxSegments bounds a recipe, of which readers look at each segment for every question.
const maxSegments = 4096

func (c *checker) checkSegments() {
	for m := range mediaOf(c.rows) {
		if n := len(m.Recipe.Segments); n > maxSegments {
			c.blameRow(tableMedia, m.MediaID, "its recipe has %d segments, at most %d are possible", n, maxSegments)
		}
	}
}

// sharedColumns returns, by table, the columns in which rows must agree with the rows
// that refer to them.
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

// checkShared checks that a row agrees with the row that it refers to.
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

// checkSourceTotals checks the totals that each row of a source repeats.
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
