package lifelong_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/oracle"
	"github.com/memforge/memforge/stages/lifelong/question"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

func settles(q schemas.Question) error { return pipeline.CheckSettled(q, oracle.Settle) }

// TestEvidenceSettles answers every question from what it cites alone, and not without a
// piece of it; what takes a slip back is cited wherever the slip is.
func TestEvidenceSettles(t *testing.T) {
	t.Parallel()
	asked, slips, alternatives := 0, 0, 0
	for _, k := range manyTasks(t) {
		back := map[string]string{}
		for _, s := range k.all {
			for _, p := range s.Points {
				if p.Attributes["status"] == "slip" {
					if len(p.EvidenceTurns) != 2 {
						t.Fatalf("point %s rests on %q; want the slip and what takes it back", p.MemoryID, p.EvidenceTurns)
					}
					back[p.EvidenceTurns[0]] = p.EvidenceTurns[1]
				}
			}
		}
		for _, q := range k.questions {
			asked++
			if err := settles(q); err != nil {
				t.Errorf("%s (%s): %v", q.QuestionID, q.Question, err)
			}
			cited := map[string]bool{}
			for _, e := range q.Evidence {
				cited[e.Ref] = true
			}
			for _, e := range q.Evidence {
				if of := back[e.Ref]; of != "" {
					if slips++; !cited[of] {
						t.Errorf("%s cites the slip %s, and not %s, which takes it back", q.QuestionID, e.Ref, of)
					}
				}
			}
			if q.Labels[schemas.LabelSufficient] != "" {
				alternatives++
			}
		}
	}
	t.Logf("%d questions, %d slips cited, %d questions with several sufficient sets", asked, slips, alternatives)
	if slips < 30 || alternatives < 30 {
		t.Errorf("%d slips cited, %d questions with several sufficient sets", slips, alternatives)
	}
}

// TestPlantedOmissions takes a piece of a sufficient set out of the evidence, adds a needless
// one to a set, and changes a role: each is found.
func TestPlantedOmissions(t *testing.T) {
	t.Parallel()
	planted := map[string]int{}
	for _, k := range manyTasks(t)[:8] {
		for _, q := range k.questions {
			sets, err := q.SufficientSets()
			if err != nil {
				t.Fatal(err)
			}
			for _, missing := range sets[0] {
				less := q
				less.Labels = maps.Clone(q.Labels)
				delete(less.Labels, schemas.LabelSufficient)
				less.Evidence = slices.DeleteFunc(slices.Clone(q.Evidence), func(e schemas.Evidence) bool { return e.Ref == missing.Ref })
				if planted["omission"]++; settles(less) == nil {
					t.Errorf("%s without %s passes", q.QuestionID, missing.Ref)
				}
			}
			for i, e := range q.Evidence {
				if e.Role != schemas.RoleSuperseded && e.Role != schemas.RoleAlternative {
					continue
				}
				more := q
				more.Labels = maps.Clone(q.Labels)
				delete(more.Labels, schemas.LabelSufficient)
				more.Evidence = slices.Clone(q.Evidence)
				more.Evidence[i].Role = schemas.RoleClue
				if planted["padding"]++; settles(more) == nil {
					t.Errorf("%s with %s for a clue passes", q.QuestionID, e.Ref)
				}
			}
		}
	}
	t.Logf("planted: %v", planted)
	if planted["omission"] < 300 || planted["padding"] < 100 {
		t.Errorf("planted: %v", planted)
	}
}

// TestOptionsAreCited: a turn that is not cited, or its picture, tells neither the answer nor
// a wrong option of what is asked.
func TestOptionsAreCited(t *testing.T) {
	t.Parallel()
	each(t, func(k askedOf, q schemas.Question, end int) {
		of, cited := fact(q), map[string]bool{}
		for _, e := range q.Evidence {
			cited[e.Ref] = true
		}
		for _, s := range k.all[:end+1] {
			for _, p := range s.Points {
				if p.Subject != of[0]+"/"+of[1] || p.Attributes["value"] == "" {
					continue
				}
				if !cited[p.EvidenceTurns[0]] {
					t.Errorf("%s does not cite %s: %s", q.QuestionID, p.EvidenceTurns[0], p.Content)
				}
			}
			for _, turn := range s.Turns {
				for _, a := range turn.Attachments {
					shown := k.shown[a.MediaID]
					if "the "+shown.Title == of[0] && slices.ContainsFunc(shown.Rows, func(r [2]string) bool { return r[0] == of[1] }) && !cited[turn.TurnID] {
						t.Errorf("%s does not cite the picture of %s", q.QuestionID, turn.TurnID)
					}
				}
			}
		}
	}, "fr", "du", "vfr", "vu", "mc", "kr", "vs", "cmr")
}

// TestDifficultyCountsWhatIsNecessary: the label counts the pieces of the smallest sufficient
// set, whatever else is cited.
func TestDifficultyCountsWhatIsNecessary(t *testing.T) {
	t.Parallel()
	padded := 0
	for _, k := range manyTasks(t) {
		for _, q := range k.questions {
			sets, err := q.SufficientSets()
			if err != nil {
				t.Fatal(err)
			}
			least := slices.MinFunc(sets, func(a, b []schemas.Evidence) int { return len(a) - len(b) })
			if len(q.Evidence) > len(least) {
				padded++
			}
			if q.Labels["evidence"] != strconv.Itoa(len(least)) {
				t.Errorf("%s: label evidence is %s; %d pieces are necessary", q.QuestionID, q.Labels["evidence"], len(least))
			}
		}
	}
	if padded < 300 {
		t.Errorf("%d questions cite more than is necessary", padded)
	}
}

// TestNothingIsAskedTwice: no two questions of a task ask for one value of one thing, in
// whatever form, backwards or by a description.
func TestNothingIsAskedTwice(t *testing.T) {
	t.Parallel()
	for _, k := range manyTasks(t) {
		asked := map[string]string{}
		for _, q := range k.questions {
			of := fact(q)
			key := strings.Join(of[:min(3, len(of))], "/")
			if slices.Contains([]string{"lifelong_tr", "lifelong_kr"}, q.Type) {
				key += q.Type
			}
			if other := asked[key]; other != "" {
				t.Errorf("%s and %s ask for %s", other, q.QuestionID, key)
			}
			asked[key] = q.QuestionID
		}
	}
}

// TestWordingsAreDealtOut: each type is asked in eight ways at least, the ways of a rule
// about equally often in a task, and no way more by one type of a rule than by the others.
func TestWordingsAreDealtOut(t *testing.T) {
	t.Parallel()
	slot := regexp.MustCompile(`the [A-Z][a-z]+ [a-z -]+|\d+|[A-Z][a-z]+ [A-Z][a-z]+`)
	ways := map[string]map[string]int{}
	for _, k := range manyTasks(t) {
		for _, q := range k.questions {
			text := strings.NewReplacer(fact(q)[0], "T", q.AnswerText, "V").Replace(q.Question)
			words := strings.Fields(slot.ReplaceAllString(text, "_"))
			way := strings.Join(append(words[:3:3], words[max(3, len(words)-5):]...), " ")
			if ways[q.Type] == nil {
				ways[q.Type] = map[string]int{}
			}
			ways[q.Type][way]++
		}
	}
	for _, ty := range question.Types() {
		if n := len(ways["lifelong_"+ty]); n < 8 {
			t.Errorf("%s begins in %d ways: %v", ty, n, ways["lifelong_"+ty])
		}
	}
}

// TestTicketsHaveOneValue: in a session an agent enters one value for each field of a thing,
// and its report names what was refused.
func TestTicketsHaveOneValue(t *testing.T) {
	t.Parallel()
	refusals, reported := 0, 0
	for _, k := range manyTasks(t) {
		if simulate.Regime(k.life.World.Domain) == "" {
			continue
		}
		for n, s := range k.all {
			tried := map[string]string{}
			var refused []string
			for _, e := range k.life.World.Events {
				if e.Session != n || e.Key.Entity == k.life.World.Person || e.Picture >= 0 || e.Op == simulate.OpJoke || e.Op == simulate.OpHearsay || e.Op == simulate.OpAffair {
					continue
				}
				if was, again := tried[e.Key.String()]; again && was != e.Value {
					t.Errorf("%s: the ticket of %s has %q and %q", s.SessionID, e.Key, was, e.Value)
				}
				tried[e.Key.String()] = e.Value
				if e.Op == simulate.OpPlan {
					refused = append(refused, fmt.Sprintf("the %s of %s", e.Key.Aspect, e.Key.Entity))
				}
			}
			report := s.Turns[len(s.Turns)-1].Action
			if !strings.HasPrefix(report, "SEND ") && !strings.HasPrefix(report, "SAY ") {
				continue
			}
			reported++
			for _, what := range refused {
				if refusals++; !strings.Contains(report, what) {
					t.Errorf("%s: %q leaves out that %s was refused", s.SessionID, report, what)
				}
			}
		}
	}
	t.Logf("%d reports, %d refusals", reported, refusals)
	if refusals < 5 {
		t.Errorf("%d refusals in %d reports", refusals, reported)
	}
}
