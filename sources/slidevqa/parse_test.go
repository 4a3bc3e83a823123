package slidevqa

import (
	"testing"

	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/sources/internal/annotation"
)

func FuzzParse(f *testing.F) {
	testkit.AddFuzzLines(f, "testdata/dev.jsonl")
	f.Fuzz(func(t *testing.T, line []byte) {
		o, err := annotation.ParseObject(line)
		if err != nil {
			return
		}
		q, why := parse(o)
		if why != nil {
			return
		}
		i := q.item()
		if len(i.Units) != len(q.pages) || len(q.stems()) != len(q.pages) || i.Question.Question != "" || i.Question.AnswerText != "" {
			t.Fatalf("item %+v of pages %v", i, q.pages)
		}
	})
}
