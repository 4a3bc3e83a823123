package infinibench

import (
	"io/fs"
	"os"
	"testing"
)

func FuzzParse(f *testing.F) {
	for _, skill := range []string{"linking_events", "summarization"} {
		text, err := os.ReadFile("testdata/" + skill + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`[{"question":"q","show":"s","season":"a","episode":1,"options":["x"],"answer_idx":1e300}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		entries, _, err := parse(b, "tvqa")
		if err != nil {
			return
		}
		episodes := map[string]*episode{}
		groupByVideo(episodes, entries)
		for stem, e := range episodes {
			if !fs.ValidPath(stem) || len(e.questions) == 0 {
				t.Fatalf("episode %q: %+v", stem, e)
			}
			e.record()
		}
	})
}
