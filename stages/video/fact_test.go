package video

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/question"
)

// TestCopiesShareTheirFact asks over every layout, order and repetition: the same
// question of the same pair with the same answer is one fact, and nothing else.
func TestCopiesShareTheirFact(t *testing.T) {
	s := shelvedFilms(t)
	facts, keys, layouts := map[string]string{}, map[string]string{}, map[string][]string{}
	for _, q := range s.questions {
		c := s.pairs[q.Media[0]]
		asked, opened := strings.CutPrefix(q.Question, question.Opening(c.Media.Recipe.Layout)+" ")
		if !opened {
			t.Fatalf("%q does not begin as its layout does", q.Question)
		}
		key := strings.Join([]string{pairID(c.Pair), asked, q.AnswerText}, "\n")
		fact := q.Fact()
		if facts[key] == "" && keys[fact] == "" {
			facts[key], keys[fact] = fact, key
		}
		if facts[key] != fact || keys[fact] != key {
			t.Errorf("%q (%s) is fact %s, and %q too", key, q.Type, fact, keys[fact])
		}
		layouts[fact] = append(layouts[fact], c.Media.Recipe.Layout)
	}
	both := 0
	for _, ls := range layouts {
		if slices.Contains(ls, schemas.LayoutSplit) && slices.Contains(ls, schemas.LayoutInterleaved) {
			both++
		}
	}
	if both < 10 || 3*len(keys) > 2*len(s.questions) {
		t.Errorf("%d rows are %d facts, %d of them in split screens and interleaved; the test sees too little", len(s.questions), len(keys), both)
	}
}

// TestTrialFacts tells trials apart by what is shown and asked, and by nothing
// else.
func TestTrialFacts(t *testing.T) {
	trial := func() schemas.Trial {
		out := schemas.Trial{Sequence: "s", Attribute: "action", K: 3}
		for i := range 3 {
			out.Clips = append(out.Clips, schemas.Video{
				Labels: map[string]string{"action": fmt.Sprint(i), "scene": "x"}, Normalised: &schemas.NormalisedVideo{Video: fmt.Sprint("v", i), FPS: 25, Frames: 50},
			})
		}
		return out
	}
	lag := schemas.Lag{N: 1}
	want := trialLabels(trial(), lag)[schemas.LabelFact]
	for name, tc := range map[string]struct {
		edit func(*schemas.Trial, *schemas.Lag)
		same bool
	}{
		"nothing":          {func(*schemas.Trial, *schemas.Lag) {}, true},
		"another sequence": {func(t *schemas.Trial, _ *schemas.Lag) { t.Sequence = "r" }, true},
		"another lag":      {func(_ *schemas.Trial, l *schemas.Lag) { l.N = 2 }, false},
		"another label":    {func(t *schemas.Trial, _ *schemas.Lag) { t.Attribute = "scene" }, false},
		"another order":    {func(t *schemas.Trial, _ *schemas.Lag) { slices.Reverse(t.Clips) }, false},
		"fewer clips":      {func(t *schemas.Trial, _ *schemas.Lag) { t.Clips, t.K = t.Clips[1:], 2 }, false},
	} {
		a, b := trial(), lag
		tc.edit(&a, &b)
		if got := trialLabels(a, b)[schemas.LabelFact]; (got == want) != tc.same || got == "" {
			t.Errorf("%s: fact %q beside %q, the same should be %v", name, got, want, tc.same)
		}
	}
}
