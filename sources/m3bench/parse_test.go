package m3bench

import (
	"os"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

func FuzzParse(f *testing.F) {
	for _, name := range []string{"gold.json", "fuzzy.json", "tools.json"} {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := entries(text)
		if err != nil {
			return
		}
		for _, e := range list {
			if e.err != nil {
				continue
			}
			one, why := parse(e.object)
			if why != nil || one.checkCalls(64) != nil {
				continue
			}
			item := one.item()
			if item.UpstreamID == "" || item.Question.AnswerCall == "" {
				t.Fatalf("item %+v", item)
			}
		}
	})
}

func FuzzTools(f *testing.F) {
	text, err := os.ReadFile("testdata/tools.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := parseTools(text)
		if err != nil {
			return
		}
		box := toolbox{tools: map[string]schemas.Tool{}, bad: map[string]*pipeline.Rejection{}}
		for _, r := range list {
			if why := box.add(r); why == nil && box.tools[r.Name].Parameters == "" {
				t.Fatalf("tool %+v has no schema and was taken", r)
			}
		}
		if len(box.names) != len(box.tools) {
			t.Fatalf("%d names of %d tools", len(box.names), len(box.tools))
		}
	})
}
