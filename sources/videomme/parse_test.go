package videomme

import (
	"os"
	"testing"
)

func TestRightOption(t *testing.T) {
	options := []string{"A. a lens.", "(B). two", "C.x. y", "D"}
	for answer, want := range map[string]string{"A": "a lens", "B.": "two", "(C)": "x. y", "": "", "D": "error", "E": "error"} {
		got, err := rightOption(options, answer)
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%q: %q, want %q", answer, got, want)
		}
	}
}

func FuzzRows(f *testing.F) {
	table, err := os.ReadFile("testdata/test-00000-of-00001.parquet")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(table)
	f.Fuzz(func(t *testing.T, b []byte) {
		c := newCollector(subsetAll)
		if _, err := c.addTable(b); err != nil {
			return
		}
		for _, v := range c.videos() {
			if !idForm.MatchString(v.id) {
				t.Fatalf("id %q", v.id)
			}
			v.record()
		}
	})
}
