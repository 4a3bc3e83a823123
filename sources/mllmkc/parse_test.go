package mllmkc

import (
	"os"
	"testing"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
)

func FuzzParse(f *testing.F) {
	for _, name := range []string{"ER.json", "people_knowledge.json"} {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		list, err := annotation.ParseList(text)
		if err != nil {
			f.Fatal(err)
		}
		for _, entry := range list {
			f.Add(name, []byte(entry))
		}
	}
	f.Fuzz(func(t *testing.T, file string, entry []byte) {
		o, err := annotation.ParseObject(entry)
		if err != nil {
			return
		}
		for _, c := range parse(o, file, []string{"answer"}) {
			if c.why != nil {
				continue
			}
			item := c.item([]string{"a", "b", "c"})
			if len(item.Units) != 5 || c.right == "" || item.Units[4].Role != schemas.RoleUpdate {
				t.Fatalf("item %+v", item)
			}
		}
	})
}
