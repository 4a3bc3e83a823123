package panel

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// shownInput is a question with two options and one picture, as the built-in model
// gets it.
func shownInput(pictures int) answerInput {
	in := answerInput{Question: "Which?", Options: []view.Choice{{Letter: "A", Text: "red"}, {Letter: "B", Text: "blue"}}, Pictures: pictures}
	if pictures > 0 {
		in.Passages = []passage{{Text: "Look.", Pictures: []int{1, 7}}}
	}
	return in
}

// TestEyes: eyes get question, options and the pictures that are shown and nothing
// else; what they make of it is the answer, and for what is not theirs the guesser
// answers.
func TestEyes(t *testing.T) {
	broken := errors.New("broken")
	for name, tc := range map[string]struct {
		pictures     int
		seen         Seen
		theirs       bool
		err          error
		answer, told string
		looked       bool
	}{
		"seen":          {1, Seen{Option: 1, Why: "It is blue."}, true, nil, "B", "It is blue.", true},
		"not shown":     {1, Seen{Option: -1, Why: "It is not there."}, true, nil, answerUnknown, "It is not there.", true},
		"not made out":  {1, Seen{Option: -1, Unread: true, Why: "Too dark."}, true, nil, answerUnknown, notMadeOut + "Too dark.", true},
		"no such place": {1, Seen{Option: 2, Why: "Where?"}, true, nil, answerUnknown, "Where?", true},
		"not theirs":    {1, Seen{Option: 1}, false, nil, "", "Drawn by lot", true},
		"no picture":    {0, Seen{Option: 1}, true, nil, "", "Drawn by lot", false},
		"fault":         {1, Seen{}, false, broken, "", "", true},
	} {
		r, looked := pipeline.NewRegistry(), false
		AddEyes(r, Eyes{Family: "made-up", Version: "7", Look: func(_ context.Context, _ *pipeline.Scope, a Asked) (Seen, bool, error) {
			looked = true
			if a.Question != "Which?" || strings.Join(a.Options, " ") != "red blue" || len(a.Passages) != 1 || len(a.Passages[0].Pictures) != 1 || a.Passages[0].Pictures[0] != "picture" {
				t.Errorf("%s: eyes are asked %+v", name, a)
			}
			return tc.seen, tc.theirs, tc.err
		}})
		version, rule := looks(r)
		if version != "1 made-up 7" {
			t.Errorf("%s: the rule has the version %q, which does not tell whose eyes it has", name, version)
		}
		input, err := pipeline.Canonical(shownInput(tc.pictures))
		if err != nil {
			t.Fatal(err)
		}
		_, err = pipeline.Within(pipeline.Grant{Registry: r}, func(s *pipeline.Scope) error {
			text, err := rule(t.Context(), s, pipeline.Request{Task: taskAnswer, Role: roleA, Input: input, Images: []pipeline.Digest{"picture"}})
			if err != nil {
				return err
			}
			var got answerGiven
			if err := json.Unmarshal(text, &got); err != nil {
				return err
			}
			if tc.answer != "" && got.Answer != tc.answer || !strings.HasPrefix(got.Why, tc.told) {
				t.Errorf("%s: %+v", name, got)
			}
			return nil
		})
		if !errors.Is(err, tc.err) || looked != tc.looked {
			t.Errorf("%s: looked %t, %v", name, looked, err)
		}
	}
}

// TestEyesComeBeforeGates: the rule's version names the eyes, so eyes that come after
// it are refused, and so are two of a family.
func TestEyesComeBeforeGates(t *testing.T) {
	look := func(context.Context, *pipeline.Scope, Asked) (Seen, bool, error) { return Seen{}, false, nil }
	late, twice := pipeline.NewRegistry(), pipeline.NewRegistry()
	Register(late)
	AddEyes(late, Eyes{Family: "late", Version: "1", Look: look})
	AddEyes(twice, Eyes{Family: "twice", Version: "1", Look: look})
	AddEyes(twice, Eyes{Family: "twice", Version: "2", Look: look})
	for name, r := range map[string]*pipeline.Registry{"late": late, "twice": twice} {
		if r.Err() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// TestUnread: no verdict rests on what built-in eyes could not make out, and one answer
// of another kind suffices for one.
func TestUnread(t *testing.T) {
	probe := func(model, answer, why string) schemas.Probe {
		text, err := pipeline.Canonical(answerGiven{Answer: answer, Why: why})
		if err != nil {
			t.Fatal(err)
		}
		return schemas.Probe{Model: model, Answer: answer, Response: string(text)}
	}
	blind := probe(pipeline.BuiltInModel, answerUnknown, notMadeOut+"Too dark.")
	for name, tc := range map[string]struct {
		probes []schemas.Probe
		want   bool
	}{
		"nothing asked":     {nil, false},
		"none made out":     {[]schemas.Probe{blind, blind}, true},
		"one answered":      {[]schemas.Probe{blind, probe(pipeline.BuiltInModel, "A", "It is red.")}, false},
		"one not shown":     {[]schemas.Probe{blind, probe(pipeline.BuiltInModel, answerUnknown, "It is not there.")}, false},
		"a model's unknown": {[]schemas.Probe{probe("other", answerUnknown, notMadeOut+"Too dark.")}, false},
		"no answer at all":  {[]schemas.Probe{{Model: pipeline.BuiltInModel, Answer: answerUnknown, Response: "-"}}, false},
	} {
		if got := unread(tc.probes); got != tc.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
