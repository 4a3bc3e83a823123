package simulate_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/stages/visual/simulate"
)

// TestLivesHoldTogether: whatever the seed and the size, pictures tell what is true,
// every picture is shared once and in order, and days do not run back.
func TestLivesHoldTogether(t *testing.T) {
	seeds := testsize.Choose(uint64(10), 50)
	for _, s := range simulate.Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			for seed := range seeds {
				for _, want := range []simulate.Size{{Sessions: 1, Rounds: 1, Pictures: 1}, {Sessions: 3, Rounds: 9, Pictures: 5}, {Sessions: 6, Rounds: 40, Pictures: 24}} {
					l, err := s.Simulate(rand.New(rand.NewPCG(seed, 7)), want)
					if err != nil {
						t.Fatalf("seed %d, %+v: %v", seed, want, err)
					}
					checkLayout(t, l, want)
				}
			}
		})
	}
}

func checkLayout(t *testing.T, l simulate.Simulation, want simulate.Size) {
	t.Helper()
	rounds, next, last := 0, 0, ""
	for _, s := range l.Sessions {
		if s.Date <= last || len(s.Rounds) == 0 {
			t.Errorf("session of %s after %s with %d rounds", s.Date, last, len(s.Rounds))
		}
		last = s.Date
		for _, r := range s.Rounds {
			rounds++
			if r.User == "" || r.Assistant == "" {
				t.Errorf("somebody says nothing: %+v", r)
			}
			if r.Scene >= 0 {
				if r.Scene != next {
					t.Errorf("picture %d is shared where %d should be", r.Scene, next)
				}
				next++
			}
		}
	}
	if len(l.Sessions) != want.Sessions || rounds != want.Rounds || next != want.Pictures || l.Profile["name"] == "" {
		t.Errorf("%d sessions, %d rounds, %d pictures, profile %v; want %+v", len(l.Sessions), rounds, next, l.Profile, want)
	}
}

// TestSizesAddUp: what the scenarios state is table 3 of the paper.
func TestSizesAddUp(t *testing.T) {
	if n := len(simulate.Scenarios()); n != 8 {
		t.Errorf("%d scenarios, the paper has 8", n)
	}
	var sum simulate.Size
	for _, s := range simulate.Scenarios() {
		sum.Sessions += s.Size.Sessions
		sum.Rounds += s.Size.Rounds
		sum.Pictures += s.Size.Pictures
		sum.Questions += s.Size.Questions
	}
	if want := (simulate.Size{Sessions: 221, Rounds: 848, Pictures: 438, Questions: 371}); sum != want {
		t.Errorf("the scenarios come to %+v, the paper has %+v", sum, want)
	}
}

func TestSameNumbersSameLife(t *testing.T) {
	for _, s := range simulate.Scenarios() {
		made := func(seed uint64) simulate.Simulation {
			l, err := s.Simulate(rand.New(rand.NewPCG(seed, 7)), simulate.Size{Sessions: 3, Rounds: 9, Pictures: 6})
			if err != nil {
				t.Fatal(err)
			}
			return l
		}
		if !reflect.DeepEqual(made(1), made(1)) {
			t.Errorf("%s: one seed gives two lives", s.Name)
		}
		if reflect.DeepEqual(made(1).Scenes, made(2).Scenes) {
			t.Errorf("%s: two seeds give one life", s.Name)
		}
	}
}

func TestBadSizes(t *testing.T) {
	for _, bad := range []simulate.Size{{}, {Sessions: 2, Rounds: 1, Pictures: 1}, {Sessions: 1, Rounds: 1, Pictures: 2}, {Sessions: 1, Rounds: 1_000_000, Pictures: 1}} {
		if _, err := simulate.Scenarios()[0].Simulate(rand.New(rand.NewPCG(1, 1)), bad); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}
