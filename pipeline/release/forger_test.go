package release

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/release/describe"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// A Forger changes one value of a release and restates all that follows with
// the writer of releases: tables, digests of items in verdicts, totals of gates,
// counts of the funnel, the tables beside media, texts, Croissant, manifest and
// SHA256SUMS. It is what a forger could do who has this program.
type Forger struct {
	dir      string
	manifest manifest.Manifest
	rows     map[string][]row // by table; those beside media by the folder's name
	spots    map[string][]spot
	names    []string
	// shown are the pictures of the report: no forgery is of them.
	shown []describe.Card
	// tables are those whose records' digests are restated: those that every release may
	// have, where it is nil.
	tables *pipeline.Registry
	// written are the files of its tables, by place.
	written map[string]written
}

// spot is one value: row and index path within it, or a path in the manifest.
type spot struct {
	row    int
	within []int
}

// manifestPart begins the names of values of the manifest.
const manifestPart = "manifest"

// NewForger reads a release that verifies.
func NewForger(ctx context.Context, dir string) (*Forger, error) {
	v, err := Limits{}.verify(ctx, dir)
	if err != nil {
		return nil, err
	}
	f := &Forger{dir: dir, manifest: v.report.Manifest, rows: map[string][]row{}, spots: map[string][]spot{}}
	report, err := readText(Info{Dir: dir, Manifest: f.manifest}, describe.ReportName)
	if err != nil {
		return nil, err
	}
	f.shown = describe.CardsIn(report)
	for _, t := range shapesOf(f.manifest) {
		f.rows[t.name] = slices.Collect(v.each(t))
	}
	for _, t := range tables() {
		f.find(t, t.name)
	}
	for _, file := range f.manifest.Files {
		if folder, name := path.Split(file.Path); name == filesName {
			t := tableOf(tableFiles)
			v.readPart(v.budget, t, file.Path, true, &rowOrder{table: t}, func(r row) bool {
				f.rows[folder] = append(f.rows[folder], r)
				return true
			})
			f.find(tableOf(tableFiles), folder)
		}
	}
	for name := range twofold() {
		f.names = append(f.names, name)
		for i, r := range f.rows[tableQuestions] {
			if (recordOf[schemas.Question](tableQuestions, r).Family == derived) != strings.HasSuffix(name, othersMark) {
				f.spots[name] = append(f.spots[name], spot{row: i})
			}
		}
	}
	slices.Sort(f.names[len(f.names)-len(twofold()):])
	return f, errors.Join(f.findManifest(), f.keepWritten())
}

// twofold are forgeries of more than one value of a question: what somebody
// would change together.
func twofold() map[string]func(*schemas.Question) {
	out := map[string]func(*schemas.Question){
		"questions: gold, with key, text and roles": otherGold,
		"questions: gold, and a revision": func(q *schemas.Question) {
			otherGold(q)
			q.Revisions = append(q.Revisions, schemas.Revision{Item: "q-before", Question: q.Question, Gate: "blind", Code: "guessable", Reason: "both are right", Model: "writer-1"})
		},
		"questions: gold, and an author": func(q *schemas.Question) {
			otherGold(q)
			q.Labels[schemas.LabelAuthor] = "writer-1"
		},
		"questions: gold, in another family": func(q *schemas.Question) {
			otherGold(q)
			q.Family = "riddles"
		},
		"questions: question and question_mcq": func(q *schemas.Question) {
			q.Question += " Or is it?"
			q.QuestionMCQ = schemas.MCQ(q.Question, q.Options)
		},
	}
	for name, change := range maps.Clone(out) {
		out[name+othersMark] = change
	}
	return out
}

// otherGold makes the option after the right one right.
func otherGold(q *schemas.Question) {
	is := slices.IndexFunc(q.Options, func(o schemas.Option) bool { return o.Key == q.AnswerKey })
	to := (is + 1) % len(q.Options)
	q.Options[is].Role, q.Options[to].Role = q.Options[to].Role, q.Options[is].Role
	q.AnswerKey, q.AnswerText = q.Options[to].Key, q.Options[to].Text
}

// Columns names every value that can be forged: table and column, and the parts
// of a nested one, then fields of the manifest.
func (f *Forger) Columns() []string { return f.names }

// Count is how many values a column has.
func (f *Forger) Count(column string) int { return len(f.spots[column]) }

// find lists the values of a table.
func (f *Forger) find(t table, place string) {
	groups := map[string]func(row) bool{"": func(row) bool { return true }}
	if at, ok := t.column("family"); ok {
		groups = map[string]func(row) bool{"": func(r row) bool { return r[at] == derived }, othersMark: func(r row) bool { return r[at] != derived }}
	}
	for _, mark := range slices.Sorted(maps.Keys(groups)) {
		if !slices.ContainsFunc(f.rows[place], groups[mark]) {
			continue
		}
		for i, c := range t.columns {
			f.findIn(c, place, labelOfTable(place)+"."+c.Name, []int{i}, mark, groups[mark])
		}
	}
}

// derived is the family whose questions are true by construction. What belongs to
// another one is forged apart, under names that end in othersMark.
const (
	derived    = "video"
	othersMark = ", other families"
)

// labelOfTable names a table, one beside media after its folder.
func labelOfTable(place string) string {
	if strings.HasSuffix(place, "/") {
		return path.Base(place) + "/metadata"
	}
	return place
}

// findIn lists the leaves of a column. Values that are null count only where no
// row has another.
func (f *Forger) findIn(c rowschema.Column, place, name string, within []int, mark string, keep func(row) bool) {
	switch c.Kind {
	case rowschema.List:
		elem := *c.Elem
		f.findIn(elem, place, name, append(slices.Clone(within), -1), mark, keep)
		return
	case rowschema.Struct, rowschema.Image:
		for i, field := range c.Fields {
			f.findIn(field, place, name+"."+field.Name, append(slices.Clone(within), i), mark, keep)
		}
		return
	}
	var set, null []spot
	for i, r := range f.rows[place] {
		if !keep(r) {
			continue
		}
		for _, at := range expand(r, within) {
			if v, ok := lookup(r, at); ok && v != nil {
				set = append(set, spot{i, at})
			} else if ok {
				null = append(null, spot{i, at})
			}
		}
	}
	if len(set) == 0 {
		set = null
	}
	f.names = append(f.names, name+mark)
	f.spots[name+mark] = set
}

// expand replaces each -1 of an index path by the indices of the list there.
func expand(r row, within []int) [][]int {
	i := slices.Index(within, -1)
	if i < 0 {
		return [][]int{within}
	}
	v, _ := lookup(r, within[:i])
	list, _ := v.([]any)
	var out [][]int
	for j := range list {
		at := slices.Concat(within[:i], []int{j}, within[i+1:])
		out = append(out, expand(r, at)...)
	}
	return out
}

// lookup follows an index path; a null on the way is not ok.
func lookup(v any, at []int) (any, bool) {
	for _, i := range at {
		list, ok := v.([]any)
		if !ok || i >= len(list) {
			return nil, false
		}
		v = list[i]
	}
	return v, true
}

// Forge writes a release into dest, an empty folder, in which one value of a
// column is another, and says which: each n picks a value and a way to change it. With items the digests that
// verdicts carry are restated, too.
func (f *Forger) Forge(dest, column string, n int, items bool) (what string, err error) {
	if strings.HasPrefix(column, manifestPart+".") {
		return f.forgeManifest(dest, column, n)
	}
	if change := twofold()[column]; change != nil {
		return f.forgeQuestion(dest, column, n, items, change)
	}
	place, t := f.tableOf(column)
	at := f.spots[column][spread(n, len(f.spots[column]))]
	old := f.rows[place][at.row]
	was, _ := lookup(old, at.within)
	var others []any
	column = strings.TrimSuffix(column, othersMark)
	for _, s := range slices.Concat(f.spots[column], f.spots[column+othersMark]) {
		v, _ := lookup(f.rows[place][s.row], s.within)
		others = append(others, v)
	}
	is := changed(was, n, others)
	if strings.HasSuffix(column, ".license") {
		is = []string{"MIT", "CC-BY-4.0", "CC0-1.0 AND MIT"}[n%3]
	}
	if was == nil {
		is = zeroOf(t, at.within)
	}
	what = fmt.Sprintf("%s of row %d (%.40v): %.60v instead of %.60v", column, at.row, old[0], is, was)
	now, _ := replaced(old, at.within, is).([]any)
	return what, f.exchange(dest, place, at.row, now, items)
}

// forgeQuestion changes several values of one question.
func (f *Forger) forgeQuestion(dest, column string, n int, items bool, change func(*schemas.Question)) (what string, err error) {
	i := spread(n, len(f.spots[column]))
	old := f.rows[tableQuestions][i]
	q := recordOf[schemas.Question](tableQuestions, old)
	change(&q)
	return fmt.Sprintf("%s of %v", column, old[0]), f.exchange(dest, tableQuestions, i, rowOf(tableQuestions, q), items)
}

// exchange puts another row in the place of one and restates the rest.
func (f *Forger) exchange(dest, place string, i int, now row, items bool) error {
	g := f.begin()
	old := g.rows[place][i]
	g.rows[place][i] = now
	return errors.Join(g.restate(place, i, old, items), g.write(dest))
}

// spread picks one of so many values, each time far from the last.
func spread(n, of int) int { return (n*7919 + 104729) % of }

func (f *Forger) tableOf(column string) (place string, t table) {
	name, _, _ := strings.Cut(column, ".")
	for _, t := range shapesOf(f.manifest) {
		if t.name == name {
			return name, t
		}
	}
	for place := range f.rows {
		if labelOfTable(place) == name {
			return place, tableOf(tableFiles)
		}
	}
	panic(column)
}

// findManifest lists the values of the manifest that are not digests or counts
// of files and tables: those are restated.
func (f *Forger) findManifest() error {
	doc, err := f.document()
	if err != nil {
		return err
	}
	for _, key := range []string{"files", "tables", "id", "format"} {
		delete(doc, key)
	}
	seen := map[string]bool{}
	leaves(doc, manifestPart, func(name string) {
		if !seen[name] {
			f.names = append(f.names, name)
		}
		seen[name] = true
		f.spots[name] = append(f.spots[name], spot{row: len(f.spots[name])})
	})
	return nil
}

func (f *Forger) document() (doc map[string]any, err error) {
	var b bytes.Buffer
	if err := f.manifest.Encode(&b); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(&b)
	dec.UseNumber()
	return doc, dec.Decode(&doc)
}

// leaves visits the scalars of a document in order. Elements of a list share a
// name, and so do the values of an object whose keys are data.
func leaves(v any, name string, visit func(string)) {
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			leaves(v[k], within(name, k), visit)
		}
	case []any:
		for _, e := range v {
			leaves(e, name, visit)
		}
	case nil:
	default:
		visit(name)
	}
}

func within(name, key string) string {
	last := name[strings.LastIndex(name, ".")+1:]
	if slices.Contains([]string{"config", "tools", "sampling", "terms", "plugins"}, last) || last == "models" && strings.HasPrefix(name, manifestPart+".gates") {
		return name
	}
	return name + "." + key
}
