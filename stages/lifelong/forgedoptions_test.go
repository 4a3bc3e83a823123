package lifelong_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
)

// TestForgedOptions: a wrong option that says the right answer in other words, nothing, an
// answer of another kind, or that nobody said anything in words of its own, is found.
func TestForgedOptions(t *testing.T) {
	t.Parallel()
	b, d := livesAndRuns(t), derivation(t)
	forgeries, premises := spoiltOptions(), b.ofTasks(t)
	found, asked := map[string]map[string]bool{}, map[string]int{}
	for _, q := range b.questions {
		if asked[q.Type]++; asked[q.Type] > testsize.Choose(4, 10) {
			continue
		}
		p := premises(q.TaskID)
		if _, err := d.Question(q, p); err != nil {
			t.Errorf("clean %s: %v", q.QuestionID, err)
		}
		for name, forge := range forgeries {
			forged := copied(t, q)
			at := slices.IndexFunc(forged.Options, func(o schemas.Option) bool { return o.Role != schemas.RoleCorrect })
			text := forge(q.AnswerText)
			if text == q.AnswerText {
				continue
			}
			forged.Options[at].Text = text
			if _, err := d.Question(forged, p); err == nil {
				t.Errorf("%s (%q, answer %q) offers %q, and nothing is wrong", q.QuestionID, q.Question, q.AnswerText, text)
			}
			if found[name] == nil {
				found[name] = map[string]bool{}
			}
			found[name][q.Type] = true
		}
	}
	for name := range forgeries {
		if want := map[bool]int{true: 3, false: 10}[name == "other order" || name == "capitals"]; len(found[name]) < want {
			t.Errorf("%s was offered in questions of the types %v", name, found[name])
		}
	}
}

// spoiltOptions are what a right answer makes of a wrong option.
func spoiltOptions() map[string]func(right string) string {
	return map[string]func(right string) string{
		"an article":   func(right string) string { return "the " + right },
		"a full stop":  func(right string) string { return right + "." },
		"capitals":     strings.ToUpper,
		"other order":  turned,
		"in a clause":  func(right string) string { return "It is " + right },
		"nonsense":     func(string) string { return "Blorp Zanthor" },
		"silence":      func(string) string { return "Nothing was said of it" },
		"nothing":      func(string) string { return "" },
		"a strange no": func(string) string { return "No one any longer" },
		"an off date":  func(string) string { return "31 December 1999" },
	}
}

// turned is an answer with its parts in another order: a date, or two holders.
func turned(right string) string {
	if one, two, pair := strings.Cut(right, " and "); pair {
		return two + " and " + one
	}
	if f := strings.Fields(right); len(f) == 3 {
		return f[1] + " " + f[0] + ", " + f[2]
	}
	words := strings.Fields(right)
	slices.Reverse(words)
	return strings.Join(words, " ")
}

// TestForgedStrangers: where nobody ever heard of any wrong option, these are none that the
// sessions allow.
func TestForgedStrangers(t *testing.T) {
	t.Parallel()
	b, d := livesAndRuns(t), derivation(t)
	strange := 0
	for _, q := range b.questions {
		if q.Type != "lifelong_fr" || !strings.Contains(strings.ToLower(q.Question), "who is the ") {
			continue
		}
		p, forged := b.premises(t, q.TaskID), copied(t, q)
		for i := range forged.Options {
			if forged.Options[i].Role != schemas.RoleCorrect {
				forged.Options[i].Text = []string{"Zoe Kern", "Nela Jolly", "Lotte Ingram", "Malik Hartl"}[i]
			}
		}
		if slices.ContainsFunc(b.sessions[q.TaskID], func(s schemas.Session) bool {
			return slices.ContainsFunc(s.Turns, func(t schemas.Turn) bool {
				return slices.ContainsFunc(forged.Options, func(o schemas.Option) bool {
					return o.Role != schemas.RoleCorrect && strings.Contains(t.Text+t.Feedback, o.Text)
				})
			})
		}) {
			continue
		}
		strange++
		if _, err := d.Question(forged, p); err == nil {
			t.Errorf("%s offers people of whom nobody ever heard, and nothing is wrong", q.QuestionID)
		}
	}
	if strange < 5 {
		t.Errorf("%d questions with strangers", strange)
	}
}
