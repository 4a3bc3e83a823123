package hourvideo

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzParse(f *testing.F) {
	text, err := os.ReadFile("testdata/dev_v1.0_annotations.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"u":{"benchmark_dataset":[{"question":"q","correct_answer_label":"E","answer_5":1}]}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		found, err := parse(b)
		if err != nil {
			return
		}
		last := ""
		for _, v := range found.videos {
			if v.uid <= last || !uidForm.MatchString(v.uid) || v.seconds < 0 {
				t.Fatalf("video %+v after %q", v, last)
			}
			last = v.uid
			if r := v.record(found.canary); !strings.HasPrefix(r.Canary, strings.Trim(found.canary, "\n")) {
				t.Fatalf("canary %q lost from %q", found.canary, r.Canary)
			}
		}
	})
}

func FuzzCaption(f *testing.F) {
	f.Add([]byte("```json\n{\"a\": [\"b\", {\"time stamp\": \"x\"}]}\n```"))
	f.Add([]byte("plain {"))
	f.Fuzz(func(t *testing.T, b []byte) {
		text, err := captionText(b)
		if err == nil && (text == "" || !utf8.ValidString(text) || strings.ContainsAny(text, "\n\r")) {
			t.Fatalf("caption %q", text)
		}
	})
}
