// Package sessions holds what can be said of a session and its gold memory
// points without asking anybody: the structural halves of WorldMemArena's
// validators (C.2). All functions are pure. They take any session, however
// broken, and list what is wrong with it, in the order of its points; nothing
// wrong is an empty list.
package sessions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// Fault is one thing wrong with a session, in words that tell an author
// what to change.
type Fault struct {
	// Code is a stable word: unknown-turn, same-caption, superseded-twice, ...
	Code string
	// Item is the memory id, turn id or media id it is about.
	Item string
	// Detail says what is wrong, and quotes the texts concerned.
	Detail string
}

func (f Fault) String() string { return fmt.Sprintf("%s: %s: %s", f.Code, f.Item, f.Detail) }

// maxFaults bounds a reason: a session with more is to be written anew anyway.
const maxFaults = 8

// Reason joins faults to the reason of a verdict. It begins with the code of
// the first.
func Reason(faults []Fault) string {
	var parts []string
	for i, f := range faults {
		if i == maxFaults {
			parts = append(parts, fmt.Sprintf("and %d more", len(faults)-i))
			break
		}
		parts = append(parts, f.String())
	}
	return strings.Join(parts, "; ")
}

type faultList []Fault

func (l *faultList) add(code, item, format string, args ...any) {
	*l = append(*l, Fault{code, item, fmt.Sprintf(format, args...)})
}

// maxQuote bounds a text quoted in a fault, in characters.
const maxQuote = 160

// Quote shows a text in a fault, shortened.
func Quote(s string) string { return fmt.Sprintf("%q", words.Shorten(s, maxQuote)) }

// Cites reports whether the words of quote stand near each other in text, in their order, so that
// what a quote leaves out does no harm and what it adds does; numbers, plurals and articles may be
// written in another way. A quote without any word stands nowhere.
func Cites(text, quote string) bool {
	return standsNear(words.Words(text), words.Words(quote)) || standsNear(strings.Fields(words.Value(text)), strings.Fields(words.Value(quote)))
}

// standsNear wants words in their order in a part of a list that is at most so much longer.
func standsNear(list, quote []string) bool {
	const factor, slack = 3, 8
	for from, w := range list {
		if len(quote) == 0 || w != quote[0] {
			continue
		}
		rest := quote
		for _, w := range list[from:min(len(list), from+factor*len(quote)+slack)] {
			if w == rest[0] {
				rest = rest[1:]
			}
			if len(rest) == 0 {
				return true
			}
		}
	}
	return false
}

// sayTheSame reports whether two texts say the same in nearly the same words; values that name
// several things say the same in any order.
func sayTheSame(a, b string) bool {
	if words.SameWords(a, b) {
		return true
	}
	x, y := words.Value(a), words.Value(b)
	if slices.Contains(strings.Fields(x), "and") && len(strings.Fields(x)) <= 5 {
		return slices.Equal(slices.Sorted(strings.FieldsSeq(x)), slices.Sorted(strings.FieldsSeq(y)))
	}
	return x == y && x != ""
}

// TurnText is all that is said in a turn or happens in a step, pictures left out.
func TurnText(t schemas.Turn) string {
	var parts []string
	for _, s := range []string{t.Text, t.Observation, t.Action, t.Feedback} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "\n")
}

// RestsOnPictures reports whether a point rests on pictures.
func RestsOnPictures(p schemas.MemoryPoint) bool {
	return p.Modality == schemas.ModalityImage || p.Modality == schemas.ModalityTextImage
}

// turnPlaces maps turn ids to their places; of two with one id the first counts.
func turnPlaces(s schemas.Session) map[string]int {
	out := map[string]int{}
	for i, t := range s.Turns {
		if _, known := out[t.TurnID]; !known {
			out[t.TurnID] = i
		}
	}
	return out
}

func pointsByID(s schemas.Session) map[string]schemas.MemoryPoint {
	return indexFirst(s.Points, func(p schemas.MemoryPoint) string { return p.MemoryID })
}

func earlierByID(s schemas.Session) map[string]schemas.EarlierPoint {
	return indexFirst(s.Earlier, func(e schemas.EarlierPoint) string { return e.MemoryID })
}

// indexFirst maps items by id; of two with one id the first counts.
func indexFirst[T any](items []T, id func(T) string) map[string]T {
	out := map[string]T{}
	for _, item := range items {
		if _, known := out[id(item)]; !known {
			out[id(item)] = item
		}
	}
	return out
}
