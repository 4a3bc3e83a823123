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
		seen         PictureAnswer
		theirs       bool
		err          error
		answer, told string
		looked       bool
	}{
		"seen":          {1, PictureAnswer{Option: 1, Why: "It is blue."}, true, nil, "B", "It is blue.", true},
		"not shown":     {1, PictureAnswer{Option: -1, Why: "It is not there."}, true, nil, answerUnknown, "It is not there.", true},
		"not made out":  {1, PictureAnswer{Option: -1, Unreadable: true, Why: "Too dark."}, true, nil, answerUnknown, unreadablePrefix + "Too dark.", true},
		"no such place": {1, PictureAnswer{Option: 2, Why: "Where?"}, true, nil, answerUnknown, "Where?", true},
		"not theirs":    {1, PictureAnswer{Option: 1}, false, nil, "", "Drawn by lot", true},
		"no picture":    {0, PictureAnswer{Option: 1}, true, nil, "", "Drawn by lot", false},
		"fault":         {1, PictureAnswer{}, false, broken, "", "", true},
	} {
		r, looked := pipeline.NewRegistry(), false
		AddPictureReader(r, PictureReader{Family: "made-up", Version: "7", Answer: func(_ context.Context, _ *pipeline.Scope, a PictureQuestion) (PictureAnswer, bool, error) {
			looked = true
			if a.Question != "Which?" || strings.Join(a.Options, " ") != "red blue" || len(a.Passages) != 1 || len(a.Passages[0].Pictures) != 1 || a.Passages[0].Pictures[0] != "picture" {
				t.Errorf("%s: eyes are asked %+v", name, a)
			}
			return tc.seen, tc.theirs, tc.err
		}})
		version, rule := pictureRule(r)
		if version != "1 made-up 7" {
			t.Errorf("%s: the rule has the version %q, which does not tell whose eyes it has", name, version)
		}
		input, err := pipeline.Canonical(shownInput(tc.pictures))
		if err != nil {
			t.Fatal(err)
		}
		_, err = pipeline.RunInScope(pipeline.ScopeOptions{Registry: r}, func(s *pipeline.Scope) error {
			text, err := rule(t.Context(), s, pipeline.Request{Task: jobAnswer, Role: roleA, Input: input, Messages: pipeline.ChatMessages("", "", []pipeline.Digest{"picture"})})
			if err != nil {
				return err
			}
			var got answerResponse
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
	look := func(context.Context, *pipeline.Scope, PictureQuestion) (PictureAnswer, bool, error) {
		return PictureAnswer{}, false, nil
	}
	late, twice := pipeline.NewRegistry(), pipeline.NewRegistry()
	Register(late)
	AddPictureReader(late, PictureReader{Family: "late", Version: "1", Answer: look})
	AddPictureReader(twice, PictureReader{Family: "twice", Version: "1", Answer: look})
	AddPictureReader(twice, PictureReader{Family: "twice", Version: "2", Answer: look})
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
		text, err := pipeline.Canonical(answerResponse{Answer: answer, Why: why})
		if err != nil {
			t.Fatal(err)
		}
		return schemas.Probe{Model: model, Answer: answer, Response: string(text)}
	}
	blind := probe(pipeline.BuiltInModel, answerUnknown, unreadablePrefix+"Too dark.")
	for name, tc := range map[string]struct {
		probes []schemas.Probe
		want   bool
	}{
		"nothing asked":     {nil, false},
		"none made out":     {[]schemas.Probe{blind, blind}, true},
		"one answered":      {[]schemas.Probe{blind, probe(pipeline.BuiltInModel, "A", "It is red.")}, false},
		"one not shown":     {[]schemas.Probe{blind, probe(pipeline.BuiltInModel, answerUnknown, "It is not there.")}, false},
		"a model's unknown": {[]schemas.Probe{probe("other", answerUnknown, unreadablePrefix+"Too dark.")}, false},
		"no answer at all":  {[]schemas.Probe{{Model: pipeline.BuiltInModel, Answer: answerUnknown, Response: "-"}}, false},
	} {
		if got := allUnreadable(tc.probes); got != tc.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
