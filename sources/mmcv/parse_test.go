package mmcv

import (
	"bytes"
	"os"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
)

func FuzzParse(f *testing.F) {
	text, err := os.ReadFile("testdata/4hop.json")
	if err != nil {
		f.Fatal(err)
	}
	list, err := annotation.ParseList(text)
	if err != nil {
		f.Fatal(err)
	}
	for _, item := range list {
		f.Add([]byte(item))
	}
	f.Fuzz(func(t *testing.T, entry []byte) {
		o, err := annotation.ParseObject(entry)
		if err != nil {
			return
		}
		c, why := parse(o, "Dataset/4hop.json", 3)
		if why != nil {
			return
		}
		seen := map[ref]bool{}
		for _, r := range c.refs {
			if r.id == "" || seen[r] {
				t.Fatalf("pieces %v", c.refs)
			}
			seen[r] = true
		}
	})
}

func FuzzPieces(f *testing.F) {
	testkit.AddFuzzLines(f, "testdata/MMQA_texts.jsonl", "testdata/MMQA_images.jsonl", "testdata/MMQA_tables.jsonl")
	f.Fuzz(func(t *testing.T, line []byte) {
		_ = eachLine(bytes.NewReader(line), func(int, []byte) error { return nil })
		o, err := annotation.ParseObject(line)
		if err != nil {
			return
		}
		for _, k := range kinds() {
			u, _, err := pieceOf(o, k.modality)
			if err != nil || k.modality != schemas.ModalityTable {
				continue
			}
			for _, r := range u.Rows {
				if len(r) != len(u.Rows[0]) || len(r) == 0 {
					t.Fatalf("rows %q", u.Rows)
				}
			}
		}
	})
}
