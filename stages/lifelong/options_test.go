package lifelong_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/oracle"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// recipe is the rule for tags that a task teaches.
func (k askedOf) recipe(t *testing.T) string {
	t.Helper()
	for _, line := range words(k.all...) {
		if _, rule, found := strings.Cut(line, "A rule for you to keep: a tag is "); found {
			return strings.TrimSuffix(strings.TrimSpace(rule), ".")
		}
	}
	t.Errorf("%s teaches no rule for tags", k.life.ID)
	return ""
}

// answered is what the rule of a task gives for a question of another.
func answered(rule string, q schemas.Question) string {
	lesson := schemas.Session{Turns: []schemas.Turn{{Role: schemas.TurnUser, Text: "A rule for you to keep: a tag is " + rule + "."}}}
	r, err := oracle.New([]schemas.Session{lesson}, nil).Answer(q.Question, 0)
	if err != nil {
		return err.Error()
	}
	return r.Right
}

// TestTagsNeedTheirRule: tasks teach rules that differ; who goes by the rule of another
// task, or by the most usual form of a tag, is right no more often than a guess or two.
func TestTagsNeedTheirRule(t *testing.T) {
	t.Parallel()
	tasks, usual := manyTasks(t), regexp.MustCompile(`^[A-Z]{2}[-/:_][A-Z]{2,3}[-/:_]\d+$`)
	rules, differ, asked, borrowed, first := map[string]bool{}, map[string]int{}, 0, 0, 0
	for i, k := range tasks {
		rules[k.recipe(t)] = true
		for _, q := range k.questions {
			if q.Type != "lifelong_ttl" || fact(q)[0] != "tag" {
				continue
			}
			asked++
			for name, of := range map[string]*regexp.Regexp{"number": regexp.MustCompile(`\d+`)} {
				if slices.ContainsFunc(wrongOf(q), func(w string) bool { return of.FindString(w) != of.FindString(q.AnswerText) }) {
					differ[name]++
				}
			}
			if own := answered(k.recipe(t), q); own != q.AnswerText {
				t.Errorf("%s: the rule that is taught gives %q, the answer is %q", q.QuestionID, own, q.AnswerText)
			}
			if answered(tasks[(i+7)%len(tasks)].recipe(t), q) == q.AnswerText {
				borrowed++
			}
			at := slices.IndexFunc(q.Options, func(o schemas.Option) bool { return usual.MatchString(o.Text) })
			if at >= 0 && q.Options[at].Role == schemas.RoleCorrect {
				first++
			}
		}
	}
	for _, name := range []string{"number"} { // two of four features: half
		if n := differ[name]; n*5 < asked || n*5 > asked*4 {
			t.Errorf("options differ in their %s in %d of %d tags", name, n, asked)
		}
	}
	if len(rules)*5 < len(tasks)*4 || asked < 40 || borrowed*5 > asked || first*3 > asked {
		t.Errorf("%d rules in %d tasks; of %d tags another rule gives %d, the usual form %d", len(rules), len(tasks), asked, borrowed, first)
	}
	t.Logf("%d rules in %d tasks; of %d tags another rule gives %d, the usual form %d", len(rules), len(tasks), asked, borrowed, first)
}

// optionsWithRoles counts how often options of a form are right, and how often they are offered.
func optionsWithRoles(q schemas.Question, of func(string) bool, right, all *int) {
	for _, o := range q.Options {
		if of(o.Text) {
			*all++
			if o.Role == schemas.RoleCorrect {
				*right++
			}
		}
	}
}

// TestEndsAndHalvesAreAsked: questions ask for what ended and for what two share, and
// these answers are offered where they are wrong so often that none gives itself away. What
// ended is nobody where the question asks who.
func TestEndsAndHalvesAreAsked(t *testing.T) {
	t.Parallel()
	two := regexp.MustCompile(`^[A-Z]\w+ [A-Z]\w+ and [A-Z]\w+ [A-Z]\w+$`)
	var ended, allEnded, nobody, allNobody, shared, allShared, none, allNone int
	each(t, func(_ askedOf, q schemas.Question, _ int) {
		who := strings.Contains(strings.ToLower(q.Question), "who is the ")
		for _, o := range q.Options {
			if who && o.Text == "None any more" || !who && o.Text == "Nobody any more" {
				t.Errorf("%s asks %q and offers %q", q.QuestionID, q.Question, o.Text)
			}
		}
		optionsWithRoles(q, func(s string) bool { return s == "None any more" }, &ended, &allEnded)
		optionsWithRoles(q, func(s string) bool { return s == "Nobody any more" }, &nobody, &allNobody)
		optionsWithRoles(q, two.MatchString, &shared, &allShared)
		optionsWithRoles(q, func(s string) bool { return s == schemas.AnswerNone }, &none, &allNone)
	}, "fr", "du", "mb", "vfr", "vu")
	t.Logf("ended is right in %d of %d, nobody in %d of %d, two holders in %d of %d, not mentioned in %d of %d", ended, allEnded, nobody, allNobody, shared, allShared, none, allNone)
	rates := [][3]int{{ended, allEnded, 10}, {shared, allShared, 3}, {none, allNone, 40}}
	if testsize.Full() { // people seldom end
		rates = append(rates, [3]int{nobody, allNobody, 5})
	}
	for _, of := range rates {
		if of[0] < of[2] || of[0]*20 > of[1]*9 || of[0]*20 < of[1]*2 {
			t.Errorf("right in %d of %d, want %d or more and a tenth to nine twentieths", of[0], of[1], of[2])
		}
	}
}

// TestEvidenceIsWhole: whatever held before is evidence, and no picture after the last
// piece of evidence shows the value again.
func TestEvidenceIsWhole(t *testing.T) {
	t.Parallel()
	again := 0
	each(t, func(k askedOf, q schemas.Question, end int) {
		of, roles, last, order := fact(q), map[string]int{}, "", 0
		for _, e := range q.Evidence {
			roles[e.Role]++
			last = e.Ref
		}
		again += roles[schemas.RoleAlternative]
		updates, err := strconv.Atoi(q.Labels["updates"])
		if want := map[bool]int{true: 1}[updates > 0]; err != nil || roles[schemas.RoleUpdate] != want || updates > roles[schemas.RoleSuperseded]+roles[schemas.RoleContext] {
			t.Errorf("%s has %s updates, and evidence of %v", q.QuestionID, q.Labels["updates"], roles)
		}
		past := false
		for _, s := range k.all[:end+1] {
			for _, turn := range s.Turns {
				for _, a := range turn.Attachments {
					if p := k.shown[a.MediaID]; past && "the "+p.Title == of[0] && slices.Contains(p.Rows, [2]string{of[1], q.AnswerText}) {
						t.Errorf("%s: %s shows %s again, and is no evidence", q.QuestionID, turn.TurnID, q.AnswerText)
					}
				}
				past = past || turn.TurnID == last
				order++
			}
		}
		if order == 0 || !past {
			t.Errorf("%s: its last evidence %q is in none of %d turns", q.QuestionID, last, order)
		}
	}, "fr", "du", "vfr", "vu")
	if again < 10 {
		t.Errorf("%d values that changed are shown again", again)
	}
}

// heardOf is all that words and pictures tell up to a session.
func (k askedOf) heardOf(end int) []string {
	out := words(k.all[:end+1]...)
	for _, s := range k.all[:end+1] {
		for _, turn := range s.Turns {
			for _, a := range turn.Attachments {
				for _, r := range k.shown[a.MediaID].Rows {
					out = append(out, r[0]+": "+r[1])
				}
			}
		}
	}
	return out
}

// TestWrongOptionsWereHeard: of the wrong answers to what holds, one at least was told or
// shown of something, and what nobody said of a thing was said of another one.
func TestWrongOptionsWereHeard(t *testing.T) {
	t.Parallel()
	each(t, func(k askedOf, q schemas.Question, end int) {
		lines := k.heardOf(end)
		heard := func(w string) bool { // of two holders either
			one, two, _ := strings.Cut(w, " and ")
			return names(lines, w) || two != "" && names(lines, one) && names(lines, two)
		}
		if !slices.ContainsFunc(wrongOf(q), heard) {
			t.Errorf("%s: nobody told or showed any of %q", q.QuestionID, wrongOf(q))
		}
		if aspect := fact(q)[1]; q.Type == "lifelong_mb" && !strings.Contains(strings.Join(lines, "\n"), aspect) {
			t.Errorf("%s: nobody ever speaks of any %s", q.QuestionID, aspect)
		}
	}, "fr", "du", "mb", "vfr", "vu", "mc")
}

// TestConflictsHaveSides: where different things were said, a wrong option at least was
// said of the thing, mostly two were, and what was said of it first is right in less than
// half.
func TestConflictsHaveSides(t *testing.T) {
	t.Parallel()
	conflicts, rich, early := 0, 0, 0
	each(t, func(k askedOf, q schemas.Question, end int) {
		of := slices.DeleteFunc(k.heardOf(end), func(l string) bool { return !strings.Contains(l, strings.TrimPrefix(fact(q)[0], "the ")) })
		said := len(slices.DeleteFunc(wrongOf(q), func(w string) bool { return !names(of, w) }))
		if conflicts++; said == 0 {
			t.Errorf("%s: none of %q was said of %s", q.QuestionID, wrongOf(q), fact(q)[0])
		}
		if said > 1 {
			rich++
		}
		if at := namedFirst(q, of); at >= 0 && q.Options[at].Role == schemas.RoleCorrect {
			early++
		}
	}, "mc")
	t.Logf("of %d conflicts %d have two wrong options or more that were said of the thing; in %d what was said of it first is right", conflicts, rich, early)
	if rich*2 < conflicts || early*2 > conflicts {
		t.Errorf("of %d conflicts %d have two wrong options or more that were said of the thing; in %d what was said of it first is right", conflicts, rich, early)
	}
}

// TestCountriesWereNamed: a wrong country is one of a town that was told; where the town
// has changed, that of a town before, if it is another.
func TestCountriesWereNamed(t *testing.T) {
	t.Parallel()
	outdated := 0
	each(t, func(k askedOf, q schemas.Question, end int) {
		lines, named := k.heardOf(end), false
		for _, town := range simulate.Cities() {
			named = named || slices.Contains(wrongOf(q), simulate.Country(town)) && names(lines, town)
		}
		if !named {
			t.Errorf("%s: nobody names a town in any of %q", q.QuestionID, wrongOf(q))
		}
		of, before := fact(q), ""
		for _, s := range k.all[:end+1] {
			for _, p := range s.Points {
				if p.Subject == of[0]+"/"+of[1] && !p.IsInterference && p.Attributes["value"] != of[2] {
					before = simulate.Country(p.Attributes["value"])
				}
			}
		}
		if before != "" && before != q.AnswerText {
			outdated++
			if !slices.Contains(wrongOf(q), before) {
				t.Errorf("%s: the town before was in %s, which is none of %q", q.QuestionID, before, wrongOf(q))
			}
		}
	}, "kr")
	if outdated < 5 {
		t.Errorf("in %d questions a town changed its country", outdated)
	}
}

// TestConflictsAskForTwo: where different things were said, two holders are the answer of
// some, and a wrong one of others so often that they do not give themselves away.
func TestConflictsAskForTwo(t *testing.T) {
	t.Parallel()
	two := regexp.MustCompile(`^[A-Z]\w+ [A-Z]\w+ and [A-Z]\w+ [A-Z]\w+$`)
	var right, all, asked int
	each(t, func(_ askedOf, q schemas.Question, _ int) {
		asked++
		optionsWithRoles(q, two.MatchString, &right, &all)
	}, "mc")
	t.Logf("of %d conflicts two holders are right in %d of %d that offer them", asked, right, all)
	if right < testsize.Choose(3, 8) || right*20 > all*9 || right*20 < all*2 {
		t.Errorf("of %d conflicts two holders are right in %d of %d that offer them, want %d or more and a tenth to nine twentieths", asked, right, all, testsize.Choose(3, 8))
	}
}
