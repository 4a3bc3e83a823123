package chartqapro

import (
	"testing"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
)

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"Question":["Which bar?","And then?"],"Answer":["A","[Rye, Oats]"],"Question Type":"Conversational","Year":["NO","YES"],"Paragraph":""}`))
	f.Add([]byte(`{"Question":["Which?\nA) Rye\n(B) Oats\nC: Both"],"Answer":["B"],"Question Type":"Multi Choice","Year":null}`))
	f.Fuzz(func(t *testing.T, row []byte) {
		o, err := annotation.ParseObject(row)
		if err != nil {
			return
		}
		item, why := parse(o)
		if why != nil || len(item.Question.Options) == 0 {
			return
		}
		right := 0
		for _, o := range item.Question.Options {
			if o.Role == schemas.RoleCorrect && o.Text == item.Question.AnswerText {
				right++
			}
		}
		if right != 1 {
			t.Fatalf("options %+v, answer %q", item.Question.Options, item.Question.AnswerText)
		}
	})
}
