package mmke

import (
	"os"
	"testing"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
)

func FuzzParse(f *testing.F) {
	text, err := os.ReadFile("testdata/user_train.json")
	if err != nil {
		f.Fatal(err)
	}
	list, err := annotation.ParseList(text)
	if err != nil {
		f.Fatal(err)
	}
	for _, row := range list {
		f.Add([]byte(row))
	}
	f.Fuzz(func(t *testing.T, row []byte) {
		o, err := annotation.ParseObject(row)
		if err != nil {
			return
		}
		e, why := parse(o, "data_json/user_train.json", 3)
		if why != nil {
			return
		}
		i := e.item("a", "")
		if i.Question.AnswerText == "" || i.Units[2].Role != schemas.RoleUpdate || i.Units[1].Text == i.Units[2].Text {
			t.Fatalf("item %+v", i)
		}
	})
}
