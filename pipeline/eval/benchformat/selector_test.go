package benchformat

import (
	"errors"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// TestFormatsTakeTheirQuestions: those of their families, and of families without a format
// those that fit; the rest is counted by family and reason.
func TestFormatsTakeTheirQuestions(t *testing.T) {
	c := release.Contents{Questions: []schemas.Question{
		{QuestionID: "1", Family: "lives"}, {QuestionID: "2", Family: "films"}, {QuestionID: "3", Family: "films"},
		{QuestionID: "4", Family: "own", AnswerText: "x"}, {QuestionID: "5", Family: "own"},
	}}
	c.Manifest.ID = "r"
	takes := Selector{Families: []string{"lives"}, Fits: func(q schemas.Question) string {
		if q.AnswerText == "" {
			return "no words"
		}
		return ""
	}}
	claims := map[string]string{"lives": "lifebench", "films": "filmbench"}
	for name, tc := range map[string]struct {
		families   []string
		taken      string
		note, fail string
	}{
		"all":            {nil, "14", "lifebench takes 2 of 5 questions; left out: 2 of family films (its format is filmbench), 1 of family own (no words)", ""},
		"narrowed":       {[]string{"own"}, "4", "lifebench takes 1 of 5 questions; left out: 2 of family films (--family names own), 1 of family lives (--family names own), 1 of family own (no words)", ""},
		"of another":     {[]string{"films"}, "", "", "lifebench takes no question of release r: 2 of family films (its format is filmbench), 1 of family lives"},
		"unknown family": {[]string{"lives", "cats"}, "", "", `no question of family "cats"; its families are films, lives, own`},
	} {
		got, selected, err := takes.Select("lifebench", c, Choice{Families: tc.families, Claims: claims})
		if tc.fail != "" {
			var none *SelectionError
			if !errors.As(err, &none) || !strings.Contains(err.Error(), tc.fail) {
				t.Errorf("%s: %v, want %q", name, err, tc.fail)
			}
			continue
		}
		var ids strings.Builder
		for _, q := range got.Questions {
			ids.WriteString(q.QuestionID)
		}
		if err != nil || ids.String() != tc.taken || selected.Note("lifebench") != tc.note {
			t.Errorf("%s: took %s with %q, %v; want %s with %q", name, ids.String(), selected.Note("lifebench"), err, tc.taken, tc.note)
		}
	}
	if _, all, err := (Selector{}).Select("any", c, Choice{Claims: claims}); err != nil || all.Note("any") != "" || all.Taken != 5 {
		t.Errorf("a format without rules takes %+v, %v", all, err)
	}
	if len(c.Questions) != 5 {
		t.Error("the release lost questions")
	}
}
