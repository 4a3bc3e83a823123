package audit

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// Gold says how far the questions and tasks of one family follow from what the
// tables say of their media.
type Gold struct {
	Family string `json:"family"`
	// Version of the derivation, empty where this program has none.
	Version string `json:"version"`
	// Questions are those released and those flagged, of which Flagged is the
	// number; Derived are worked out again and the same, Wrong are not the same.
	Questions int `json:"questions"`
	Flagged   int `json:"flagged"`
	Derived   int `json:"derived"`
	Wrong     int `json:"wrong"`
	// Settled are the derived questions whose evidence alone gives the answer, and not
	// without a piece of it.
	Settled int `json:"settled"`
	// Underived counts the rest by the reason why nothing derives them.
	Underived map[string]int `json:"underived"`
	// Tasks and how many of them are worked out again and the same.
	Tasks        int `json:"tasks"`
	TasksDerived int `json:"tasks_derived"`
	// Unconstrained counts, by column or label, in how many of the derived questions and
	// tasks it follows from nothing.
	Unconstrained map[string]int `json:"free"`
}

// familyGold derives the questions and tasks of one family.
type familyGold struct {
	Gold
	findings
	derivation pipeline.Derivation
	premises   *premises
	// read is what was made of the records of the task at hand: tables have the
	// questions of a task together.
	read taskReading
}

type taskReading struct {
	task string
	made any
	err  error
}

// addReading gives premises what all items of their task share.
func (b *familyGold) addReading(p *pipeline.Premises) error {
	if b.derivation.Prepare == nil {
		return nil
	}
	if b.read.task != p.Task.TaskID || b.read.made == nil {
		b.read = taskReading{task: p.Task.TaskID}
		b.read.made, b.read.err = callRead(b.derivation.Prepare, pipeline.Premises{Task: p.Task, Records: p.Records})
	}
	p.Prepared = b.read.made
	return b.read.err
}

// callRead calls a derivation's Read; a stranger's tables may make it panic.
func callRead(read func(pipeline.Premises) (any, error), p pipeline.Premises) (out any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the derivation falls over its task: %v", v)
		}
	}()
	return read(p)
}

// DeriveGold works out every question and task again, family by family, by the
// derivation that the family registered. It reads tables only; Run includes it.
func DeriveGold(reg *pipeline.Registry, c release.Contents, items *Items) ([]Gold, []Part) {
	shared, benches := newPremises(reg, c, items), map[string]*familyGold{}
	of := func(family string) *familyGold {
		if benches[family] == nil {
			d, _ := reg.Derivation(family)
			benches[family] = &familyGold{
				Gold:       Gold{Family: family, Version: d.Version, Underived: map[string]int{}, Unconstrained: map[string]int{}},
				derivation: d, premises: shared,
			}
		}
		return benches[family]
	}
	for _, q := range c.Questions {
		of(q.Family).question(q, false)
	}
	for _, f := range c.Flagged {
		b := of(f.Question.Family)
		b.Flagged++
		b.question(f.Question, true)
	}
	for _, t := range c.Tasks {
		of(t.Family).task(t)
	}
	gold, parts := []Gold{}, append([]Part{checkFamilies(reg, c)}, checkWritten(reg, c)...)
	for _, family := range slices.Sorted(maps.Keys(benches)) {
		b := benches[family]
		gold = append(gold, b.Gold)
		parts = append(parts, b.parts(c.Manifest.Derivations[family])...)
	}
	return gold, parts
}

// question derives one question, unless it is of a family without a derivation.
func (b *familyGold) question(q schemas.Question, flagged bool) {
	b.Questions++
	if b.Version == "" {
		return
	}
	rests, err := b.premises.question(q, b.derivation)
	if err != nil {
		b.add("%s: %v", q.QuestionID, err)
		return
	}
	rests.Flagged = flagged
	if flagged && rests.Task.TaskID == "" {
		b.Underived["taken out together with its task"]++
		return
	}
	if err := b.addReading(&rests); err != nil {
		b.add("%s: %v", q.QuestionID, err)
		return
	}
	if q.Labels[schemas.LabelProposedBy] != "" {
		b.Underived["changed as an annotator proposed"]++
		return
	}
	got, err := callDerive(b.derivation.Question, q, rests)
	var under *pipeline.UnderivedError
	switch {
	case errors.As(err, &under):
		b.Underived[under.Reason]++
		return
	case err != nil:
		b.add("%s: %v", q.QuestionID, err)
	default:
		b.compare(q.QuestionID, q, got.Item)
		b.settle(q)
	}
	b.addDerived(got.Underivable, err == nil && sameColumns(q, got.Item))
}

// settle works the answer out again from the evidence alone, where the family can.
func (b *familyGold) settle(q schemas.Question) {
	if b.derivation.Settle == nil {
		return
	}
	err := pipeline.CheckSettled(q, func(q schemas.Question, pieces []schemas.Evidence) (answer string, err error) {
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("the derivation falls over it: %v", v)
			}
		}()
		return b.derivation.Settle(q, pieces)
	})
	var under *pipeline.UnderivedError
	if errors.As(err, &under) {
		return
	}
	if err != nil {
		b.add("%s: %v", q.QuestionID, err)
		return
	}
	b.Settled++
}

// callDerive derives an item again. Tables come from a stranger, so a panic is a finding
// about them.
func callDerive[T any](derive func(T, pipeline.Premises) (pipeline.Derived[T], error), item T, p pipeline.Premises) (out pipeline.Derived[T], err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the derivation falls over it: %v", v)
		}
	}()
	return derive(item, p)
}

func (b *familyGold) addDerived(free []string, same bool) {
	if !same {
		b.Wrong++
		return
	}
	b.Derived++
	for _, name := range free {
		b.Unconstrained[name]++
	}
}

func (b *familyGold) task(t schemas.Task) {
	b.Tasks++
	if b.Version == "" {
		return
	}
	rests, err := b.premises.task(t, b.derivation.Reads)
	if err != nil {
		b.add("task %s: %v", t.TaskID, err)
		return
	}
	if err := b.addReading(&rests); err != nil {
		b.add("task %s: %v", t.TaskID, err)
		return
	}
	got, err := callDerive(b.derivation.Task, t, rests)
	if err != nil {
		b.add("task %s: %v", t.TaskID, err)
		return
	}
	b.compare("task "+t.TaskID, t, got.Item)
	if sameColumns(t, got.Item) {
		b.TasksDerived++
		for _, name := range got.Underivable {
			b.Unconstrained["task "+name]++
		}
	}
}

func (b *familyGold) compare(item string, stated, follows any) {
	for _, d := range differingColumns(stated, follows) {
		b.add("%s: %s", item, d)
	}
}

// parts returns what an audit says of the family; released is the version of the
// derivation that the manifest names.
func (b *familyGold) parts(released string) []Part {
	all := fmt.Sprintf("gold of %s", counted(b.Questions, b.Family+" question"))
	switch {
	case b.Version == "" && released == "":
		return []Part{{Name: all, State: NotRecomputable, Why: "no derivation is known for the family", Differences: []string{}}}
	case b.Version != released:
		why := fmt.Sprintf("the release names version %q of its derivation, this program has %q", released, b.Version)
		return []Part{{Name: all, State: Errored, Why: why, Differences: []string{}}}
	}
	out := []Part{part(fmt.Sprintf("gold of %s by construction and %s", counted(b.Derived+b.Wrong, b.Family+" question"), counted(b.Tasks, "task")), b.findings)}
	for _, why := range slices.Sorted(maps.Keys(b.Underived)) {
		name := "gold of " + counted(b.Underived[why], "other "+b.Family+" question")
		out = append(out, Part{Name: name, State: NotRecomputable, Why: why, Differences: []string{}})
	}
	return out
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// premises indexes what tables say of the media of an item.
type premises struct {
	media     map[string]schemas.Media
	tasks     map[string]schemas.Task
	events    map[string][]schemas.StatedEvent
	labels    map[string][]schemas.StatedLabel
	questions map[string][]schemas.Question
	flagged   map[string][]schemas.Question
	records   goldRecords
	plugins   []string
}

func newPremises(reg *pipeline.Registry, c release.Contents, items *Items) *premises {
	p := &premises{
		records: goldRecords{registry: reg, items: items, of: map[string]map[string][]*recordPlace{}, last: map[string]taskRecords{}},
		media:   map[string]schemas.Media{}, tasks: map[string]schemas.Task{}, events: map[string][]schemas.StatedEvent{},
		labels: map[string][]schemas.StatedLabel{}, questions: map[string][]schemas.Question{}, flagged: map[string][]schemas.Question{},
	}
	for _, row := range c.Manifest.RecordCounts {
		p.plugins = append(p.plugins, row.Use)
	}
	for _, m := range c.Media {
		p.media[m.MediaID] = m
	}
	for _, t := range c.Tasks {
		p.tasks[t.TaskID] = t
	}
	for _, e := range c.Events {
		p.events[e.Original] = append(p.events[e.Original], e)
	}
	for _, l := range c.Labels {
		p.labels[l.Original] = append(p.labels[l.Original], l)
	}
	for _, q := range c.Questions {
		p.questions[q.TaskID] = append(p.questions[q.TaskID], q)
	}
	for _, f := range c.Flagged {
		p.flagged[f.Question.TaskID] = append(p.flagged[f.Question.TaskID], f.Question)
	}
	return p
}

func (p *premises) question(q schemas.Question, d pipeline.Derivation) (pipeline.Premises, error) {
	out := p.of(q.Media)
	out.Task = p.tasks[q.TaskID]
	if d.RelatedTask != nil {
		other := d.RelatedTask(q.TaskID)
		out.Related = slices.Concat(p.questions[other], p.flagged[other])
	}
	var err error
	out.Records, err = p.records.about(out.Task, d.Reads)
	return out, err
}

func (p *premises) task(t schemas.Task, reads []string) (pipeline.Premises, error) {
	out := p.of(t.Media)
	out.Task, out.Questions = t, p.questions[t.TaskID]
	var err error
	out.Records, err = p.records.about(t, reads)
	return out, err
}

func (p *premises) of(media []string) (out pipeline.Premises) {
	out.Plugins = p.plugins
	seen := map[string]bool{}
	for _, id := range media {
		m, known := p.media[id]
		if !known {
			continue
		}
		out.Media = append(out.Media, m)
		for _, s := range m.Recipe.Segments {
			if !seen[s.Original] {
				seen[s.Original] = true
				out.Events = append(out.Events, p.events[s.Original]...)
				out.Labels = append(out.Labels, p.labels[s.Original]...)
			}
		}
	}
	return out
}

// goldRecords finds the records that derivations rest on besides media and statements.
// The owners of the records of a schema are read when a derivation first asks for it,
// the records themselves task by task.
type goldRecords struct {
	registry *pipeline.Registry
	items    *Items
	// of is by schema and by what a record belongs to: a task or a medium.
	of map[string]map[string][]*recordPlace
	// last are those of the task at hand, by the schemas that are read of it: tables have
	// the questions of a task together.
	last map[string]taskRecords
}

// taskRecords are the records of a task by schema.
type taskRecords struct {
	task    string
	records map[string][]pipeline.Record
}

// ownerFields are the fields that name the owner of a record.
type ownerFields struct {
	TaskID  string `json:"task_id"`
	MediaID string `json:"media_id"`
}

// flaggedPrefix begins the key of records that a release has in flagged_records alone;
// the id of the record follows.
const flaggedPrefix = "judged "

// about returns the records of a task and of its media by schema; for a schema without a
// table, the judged records that the task was made from. Callers must not change them.
func (r *goldRecords) about(t schemas.Task, reads []string) (map[string][]pipeline.Record, error) {
	key := strings.Join(reads, " ")
	if was, known := r.last[key]; known && was.task == t.TaskID {
		return was.records, nil
	}
	delete(r.last, key)
	out := map[string][]pipeline.Record{}
	for _, schema := range reads {
		by, err := r.read(schema)
		if err != nil {
			return nil, err
		}
		of := slices.Clone(by[t.TaskID])
		for _, m := range t.Media {
			of = append(of, by[m]...)
		}
		for _, id := range t.SourceRecords {
			of = append(of, by[flaggedPrefix+id]...)
		}
		for _, k := range of {
			rec, err := r.items.item(k).Record()
			if err != nil {
				return nil, err
			}
			out[schema] = append(out[schema], rec)
		}
	}
	r.last[key] = taskRecords{t.TaskID, out}
	return out, nil
}

func (r *goldRecords) read(schema string) (map[string][]*recordPlace, error) {
	if by, known := r.of[schema]; known {
		return by, nil
	}
	by := map[string][]*recordPlace{}
	switch _, declared := r.registry.Table(schema); {
	case !declared && r.registry.Discloses(schema):
		r.items.addFlagged(schema, by)
	case !declared:
		return nil, fmt.Errorf("its gold rests on records of schema %q, for which no table is declared", schema)
	}
	for _, k := range r.items.declared[schema] {
		rec, err := r.items.record(k)
		if err != nil {
			return nil, err
		}
		var is ownerFields
		if err := json.Unmarshal(rec.Data, &is); err != nil {
			return nil, fmt.Errorf("%s %s: %w", schema, rec.ID, err)
		}
		owner := cmp.Or(is.TaskID, is.MediaID)
		by[owner] = append(by[owner], k)
	}
	r.of[schema] = by
	return by, nil
}

// addFlagged adds the judged records of a schema without a table.
func (t *Items) addFlagged(schema string, by map[string][]*recordPlace) {
	for id, forms := range t.forms {
		for _, f := range forms {
			if f.Schema == schema {
				by[flaggedPrefix+id] = append(by[flaggedPrefix+id], &recordPlace{id: id, schema: schema, row: flaggedItem(f)})
			}
		}
	}
}

// differingColumns names the columns in which two rows of a type differ, with both
// values. An empty list or map equals none.
func differingColumns(stated, follows any) []string {
	var out []string
	s, f := reflect.ValueOf(stated), reflect.ValueOf(follows)
	for i := range s.NumField() {
		a, b := s.Field(i), f.Field(i)
		if equalValues(a, b) {
			continue
		}
		name, _, _ := strings.Cut(s.Type().Field(i).Tag.Get("json"), ",")
		switch {
		case a.Kind() == reflect.Map:
			out = append(out, differingKeys(name, a.Interface().(map[string]string), b.Interface().(map[string]string))...)
		case a.Kind() == reflect.Slice && a.Len() == b.Len():
			for j := range a.Len() {
				if !equalValues(a.Index(j), b.Index(j)) {
					out = append(out, differenceText(fmt.Sprintf("%s[%d]", name, j), a.Index(j).Interface(), b.Index(j).Interface()))
				}
			}
		default:
			out = append(out, differenceText(name, a.Interface(), b.Interface()))
		}
	}
	return out
}

func sameColumns(stated, follows any) bool { return len(differingColumns(stated, follows)) == 0 }

func equalValues(a, b reflect.Value) bool {
	if k := a.Kind(); (k == reflect.Slice || k == reflect.Map) && a.Len() == 0 && b.Len() == 0 {
		return true
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

func differingKeys(name string, a, b map[string]string) []string {
	var out []string
	keys := append(slices.Collect(maps.Keys(a)), slices.Collect(maps.Keys(b))...)
	slices.Sort(keys)
	for _, k := range slices.Compact(keys) {
		x, inA := a[k]
		y, inB := b[k]
		if x != y || inA != inB {
			out = append(out, differenceText(name+"."+k, x, y))
		}
	}
	return out
}

func differenceText(name string, stated, follows any) string {
	return fmt.Sprintf("%s is %+v, from events, labels and recipe follows %+v", name, stated, follows)
}
