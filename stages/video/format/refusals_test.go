package format_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/testkit/videorelease"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/format"
)

// TestRefusals changes one question each so that M3Eval would count it in no
// table or misread it.
func TestRefusals(t *testing.T) {
	base, err := release.Read(t.Context(), newRelease(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	label := func(key, value string) func(*schemas.Question) {
		return func(q *schemas.Question) { q.Labels[key] = value }
	}
	for name, tc := range map[string]struct {
		id     string
		change func(*schemas.Question)
		want   string
	}{
		"type":             {"q-0000", func(q *schemas.Question) { q.Type = "riddle" }, `no task for type "riddle"`},
		"type for layout":  {"q-0000", func(q *schemas.Question) { q.Type = "false_memory_discrimination" }, "split-screen"},
		"no group":         {"q-0000", func(q *schemas.Question) { delete(q.Labels, "metric_group") }, `metric_group is ""`},
		"unknown group":    {"q-0000", label("metric_group", "swap5"), `metric_group is "swap5"`},
		"group and recipe": {"q-0000", label("metric_group", "swap10"), "exchanges sides 0 times"},
		"detail":           {"q-0001", label("metric_detail", "source_memory"), "metric_detail"},
		"error type":       {"q-0001", label("error_type", "content_forgetting"), "error_type"},
		"dimension":        {"q-0001", label("source_dimension", "narrative"), "source_dimension"},
		"direction":        {"q-0006", label("interference_direction", "retroactive"), "must agree"},
		"repetition":       {"q-0000", label("repetition", "target"), "repeats videos in memory_interference only"},
		"role":             {"q-0006", func(q *schemas.Question) { q.Options[0].Role = schemas.RoleDistractor }, `role "distractor"`},
		"role of answer":   {"q-0006", func(q *schemas.Question) { swapRoles(q) }, "the answer is"},
		"no intrusion": {"q-0006", func(q *schemas.Question) {
			for i, o := range q.Options {
				if o.Role == schemas.RoleIntrusion {
					q.Options[i].Role = schemas.RoleUnrelated
				}
			}
		}, "no intrusion could be counted"},
		"three options": {"q-0007", func(q *schemas.Question) {
			q.Options = slices.DeleteFunc(q.Options, func(o schemas.Option) bool { return o.Key == "D" })
			if q.AnswerKey == "D" {
				q.AnswerKey, q.AnswerText = "A", q.Options[0].Text
			}
		}, ""},
		"letters":     {"q-0000", func(q *schemas.Question) { q.Options[3].Key = "E" }, `option 4 has the key "E"`},
		"line break":  {"q-0000", func(q *schemas.Question) { q.Options[1].Text = "x\nE. y" }, "line break"},
		"attribute":   {"q-0017", label("attribute", "mood"), "action and scene"},
		"n":           {"q-0017", label("n_value", "two"), "n_value"},
		"n too large": {"q-0017", func(q *schemas.Question) { q.Labels["n_value"], q.Labels["clip_count"] = "5", "8" }, "go to 4"},
		"n not below": {"q-0017", label("n_value", "4"), "1 <= n < k"},
		"nback words": {"q-0017", func(q *schemas.Question) { q.Options[0].Text = "Maybe" }, "want Yes and No"},
	} {
		t.Run(name, func(t *testing.T) {
			contents := base
			contents.Questions = slices.Clone(base.Questions)
			for i := range contents.Questions {
				q := &contents.Questions[i]
				q.Labels, q.Options = maps.Clone(q.Labels), slices.Clone(q.Options)
				if q.QuestionID == tc.id {
					tc.change(q)
				}
			}
			_, err := format.Layout(contents)
			var refused *export.QuestionError
			if !errors.As(err, &refused) || refused.QuestionID != tc.id && tc.want != "" || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

func swapRoles(q *schemas.Question) {
	for i := range q.Options {
		switch q.Options[i].Role {
		case schemas.RoleCorrect:
			q.Options[i].Role = schemas.RoleUnrelated
		case schemas.RoleUnrelated:
			q.Options[i].Role = schemas.RoleCorrect
		}
	}
}

// TestEmptyTasksAreNoted exports a release without some of the tasks.
func TestEmptyTasksAreNoted(t *testing.T) {
	dir := newRelease(t, videorelease.OnlyQuestions("q-0017"))
	contents, err := release.Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := format.Layout(contents)
	if err != nil || len(tree.Notes) != 3 {
		t.Errorf("notes %q: %v", tree.Notes, err)
	}
	for _, f := range tree.Files {
		if strings.HasSuffix(f.Path, "interleaved_qa.json") && string(f.Data) != "[\n]\n" {
			t.Errorf("%s is %q", f.Path, f.Data)
		}
	}
}

// TestARefusalIsOneLine, whatever the release calls its question.
func TestARefusalIsOneLine(t *testing.T) {
	t.Parallel()
	err := &export.QuestionError{QuestionID: "q\nexported: all\x1b[2K", Reason: "it has\nno task"}
	if want := `question q\nexported: all\u001b[2K: it has\nno task`; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
}
