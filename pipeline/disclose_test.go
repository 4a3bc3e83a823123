package pipeline_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
)

// TestDisclosure: a record is disclosed as its schema says, under its id and schema, and
// as it is where nobody says anything.
func TestDisclosure(t *testing.T) {
	reg := pipeline.NewRegistry()
	reg.AddDisclosure("secret", func(r pipeline.Record) (pipeline.Record, error) {
		switch r.ID {
		case "bad":
			return r, errors.New("unreadable")
		case "other":
			return pipeline.NewRecord("secret", "another", "x")
		}
		return pipeline.NewRecord("secret", r.ID, "x")
	})
	for _, tt := range []struct{ schema, id, data, fails string }{
		{"secret", "a", `"x"`, ""}, {"open", "a", `"all"`, ""}, {"secret", "bad", "", "disclose bad: unreadable"}, {"secret", "other", "", "what is disclosed is another"},
	} {
		r, err := pipeline.NewRecord(tt.schema, tt.id, "all")
		if err != nil {
			t.Fatal(err)
		}
		got, err := reg.Disclose(r)
		switch {
		case tt.fails != "":
			if err == nil || !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("%s of %s: %v, want %q", tt.id, tt.schema, err, tt.fails)
			}
		case err != nil || string(got.Data) != tt.data:
			t.Errorf("%s of %s is disclosed as %s, %v", tt.id, tt.schema, got.Data, err)
		}
	}
	reg.AddDisclosure("secret", func(r pipeline.Record) (pipeline.Record, error) { return r, nil })
	reg.AddDisclosure("nothing", nil)
	if err := reg.Err(); err == nil || !strings.Contains(err.Error(), `disclosure of "secret"`) || !strings.Contains(err.Error(), `disclosure of "nothing"`) {
		t.Errorf("registered twice, or without a function: %v", err)
	}
}
