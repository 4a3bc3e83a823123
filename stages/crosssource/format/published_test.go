package format

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/schemas"
)

// published are folders as SMMBench is published, made up: a choice with a stray letter in an
// option and a misleading piece, a preference of three options, a plan, and a question of
// another category.
func published() map[string]string {
	return map[string]string{
		"candidate_tools.json": `[{"function_name":"SHOP_search","default_arguments":{"page":1},"function_comment":"searches"}]`,
		"Samples/cluster_1/group_chat_tea_0123abcd.json": `{"conversation":[
 {"sender_name":"Ann","timestamp":"2023-04-20 04:27:07","conversation_name":"group_chat_tea_0123abcd","content_type":"text","content":"The mill opens at noon."},
 {"sender_name":"Bo","timestamp":"2023-04-20 04:28:07","conversation_name":"group_chat_tea_0123abcd","content_type":"image","content":[{"type":"image","content":{"image_path":"a.jpg"}}],"caption":"Fig. 1 A mill."},
 {"sender_name":"Ann","timestamp":"2023-04-20 04:29:07","conversation_name":"group_chat_tea_0123abcd","content_type":"text","content":"It opens at eight now."}]}`,
		"Samples/cluster_1/QA_sample.json": `[
 {"id":"QA_1","category":"Conflict_Resolution_QA","domain":"x","question":"When?","answer":"D) at eight","multi_choice_QA":{"multi_choice_QA_options":["at noon","at six","D) at eight","never"],"multi_choice_QA_answer":2},
  "evidence":{"text_evidence":[]},"evidence_assignment":{"text_evidence_assignment":[{"conversation_name":"group_chat_tea_0123abcd","insert_conversation_turn":2}],"mis_text_evidence_assignment":[{"conversation_name":"group_chat_tea_0123abcd","insert_conversation_turn":0}]}},
 {"id":"QA_2","category":"Preference_QA","question":"Which?","answer":"tea","multi_choice_QA":{"multi_choice_QA_options":["tea","milk","rum"],"multi_choice_QA_answer":0},"evidence_assignment":{}},
 {"id":"MMKE_3","category":"Other_QA","question":"Where?","answer":"here","evidence_assignment":{}}]`,
		"Samples/cluster_2/QA_sample.json": `[{"id":"FC_4","category":"Function_Call","question":"Buy?","answer":[{"step":1,"calls":[]},{"step":2,"calls":[{"name":"SHOP_search","arguments":{"q":"Tea"}}]}],"evidence_assignment":{}}]`,
	}
}

func publishedFS(change map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, text := range published() {
		if other, changed := change[name]; changed {
			text = other
		}
		out[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	return out
}

// TestPublishedFoldersAreScored: right answers of each kind are right, defaults of tools and
// case do not count, another category is in no figure, and pieces have their turns.
func TestPublishedFoldersAreScored(t *testing.T) {
	dir := t.TempDir()
	for name, text := range published() {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	all, err := loadExport(dir)
	if err != nil || len(all) != 4 {
		t.Fatalf("%d questions, %v", len(all), err)
	}
	given := map[string]string{"QA_1": "(C)", "QA_2": "B", "MMKE_3": "A", "FC_4": `[{"calls":[]},{"calls":[{"name":"shop_SEARCH","arguments":{"q":"tea","page":1}}]}]`}
	got, err := answerScorer{all}.Score(given, score.Options{Variant: VariantPaper})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"slice":"C.R.","figures":{"mean":{"value":1,`, `"slice":"P.R.","figures":{"mean":{"value":0,`, `"slice":"F.C.","figures":{"mean":{"value":1,`, `"slice":"overall","figures":{"mean":{"value":0.666`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	if w := fmt.Sprint(got.Warnings()); !strings.Contains(w, "1 questions are of none of the five tasks") {
		t.Errorf("warned of %s", w)
	}
	e := all[0].Evidence
	if len(e) != 2 || e[0].Turn != "group_chat_tea_0123abcd/0" || e[0].Role != "superseded" || e[0].Text != "The mill opens at noon." || e[1].Role != "clue" || e[1].Text != "It opens at eight now." {
		t.Errorf("evidence %+v", e)
	}
	r, err := retrievalScorer{all[:1]}.Score(map[string]string{"QA_1": "group_chat_tea_0123abcd/2"}, score.Options{})
	if err != nil || r.(results).Lines[0].Figures["Recall@10"].Value != 0.5 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestBrokenPublishedFolders are refused with the file and what is wrong.
func TestBrokenPublishedFolders(t *testing.T) {
	const one, tools = "Samples/cluster_2/QA_sample.json", "candidate_tools.json"
	for want, change := range map[string]map[string]string{
		"candidate_tools.json":        {tools: "{"},
		"cluster_2/QA_sample.json":    {one: "[{}"},
		"is empty or there twice":     {one: `[{"id":"QA_1"}]`},
		"its answer is option 4 of 1": {one: `[{"id":"q","category":"Single_Hop_QA","multi_choice_QA":{"multi_choice_QA_options":["a"],"multi_choice_QA_answer":4}}]`},
		"a sufficient set is [2]":     {one: `[{"id":"q","category":"Function_Call","answer":{"name":"f"},"memforge":{"sufficient":[[2]]}}]`},
		"its gold":                    {one: `[{"id":"q","category":"Function_Call","answer":"look it up"}]`},
	} {
		if _, err := readPublished(publishedFS(change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := readPublished(fstest.MapFS{tools: {Data: []byte("[]")}}); err == nil || !strings.Contains(err.Error(), "Samples") {
		t.Errorf("without questions: %v", err)
	}
}

// TestQuestionsThatCannotBeExpressed: the exporter refuses them, each with its reason.
func TestQuestionsThatCannotBeExpressed(t *testing.T) {
	for want, spoil := range map[string]func(*schemas.Question){
		"four of which one":   func(q *schemas.Question) { q.Options = q.Options[:3] },
		"answer; want four":   func(q *schemas.Question) { q.AnswerKey = "A" },
		"in no source":        func(q *schemas.Question) { q.Evidence[0].Ref = "elsewhere" },
		"not in order":        func(q *schemas.Question) { q.Evidence[0].Order = 2 },
		"in 1 sources":        func(q *schemas.Question) { q.Evidence = q.Evidence[:1] },
		"shows pictures":      func(q *schemas.Question) { q.QuestionMedia = []string{"sha256:chart"} },
		"no file of picture":  func(q *schemas.Question) { q.Evidence[0].Media = "sha256:none" },
		"missing propert":     func(q *schemas.Question) { *q = call(); q.AnswerCall = `{"name":"desk_repair","arguments":{}}` },
		"refers to itself":    func(q *schemas.Question) { *q = call(); q.Tools[0].Parameters = `{"properties":{"a":{"$ref":"#"}}}` },
		"its parameters are ": func(q *schemas.Question) { *q = call(); q.Tools[0].Parameters = "" },
	} {
		all := asked()
		spoil(&all[0])
		if _, err := layout([]schemas.Question{all[1], all[0]}, sessions(), files()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	other := call()
	other.QuestionID, other.Tools[0].Description = env+"/Q6", "Mends."
	if _, err := layout([]schemas.Question{call(), other}, sessions(), files()); err == nil || !strings.Contains(err.Error(), "another tool of the name desk_repair") {
		t.Errorf("two tools of one name: %v", err)
	}
	same := sessions()
	same[1].Title, same[1].Kind = same[0].Title, same[0].Kind
	if _, err := layout(asked(), same, files()); err == nil || !strings.Contains(err.Error(), "is taken by") {
		t.Errorf("two sources of one name: %v", err)
	}
}

// keysOf lists the keys of an object, with those of values within.
func keysOf(v any, at string, into map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for k, inner := range v {
			into[at+k] = true
			keysOf(inner, at+k+"/", into)
		}
	case []any:
		for _, inner := range v {
			keysOf(inner, at, into)
		}
	}
}

// TestExportHasThePublishedKeys: a question and a turn of the export have every key that
// published ones have.
func TestExportHasThePublishedKeys(t *testing.T) {
	keys := func(data []byte) map[string]bool {
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatal(err)
		}
		out := map[string]bool{}
		keysOf(v, "", out)
		return out
	}
	tree := exported(t)
	for file, published := range map[string]string{
		"Samples/cluster_1/QA_sample.json": `[
 {"id":"QA_sample_df2d5e6c","category":"Conflict_Resolution_QA","domain":"d","question":"q","answer":"x","multi_choice_QA":{"multi_choice_QA_options":["a"],"multi_choice_QA_answer":0},
  "evidence":{"text_evidence":[],"image_evidence":["MLLMKC_ca8d50cf.jpg"],"table_evidence":[],"json_evidence":[]},
  "evidence_assignment":{"image_evidence_assignment":[{"conversation_name":"c","insert_conversation_turn":1}],"text_evidence_assignment":[],"mis_text_evidence_assignment":[]}},
 {"id":"FC_sample_25308ed4","answer":[{"step":1,"calls":[{"name":"AMAZON_search_products","arguments":{}}]}]}]`,
		"Samples/cluster_1/group_chat_mills.json": `{"conversation":[{"sender_name":"A","timestamp":"2023-04-20 04:28:07","conversation_name":"c","content_type":"image","content":[{"type":"image","content":{"image_path":"a.jpg"}}],"caption":"Fig. 1dd5f903\nA caption."}]}`,
		toolsFile: `[{"function_name":"AMAZON_search_products","default_arguments":{},"function_comment":""}]`,
	} {
		if tree[file] == nil {
			t.Fatalf("no file %s in %v", file, slices.Sorted(maps.Keys(tree)))
		}
		have := keys(tree[file].Data)
		for k := range keys([]byte(published)) {
			if !have[k] {
				t.Errorf("%s has no %s", file, k)
			}
		}
	}
	for file := range tree {
		if name, sample := strings.CutPrefix(file, "Samples/cluster_1/"); sample && name != "QA_sample.json" && !strings.HasPrefix(name, "group_chat_") && !strings.HasPrefix(name, "user_assistant_") {
			t.Errorf("readers of the published data do not take the stream %s", file)
		}
	}
	if tree["Images/chart.png"] == nil || tree["Samples/cluster_2/QA_sample.json"] == nil {
		t.Error("no picture, or no folder of the twin")
	}
	var s publishedStream
	if err := json.Unmarshal(tree["Samples/cluster_1/group_chat_mills.json"].Data, &s); err != nil || s.Turns[1].Caption != "Fig. 0a0b0c0d\nA chart of mills." || s.Turns[1].Time != "2024-05-01 10:04:00" || s.Turns[1].ID != env+"/S00/T2" {
		t.Errorf("%+v, %v", s.Turns, err)
	}
}

// TestWhatMisleadsIsNoEvidence: what a question cites as leading to wrong answers changes
// neither the export nor what scores count.
func TestWhatMisleadsIsNoEvidence(t *testing.T) {
	plain, cited := asked(), asked()
	list := append(evidence(env, "S01/T2", schemas.RoleDistractor), cited[0].Evidence...)
	for i := range list {
		list[i].Order = int32(i + 1)
	}
	cited[0].Evidence = list
	var trees [2]export.Tree
	var benches [2]items
	for i, all := range [][]schemas.Question{plain, cited} {
		var err error
		if trees[i], err = layout(all, sessions(), files()); err != nil {
			t.Fatal(err)
		}
		if benches[i], err = itemsOf(all); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(trees[0], trees[1]) || !reflect.DeepEqual(benches[0], benches[1]) {
		t.Errorf("what misleads is exported or counted:\n%+v\n%+v", benches[0][0], benches[1][0])
	}
	cited[0].Evidence = slices.DeleteFunc(list, func(e schemas.Evidence) bool { return e.Ref == env+"/S02/T1" })
	if _, err := layout(cited, sessions(), files()); err == nil {
		t.Error("what misleads stands for a source of the evidence")
	}
}

// TestAnySufficientSetIsFound: Q1 rests on three pieces, for the last of which another can
// stand. An export has both sets.
func TestAnySufficientSetIsFound(t *testing.T) {
	all := asked()[1:2]
	q := &all[0]
	if len(q.Evidence) != 3 {
		t.Fatalf("%d pieces", len(q.Evidence))
	}
	q.Evidence = append(q.Evidence, evidence(env, "S01/T2", schemas.RoleAlternative)...)
	q.Labels = maps.Clone(q.Labels)
	q.Labels[schemas.LabelSufficient] = "1 2 3|1 2 4"
	for i := range q.Evidence {
		q.Evidence[i].Order = int32(i + 1)
	}
	tree, err := layout(all, sessions(), files())
	if err != nil {
		t.Fatal(err)
	}
	root := fstest.MapFS{}
	for _, f := range tree.Files {
		root[f.Path] = &fstest.MapFile{Data: f.Data, Mode: 0o644}
	}
	read, err := readPublished(root)
	if err != nil {
		t.Fatal(err)
	}
	released, err := itemsOf(all)
	if err != nil {
		t.Fatal(err)
	}
	refs := func(orders ...int) (out [][]string) {
		for _, n := range orders {
			out = append(out, []string{q.Evidence[n-1].Ref})
		}
		return out
	}
	for _, tc := range []struct {
		found  [][]string
		recall float64
		fails  string
	}{
		{refs(1, 2, 3), 1, ""}, {refs(4, 2, 1), 1, ""}, {refs(1, 2), 2. / 3, DistributedMissing}, {refs(3, 4), 1. / 3, DistributedMissing}, {refs(4, 1), 2. / 3, DistributedMissing},
	} {
		for name, i := range map[string]item{"release": released[0], "export": read[0]} {
			if r, _ := i.recallPrecision(tc.found, 10); !near(r, tc.recall) {
				t.Errorf("%s: %v of %v is found, want %v", name, r, tc.found, tc.recall)
			}
			if v, _ := i.labelFromLog("A", slices.Concat(tc.found...)); v.Label != tc.fails {
				t.Errorf("%s: %v fails by %q, want %q", name, tc.found, v.Label, tc.fails)
			}
		}
	}
}

func FuzzReadPublished(f *testing.F) {
	f.Add(published()["Samples/cluster_1/QA_sample.json"], published()["candidate_tools.json"])
	f.Add(published()["Samples/cluster_2/QA_sample.json"], "[]")
	f.Fuzz(func(t *testing.T, questions, tools string) {
		all, err := readPublished(publishedFS(map[string]string{"Samples/cluster_1/QA_sample.json": questions, "candidate_tools.json": tools}))
		if err != nil {
			return
		}
		for _, i := range all {
			if right, _ := i.check(string(i.Answer), VariantPaper); i.ID == "" || i.task.label == "function_call" && !right {
				t.Fatalf("question %+v is not its own answer", i.Sample)
			}
		}
	})
}
