package video

import (
	"testing"

	"github.com/memforge/memforge/schemas"
)

// TestReplayOfTheScriptsAgrees has a solver that knows the scripts only answer
// every question, of all types and layouts, and look at what the roles of the
// options claim.
func TestReplayOfTheScriptsAgrees(t *testing.T) {
	counts := map[string]int{}
	total := 0
	for seed := uint64(1); seed <= 2; seed++ {
		s := askScripted(t, seed, 32, everyLayout)
		for _, l := range s.lost {
			t.Errorf("lost %s: %s", l.ID, l.Reason)
		}
		for _, q := range s.questions {
			total++
			counts[q.Type]++
			c := s.cases[q.Media[0]]
			key, err := c.Solve(q.Question, q.Options)
			if err != nil || key != q.AnswerKey {
				t.Errorf("%s: replay answers %s (%v), gold is %s\n%s", q.Type, key, err, q.AnswerKey, q.QuestionMCQ)
			}
			checkRoles(t, s, q)
		}
	}
	t.Logf("%d questions: %v", total, counts)
	for _, typ := range everyType() {
		if counts[typ] < 60 {
			t.Errorf("%d questions of type %s; the test sees too little of it", counts[typ], typ)
		}
	}
}

func everyType() []string {
	return []string{
		schemas.TypeInterference, schemas.TypeSourceIdentification, schemas.TypeOrderUnderstanding, schemas.TypeContentRetention,
		schemas.TypeSpatialGrounding, schemas.TypeTemporalGrounding, schemas.TypeFalseMemory, schemas.TypeSourceMemory,
	}
}

// checkRoles asks the scripts whether the wrong options are of the other video,
// or of neither.
func checkRoles(t *testing.T, s scripted, q schemas.Question) {
	t.Helper()
	c, pair := s.cases[q.Media[0]], s.pairs[q.Media[0]].Pair
	target, rival := pair.A.Mezzanine.Video, pair.B.Mezzanine.Video
	if q.Labels[schemas.LabelTarget] == "B" {
		target, rival = rival, target
	}
	for _, o := range q.Options {
		inTarget, inRival := c.Holds(target, o.Text), c.Holds(rival, o.Text)
		want := [2]bool{o.Role == schemas.RoleCorrect, o.Role == schemas.RoleIntrusion}
		switch q.Type {
		case schemas.TypeInterference:
		case schemas.TypeSourceIdentification:
			want[1] = o.Role == schemas.RoleDistractor
		default:
			continue
		}
		if want != [2]bool{inTarget, inRival} {
			t.Errorf("%s: option %+v is of the target: %v, of the rival: %v", q.QuestionMCQ, o, inTarget, inRival)
		}
	}
}

// TestReplayNoticesWrongGold plants errors: another gold answer, a script in
// which two things change places, a recipe that swaps sides elsewhere.
func TestReplayNoticesWrongGold(t *testing.T) {
	s := askScripted(t, 9, 16, everyLayout)
	noticed, planted := map[string]int{}, map[string]int{}
	for i, q := range s.questions {
		c := s.cases[q.Media[0]]
		wrong := q.Options[(int(q.AnswerKey[0]-'A')+1+i%3)%4].Key
		if key, err := c.Solve(q.Question, q.Options); err == nil && key == wrong {
			t.Errorf("a wrong gold %s passes:\n%s", wrong, q.QuestionMCQ)
		}
		if q.Type != schemas.TypeSpatialGrounding {
			continue
		}
		planted[q.Type]++
		c.Recipe.SwapFrames = append([]int64{0}, c.Recipe.SwapFrames...)
		if key, err := c.Solve(q.Question, q.Options); err != nil || key != q.AnswerKey {
			noticed[q.Type]++
		}
	}
	if len(planted) == 0 || noticed[schemas.TypeSpatialGrounding] != planted[schemas.TypeSpatialGrounding] {
		t.Errorf("exchanged sides: %v of %v noticed", noticed, planted)
	}
}
