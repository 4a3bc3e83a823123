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
		"nothing is said":            {"[2024-05-12]\nuser: Here is the photo.", []string{"red", "blue", "green"}, "pass"},
		"the gold is said":           {"user: The red one is here.", []string{"red", "blue", "green"}, "gold-in-text"},
		"by another name":            {"user: A crimson one.", []string{"red", "blue", "green"}, "gold-in-text"},
		"a number as a word":         {"user: all seven came", []string{"7", "6", "5"}, "gold-in-text"},
		"not a part of a word":       {"user: I was bored", []string{"red", "blue", "green"}, "pass"},
		"the date is no text":        {"[2024-05-12]\nuser: Look.", []string{"12", "11", "10"}, "pass"},
		"a wrong option":             {"user: It is not blue.", []string{"red", "blue", "green"}, "options-in-text"},
		"shared words":               {"user: in a corner", []string{"in the left corner", "in the right corner"}, "pass"},
		"words of the question":      {"user: the sofa", []string{"the red sofa", "the blue chair"}, "pass"},
		"no text at all":             {"", []string{"red", "blue"}, "no-text"},
		"a pronoun":                  {"user: Here is one more. That one is well kept, one of many.", []string{"1", "2", "3"}, "pass"},
		"one of them":                {"user: There is one cushion there.", []string{"1", "2", "3"}, "gold-in-text"},
		"one after only":             {"user: They left us only one.", []string{"1", "2", "3"}, "gold-in-text"},
		"a number after its noun":    {"user: cushion one", []string{"cushion 1", "cushion 2"}, "gold-in-text"},
		"none":                       {"user: no cushions today", []string{"0", "1", "2"}, "gold-in-text"},
		"no hurry":                   {"user: no hurry, no comment please", []string{"0", "1", "2"}, "pass"},
		"the number of others":       {"user: between two calls", []string{"2", "3", "4"}, "pass"},
		"the number asked for":       {"user: two cushions", []string{"2", "3", "4"}, "gold-in-text"},
		"a number of what was named": {"user: I saw two", []string{"2", "3", "4"}, "gold-in-text"},
		"a wrong number":             {"user: not three cushions", []string{"2", "3", "4"}, "options-in-text"},
		"all options":                {"user: red, green and blue", []string{"red", "blue", "green"}, "pass"},
		"a helping verb":             {"user: Can you keep this in your own time?", []string{"the watering can", "the basket", "your own plate"}, "pass"},
		"the thing of that name":     {"user: I like the watering can", []string{"the watering can", "the basket"}, "gold-in-text"},
		"the kind of picture":        {"user: one photo", []string{"1 photo", "2 photos"}, "pass"},
	} {
		q := schemas.Question{QuestionID: "q", Type: "t", Question: "What about the sofa, how many cushions in the photo?", Evidence: []schemas.Evidence{{Text: c.said, MinimalCaption: "a photo"}}}
		var options []schemas.Option
		for i, text := range c.options {
			role := schemas.RoleDistractor
			if i == 0 {
				role = schemas.RoleCorrect
			}
			options = append(options, schemas.Option{Text: text, Role: role})
		}
		q.SetOptions(options...)
		if got := leak(t, q); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestLeakInOneForm: a word that one form of a question says is told to who gets that form
// alone, so it excuses no text that says it beside the other.
func TestLeakInOneForm(t *testing.T) {
	q := schemas.Question{QuestionID: "q", Type: "t", Question: "Is the sofa red, or what else?", Evidence: []schemas.Evidence{{Text: "user: The red one is here."}}}
	options := []schemas.Option{{Text: "red", Role: schemas.RoleCorrect}, {Text: "blue", Role: schemas.RoleDistractor}, {Text: "green", Role: schemas.RoleDistractor}}
	q.SetOptions(options...)
	if got := leak(t, q); got != "pass" {
		t.Errorf("both forms say red: %s", got)
	}
	q.SetOptionsWithStem("What colour is the sofa?", options...)
	if got := leak(t, q); !strings.HasPrefix(got, "gold-in-text") {
		t.Errorf("the choice form does not say red: %s", got)
	}
}

// leak is the outcome of a pass, else the reason.
func leak(t *testing.T, q schemas.Question) string {
	t.Helper()
	var cfg structural.LeakConfig
	cfg.SetDefaults()
	if got := cfg.Judge(q); got.Outcome != pipeline.Pass {
		return got.Reason
	}
	return string(pipeline.Pass)
}
