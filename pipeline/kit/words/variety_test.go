package words_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/words"
)

// By hand: "a b a" and "a b c" have 6 words, 3 different ones, and 4 pairs of words, of
// which "a b" stands there twice: 3 different ones.
func TestVarietyByHand(t *testing.T) {
	s := words.NewTextSample(10)
	s.Add("1", "", "A b, a!")
	s.Add("2", "", "a b c")
	v := s.Variety()
	if v.Texts != 2 || v.Of != 2 || v.Distinct1 != 3.0/6 || v.Distinct2 != 3.0/4 || v.Same != 0 || v.Near != 0 {
		t.Errorf("%+v", v)
	}
}

// Of five texts two have the same words and a third all but one of twenty shingles.
func TestVarietyFindsCopies(t *testing.T) {
	long := "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty more and"
	s := words.NewTextSample(10)
	s.Add("1", "", long+" end")
	s.Add("2", "", "One two"+long[len("one two"):]+" end.")
	s.Add("3", "", long+" stop")
	s.Add("4", "", "quite another thing")
	s.Add("5", "", "nothing of the kind")
	if v := s.Variety(); math.Abs(v.Same-2.0/5) > 1e-9 || math.Abs(v.Near-3.0/5) > 1e-9 {
		t.Errorf("%+v; want 2 of 5 the same and 3 of 5 near", v)
	}
}

// TestSampleDoesNotDependOnOrder: copies of one key count once, and the bound holds.
func TestSampleDoesNotDependOnOrder(t *testing.T) {
	var want words.Variety
	for try := range 5 {
		s := words.NewTextSample(50)
		for _, i := range rand.New(rand.NewPCG(uint64(try), 1)).Perm(600) {
			s.Add(fmt.Sprint("fact", i%300), fmt.Sprint(i), fmt.Sprintf("text number %d of copy %d", i%300, i))
		}
		got := s.Variety()
		if try == 0 {
			want = got
		}
		if got != want || got.Texts != 50 || got.Of != 600 {
			t.Errorf("%+v, then %+v", want, got)
		}
	}
}

func TestVarietyOfNothing(t *testing.T) {
	if v := words.NewTextSample(3).Variety(); v != (words.Variety{}) {
		t.Errorf("%+v", v)
	}
}

func BenchmarkVariety(b *testing.B) {
	s := words.NewTextSample(5000)
	for i := range 5000 {
		s.Add(fmt.Sprint(i), "", fmt.Sprintf("what is the colour of thing %d in picture %d of the day before the last one in May", i, i*7))
	}
	for b.Loop() {
		s.Variety()
	}
}
