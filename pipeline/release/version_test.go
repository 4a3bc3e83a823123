package release

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/describe"
	"github.com/memforge/memforge/schemas"
)

func TestAutoVersion(t *testing.T) {
	t.Parallel()
	edit := func(change func(q *schemas.Question)) func(*testing.T, *memoryStore, *Input) {
		return func(t *testing.T, _ *memoryStore, in *Input) {
			for _, r := range in.Records {
				if r.ID == "q-0003" {
					q, err := pipeline.Decode[schemas.Question](r)
					if err != nil {
						t.Fatal(err)
					}
					change(&q)
					replaceRecord(t, in, schemas.NameQuestion, r.ID, q)
				}
			}
		}
	}
	cases := []struct {
		name, want, log string
		change          func(*testing.T, *memoryStore, *Input)
	}{
		{"nothing but the plan", "1.0.1", "questions: 0 added, 0 gone, 0 changed, 6 the same", func(*testing.T, *memoryStore, *Input) {}},
		{"a verdict", "1.0.1", "verdicts: 1 added", func(t *testing.T, _ *memoryStore, in *Input) {
			in.Records = append(in.Records, record(t, schemas.NameVerdict, "new", schemas.Verdict{Item: "q-0001", Gate: "new", Outcome: schemas.Pass}))
		}},
		{"an explanation", "1.0.1", "questions: 0 added, 0 gone, 1 changed (notes changed 1), 5 the same", edit(func(q *schemas.Question) { q.Explanation = "because" })},
		{"a question added", "1.1.0", "questions: 1 added, 0 gone, 0 changed", func(t *testing.T, _ *memoryStore, in *Input) {
			q := question(0, "t-0", "")
			q.QuestionID, q.Media, q.Evidence = "q-new", nil, nil
			in.Records = append(in.Records, record(t, schemas.NameQuestion, q.QuestionID, q))
		}},
		{"gold changed", "2.0.0", "questions: 0 added, 0 gone, 1 changed (gold changed 1", edit(func(q *schemas.Question) {
			otherGold(q)
		})},
		{"wording changed", "2.0.0", "1 changed (wording changed 1)", edit(func(q *schemas.Question) {
			q.Question += " Really?"
			q.QuestionMCQ = schemas.MCQ(q.Question, q.Options)
		})},
		{"a question removed", "2.0.0", "questions: 0 added, 1 gone", func(t *testing.T, _ *memoryStore, in *Input) {
			in.Records = slices.DeleteFunc(in.Records, func(r pipeline.Record) bool { return r.ID == "q-0002" || r.ID == "vq-0002" })
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			store, in := sample(t, 6)
			root := t.TempDir()
			write(t, store, root, in)
			in.BuildKey = "key-2"
			c.change(t, store, &in)
			got := write(t, store, root, in)
			if got.Version != c.want || !got.Changed {
				t.Errorf("%+v, want version %s", got, c.want)
			}
			mustVerify(t, got.Dir)
			log := string(files(t, got.Dir)[describe.ChangelogName])
			if !strings.Contains(log, c.log) || !strings.Contains(log, "## 1.0.0\n\nFirst release: 6 questions") || strings.Count(log, "# Changes\n\n") != 1 {
				t.Errorf("changelog:\n%s", log)
			}
			if dir, ok, err := FindBuilt(root, "demo", "key-1"); err != nil || !ok || filepath.Base(dir) != "1.0.0" {
				t.Error("the first release is no longer found")
			}
		})
	}
}

func TestBrokenSchemaIsMajor(t *testing.T) {
	t.Parallel()
	old := tableOf(tableTasks)
	old.columns = old.columns[:3]
	if _, _, err := readTable(encode(t, old, []row{{"a", "b", "c"}}), tableOf(tableTasks)); !errors.Is(err, errColumns) {
		t.Errorf("other columns: %v", err)
	}
}
