package lvbench

import (
	"os"
	"testing"
)

func TestSplitOptions(t *testing.T) {
	tests := []struct{ text, stem, a, c string }{
		{"What?\n(A) x\n(B) y\n(C) z", "What?", "x", "z"},
		{"What?\n (A)x\n(B) two\nlines\n(C)  z ", "What?", "x", "z"},
		{"Is (A) meant?", "Is (A) meant?", "", ""},
		{"(A) x\n(B) y", "", "x", ""},
		{"", "", "", ""},
	}
	for _, tt := range tests {
		stem, options := splitOptions(tt.text)
		if stem != tt.stem || options["A"] != tt.a || options["C"] != tt.c {
			t.Errorf("%q: stem %q, options %v", tt.text, stem, options)
		}
	}
}

func FuzzParse(f *testing.F) {
	text, err := os.ReadFile("testdata/video_info.meta.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"key":"a","qa":[{"question":"q\n(A) b\n(A) c","answer":"A","time_reference":"1-2,3"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		videos, _, err := parse(b)
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for _, v := range videos {
			if seen[v.key] || !keyForm.MatchString(v.key) {
				t.Fatalf("key %q", v.key)
			}
			seen[v.key] = true
			last := 0.0
			for _, c := range v.record().Captions {
				if c.Start < last || c.End < c.Start {
					t.Fatalf("captions of %q: %+v", v.key, c)
				}
				last = c.Start
			}
		}
	})
}
