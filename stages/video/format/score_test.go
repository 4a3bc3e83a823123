package format

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func metric(t *testing.T, s Scores, name string, yes, total int) {
	t.Helper()
	if got := s.Metrics[name]; got != (Count{yes, total}) {
		t.Errorf("%s is %d of %d, want %d of %d", name, got.Yes, got.Total, yes, total)
	}
}

// TestIntrusion covers the ways in which a row tells an intrusion.
func TestIntrusion(t *testing.T) {
	roles := map[string]string{"A": "correct", "B": "intrusion", "C": "irrelevant_distractor", "D": "intrusion"}
	options := []string{"A. w", "B. x", "C. y", "D. z"}
	doc := func(id, group string, roles map[string]string, letter string) Doc {
		return Doc{Task: Interference, ID: id, Options: options, Answer: "a", Group: group, Roles: roles, Intrusion: letter}
	}
	set := Set{Docs: []Doc{
		doc("right", "proactive", roles, "B"), doc("second intrusion", "proactive", roles, "B"), doc("unrelated", "proactive", roles, "B"),
		// Without an answer there is no role; the letter then says no intrusion.
		doc("invalid", "proactive", roles, "B"), doc("invalid, no letter", "proactive", roles, ""),
		doc("older row", "retroactive", nil, "B"), doc("nothing known", "retroactive", nil, ""),
		// A null that a loader filled in is a role, and none that counts.
		doc("filled in", "retroactive", map[string]string{"A": "correct", "D": "none"}, "D"),
		doc("skipped", "retroactive", roles, "B"),
		{Task: Interference, ID: "by direction", Options: options, Answer: "A", Direction: "retroactive", Roles: roles},
		{Task: Interference, ID: "no group", Options: options, Answer: "A", Roles: roles},
	}}
	s, err := Score(set, map[string]string{
		"right": "A", "second intrusion": "D", "unrelated": "C", "invalid": "?", "invalid, no letter": "?", "older row": "B",
		"nothing known": "B", "filled in": "D", "skipped": Skipped + ": no video", "by direction": "B", "no group": "A",
	}, Upstream)
	if err != nil {
		t.Fatal(err)
	}
	metric(t, s, "m3eval_memory_interference_accuracy", 2, 10)
	metric(t, s, "m3eval_memory_interference_proactive_accuracy", 1, 5)
	metric(t, s, "m3eval_memory_interference_proactive_intrusion_rate", 1, 4)
	metric(t, s, "m3eval_memory_interference_retroactive_accuracy", 0, 4)
	metric(t, s, "m3eval_memory_interference_retroactive_intrusion_rate", 2, 3)
	if s.Skipped != 1 || len(s.WarningList) != 1 || !strings.Contains(s.WarningList[0], "no group") {
		t.Errorf("skipped %d, warnings %q", s.Skipped, s.WarningList)
	}
}

// TestControlsCountApart: a control of a release is in neither the mean of its task nor the
// figure of its type, but in a table of its own; without controls there is no such table.
func TestControlsCountApart(t *testing.T) {
	doc := func(id, group string) Doc {
		return Doc{Task: Split, ID: id, Options: []string{"A. x", "B. y"}, Answer: "A", Group: group, Detail: "source_memory", Dimension: "spatial"}
	}
	set := Set{Docs: []Doc{doc("test", "swap10"), doc("control", "swap0")}}
	for apart, want := range map[bool]int{true: 1, false: 2} {
		if set.Docs[1].Task = Split; apart {
			set.Docs[1].Task = Control
		}
		s, err := Score(set, map[string]string{"test": "B", "control": "A"}, Upstream)
		if err != nil {
			t.Fatal(err)
		}
		metric(t, s, overallSplit, want-1, want)
		metric(t, s, spatialGrounding, want-1, want)
		has := slices.ContainsFunc(s.Tables(), func(t Table) bool { return t.Name == "control" })
		if has != apart {
			t.Errorf("controls apart: %v, and a table of controls: %v", apart, has)
		}
	}
}

// TestRowsInNoTable scores rows whose fields are absent or unknown: they count
// in the mean of their task and nowhere else.
func TestRowsInNoTable(t *testing.T) {
	options := []string{"A. x", "B. y"}
	story := func(id string, task Task, group, detail, errorType, dimension string) Doc {
		return Doc{Task: task, ID: id, Options: options, Answer: "A", Group: group, Detail: detail, ErrorType: errorType, Dimension: dimension}
	}
	const storyline = "storyline_reconstruction"
	set := Set{Docs: []Doc{
		story("1", Split, "swap0", storyline, "source_confusion", ""),
		story("2", Split, "swap10", storyline, "source_confusion", "narrative"),
		story("3", Split, "swap10", "source_memory", "", "spatial"),
		story("4", Split, "", storyline, "source_confusion", "spatial"),
		story("5", Split, "swap5", storyline, "source_confusion", "spatial"),
		story("6", Split, "swap0", "source_memory", "", "narrative"),
		story("7", Split, "swap0", "false_source_attribution", "", "spatial"),
		story("8", Split, "", "", "", ""),
		story("9", Interleaved, "", storyline, "order_disruption", ""),
		story("10", Interleaved, "", "false_source_attribution", "", "narrative"),
		story("11", Interleaved, "", "false_source_attribution", "", "spatial"),
		story("12", Interleaved, "", storyline, "", "narrative"),
		{Task: NBack, ID: "13", Options: []string{"Yes", "No"}, Answer: "yes", Attribute: "scene", N: wholeNumber(2), K: wholeNumber(4)},
		{Task: NBack, ID: "14", Options: []string{"Yes", "No"}, Answer: "No", Attribute: "mood", N: wholeNumber(5), K: wholeNumber(8)},
		{Task: NBack, ID: "15", Options: []string{"Yes", "No"}, Answer: "No"},
	}}
	answers := map[string]string{}
	for _, d := range set.Docs {
		answers[d.ID] = map[bool]string{true: "YES", false: "The final answer is A"}[d.Task == NBack]
	}
	s, err := Score(set, answers, Upstream)
	if err != nil {
		t.Fatal(err)
	}
	metric(t, s, overallSplit, 8, 8)
	metric(t, s, "m3eval_divided_attention_no_swap_source_identification_accuracy", 1, 1)
	metric(t, s, "m3eval_divided_attention_swap_source_identification_accuracy", 1, 1)
	metric(t, s, "m3eval_divided_attention_spatial_source_grounding_accuracy", 1, 1)
	metric(t, s, overallInterleaved, 4, 4)
	metric(t, s, "m3eval_interleaved_events_order_understanding_accuracy", 1, 1)
	metric(t, s, "m3eval_interleaved_events_false_memory_discrimination_accuracy", 1, 1)
	metric(t, s, overallNBack, 1, 3)
	metric(t, s, "m3eval_nback_scene_accuracy", 1, 1)
	metric(t, s, "m3eval_nback_n2_accuracy", 1, 1)
	if len(s.Metrics) != 10 || s.NBack["scene,K=4,N=2"] != (Count{1, 1}) || s.NBack["K=8,N=5"] != (Count{0, 1}) {
		t.Errorf("metrics %v, n-back %v", s.Metrics, s.NBack)
	}
	if len(s.WarningList) != 1 || !strings.HasPrefix(s.WarningList[0], "9 questions") {
		t.Errorf("warnings %q", s.WarningList)
	}
}

// TestTablesOfThePaper scores as many questions as the paper's denominators
// with Gemini's numbers of right answers, and compares the
// percentages with those printed there (tables 1 to 3).
func TestTablesOfThePaper(t *testing.T) {
	const da, mi, ie = "m3eval_divided_attention_", "m3eval_memory_interference_", "m3eval_interleaved_events_"
	s := Scores{Metrics: map[string]Count{
		da + "no_swap_source_identification_accuracy": {30, 48}, da + "swap_source_identification_accuracy": {18, 48},
		da + "no_swap_content_retention_accuracy": {25, 51}, da + "swap_content_retention_accuracy": {29, 51},
		mi + "proactive_accuracy": {35, 55}, mi + "retroactive_accuracy": {30, 55},
		mi + "proactive_intrusion_rate": {13, 55}, mi + "retroactive_intrusion_rate": {17, 55},
		ie + "source_identification_accuracy": {34, 79}, ie + "order_understanding_accuracy": {15, 30},
		ie + "content_retention_accuracy": {27, 55}, ie + "false_memory_discrimination_accuracy": {25, 95},
	}}
	got := map[string]float64{}
	for _, table := range s.Tables() {
		for _, r := range table.Rows {
			if r.Percent != nil {
				got[table.Name[:7]+" "+r.Name] = *r.Percent
			}
		}
	}
	want := map[string]float64{
		"table_1 no_swap_source_identification": 62.50, "table_1 swap_source_identification": 37.50, "table_1 swap_source_identification_delta": -25,
		"table_1 no_swap_content_retention": 49.02, "table_1 swap_content_retention": 56.86, "table_1 swap_content_retention_delta": 7.84,
		"table_2 proactive_accuracy": 63.64, "table_2 retroactive_accuracy": 54.55, "table_2 accuracy_delta_proactive_minus_retroactive": 9.09,
		"table_2 proactive_intrusion_rate": 23.64, "table_2 retroactive_intrusion_rate": 30.91, "table_2 intrusion_delta_proactive_minus_retroactive": -7.27,
		"table_3 source_identification": 43.04, "table_3 order_understanding": 50, "table_3 content_retention": 49.09, "table_3 false_memory_discrimination": 26.32,
	}
	for name, v := range want {
		if math.Abs(got[name]-v) > 0.005 {
			t.Errorf("%s is %.4f, the paper has %.2f", name, got[name], v)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d figures, want %d", len(got), len(want))
	}
}

// TestLoadFillsInNulls reads files as the HF builder does.
func TestLoadFillsInNulls(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "qa_root/memory_interference/memory_interference_qa.json", `[
{"id": "a", "video": "v", "question": "q", "options": ["A. x", "B. y"], "answer": "A", "option_role_by_letter": {"A": "Correct", "B": "intrusion"}, "intrusion_option_letter": null},
{"id": "b", "video": "v", "question": "q", "options": ["A. x"], "answer": "A", "option_role_by_letter": {"A": "correct"}},
{"id": "c", "video": "v", "question": "q", "options": ["A. x"], "answer": "A"}]`)
	put(t, dir, "questions/nback_questions.jsonl", `{"question_id": "n", "options": ["Yes", "No"], "answer": "No", "n_value": "2", "k_value": 4}
{"question_id": "m", "options": ["Yes", "No"], "answer": "No", "n_value": null, "clip_count": "many"}
`)
	set, err := Load(dir)
	if err != nil || len(set.Docs) != 5 {
		t.Fatalf("%d docs: %v", len(set.Docs), err)
	}
	a, b, c, n, m := set.Docs[0], set.Docs[1], set.Docs[2], set.Docs[3], set.Docs[4]
	if a.Roles["A"] != "correct" || a.Intrusion != "" || b.Roles["B"] != "none" || c.Roles != nil {
		t.Errorf("roles %v %v %v, letter %q", a.Roles, b.Roles, c.Roles, a.Intrusion)
	}
	if n.ID != "n" || *n.N.toInt(Upstream) != 2 || *n.K.toInt(Paper) != 4 || m.N.toInt(Upstream) != nil || m.K.toInt(Paper) != nil {
		t.Errorf("%+v %+v", n, m)
	}
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestLoadRefuses(t *testing.T) {
	for want, text := range map[string]string{
		"are no list":    `[{"id": "a", "answer": "A", "options": "A. x"}]`,
		"twice":          `[{"id": "a", "options": []}, {"id": "a", "options": []}]`,
		"empty":          `[{"options": []}]`,
		"after the list": `[] []`,
		"read ":          `[{"id": `,
	} {
		dir := t.TempDir()
		put(t, dir, "qa_root/interleaved/interleaved_qa.json", text)
		if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	var unreadable *LoadError
	if _, err := Load(t.TempDir()); !errors.As(err, &unreadable) {
		t.Errorf("an empty folder: %v", err)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(`[{"id":"a","options":["A. x",1,null,{}],"option_role_by_letter":{"A":null},"n_value":1e9}]`))
	f.Add([]byte("{\"question_id\":\"a\",\"options\":[]}\n{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, task := range []Task{Interference, NBack} {
			docs, err := parseFile(task, data)
			if err != nil {
				continue
			}
			answers := map[string]string{}
			for _, d := range docs {
				answers[d.ID] = "A"
			}
			for _, variant := range []Variant{Upstream, Paper} {
				if _, err := Score(Set{Docs: docs}, answers, variant); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

func wholeNumber(n int) Number { return Number{strconv.Itoa(n), &n, &n} }
