package audit

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// TestSeparabilityCountsPairs: a pair with many questions weighs no more than
// one with a single question, and levels come in the order of their numbers.
func TestSeparabilityCountsPairs(t *testing.T) {
	var qs []schemas.Question
	add := func(n int, pair, level, figure string) {
		for range n {
			qs = append(qs, schemas.Question{QuestionID: fmt.Sprint(len(qs)), Labels: map[string]string{
				schemas.LabelPair: pair, schemas.LabelLikeness: level, schemas.LabelSeparability: figure,
			}})
		}
	}
	add(50, "p1", "0.5", "0.90")
	add(1, "p2", "0.5", "0.70")
	add(2, "p3", "0", "1.00")
	add(2, "p4", "10", "0.55")
	qs = append(qs, schemas.Question{QuestionID: "n-back", Labels: map[string]string{}})
	levels, err := Separability(qs, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, l := range levels {
		got += fmt.Sprintf("%s:%d:%.2f[%.2f,%.2f] ", l.Likeness, l.Pairs, l.Separability.Value, l.Least, l.Most)
	}
	if want := "0:1:1.00[1.00,1.00] 0.5:2:0.80[0.70,0.90] 10:1:0.55[0.55,0.55] "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if s := levels[1].Separability; s.Low != 0.7 || s.High != 0.9 {
		t.Errorf("interval %+v of two pairs, want their figures", s)
	}
	qs[0].Labels[schemas.LabelSeparability] = "high"
	if _, err := Separability(qs, rand.New(rand.NewPCG(1, 1))); err == nil {
		t.Error("a figure that is no number passes")
	}
}
