package pairing

import (
	"cmp"
	"math"
	"slices"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/facts"
)

// Vector is a sparse unit vector of words, sorted by word. A slice and not a
// map, so that sums are taken in one order everywhere.
type Vector []Weight

// Weight of one word.
type Weight struct {
	Word  string
	Value float64
}

// VectorOf weighs the words of a video's description, labels and events by
// 1 + ln(count). The weights look at no other video: adding one to a
// collection leaves the similarities, and so the cached work, of the others
// alone.
func VectorOf(v schemas.Video) Vector {
	counts := map[string]int{}
	add := func(text string) {
		for _, w := range facts.Words(text) {
			counts[w]++
		}
	}
	add(v.Description)
	for _, label := range v.Labels {
		add(label)
	}
	for _, e := range v.Events {
		add(e.Kind)
		add(e.Object)
	}
	vec := make(Vector, 0, len(counts))
	for w, n := range counts {
		vec = append(vec, Weight{w, 1 + math.Log(float64(n))})
	}
	slices.SortFunc(vec, func(a, b Weight) int { return cmp.Compare(a.Word, b.Word) })
	return vec.unit()
}

func (v Vector) unit() Vector {
	var sum float64
	for _, w := range v {
		sum += w.Value * w.Value
	}
	if sum == 0 {
		return v
	}
	for i := range v {
		v[i].Value /= math.Sqrt(sum)
	}
	return v
}

// Cosine of two unit vectors, from 0 to 1, rounded to six digits.
func Cosine(a, b Vector) float64 {
	var sum float64
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch c := cmp.Compare(a[i].Word, b[j].Word); {
		case c < 0:
			i++
		case c > 0:
			j++
		default:
			sum += a[i].Value * b[j].Value
			i, j = i+1, j+1
		}
	}
	return math.Round(min(sum, 1)*1e6) / 1e6
}
