package quota

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

func record(t *testing.T, schema, id string, v any) pipeline.Record {
	t.Helper()
	r, err := pipeline.NewRecord(schema, id, v)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// collection has, for each of the sources a and b, n groups of two questions of
// type x, n single questions of type y and one of type z.
func collection(t *testing.T, n int) []pipeline.Record {
	t.Helper()
	var out []pipeline.Record
	add := func(source, typ, id string, labels map[string]string) {
		q := schemas.Question{QuestionID: id, Type: typ, TaskID: "task-" + source, Labels: labels}
		out = append(out, record(t, schemas.NameQuestion, id, q))
	}
	for _, source := range []string{"a", "b"} {
		out = append(out, record(t, schemas.NameTask, "task-"+source, schemas.Task{TaskID: "task-" + source, SourceRecords: []string{source}}))
		for i := range n {
			labels := map[string]string{"mirror_group": fmt.Sprintf("m-%s-%d", source, i)}
			add(source, "x", fmt.Sprintf("%s-x-%d-0", source, i), labels)
			add(source, "x", fmt.Sprintf("%s-x-%d-1", source, i), labels)
			add(source, "y", fmt.Sprintf("%s-y-%d", source, i), nil)
		}
		add(source, "z", source+"-z", nil)
	}
	slices.SortFunc(out, func(a, b pipeline.Record) int { return strings.Compare(a.ID, b.ID) })
	return out
}

func config(onShort string, counts ...Count) Config {
	var c Config
	c.SetDefaults()
	c.By, c.Counts, c.OnShort = []string{"source", "type"}, counts, onShort
	return c
}

// fold runs the stage and returns the ids kept and the rejections by code.
func fold(t *testing.T, c Config, seed uint64, records []pipeline.Record) ([]string, map[string][]pipeline.Rejection, error) {
	t.Helper()
	out, lost, err := testkit.Subject{Register: Register, Use: "quota", Config: c, Seed: seed, Inputs: records}.Run(t)
	if err != nil {
		return nil, nil, err
	}
	byCode := map[string][]pipeline.Rejection{}
	for _, r := range lost {
		byCode[r.Code] = append(byCode[r.Code], r)
	}
	var ids []string
	for _, r := range out {
		ids = append(ids, r.ID)
	}
	return ids, byCode, nil
}

func count(ids []string, part string) (n int) {
	for _, id := range ids {
		if strings.Contains(id, part) {
			n++
		}
	}
	return n
}

func TestConformance(t *testing.T) {
	testkit.ConformStage(t, testkit.Subject{
		Register: Register, Use: "quota", Inputs: collection(t, 4),
		Config: config(keep, Count{[]string{"a", "x"}, 4}, Count{[]string{"*", "y"}, 3}),
		Golden: golden,
	})
}

// TestGoldenSpoiled pins what is chosen with one value of a record wrong.
func TestGoldenSpoiled(t *testing.T) {
	testkit.Subject{Register: Register, Use: "quota", Inputs: collection(t, 4), Config: config(keep, Count{[]string{"a", "x"}, 4}, Count{[]string{"*", "y"}, 3})}.CheckSpoiledInput(t, pipeline.KindStage, "spoiled", 0)
}

const golden = "1 7e923b4ccd9a8599521b505121116bb44e6674675ebf63cca045a8a7788d30de"

func TestCountsAreMetAndGroupsStayWhole(t *testing.T) {
	records := collection(t, 20)
	c := config(fail, Count{[]string{"a", "x"}, 14}, Count{[]string{"b", "x"}, 6}, Count{[]string{"*", "y"}, 25})
	kept, lost, err := fold(t, c, 1, records)
	if err != nil {
		t.Fatal(err)
	}
	if count(kept, "a-x") != 14 || count(kept, "b-x") != 6 || count(kept, "-y-") != 25 || len(kept) != 45 {
		t.Errorf("kept %v", kept)
	}
	for _, id := range kept {
		if strings.Contains(id, "-x-") {
			twin := id[:len(id)-1] + map[byte]string{'0': "1", '1': "0"}[id[len(id)-1]]
			if !slices.Contains(kept, twin) {
				t.Errorf("%s is kept without %s", id, twin)
			}
		}
	}
	if len(lost["over-quota"]) != 120-45 || len(lost["no-quota"]) != 2 || len(lost) != 2 {
		t.Errorf("%d over quota, %d without one", len(lost["over-quota"]), len(lost["no-quota"]))
	}
	for _, rs := range lost {
		for _, r := range rs {
			if !r.Flagged || r.ID == "" {
				t.Errorf("%+v counts as a loss", r)
			}
		}
	}
}

func TestTheFirstFittingEntryCounts(t *testing.T) {
	c := config(keep, Count{[]string{"a", "y"}, 1}, Count{[]string{"*", "y"}, 2}, Count{[]string{"a", "*"}, 0})
	c.Unlisted = keep
	kept, lost, err := fold(t, c, 1, collection(t, 5))
	if err != nil || count(kept, "a-y") != 1 || count(kept, "b-y") != 2 || count(kept, "a-x")+count(kept, "a-z") != 0 || count(kept, "b-x") != 10 || count(kept, "b-z") != 1 {
		t.Errorf("kept %v: %v", kept, err)
	}
	if len(lost["no-quota"]) != 0 {
		t.Errorf("%v", lost["no-quota"])
	}
}

func TestShortage(t *testing.T) {
	// An odd number of twins can never be reached.
	counts := []Count{{[]string{"a", "x"}, 5}, {[]string{"b", "x"}, 10}, {[]string{"c", "y"}, 1}}
	_, _, err := fold(t, config(fail, counts...), 1, collection(t, 4))
	var short *pipeline.ShortageError
	if !errors.As(err, &short) || len(short.Short) != 3 || !strings.Contains(err.Error(), "source=b type=x: 8 of 10 questions, chosen from 8") {
		t.Errorf("%v", err)
	}
	kept, lost, err := fold(t, config(keep, counts...), 1, collection(t, 4))
	if err != nil || count(kept, "a-x") != 4 || count(kept, "b-x") != 8 {
		t.Errorf("kept %v: %v", kept, err)
	}
	if rs := lost["short"]; len(rs) != 3 || rs[0].ID != "quota source=a type=x" || !rs[0].Flagged {
		t.Errorf("%+v", rs)
	}
}

func TestTheChoiceIsSeededAndStable(t *testing.T) {
	records := collection(t, 40)
	c := config(keep, Count{[]string{"a", "x"}, 30}, Count{[]string{"b", "x"}, 30})
	first, _, err := fold(t, c, 1, records)
	if err != nil {
		t.Fatal(err)
	}
	again, _, _ := fold(t, c, 1, records)
	other, _, _ := fold(t, c, 2, records)
	if !slices.Equal(first, again) || slices.Equal(first, other) || len(other) != 60 {
		t.Errorf("two runs differ, or two seeds do not")
	}
	// Without one group at most one other takes its place.
	gone := first[0][:len(first[0])-2]
	fewer, _, _ := fold(t, c, 1, slices.DeleteFunc(records, func(r pipeline.Record) bool { return strings.HasPrefix(r.ID, gone+"-") }))
	changed := 0
	for _, id := range fewer {
		if !slices.Contains(first, id) {
			changed++
		}
	}
	if changed != 2 || len(fewer) != 60 {
		t.Errorf("%d of %d questions changed with one group", changed, len(fewer))
	}
}

// TestSourcesOfEvidence is about questions whose task is not among the inputs.
func TestSourcesOfEvidence(t *testing.T) {
	q := schemas.Question{QuestionID: "q", Type: "x", Evidence: []schemas.Evidence{{SourceID: "b"}, {SourceID: "a"}, {}, {SourceID: "b"}}}
	kept, _, err := fold(t, config(fail, Count{[]string{"a+b", "x"}, 1}), 1, []pipeline.Record{record(t, schemas.NameQuestion, "q", q)})
	if err != nil || len(kept) != 1 {
		t.Errorf("%v: %v", kept, err)
	}
}

func TestConfigurationIsChecked(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"by is empty":             func(c *Config) { c.By = nil },
		"unlisted":                func(c *Config) { c.Unlisted = "maybe" },
		"on_short":                func(c *Config) { c.OnShort = "cry" },
		"one value for each":      func(c *Config) { c.Counts[0].Of = []string{"a"} },
		"want 0 or more":          func(c *Config) { c.Counts[0].Count = -1 },
		"source=a type=x is list": func(c *Config) { c.Counts = append(c.Counts, c.Counts[0]) },
	} {
		c := config(keep, Count{[]string{"a", "x"}, 1})
		change(&c)
		if _, err := newQuota(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}

// TestGroupsAcrossEntries keeps a group of questions of two types whole.
func TestGroupsAcrossEntries(t *testing.T) {
	var records []pipeline.Record
	for i := range 6 {
		labels := map[string]string{"mirror_group": fmt.Sprint(i)}
		for _, typ := range []string{"x", "y", "w"} {
			id := fmt.Sprintf("%s-%d", typ, i)
			records = append(records, record(t, schemas.NameQuestion, id, schemas.Question{QuestionID: id, Type: typ, Labels: labels}))
		}
	}
	c := config(keep, Count{[]string{"x"}, 2}, Count{[]string{"y"}, 3})
	c.By, c.Unlisted = []string{"type"}, keep
	kept, _, err := fold(t, c, 1, records)
	if err != nil || len(kept) != 6 || count(kept, "x-") != 2 || count(kept, "y-") != 2 || count(kept, "w-") != 2 {
		t.Errorf("kept %v: %v", kept, err)
	}
	c.Unlisted = drop
	if kept, _, err := fold(t, c, 1, records); err != nil || len(kept) != 0 {
		t.Errorf("kept %v: %v", kept, err)
	}
}

// TestChoosableQuestionsAreCounted: each count says of how many questions it could choose,
// the first one too, and those under no count are of none.
func TestChoosableQuestionsAreCounted(t *testing.T) {
	entries := map[string]entry{
		"a": {rule: 0}, "b": {rule: 0}, "c": {rule: 0, group: "g"}, "d": {rule: 1, group: "g"}, "e": {rule: -1},
	}
	kept, had := choose(entries, []int{2, 1}, false, func(string) uint64 { return 0 })
	if !slices.Equal(had, []int{3, 1}) {
		t.Errorf("it could choose from %v, want [3 1]", had)
	}
	// By name come the group g, which takes one of each count, then a; b finds no room.
	if len(kept) != 3 || !kept["a"] || !kept["c"] || !kept["d"] {
		t.Errorf("kept %v, want a, c and d", kept)
	}
}
