package pipeline

import (
	"errors"
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
	if got, err := ItemValue[schemas.Question](typed); err != nil || got != &q {
		t.Errorf("a value is read as another: %v", err)
	}
	item := RecordItem(r)
	got, err := ItemValue[schemas.Question](item)
	if err != nil || got.Question != "Where?" {
		t.Fatalf("%+v, %v", got, err)
	}
	if again, _ := ItemValue[schemas.Question](item); again != got {
		t.Error("it is decoded twice")
	}
	for name, bad := range map[string]*Item{"another value": typed, "another record": RecordItem(r)} {
		if _, err := ItemValue[schemas.Session](bad); err == nil {
			t.Errorf("%s: a question was read as a session", name)
		}
	}
	if v, err := ItemValue[schemas.Session](nil); v != nil || err != nil {
		t.Errorf("no item: %v, %v", v, err)
	}
}

// TestItemsAreReadWhenSomebodyAsks: nothing is kept but the value that was asked for.
func TestItemsAreReadWhenSomebodyAsks(t *testing.T) {
	r, err := NewRecord(schemas.NameQuestion, "q", schemas.Question{QuestionID: "q", Question: "Where?"})
	if err != nil {
		t.Fatal(err)
	}
	reads, gone := 0, errors.New("the disk is gone")
	item := LazyItem(r.Schema, r.ID, func() (Record, error) {
		if reads++; reads > 3 {
			return Record{}, gone
		}
		return r, nil
	})
	if reads != 0 || item.ID != "q" || item.Schema != schemas.NameQuestion {
		t.Fatalf("%d reads of %s %s", reads, item.Schema, item.ID)
	}
	for range 2 {
		if got, err := item.Record(); err != nil || string(got.Data) != string(r.Data) {
			t.Errorf("%+v, %v", got, err)
		}
	}
	for range 2 {
		if got, err := ItemValue[schemas.Question](item); err != nil || got.Question != "Where?" {
			t.Errorf("%+v, %v", got, err)
		}
	}
	if _, err := item.Record(); reads != 4 || !errors.Is(err, gone) {
		t.Errorf("%d reads, %v", reads, err)
	}
	if _, err := ItemValue[schemas.Session](item); !errors.Is(err, gone) {
		t.Errorf("another type: %v", err)
	}
}
