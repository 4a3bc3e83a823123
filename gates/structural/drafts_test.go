package structural_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/memforge/memforge/gates/structural"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// draft is a text beside a picture and a question about the picture. The first option is right.
type draft struct {
	Said, Question string
	Options        []string
}

func (d draft) item() schemas.Question {
	q := schemas.Question{QuestionID: "q", Type: "t", Question: d.Question, Evidence: []schemas.Evidence{{Text: "[2024-05-12]\nuser: " + d.Said, MinimalCaption: "a photo"}}}
	var options []schemas.Option
	for i, text := range d.Options {
		options = append(options, schemas.Option{Text: text, Role: map[bool]string{true: schemas.RoleCorrect, false: schemas.RoleDistractor}[i == 0]})
	}
	q.SetOptions(options...)
	return q
}

func drafts(t *testing.T, file string) (out []draft) {
	t.Helper()
	f, err := os.Open("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var d draft
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		out = append(out, d)
	}
	return out
}

// TestLeakDrafts: the rule alone finds most of what texts tell in the words of the options, and
// takes few names, verbs and times for it; what is put to a judge has all that they tell.
func TestLeakDrafts(t *testing.T) {
	var cfg structural.LeakConfig
	cfg.SetDefaults()
	failed, proposed := map[string]int{}, map[string]int{}
	for _, file := range []string{"texts_sound.jsonl", "texts_leaking.jsonl"} {
		for _, d := range drafts(t, file) {
			p := cfg.Propose(d.item())
			proposed[file] += min(1, len(p))
			if cfg.Judge(d.item()).Outcome == pipeline.Fail {
				if failed[file]++; len(p) == 0 {
					t.Errorf("%q fails and is not proposed", d.Said)
				}
			}
		}
	}
	t.Logf("of 40 each, the rule fails %v and proposes %v", failed, proposed)
	if failed["texts_sound.jsonl"] > 1 || failed["texts_leaking.jsonl"] < 26 || proposed["texts_leaking.jsonl"] < 40 || proposed["texts_sound.jsonl"] > 36 {
		t.Errorf("the rule fails %v and proposes %v", failed, proposed)
	}
}
