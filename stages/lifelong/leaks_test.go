package lifelong_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// share is how often a rule is right, where it may leave several options open.
type share struct{ right, n float64 }

func (s share) value() float64 { return s.right / max(1, s.n) }

// guess adds a question of which a rule takes the best rated options.
func (s *share) guess(q schemas.Question, rate func(option string) int) {
	best, among, gold := -1<<30, 0.0, false
	for _, o := range q.Options {
		switch r := rate(o.Text); {
		case r > best:
			best, among, gold = r, 1, o.Role == schemas.RoleCorrect
		case r == best:
			among++
			gold = gold || o.Role == schemas.RoleCorrect
		}
	}
	s.n++
	if gold {
		s.right += 1 / among
	}
}

// turnsUpTo are the turns up to a session, with what their pictures show.
func (k askedOf) turnsUpTo(end int) (out []string) {
	for _, s := range k.all[:end+1] {
		for _, turn := range s.Turns {
			text := turn.Text + " " + turn.Observation + " " + turn.Feedback
			for _, a := range turn.Attachments {
				text += " " + a.TaskAwareCaption
			}
			out = append(out, text)
		}
	}
	return out
}

// TestReadersOfTheHistoryNeedMoreThanRecency takes the option that is named last with the
// thing: of what holds, it is right in 60 of a hundred at most.
func TestReadersOfTheHistoryNeedMoreThanRecency(t *testing.T) {
	t.Parallel()
	by, all := map[string]*share{}, share{}
	each(t, func(k askedOf, q schemas.Question, end int) {
		thing := strings.TrimPrefix(fact(q)[0], "the ")
		turns := k.turnsUpTo(end)
		named := false
		rate := func(option string) int {
			for i, text := range slices.Backward(turns) {
				if strings.Contains(text, thing) && strings.Contains(text, option) && names([]string{text}, option) {
					named = true
					return i
				}
			}
			return -1
		}
		for _, o := range q.Options {
			rate(o.Text)
		}
		if !named {
			rate = func(option string) int { return map[bool]int{true: 1}[option == schemas.AnswerNone] }
		}
		if by[q.Type] == nil {
			by[q.Type] = &share{}
		}
		by[q.Type].guess(q, rate)
		all.guess(q, rate)
	}, "fr", "du", "mb", "vfr", "vu")
	for ty, s := range by {
		t.Logf("%s: last named with the thing %.2f of %.0f", ty, s.value(), s.n)
		if s.value() > 0.68 {
			t.Errorf("%s: the option last named with the thing is right in %.2f of %.0f", ty, s.value(), s.n)
		}
	}
	t.Logf("all: %.2f of %.0f", all.value(), all.n)
	if all.value() > 0.6 {
		t.Errorf("the option last named with the thing is right in %.2f of %.0f", all.value(), all.n)
	}
}

// TestDaysAreNotThoseWithMostNews takes the day on which a thing is named most, first or last.
func TestDaysAreNotThoseWithMostNews(t *testing.T) {
	t.Parallel()
	var most, first, last share
	each(t, func(k askedOf, q schemas.Question, end int) {
		thing := strings.TrimPrefix(fact(q)[0], "the ")
		count := map[string]int{}
		at := map[string]int{}
		for n, s := range k.all[:end+1] {
			day, err := time.Parse(time.DateOnly, s.Date)
			if err != nil {
				t.Fatal(err)
			}
			name := day.Format("2 January 2006")
			for _, turn := range s.Turns {
				text := turn.Text + turn.Observation + turn.Reasoning + turn.Action + turn.Feedback
				for _, a := range turn.Attachments {
					text += a.Caption
				}
				if strings.Contains(text, thing) {
					count[name]++
					at[name] = n
				}
			}
		}
		most.guess(q, func(option string) int { return count[option] })
		last.guess(q, func(option string) int { return at[option] })
		first.guess(q, func(option string) int { return -at[option] })
	}, "tr")
	for name, s := range map[string]share{"most": most, "first": first, "last": last} {
		t.Logf("day with %s news: %.2f of %.0f", name, s.value(), s.n)
		if bound := float64(testsize.Choose(40, 35)) / 100; s.value() > bound || s.value() < 0.1 {
			t.Errorf("the day with %s news is right in %.2f of %.0f", name, s.value(), s.n)
		}
	}
}

// TestCountriesAreNotTheLastNamed takes the country of the town that is named last, or most,
// and any of those of which a town is named.
func TestCountriesAreNotTheLastNamed(t *testing.T) {
	t.Parallel()
	var last, most, told share
	each(t, func(k askedOf, q schemas.Question, end int) {
		turns, at, count := k.turnsUpTo(end), map[string]int{}, map[string]int{}
		for _, town := range simulate.Cities() {
			for i, text := range turns {
				if strings.Contains(text, town) {
					land := simulate.Country(town)
					at[land] = max(at[land], i+1)
					count[land]++
				}
			}
		}
		last.guess(q, func(option string) int { return at[option] })
		most.guess(q, func(option string) int { return count[option] })
		told.guess(q, func(option string) int { return min(1, count[option]) })
	}, "kr")
	for name, s := range map[string]share{"last": last, "most": most, "any told": told} {
		t.Logf("country named %s: %.2f of %.0f", name, s.value(), s.n)
		if bound := float64(testsize.Choose(42, 36)) / 100; s.value() > bound {
			t.Errorf("the country named %s is right in %.2f of %.0f", name, s.value(), s.n)
		}
	}
}

// allTagRules are the rules for tags that a task could teach.
func allTagRules() (out []simulate.TagFormat) {
	for _, prefix := range strings.Fields("KX MV QZ RT ZP BW") {
		for _, order := range strings.Fields("pln pnl lpn lnp npl nlp") {
			for _, letters := range []string{"first three", "last three", "first two", "last two"} {
				for _, joiner := range strings.Fields("- / : _") {
					for _, number := range []string{"the number", "twice the number", "the number plus 3", "the number plus 8"} {
						out = append(out, simulate.TagFormat{Prefix: prefix, Order: order, Letters: letters, Joiner: joiner, Number: number})
					}
				}
			}
		}
	}
	return out
}

// TestNoRuleFitsOnlyTheTaught looks, without reading a session, for the rules that give an
// option of every question of a task, and answers by them.
func TestNoRuleFitsOnlyTheTaught(t *testing.T) {
	t.Parallel()
	hours := func(step, more, n int) string { return strconv.Itoa((n+step-1)/step*step + more) }
	var tags, quotes share
	for _, k := range manyTasks(t) {
		var tagged, quoted []schemas.Question
		for _, q := range k.questions {
			switch {
			case q.Type == "lifelong_ttl" && fact(q)[0] == "tag":
				tagged = append(tagged, q)
			case q.Type == "lifelong_ttl":
				quoted = append(quoted, q)
			}
		}
		var fit []func(schemas.Question) string
		for _, rule := range allTagRules() {
			fit = append(fit, func(q schemas.Question) string {
				n, err := strconv.Atoi(fact(q)[2])
				if err != nil {
					t.Fatal(err)
				}
				return rule.Apply(strings.Fields(fact(q)[1])[1], n)
			})
		}
		answerByFitting(&tags, tagged, fit)
		fit = nil
		for step := 3; step < 8; step++ {
			for more := 1; more < 5; more++ {
				fit = append(fit, func(q schemas.Question) string {
					n, err := strconv.Atoi(fact(q)[1])
					if err != nil {
						t.Fatal(err)
					}
					return hours(step, more, n)
				})
			}
		}
		answerByFitting(&quotes, quoted, fit)
	}
	for name, s := range map[string]share{"tags": tags, "hours": quotes} {
		t.Logf("%s by the rules that fit all questions of a task: %.2f of %.0f", name, s.value(), s.n)
		if s.n < 30 || s.value() > 0.4 || s.value() < 0.1 {
			t.Errorf("%s by the rules that fit all questions of a task: %.2f of %.0f", name, s.value(), s.n)
		}
	}
}

// answerByFitting takes the options that most of the rules give that give one of each question.
func answerByFitting(s *share, qs []schemas.Question, rules []func(schemas.Question) string) {
	fits := slices.DeleteFunc(slices.Clone(rules), func(rule func(schemas.Question) string) bool {
		return slices.ContainsFunc(qs, func(q schemas.Question) bool {
			answer := rule(q)
			return !slices.ContainsFunc(q.Options, func(o schemas.Option) bool { return o.Text == answer })
		})
	})
	for _, q := range qs {
		s.guess(q, func(option string) int {
			n := 0
			for _, rule := range fits {
				if rule(q) == option {
					n++
				}
			}
			return n
		})
	}
}

// TestCaptionsHoldBackWhatIsAsked: no caption tells what a question asks of pictures, nor the
// values of the things that a search offers.
func TestCaptionsHoldBackWhatIsAsked(t *testing.T) {
	t.Parallel()
	each(t, func(k askedOf, q schemas.Question, end int) {
		of := fact(q)
		for _, s := range k.all[:end+1] {
			for _, turn := range s.Turns {
				for _, a := range turn.Attachments {
					thing := "the " + k.shown[a.MediaID].Title
					offered := slices.ContainsFunc(q.Options, func(o schemas.Option) bool { return o.Text == thing })
					if (thing == of[0] || offered) && strings.Contains(a.Caption, of[1]+": ") {
						t.Errorf("%s asks for the %s of %s, and a caption is %q", q.QuestionID, of[1], of[0], a.Caption)
					}
				}
			}
		}
	}, "vfr", "vu", "vs", "cmr")
}
