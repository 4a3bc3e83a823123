package video

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// TestCopiesShareTheirFact asks over every layout, order and repetition: what is asked of
// the same events of a pair with the same answer is one fact, whatever the words, and
// nothing else is; what happens in a video is one fact in three types.
func TestCopiesShareTheirFact(t *testing.T) {
	s := shelvedFilms(t)
	facts, keys, layouts, words := map[string]string{}, map[string]string{}, map[string]map[string]bool{}, map[string]map[string]bool{}
	for _, q := range s.questions {
		if q.Type == schemas.TypeFalseMemory { // no event explains it
			continue
		}
		c := s.pairs[q.Media[0]]
		why := q.Explanation
		if slices.Contains([]string{schemas.DetailDeed, schemas.DetailHandled, schemas.DetailWhole}, q.Labels[schemas.LabelDetail]) || q.Type == schemas.TypeSourceMemory ||
			q.Type == schemas.TypeInterference || q.Type == schemas.TypeSourceIdentification {
			_, why, _ = strings.Cut(strings.SplitAfter(why, " of it.")[0], ". In ")
		}
		if q.Type == schemas.TypeSpatialGrounding || q.Type == schemas.TypeTemporalGrounding {
			why += q.Type[:5]
		}
		key := pairID(c.Pair) + "\n" + q.Labels[schemas.LabelTarget] + why
		fact := q.Fact()
		if facts[key] == "" && keys[fact] == "" {
			facts[key], keys[fact] = fact, key
			layouts[fact], words[fact] = map[string]bool{}, map[string]bool{}
		}
		if facts[key] != fact || keys[fact] != key {
			t.Errorf("%q (%s) is fact %s and was %s; that was %q", key, q.Type, fact, facts[key], keys[fact])
		}
		if layouts[fact] != nil {
			layouts[fact][c.Media.Recipe.Layout], words[fact][q.Question] = true, true
		}
	}
	both, reworded := 0, 0
	for fact := range layouts {
		if layouts[fact][schemas.LayoutSplit] && layouts[fact][schemas.LayoutInterleaved] {
			both++
		}
		if len(words[fact]) > 1 {
			reworded++
		}
	}
	if both < 10 || reworded < 10 || 3*len(keys) > 2*len(s.questions) {
		t.Errorf("%d rows are %d facts, %d of them in split screens and interleaved, %d in several wordings; the test sees too little", len(s.questions), len(keys), both, reworded)
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
