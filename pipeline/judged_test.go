package pipeline

import (
	"testing"

	"github.com/memforge/memforge/schemas"
)

func TestItems(t *testing.T) {
	q := schemas.Question{QuestionID: "q", Question: "Where?"}
	typed := NewItem(schemas.NameQuestion, "q", &q)
	r, err := typed.Record()
	if err != nil || r.ID != "q" || r.Schema != schemas.NameQuestion {
		t.Fatalf("%+v, %v", r, err)
	}
	if got, err := Read[schemas.Question](typed); err != nil || got != &q {
		t.Errorf("a value is read as another: %v", err)
	}
	item := ItemOf(r)
	got, err := Read[schemas.Question](item)
	if err != nil || got.Question != "Where?" {
		t.Fatalf("%+v, %v", got, err)
	}
	if again, _ := Read[schemas.Question](item); again != got {
		t.Error("it is decoded twice")
	}
	for name, bad := range map[string]*Item{"another value": typed, "another record": ItemOf(r)} {
		if _, err := Read[schemas.Session](bad); err == nil {
			t.Errorf("%s: a question was read as a session", name)
		}
	}
	if v, err := Read[schemas.Session](nil); v != nil || err != nil {
		t.Errorf("no item: %v, %v", v, err)
	}
}
