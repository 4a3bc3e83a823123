package question_test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/stages/visual/question"
	"github.com/memforge/memforge/stages/visual/simulate"
	"github.com/memforge/memforge/stages/visual/wording"
)

var date = regexp.MustCompile(`\b\d{1,2} (?:January|February|March|April|May|June|July|August|September|October|November|December)\b`)

// few are questions as a build asks them, a task each.
func few(t *testing.T, check func(l simulate.Simulation, asked []question.Draft)) {
	t.Helper()
	for _, s := range simulate.Scenarios() {
		for seed := range uint64(6) {
			l, err := s.Simulate(rand.New(rand.NewPCG(seed, 31)), simulate.Size{Sessions: 8, Rounds: 36, Pictures: 24})
			if err != nil {
				t.Fatal(err)
			}
			check(l, question.WriteDrafts(rand.New(rand.NewPCG(seed, 5)), l, question.Quota{PerCell: 3, PerForm: map[string]int{question.Sum: 10, question.First: 10}}))
		}
	}
}

// TestPicturesAreNotNamedByDate: no question has a date, most name their pictures by what
// these show, and none asks for what another of the task tells in a name.
func TestPicturesAreNotNamedByDate(t *testing.T) {
	names := regexp.MustCompile(` where `)
	bySight, byOccasion := 0, 0
	few(t, func(l simulate.Simulation, asked []question.Draft) {
		said := ""
		for _, d := range asked {
			said += strings.ToLower(d.OpenQuestion) + "\n"
			if m := date.FindString(d.OpenQuestion + strings.Join(d.Wrong, " ")); m != "" && l.Scenario != "health_dashboard" {
				t.Errorf("%q says %q", d.OpenQuestion, m)
			}
			bySight += len(names.FindAllString(d.OpenQuestion, -1))
			byOccasion += strings.Count(d.OpenQuestion, "from just after")
		}
		for _, d := range asked {
			if d.Form != question.Value {
				continue
			}
			thing, _ := l.Scenes[d.Clues[0].Scene].Find(d.Clues[0].Thing)
			told := strings.NewReplacer("{thing}", thing.Name, "{class}", thing.Class, "{prep}", thing.Prep, "{be}", "is", "{value}", d.Gold).Replace(wording.Sight(d.Aspect))
			for line := range strings.SplitSeq(said, "\n") {
				if strings.Contains(line, strings.ToLower(told)) && onlyPicture(l, d) {
					t.Errorf("%q is answered by %q", d.OpenQuestion, line)
				}
			}
		}
	})
	t.Logf("pictures named by sight %d, by occasion %d", bySight, byOccasion)
	if bySight*3 < byOccasion*2 {
		t.Errorf("pictures are named by sight %d times and by occasion %d times", bySight, byOccasion)
	}
}

// onlyPicture reports that no other picture shows the gold too.
func onlyPicture(l simulate.Simulation, d question.Draft) bool {
	for i, s := range l.Scenes {
		if th, ok := s.Find(d.Clues[0].Thing); ok && i != d.Clues[0].Scene && th.Look[d.Aspect] == d.Gold {
			return false
		}
	}
	return true
}

// TestRulesAreRightByChance: crossing out or taking the option that a question names, and
// taking what most pictures show, is right one time in four.
func TestRulesAreRightByChance(t *testing.T) {
	named, namedRight := 0, 0
	most, mostRight := map[string]int{}, map[string]float64{}
	few(t, func(l simulate.Simulation, asked []question.Draft) {
		for _, d := range asked {
			options := append([]string{d.Gold}, d.Wrong...)
			switch d.Form {
			case question.Match:
				for i, o := range options {
					if strings.HasPrefix(o, "the ") && strings.Contains(d.ChoiceQuestion, o+" ") {
						named++
						if i == 0 {
							namedRight++
						}
					}
				}
			case question.Before, question.Current:
				shown := map[string]int{}
				for _, s := range l.Scenes {
					if th, ok := s.Find(d.Clues[0].Thing); ok && slices.Contains(th.Tells, d.Aspect) {
						shown[th.Look[d.Aspect]]++
					}
				}
				best, ties := 0, 0.0
				for _, o := range options {
					best = max(best, shown[o])
				}
				for _, o := range options {
					if shown[o] == best {
						ties++
					}
				}
				most[d.Form]++
				if shown[d.Gold] == best {
					mostRight[d.Form] += 1 / ties
				}
			}
		}
	})
	if share := float64(namedRight) / float64(named); named < 60 || share < 0.1 || share > 0.4 {
		t.Errorf("of %d options that questions name %d are right", named, namedRight)
	}
	for form, n := range most {
		t.Logf("%s: most shown is right in %.3f of %d", form, mostRight[form]/float64(n), n)
		if share := mostRight[form] / float64(n); n < 200 || share < 0.15 || share > 0.45 {
			t.Errorf("%s: what most pictures show is right in %.3f of %d", form, share, n)
		}
	}
}

// TestOneFactIsAskedOnce: whatever its form, and read backwards, a fact of a task is asked
// for once.
func TestOneFactIsAskedOnce(t *testing.T) {
	few(t, func(_ simulate.Simulation, asked []question.Draft) {
		facts := map[string]string{}
		for _, d := range asked {
			if other := facts[d.Fact]; other != "" {
				t.Errorf("%q and %q ask for one fact, %s", d.OpenQuestion, other, d.Fact)
			}
			facts[d.Fact] = d.OpenQuestion
			last := d.Clues[len(d.Clues)-1]
			if want := last.Thing + "/" + d.Aspect; d.Form == question.Current && !strings.HasPrefix(d.Fact, want) {
				t.Errorf("%q has the fact %s, want that of its last picture", d.OpenQuestion, d.Fact)
			}
		}
	})
}

// TestWordingsTakeTurns: of the questions of a form in a task none has a wording much more
// often than another.
func TestWordingsTakeTurns(t *testing.T) {
	few(t, func(l simulate.Simulation, asked []question.Draft) {
		openings := map[string]int{}
		n := 0
		for _, d := range asked {
			if d.Form == question.Sum {
				openings[strings.Join(strings.Fields(d.OpenQuestion)[:2], " ")]++
				n++
			}
		}
		for words, times := range openings {
			if times > (n+7)/8+1 {
				t.Errorf("%s: %d of %d sums begin with %q", l.Scenario, times, n, words)
			}
		}
	})
}
