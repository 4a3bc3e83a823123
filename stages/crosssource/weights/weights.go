// Package weights draws numbers by weight, and things of a list.
package weights

import (
	"fmt"
	"math/rand/v2"
)

// Range is some whole numbers, each as likely, and the weight of all of them.
type Range struct {
	From   int `json:"from" doc:"the least number"`
	To     int `json:"to" doc:"the largest; 0 for the least"`
	Weight int `json:"weight" doc:"the weight of these numbers"`
}

// Check says what is wrong with ranges of numbers from least to most, called name.
func Check(name string, list []Range, least, most int) error {
	sum := 0
	for _, r := range list {
		if r.From < least || max(r.From, r.To) > most || r.To != 0 && r.To < r.From || r.Weight < 0 {
			return fmt.Errorf("%s has %d to %d with weight %d; want numbers from %d to %d", name, r.From, max(r.From, r.To), r.Weight, least, most)
		}
		sum += r.Weight
	}
	if sum == 0 {
		return fmt.Errorf("%s gives weight to no number", name)
	}
	return nil
}

// PickNumber draws a number. Some weight must be above 0.
func PickNumber(rnd *rand.Rand, list []Range) int {
	sum := 0
	for _, r := range list {
		sum += r.Weight
	}
	at := rnd.IntN(sum)
	for _, r := range list {
		if at -= r.Weight; at < 0 {
			return r.From + rnd.IntN(max(r.To-r.From, 0)+1)
		}
	}
	return list[0].From
}

// Mean returns the number that is drawn on average.
func Mean(list []Range) float64 {
	sum, of := 0.0, 0.0
	for _, r := range list {
		sum += float64(r.Weight)
		of += float64(r.Weight) * float64(r.From+max(r.From, r.To)) / 2
	}
	return of / sum
}

// Pick draws one of a list that is not empty.
func Pick[T any](rnd *rand.Rand, from []T) T { return from[rnd.IntN(len(from))] }

// Sample draws n different ones of a list that has as many.
func Sample[T any](rnd *rand.Rand, from []T, n int) []T {
	out := make([]T, 0, n)
	for _, i := range rnd.Perm(len(from))[:n] {
		out = append(out, from[i])
	}
	return out
}
