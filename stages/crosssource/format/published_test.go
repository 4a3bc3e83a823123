package format

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/memforge/memforge/pipeline/eval/score"
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
