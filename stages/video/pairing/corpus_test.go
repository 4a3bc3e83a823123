package pairing

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// zipf draws ranks below n, rank r about as often as 1/r.
func zipf(rnd *rand.Rand, n int) int { return int(math.Exp(rnd.Float64()*math.Log(float64(n)))) - 1 }

// essays are n descriptions of 40 to 80 words: half of them common words, half
// from a subject of their own, of which there are about n/40. The vocabulary
// grows with the collection, as that of texts does.
func essays(n int, rnd *rand.Rand) []Candidate {
	subjects, cs := n/40+2, make([]Candidate, n)
	for i := range cs {
		first, second := rnd.IntN(subjects), rnd.IntN(subjects)
		var text strings.Builder
		for range 40 + rnd.IntN(41) {
			switch rnd.IntN(8) {
			case 0, 1, 2:
				fmt.Fprintf(&text, "s%dw%d ", first%(subjects/2+1), zipf(rnd, 400))
			case 3:
				fmt.Fprintf(&text, "s%dw%d ", second%(subjects/2+1), zipf(rnd, 400))
			default:
				fmt.Fprintf(&text, "w%d ", zipf(rnd, 20000))
			}
		}
		cs[i] = described(fmt.Sprint("e", i), "c", text.String())
	}
	return cs
}

// scenes are n descriptions such as a captioner writes of scripted films: some
// 20 words out of 300, so that each word is in thousands of them.
func scenes(n int, rnd *rand.Rand) []Candidate {
	cs := make([]Candidate, n)
	for i := range cs {
		var text strings.Builder
		fmt.Fprintf(&text, "A place%d at time%d. ", rnd.IntN(30), rnd.IntN(4))
		for range 5 {
			fmt.Fprintf(&text, "Person%d in colour%d picks up the colour%d thing%d. ", rnd.IntN(40), rnd.IntN(12), rnd.IntN(12), rnd.IntN(200))
		}
		cs[i] = described(fmt.Sprint("s", i), "c", text.String())
	}
	return cs
}

func described(media, category, description string) Candidate {
	return Candidate{ID: media, Video: schemas.Video{Media: media, Category: category, Description: description}}
}

// vectors are n embeddings of dim dimensions around about n/40 subjects; all
// share a direction, as embeddings of texts do.
func vectors(n, dim int, rnd *rand.Rand) []Candidate {
	draw := func(size float64) []float64 {
		v := make([]float64, dim)
		for i := range v {
			v[i] = size * rnd.NormFloat64()
		}
		return v
	}
	common, subjects := draw(1), make([][]float64, n/40+2)
	for s := range subjects {
		subjects[s] = draw(1)
	}
	cs := make([]Candidate, n)
	for i := range cs {
		subject, own, v := subjects[rnd.IntN(len(subjects))], draw(0.9), make([]float32, dim)
		for k := range v {
			v[k] = float32(common[k] + subject[k] + own[k])
		}
		cs[i] = described(fmt.Sprint("v", i), "c", "")
		cs[i].Vector, _ = Quantise(v)
	}
	return cs
}

// corpora are the collections that are measured.
func corpora() map[string]func(n int, rnd *rand.Rand) []Candidate {
	return map[string]func(int, *rand.Rand) []Candidate{
		"essays": essays, "scenes": scenes,
		"vectors": func(n int, rnd *rand.Rand) []Candidate { return vectors(n, 384, rnd) },
	}
}
