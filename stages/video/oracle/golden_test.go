package oracle

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/schemas"
)

// fixture is a medium with questions about it. The tests of package video write it.
type fixture struct {
	layout    string
	Case      Case
	questions []schemas.Question
}

func fixtures(t *testing.T) (out []fixture) {
	t.Helper()
	for _, layout := range []string{schemas.LayoutConcat, schemas.LayoutInterleaved, layoutSplit} {
		data, err := os.ReadFile(filepath.Join("testdata", layout+".golden"))
		if err != nil {
			t.Fatal(err)
		}
		f := fixture{layout: layout}
		dec := json.NewDecoder(strings.NewReader(string(data)))
		if err := dec.Decode(&f.Case); err != nil {
			t.Fatal(err)
		}
		for dec.More() {
			var q schemas.Question
			if err := dec.Decode(&q); err != nil {
				t.Fatal(err)
			}
			f.questions = append(f.questions, q)
		}
		out = append(out, f)
	}
	return out
}

// TestEveryQuestionFollows: everything in a question follows from the tables.
func TestEveryQuestionFollows(t *testing.T) {
	for _, f := range fixtures(t) {
		for _, q := range f.questions {
			got, free, err := f.Case.DeriveQuestion(q)
			if err != nil || len(free) > 0 || !reflect.DeepEqual(got, q) {
				t.Errorf("%s: %v, free %v\n%s\nwant\n%s", q.QuestionID, err, free, golden.JSON(t, got), golden.JSON(t, q))
			}
			bare := q
			bare.Labels, bare.Evidence, bare.Explanation, bare.Setting, bare.QuestionMCQ, bare.AnswerKey, bare.AnswerText, bare.Type = nil, nil, "", "", "", "", "", ""
			again, _, err := f.Case.DeriveQuestion(bare)
			if err != nil || again.AnswerText != q.AnswerText || again.AnswerKey != q.AnswerKey || again.QuestionMCQ != q.QuestionMCQ || again.Type != q.Type {
				t.Errorf("%s without what is stated: %v %s, want %s", q.QuestionID, err, golden.JSON(t, again), golden.JSON(t, q))
			}
		}
	}
}

// TestGoldenForgeries shows what follows for questions and tables that somebody changed.
func TestGoldenForgeries(t *testing.T) {
	type change struct {
		name   string
		change func(c *Case, q *schemas.Question)
	}
	number := regexp.MustCompile(`first|second|third`)
	changes := []change{
		{"without the mark", func(_ *Case, q *schemas.Question) { q.Question = strings.TrimSuffix(q.Question, "?") }},
		{"another number", func(_ *Case, q *schemas.Question) { q.Question = number.ReplaceAllString(q.Question, "ninth") }},
		{"another title", func(_ *Case, q *schemas.Question) {
			q.Question = strings.Replace(q.Question, `titled "`, `titled "Not `, 1)
		}},
		{"two options", func(_ *Case, q *schemas.Question) { q.Options = q.Options[:2] }},
		{"an option twice", func(_ *Case, q *schemas.Question) { q.Options = append(q.Options[:3:3], q.Options[0]) }},
		{"another option", func(_ *Case, q *schemas.Question) {
			q.Options = slices.Clone(q.Options)
			q.Options[0].Text = "something else"
		}},
		{"options in another order", func(_ *Case, q *schemas.Question) {
			q.Options = slices.Clone(q.Options)
			q.Options[0].Text, q.Options[1].Text = q.Options[1].Text, q.Options[0].Text
		}},
		{"no evidence", func(_ *Case, q *schemas.Question) { q.Evidence = nil }},
		{"evidence moved", func(_ *Case, q *schemas.Question) {
			q.Evidence = slices.Clone(q.Evidence)
			q.Evidence[0].Text += " more"
		}},
		{"no explanation", func(_ *Case, q *schemas.Question) { q.Explanation = "" }},
		{"no labels", func(_ *Case, q *schemas.Question) { q.Labels = nil }},
		{"no events", func(c *Case, _ *schemas.Question) { c.Events = nil }},
		{"no labels of films", func(c *Case, _ *schemas.Question) { c.Labels = nil }},
		{"half of the events", func(c *Case, _ *schemas.Question) { c.Events = c.Events[:len(c.Events)/2] }},
		{"a frame too many", func(c *Case, _ *schemas.Question) { c.Media.Frames++ }},
		{"no segments", func(c *Case, _ *schemas.Question) { c.Media.Recipe.Segments = nil }},
		{"a segment less", func(c *Case, _ *schemas.Question) {
			c.Media.Recipe.Segments = c.Media.Recipe.Segments[:len(c.Media.Recipe.Segments)-1]
		}},
		{"another layout", func(c *Case, _ *schemas.Question) { c.Media.Recipe.Layout = "mosaic" }},
		{"an exchange more", func(c *Case, _ *schemas.Question) {
			c.Media.Recipe.SwapFrames = append(slices.Clone(c.Media.Recipe.SwapFrames), 30)
		}},
	}
	var out strings.Builder
	for _, f := range fixtures(t) {
		for i, q := range f.questions {
			for _, k := range changes {
				c, asked := f.Case, q
				c.Media.Recipe.Segments = slices.Clone(c.Media.Recipe.Segments)
				k.change(&c, &asked)
				got, free, err := c.DeriveQuestion(asked)
				switch {
				case err != nil:
					text := err.Error()
					if i > 0 && strings.Contains(out.String(), text) {
						continue
					}
					fmt.Fprintf(&out, "%s, %s, %s: %s\n", f.layout, q.Type, k.name, strings.TrimPrefix(text, fmt.Sprintf("%q: ", asked.Question)))
				case got.QuestionMCQ != q.QuestionMCQ || len(free) > 0:
					fmt.Fprintf(&out, "%s, %s, %s: free %q, %s\n", f.layout, q.Type, k.name, free, golden.Digest(t, got))
				}
			}
		}
	}
	golden.Check(t, "forgeries", out.String())
}

// TestGoldenSpoiled shows what follows of tables, and of a question of each type, with one
// value wrong.
func TestGoldenSpoiled(t *testing.T) {
	derive := func(c Case, q schemas.Question) string {
		got, free, err := c.DeriveQuestion(q)
		if err != nil {
			return fmt.Sprintf("%s: %s\n", q.Type, strings.TrimPrefix(err.Error(), fmt.Sprintf("%q: ", q.Question)))
		}
		return fmt.Sprintf("%s: %s %q free %q %s\n", q.Type, got.AnswerKey, got.AnswerText, free, golden.Digest(t, got))
	}
	for _, f := range fixtures(t) {
		golden.CheckSpoiled(t, "spoiled-tables-"+f.layout, f.Case, func(doc []byte) (out string) {
			var c Case
			if json.Unmarshal(doc, &c) != nil {
				return ""
			}
			for _, q := range f.questions {
				out += derive(c, q)
			}
			return out
		})
		for _, q := range f.questions {
			golden.CheckSpoiled(t, "spoiled-"+f.layout+"-"+q.Type, q, func(doc []byte) string {
				var q schemas.Question
				if json.Unmarshal(doc, &q) != nil {
					return ""
				}
				return derive(f.Case, q)
			})
		}
	}
}

// TestGoldenTasks shows what follows for tasks.
func TestGoldenTasks(t *testing.T) {
	var out strings.Builder
	lines := map[string]string{}
	for _, f := range fixtures(t) {
		base := schemas.Task{TaskID: f.questions[0].TaskID, Family: family, SourceRecords: []string{"films"}, Summary: ""}
		got, free, err := DeriveTask(base, []Case{f.Case}, f.questions)
		fmt.Fprintf(&out, "%s: %s free %q %v\n", f.layout, golden.JSON(t, got), free, err)
		for name, change := range map[string]func(k *schemas.Task, asked *[]schemas.Question, cases *[]Case){
			"its own summary":     func(k *schemas.Task, _ *[]schemas.Question, _ *[]Case) { k.Summary = got.Summary },
			"another summary":     func(k *schemas.Task, _ *[]schemas.Question, _ *[]Case) { k.Summary = "Two films." },
			"more than a summary": func(k *schemas.Task, _ *[]schemas.Question, _ *[]Case) { k.Summary = got.Summary + " They are alike." },
			"no question":         func(_ *schemas.Task, asked *[]schemas.Question, _ *[]Case) { *asked = nil },
			"another medium": func(_ *schemas.Task, asked *[]schemas.Question, _ *[]Case) {
				other := (*asked)[0]
				other.Media = []string{"m"}
				*asked = []schemas.Question{other}
			},
			"a medium twice": func(_ *schemas.Task, _ *[]schemas.Question, cases *[]Case) { *cases = append(*cases, (*cases)[0]) },
		} {
			k, asked, cases := base, slices.Clone(f.questions), []Case{f.Case}
			change(&k, &asked, &cases)
			other, free, err := DeriveTask(k, cases, asked)
			lines[f.layout+", "+name] = fmt.Sprintf("%t free %q %v", reflect.DeepEqual(other, got), free, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		fmt.Fprintf(&out, "%s: %s\n", name, lines[name])
	}
	golden.Check(t, "tasks", out.String())
}
