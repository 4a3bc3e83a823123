package structural_test

import (
	"strings"
	"testing"

	"github.com/memforge/memforge/gates/structural"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

func TestTextLeak(t *testing.T) {
	for name, c := range map[string]struct {
		said    string
		options []string // the first is right
		want    string
	}{
		"nothing is said":       {"[2024-05-12]\nuser: Here is the photo.", []string{"red", "blue", "green"}, "pass"},
		"the gold is said":      {"user: The red one is here.", []string{"red", "blue", "green"}, "gold-in-text"},
		"by another name":       {"user: A crimson one.", []string{"red", "blue", "green"}, "gold-in-text"},
		"a number as a word":    {"user: all seven came", []string{"7", "6", "5"}, "gold-in-text"},
		"not a part of a word":  {"user: I was bored", []string{"red", "blue", "green"}, "pass"},
		"the date is no text":   {"[2024-05-12]\nuser: Look.", []string{"12", "11", "10"}, "pass"},
		"a wrong option":        {"user: It is not blue.", []string{"red", "blue", "green"}, "options-in-text"},
		"shared words":          {"user: in a corner", []string{"in the left corner", "in the right corner"}, "pass"},
		"words of the question": {"user: the sofa", []string{"the red sofa", "the blue chair"}, "pass"},
		"no text at all":        {"", []string{"red", "blue"}, "no-text"},
	} {
		q := schemas.Question{QuestionID: "q", Type: "t", Question: "What about the sofa?", Evidence: []schemas.Evidence{{Text: c.said}}}
		var options []schemas.Option
		for i, text := range c.options {
			role := schemas.RoleDistractor
			if i == 0 {
				role = schemas.RoleCorrect
			}
			options = append(options, schemas.Option{Text: text, Role: role})
		}
		q.Offer(options...)
		if got := leak(t, q); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// leak is the outcome of a pass, else the reason.
func leak(t *testing.T, q schemas.Question) string {
	t.Helper()
	var cfg structural.LeakConfig
	cfg.SetDefaults()
	g, err := structural.NewLeak(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r, err := pipeline.NewRecord(schemas.NameQuestion, q.QuestionID, q)
	if err != nil {
		t.Fatal(err)
	}
	got, err := g.Judge(t.Context(), nil, []pipeline.Record{r})
	if err != nil {
		t.Fatal(err)
	}
	if got[0].Outcome == pipeline.Pass {
		return string(got[0].Outcome)
	}
	return got[0].Reason
}
