package runner

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// The reference systems: what figures would be with no memory, with everything that was
// said, with a search for words, and with the evidence itself.
const (
	ReferenceNothing = "nothing"
	ReferenceFull    = "full"
	ReferenceBM25    = "bm25"
	ReferenceGold    = "gold"
)

// References lists them.
func References() []string {
	return []string{ReferenceNothing, ReferenceFull, ReferenceBM25, ReferenceGold}
}

// contextCharacters is the size of a full context: 128,000 tokens less 8,000
// (WorldMemArena A), at four characters a token.
const contextCharacters = 4 * 120_000

// reference keeps every turn and retrieves turns by one rule.
type reference struct {
	rule  string
	gold  func(question string) []string
	turns []Item
	index map[string]map[int]int // how often a word stands in a turn
	sizes []int
}

// Reference is a reference system. gold names the turns of a question's evidence; only
// ReferenceGold looks at it.
func Reference(rule string, gold func(question string) []string) (System, error) {
	if !slices.Contains(References(), rule) {
		return nil, fmt.Errorf("there is no reference system %q; there are %s", rule, strings.Join(References(), ", "))
	}
	return &reference{rule: rule, gold: gold}, nil
}

// Capabilities implements System.
func (r *reference) Capabilities(context.Context) (Capabilities, error) {
	return Capabilities{Protocol: Protocol, Name: "reference " + r.rule, Delta: true}, nil
}

// Reset implements System.
func (r *reference) Reset(context.Context, string) error {
	r.turns, r.sizes, r.index = nil, nil, map[string]map[int]int{}
	return nil
}

// Ingest implements System.
func (r *reference) Ingest(_ context.Context, t Turn) error {
	if r.rule == ReferenceNothing {
		return nil
	}
	at, text := len(r.turns), turnText(t)
	r.turns = append(r.turns, Item{ID: t.TurnID, Text: text, SessionID: t.SessionID, TurnIDs: []string{t.TurnID}})
	list := words.Words(text)
	r.sizes = append(r.sizes, len(list))
	for _, w := range list {
		if r.index[w] == nil {
			r.index[w] = map[int]int{}
		}
		r.index[w][at]++
	}
	return nil
}

func turnText(t Turn) string {
	var parts []string
	for _, p := range []string{schemas.QuoteDate(t.Date), cmp.Or(t.Speaker, t.Role) + ":", t.Text, t.Observation, t.Reasoning, t.Action, t.Feedback} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	for _, a := range t.Attachments {
		parts = append(parts, "["+cmp.Or(a.Caption, cmp.Or(a.Type, "picture"))+"]")
	}
	return strings.Join(parts, " ")
}

// EndSession implements System.
func (r *reference) EndSession(context.Context, string) error { return nil }

// Snapshot implements System.
func (r *reference) Snapshot(context.Context) ([]Memory, error) {
	out := make([]Memory, len(r.turns))
	for i, t := range r.turns {
		out[i] = Memory{t.ID, t.Text}
	}
	return out, nil
}

// Delta implements System: every turn of a session is added.
func (r *reference) Delta(_ context.Context, session string) ([]Change, error) {
	var out []Change
	for _, t := range r.turns {
		if t.SessionID == session {
			out = append(out, Change{"add", Memory{t.ID, t.Text}})
		}
	}
	return out, nil
}

// Retrieve implements System.
func (r *reference) Retrieve(_ context.Context, q Query) ([]Item, error) {
	switch r.rule {
	case ReferenceFull:
		return r.lastTurns(), nil
	case ReferenceBM25:
		return r.rankBM25(words.WordSet(q.Question), q.TopK), nil
	case ReferenceGold:
		return r.turnsByID(r.gold(q.QuestionID)), nil
	}
	return nil, nil
}

// lastTurns returns the last turns that a context holds, in their order.
func (r *reference) lastTurns() []Item {
	from, size := len(r.turns), 0
	for from > 0 && size+len(r.turns[from-1].Text) <= contextCharacters {
		from--
		size += len(r.turns[from].Text)
	}
	return slices.Clone(r.turns[from:])
}

func (r *reference) turnsByID(ids []string) []Item {
	var out []Item
	for _, t := range r.turns {
		if slices.Contains(ids, t.ID) {
			out = append(out, t)
		}
	}
	return out
}

// rankBM25 ranks turns by BM25 with its usual constants; of equals the later comes first.
func (r *reference) rankBM25(query []string, k int) []Item {
	const k1, b = 1.2, 0.75
	total := 0
	for _, n := range r.sizes {
		total += n
	}
	mean := float64(total) / float64(max(1, len(r.sizes)))
	scores := map[int]float64{}
	for _, w := range query {
		in := r.index[w]
		rare := math.Log(1 + (float64(len(r.turns))-float64(len(in))+0.5)/(float64(len(in))+0.5))
		for at, n := range in {
			scores[at] += rare * float64(n) * (k1 + 1) / (float64(n) + k1*(1-b+b*float64(r.sizes[at])/mean))
		}
	}
	var out []Item
	for at, s := range scores {
		item := r.turns[at]
		// To the millionth: sums differ by the order of their parts.
		item.Score = math.Round(s*1e6) / 1e6
		out = append(out, item)
	}
	place := map[string]int{}
	for at, t := range r.turns {
		place[t.ID] = at
	}
	slices.SortFunc(out, func(x, y Item) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(place[y.ID], place[x.ID]))
	})
	return out[:min(len(out), k)]
}

// Answer implements System: a reference has no answers of its own.
func (r *reference) Answer(context.Context, Query) (string, error) {
	return "", &SystemError{"answer", Refused, "reference systems only retrieve"}
}

// Close implements System.
func (r *reference) Close() error { return nil }
