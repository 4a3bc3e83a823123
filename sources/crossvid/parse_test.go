package crossvid

import (
	"io/fs"
	"os"
	"testing"
)

func FuzzParse(f *testing.F) {
	text, err := os.ReadFile("testdata/CC.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, b []byte) {
		tuples, _, err := parse("CC", b)
		if err != nil {
			return
		}
		ids := map[string]bool{}
		for _, one := range tuples {
			if ids[one.id] || len(one.videos) != tupleSize {
				t.Fatalf("tuple %+v", one)
			}
			ids[one.id] = true
			for _, v := range one.videos {
				if !fs.ValidPath(v) {
					t.Fatalf("video %q", v)
				}
			}
		}
		for name, v := range collectVideos(tuples) {
			if len(v.Clusters) == 0 {
				t.Fatalf("video %q has no cluster", name)
			}
		}
	})
}
