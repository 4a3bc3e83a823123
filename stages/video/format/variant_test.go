package format

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/eval/score"
)

// TestNumbers follows Python: int(doc["n_value"]) for the tables, and what
// stands in the row for the breakdown.
func TestNumbers(t *testing.T) {
	for _, tc := range []struct{ given, upstream, upstreamKey, paper, paperKey string }{
		{`3`, "3", "3", "3", "3"},
		{`3.0`, "3", "3.0", "3", "3"},
		{`true`, "1", "True", "1", "1"},
		{`false`, "0", "False", "0", "0"},
		{`"3"`, "3", "3", "3", "3"},
		{`" 3 "`, "3", "3", "3", "3"},
		{`"3.0"`, "", "3.0", "", ""},
		{`2.7`, "2", "2.7", "", ""},
		{`3e0`, "3", "3.0", "3", "3"},
		{`null`, "", "", "", ""},
		{`"many"`, "", "many", "", ""},
		{`[2]`, "", "[2]", "", ""},
	} {
		rows, err := parseRows([]byte(`{"n": ` + tc.given + `}`))
		if err != nil {
			t.Fatal(err)
		}
		n := parseNumber(rows[0], "n")
		for _, of := range []struct {
			v         Variant
			want, key string
		}{{Upstream, tc.upstream, tc.upstreamKey}, {Paper, tc.paper, tc.paperKey}} {
			got := ""
			if i := n.toInt(of.v); i != nil {
				got = fmt.Sprint(*i)
			}
			if key, _ := n.breakdownKey(of.v); got != of.want || key != of.key {
				t.Errorf("%s, %s: %q under %q, want %q under %q", tc.given, of.v, got, key, of.want, of.key)
			}
		}
	}
}

// TestNBackRowsAsTheyCome scores rows without options, and lags that are no
// plain numbers, by both variants.
func TestNBackRowsAsTheyCome(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "questions/nback_questions.jsonl", `{"question_id": "a", "answer": "Yes", "attribute": "action", "n_value": 3.0, "clip_count": 4}
{"question_id": "b", "answer": "No", "attribute": "scene", "n_value": true, "clip_count": 0, "k_value": 5, "options": null}
{"question_id": "c", "answer": "No", "attribute": "scene", "n_value": 2.7, "clip_count": 6}
`)
	set, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{"a": "Yes", "b": "The final answer is No", "c": "yes"}
	for variant, want := range map[Variant]struct {
		keys string
		n2   Count
	}{
		Upstream: {"K=4 K=4,N=3.0 K=5 K=5,N=True K=6 K=6,N=2.7 N=2.7 N=3.0 N=True action,K=4,N=3.0 action,N=3.0 scene,K=5,N=True scene,K=6,N=2.7 scene,N=2.7 scene,N=True", Count{0, 1}},
		Paper:    {"K=4 K=4,N=3 K=5 K=5,N=1 K=6 N=1 N=3 action,K=4,N=3 action,N=3 scene,K=5,N=1 scene,N=1", Count{}},
	} {
		s, err := Score(set, answers, variant)
		if err != nil {
			t.Fatal(err)
		}
		metric(t, s, overallNBack, 2, 3)
		metric(t, s, "m3eval_nback_n3_accuracy", 1, 1)
		metric(t, s, "m3eval_nback_n1_accuracy", 1, 1)
		metric(t, s, "m3eval_nback_n2_accuracy", want.n2.Yes, want.n2.Total)
		if got := strings.Join(slices.Sorted(maps.Keys(s.NBack)), " "); got != want.keys {
			t.Errorf("%s: keys %s\nwant %s", variant, got, want.keys)
		}
	}
}

// TestVariants are the cases in which the paper and the code of M3Eval differ.
func TestVariants(t *testing.T) {
	options := []string{"A. w", "B. x", "C. y", "D. z"}
	roles := map[string]string{"A": "correct", "B": "intrusion", "C": "intrusion", "D": "irrelevant_distractor"}
	grounding := func(id, group string) Doc {
		return Doc{Task: Split, ID: id, Options: options, Answer: "A", Group: group, Detail: "source_memory", ErrorType: "source_confusion", Dimension: "spatial"}
	}
	set := Set{Docs: []Doc{
		grounding("still", "swap0"), grounding("swapped", "swap10"),
		{Task: Interference, ID: "intruded", Options: options, Answer: "A", Group: "proactive", Roles: roles},
		{Task: Interference, ID: "no answer", Options: options, Answer: "A", Group: "proactive", Roles: roles},
		{Task: Interference, ID: "nothing known", Options: options, Answer: "A", Group: "proactive"},
	}}
	answers := map[string]string{"still": "B", "swapped": "A", "intruded": "C", "no answer": "I cannot tell.", "nothing known": "A"}
	for variant, want := range map[Variant]struct{ ground, intruded Count }{
		Upstream: {Count{1, 2}, Count{1, 1}},
		Paper:    {Count{1, 1}, Count{1, 2}},
	} {
		s, err := Score(set, answers, variant)
		if err != nil || len(s.WarningList) != 0 {
			t.Fatalf("%v %q", err, s.WarningList)
		}
		metric(t, s, spatialGrounding, want.ground.Yes, want.ground.Total)
		metric(t, s, overallSplit, 1, 2)
		metric(t, s, "m3eval_memory_interference_proactive_intrusion_rate", want.intruded.Yes, want.intruded.Total)
		metric(t, s, "m3eval_memory_interference_proactive_accuracy", 1, 3)
	}
}

// TestRepeats scores figure 8 by hand: four questions about repeated videos in
// two cells, beside two plain ones.
func TestRepeats(t *testing.T) {
	dir := t.TempDir()
	row := func(id, way, repetition string) string {
		said := ""
		if repetition != "" {
			said = `, "repetition": "` + repetition + `"`
		}
		return `{"id": "` + id + `", "video": "v", "question": "q", "options": ["A. x", "B. y", "C. z", "D. w"], "answer": "A", "paper_v4_metric_group": "` + way +
			`", "option_role_by_letter": {"A": "correct", "B": "intrusion", "C": "intrusion", "D": "irrelevant_distractor"}` + said + `}`
	}
	put(t, dir, "data/m3eval/qa_root/memory_interference/memory_interference_qa.json", "["+row("p", "retroactive", "")+","+row("q", "retroactive", "")+"]")
	put(t, dir, "data/m3eval-memforge/memory_interference_repeated_qa.json", "["+row("r1", "retroactive", "target")+","+row("r2", "retroactive", "target")+","+row("r3", "retroactive", "interferer")+","+row("r4", "proactive", "interferer")+"]")
	answers := map[string]string{"p": "A", "q": "B", "r1": "A", "r2": "A", "r3": "C", "r4": "D"}
	for _, named := range []string{dir, filepath.Join(dir, "data", "m3eval")} {
		set, err := Load(named)
		if err != nil || len(set.Docs) != 6 {
			t.Fatalf("%s: %d questions, %v", named, len(set.Docs), err)
		}
		s, err := Score(set, answers, Upstream)
		if err != nil || len(s.WarningList) != 0 {
			t.Fatalf("%v %q", err, s.WarningList)
		}
		metric(t, s, overallInterference, 1, 2)
		got := map[string]float64{}
		for _, table := range s.Tables() {
			for _, r := range table.Rows {
				if table.Name == "figure_8_repetition" && r.Percent != nil {
					got[r.Name] = *r.Percent
				}
			}
		}
		want := map[string]float64{
			"retroactive_target_repeated_accuracy": 100, "retroactive_target_repeated_accuracy_delta": 50,
			"retroactive_interferer_repeated_accuracy": 0, "retroactive_interferer_repeated_accuracy_delta": -50,
			"retroactive_target_repeated_intrusion_rate": 0, "retroactive_target_repeated_intrusion_rate_delta": -50,
			"retroactive_interferer_repeated_intrusion_rate": 100, "retroactive_interferer_repeated_intrusion_rate_delta": 50,
			"proactive_interferer_repeated_accuracy": 0, "proactive_interferer_repeated_intrusion_rate": 0,
		}
		if !maps.Equal(got, want) {
			t.Errorf("figure 8 is %v, want %v", got, want)
		}
	}
	set, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Score(set, map[string]string{"p": "A", "q": "B"}, Paper)
	if err != nil || len(s.WarningList) != 1 || !strings.Contains(s.WarningList[0], "none of the 4 questions over repeated videos") {
		t.Errorf("repeats without answers: %v %q", err, s.WarningList)
	}
	var missing *score.MissingError
	if _, err := Score(set, map[string]string{"p": "A", "q": "B", "r1": "A"}, Paper); !errors.As(err, &missing) || len(missing.IDs) != 3 {
		t.Errorf("some repeats without answers: %v", err)
	}
}

// TestRandomChoice is the row Random of the paper's tables: one of four options,
// two intrusions among them, and Yes or No.
func TestRandomChoice(t *testing.T) {
	four, three := []string{"A. w", "B. x", "C. y", "D. z"}, []string{"A. w", "B. x", "C. y"}
	roles := map[string]string{"A": "correct", "B": "intrusion", "C": "intrusion", "D": "irrelevant_distractor"}
	set := Set{Docs: []Doc{
		{Task: Interference, ID: "1", Options: four, Answer: "A", Group: "proactive", Roles: roles},
		{Task: Interference, ID: "2", Options: four, Answer: "A", Group: "retroactive", Roles: roles},
		{Task: Interleaved, ID: "3", Options: four, Answer: "A", Detail: "storyline_reconstruction", ErrorType: "order_disruption"},
		{Task: Interleaved, ID: "4", Options: three, Answer: "A", Detail: "storyline_reconstruction", ErrorType: "order_disruption"},
		{Task: NBack, ID: "5", Answer: "Yes", Attribute: "scene", N: wholeNumber(1), K: wholeNumber(2)},
	}}
	s, err := Score(set, map[string]string{"1": "B", "2": "A", "3": "A", "4": "A", "5": "No"}, Upstream)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{
		"proactive_accuracy": 25, "retroactive_accuracy": 25, "accuracy_delta_proactive_minus_retroactive": 0,
		"proactive_intrusion_rate": 50, "retroactive_intrusion_rate": 50, "intrusion_delta_proactive_minus_retroactive": 0,
		"order_understanding": 29.1667, "overall": 50, "scene": 50, "n1": 50, "N=1": 50, "K=2": 50,
	}
	got := map[string]float64{}
	for _, table := range s.Tables() {
		for _, r := range table.Rows {
			if r.Random != nil {
				got[r.Name] = *r.Random
			}
		}
	}
	for name, v := range want {
		if got[name] != v {
			t.Errorf("%s: random choice gives %g, want %g", name, got[name], v)
		}
	}
	var out strings.Builder
	if err := s.Print(&out); err != nil || !strings.Contains(out.String(), "random 25.00") || !strings.Contains(out.String(), "random 50.00") {
		t.Errorf("%v\n%s", err, out.String())
	}
	if len(s.WarningList) != 0 {
		t.Errorf("warnings %q", s.WarningList)
	}
}
