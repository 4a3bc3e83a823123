package mmpb

import (
	"testing"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
)

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"index":9,"question":"Is <sks> here?","A":null,"answer":4,"attribute":"animal","category":"recognition","l2-category":"awareness","name":"momo","description_simple":"<sks> is a cat."}`))
	f.Add([]byte(`{"index":"1","question":"What?","A":"a","B":"b","answer":"B","category":1,"attribute":0,"name":"Mira","concept":"food","target":"like","preference":"<sks> likes it."}`))
	f.Fuzz(func(t *testing.T, row []byte) {
		o, err := annotation.ParseObject(row)
		if err != nil {
			return
		}
		q, why := parse(o, "simple")
		if why != nil {
			return
		}
		i := q.item("a", []string{"b"})
		right := 0
		for _, o := range i.Question.Options {
			if o.Role == schemas.RoleCorrect {
				right++
			}
		}
		if right != 1 || i.Question.AnswerText == "" || len(i.Units) != 2 {
			t.Fatalf("item %+v", i)
		}
	})
}
