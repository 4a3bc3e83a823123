// Package simulation holds what the simulations of all families share: things that become
// true at some moment, what is true at a time, what an observation then shows, and which
// observations a later one overrides.
//
// A timeline holds no text and no picture. A family simulates one, shows parts of it, and
// asks about what was shown; its gold follows from this package.
package simulation

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Key names what can be otherwise: an aspect of an entity, such as the colour of
// the sofa.
type Key struct {
	Entity string `json:"entity"`
	Aspect string `json:"aspect"`
}

func (k Key) String() string { return k.Entity + "/" + k.Aspect }

func compareKeys(a, b Key) int {
	if c := strings.Compare(a.Entity, b.Entity); c != 0 {
		return c
	}
	return strings.Compare(a.Aspect, b.Aspect)
}

// Event is that something becomes true at a moment. An empty value says that the
// key has none from then on: the entity is gone, or it is unknown.
type Event struct {
	At    int    `json:"at"`
	Key   Key    `json:"key"`
	Value string `json:"value"`
}

// Timeline is a sequence of events. Moments are whole numbers whose meaning (an hour,
// the place of a picture) is the family's. The zero value is empty.
type Timeline struct {
	changes map[Key][]Event
}

// Set makes a key have a value from a moment on. Events of a key come in the order
// of time: one before the last is an error. A value that holds already is no event.
func (w *Timeline) Set(at int, k Key, value string) error {
	past := w.changes[k]
	if n := len(past); n > 0 {
		last := past[n-1]
		if at < last.At {
			return fmt.Errorf("set %s at %d: it was set at %d already", k, at, last.At)
		}
		if last.Value == value {
			return nil
		}
		if last.At == at {
			return fmt.Errorf("set %s to %q at %d: it becomes %q then", k, value, at, last.Value)
		}
	}
	if w.changes == nil {
		w.changes = map[Key][]Event{}
	}
	w.changes[k] = append(past, Event{At: at, Key: k, Value: value})
	return nil
}

// At is the value of a key at a moment; empty where it has none.
func (w *Timeline) At(at int, k Key) string {
	value := ""
	for _, e := range w.changes[k] {
		if e.At > at {
			break
		}
		value = e.Value
	}
	return value
}

// Events are all events, by time and then by key.
func (w *Timeline) Events() []Event {
	var out []Event
	for _, k := range slices.SortedFunc(maps.Keys(w.changes), compareKeys) {
		out = append(out, w.changes[k]...)
	}
	slices.SortStableFunc(out, func(a, b Event) int { return a.At - b.At })
	return out
}

// Observation is what one look showed of one key: its value, or that it has none.
type Observation struct {
	At    int
	Value string
}

// Observations is what looks showed of one key, in the order of time.
type Observations []Observation

// Patterns of a chain, which say how what was seen changes.
const (
	// Steady: every look shows the same.
	Steady = "steady"
	// Override: values follow each other, and none comes again.
	Override = "override"
	// StaleMajority: at least three looks show what is out of date and one what
	// holds, so that counting is wrong.
	StaleMajority = "stale_majority"
	// Reversal: what holds at the end held before, with another value between.
	Reversal = "reversal"
	// Return: the key had no value for a time, and has one again.
	Return = "return"
)

// Pattern of the chain; the most telling where several hold.
func (c Observations) Pattern() string {
	seen := c.distinctRuns()
	if len(seen) < 2 {
		return Steady
	}
	last := seen[len(seen)-1]
	if slices.Contains(seen[:len(seen)-1], last) && !slices.Contains(seen, "") {
		return Reversal
	}
	if last != "" && slices.Contains(seen, "") {
		return Return
	}
	if len(c.lastRun()) == 1 && len(c) >= 4 {
		return StaleMajority
	}
	return Override
}

// distinctRuns are those shown, each run of equal ones once.
func (c Observations) distinctRuns() []string {
	var out []string
	for _, s := range c {
		if n := len(out); n == 0 || out[n-1] != s.Value {
			out = append(out, s.Value)
		}
	}
	return out
}

// lastRun are the looks at the end that agree.
func (c Observations) lastRun() Observations {
	n := len(c)
	for n > 0 && c[n-1].Value == c[len(c)-1].Value {
		n--
	}
	return c[n:]
}

// Current is the value that the last look shows, and whether any look shows another:
// then what these show is superseded.
func (c Observations) Current() (value string, changed bool) {
	if len(c) == 0 {
		return "", false
	}
	return c[len(c)-1].Value, len(c.lastRun()) < len(c)
}

// Previous is the value that held until the last change; false where nothing changed.
func (c Observations) Previous() (string, bool) {
	seen := c.distinctRuns()
	if len(seen) < 2 {
		return "", false
	}
	return seen[len(seen)-2], true
}
