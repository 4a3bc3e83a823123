package runner

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// The reference systems: what figures would be with no memory, with what was said last, with a
// search for words or for meaning, with everything that was said, and with the evidence itself.
const (
	ReferenceNothing = "nothing"
	ReferenceRecency = "recency"
	ReferenceBM25    = "bm25"
	ReferenceDense   = "dense"
	ReferenceWhole   = "whole-history"
	ReferenceGold    = "gold"
)

// References lists them.
func References() []string {
	return []string{ReferenceNothing, ReferenceRecency, ReferenceBM25, ReferenceDense, ReferenceWhole, ReferenceGold}
}

// DefaultContext is the size of a whole history in tokens: 128,000 less 8,000
// (WorldMemArena A). A token counts as four characters, a picture as a thousand tokens.
const (
	DefaultContext     = 120_000
	charactersPerToken = 4
	tokensPerPicture   = 1000
)

// ReferenceOptions are what reference systems are made of besides their rule.
type ReferenceOptions struct {
	// Gold names the turns of a question's evidence; only ReferenceGold looks at it.
	Gold func(question string) []string
	// Embedder embeds turns and questions for ReferenceDense.
	Embedder *Embedder
	// Answerer answers from what was retrieved; without one, only ReferenceNothing answers:
	// it guesses an option by lot, and elsewhere says unknown.
	Answerer *Answerer
	// Context bounds ReferenceWhole and ReferenceRecency, in tokens; 0 is DefaultContext.
	Context int
	// Recency is the share that recency has in the ranks of ReferenceDense, from 0 to 1.
	Recency float64
}

// reference keeps every turn and retrieves turns by one rule.
type reference struct {
	rule string
	opts ReferenceOptions

	turns   []heldTurn
	index   map[string]map[int]int // how often a word stands in a turn
	sizes   []int
	vectors vectorCache
}

// heldTurn is a turn as it is retrieved, with its pictures.
type heldTurn struct {
	Item
	pictures []Picture
}

// Reference is a reference system.
func Reference(rule string, o ReferenceOptions) (Restartable, error) {
	switch {
	case !slices.Contains(References(), rule):
		return nil, fmt.Errorf("there is no reference system %q; there are %s", rule, strings.Join(References(), ", "))
	case rule == ReferenceDense && o.Embedder == nil:
		return nil, fmt.Errorf("the reference system %s needs a model that embeds", rule)
	case o.Recency < 0 || o.Recency > 1 || o.Recency > 0 && rule != ReferenceDense:
		return nil, fmt.Errorf("recency has the share %v in the ranks of %s; want 0 to 1, for %s alone", o.Recency, rule, ReferenceDense)
	}
	o.Context = cmp.Or(o.Context, DefaultContext)
	return &reference{rule: rule, opts: o}, nil
}

// Capabilities implements System.
func (r *reference) Capabilities(context.Context) (Capabilities, error) {
	c := Capabilities{Protocol: Protocol, Name: "reference " + r.rule, Delta: true, State: true}
	if r.rule == ReferenceWhole {
		c.Name += fmt.Sprintf(" of at most %d tokens", r.opts.Context)
	}
	if e := r.opts.Embedder; r.rule == ReferenceDense {
		c.Name += " by " + e.Name
		if r.opts.Recency > 0 {
			c.Name += fmt.Sprintf(", ranked by recency to %v", r.opts.Recency)
		}
	}
	switch a := r.opts.Answerer; {
	case a != nil:
		c.Answers, c.Model = true, a.Name
		c.Name += ", answered by " + a.Name
		if a.Images > 0 {
			c.Pictures = PicturesPath
			c.Name += fmt.Sprintf(" with at most %d pictures", a.Images)
		}
	case r.rule == ReferenceNothing:
		c.Answers = true
		c.Name += ", guesses options by lot"
	}
	return c, nil
}

// Restart implements Restartable.
func (r *reference) Restart() System { return &reference{rule: r.rule, opts: r.opts} }

// Concurrent implements Restartable.
func (r *reference) Concurrent() bool { return true }

// SaveState implements System: questions change nothing.
func (r *reference) SaveState(context.Context) (json.RawMessage, error) {
	return json.RawMessage("null"), nil
}

// LoadState implements System.
func (r *reference) LoadState(context.Context, json.RawMessage) error { return nil }

// Reset implements System.
func (r *reference) Reset(context.Context, string) error {
	r.turns, r.sizes, r.index, r.vectors = nil, nil, map[string]map[int]int{}, vectorCache{}
	return nil
}

// Ingest implements System.
func (r *reference) Ingest(_ context.Context, t Turn) error {
	if r.rule == ReferenceNothing {
		return nil
	}
	at, text := len(r.turns), turnText(t)
	r.turns = append(r.turns, heldTurn{Item{ID: t.TurnID, Text: text, SessionID: t.SessionID, TurnIDs: []string{t.TurnID}}, t.Attachments})
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
		parts = append(parts, "["+cmp.Or(a.Caption, a.Type, "picture")+"]")
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
func (r *reference) Retrieve(ctx context.Context, q Query) ([]Item, error) {
	switch r.rule {
	case ReferenceWhole:
		return r.lastTurns(), nil
	case ReferenceRecency:
		last := r.lastTurns()
		last = last[max(0, len(last)-q.TopK):]
		slices.Reverse(last)
		return last, nil
	case ReferenceBM25:
		return r.best(r.scoreBM25(words.WordSet(q.Question)), q.TopK), nil
	case ReferenceDense:
		scores, err := r.scoreVectors(ctx, q)
		if r.opts.Recency > 0 {
			r.mixRecency(scores, q.TopK)
		}
		return r.best(scores, q.TopK), err
	case ReferenceGold:
		return r.turnsByID(r.opts.Gold(q.QuestionID)), nil
	}
	return nil, nil
}

// lastTurns returns the last turns that a context holds beside its pictures, in their
// order.
func (r *reference) lastTurns() []Item {
	room := charactersPerToken * (r.opts.Context - tokensPerPicture*min(r.opts.Answerer.images(), r.countPictures()))
	from := len(r.turns)
	for from > 0 && len(r.turns[from-1].Text) <= room {
		from--
		room -= len(r.turns[from].Text)
	}
	return items(r.turns[from:])
}

func (r *reference) countPictures() (n int) {
	for _, t := range r.turns {
		n += len(t.pictures)
	}
	return n
}

func items(turns []heldTurn) []Item {
	out := make([]Item, len(turns))
	for i, t := range turns {
		out[i] = t.Item
	}
	return out
}

func (r *reference) turnsByID(ids []string) []Item {
	return items(slices.DeleteFunc(slices.Clone(r.turns), func(t heldTurn) bool { return !slices.Contains(ids, t.ID) }))
}

// scoreBM25 scores turns by BM25 with its usual constants.
func (r *reference) scoreBM25(query []string) map[int]float64 {
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
	return scores
}

// best returns the turns of the highest scores; of equals the later comes first.
func (r *reference) best(scores map[int]float64, k int) []Item {
	// To the millionth: sums differ by the order of their parts.
	rounded := func(at int) float64 { return math.Round(scores[at]*1e6) / 1e6 }
	order := slices.SortedFunc(maps.Keys(scores), func(x, y int) int {
		return cmp.Or(cmp.Compare(rounded(y), rounded(x)), cmp.Compare(y, x))
	})
	var out []Item
	for _, at := range order[:min(len(order), k)] {
		item := r.turns[at].Item
		item.Score = rounded(at)
		out = append(out, item)
	}
	return out
}

// mixRecency keeps the best candidates, twice as many as count, and mixes their scores with
// recency, which falls with every later round of two turns (MemEye D.4).
func (r *reference) mixRecency(scores map[int]float64, k int) {
	const decay = 0.02
	candidates := map[string]bool{}
	for _, item := range r.best(scores, 2*k) {
		candidates[item.ID] = true
	}
	for at := range scores {
		if !candidates[r.turns[at].ID] {
			delete(scores, at)
			continue
		}
		age := float64(len(r.turns)-at) / 2
		scores[at] = float64((1-r.opts.Recency)*scores[at]) + float64(r.opts.Recency*math.Exp(-decay*age))
	}
}

// Answer implements System.
func (r *reference) Answer(ctx context.Context, q Query) (Reply, error) {
	a := r.opts.Answerer
	switch {
	case a == nil && r.rule == ReferenceNothing:
		return Reply{Answer: guess(q)}, nil
	case a == nil:
		return Reply{}, &SystemError{"answer", Refused, "this reference system only retrieves; name a model that answers"}
	}
	held := map[string]bool{}
	for _, item := range q.Items {
		held[item.ID] = true
	}
	shown := slices.DeleteFunc(slices.Clone(r.turns), func(t heldTurn) bool { return !held[t.ID] })
	reply, err := a.answer(ctx, q, shown)
	if r.rule == ReferenceWhole {
		reply.Usage.TurnsLeftOut = len(r.turns) - len(shown)
		for _, t := range r.turns[:reply.Usage.TurnsLeftOut] {
			reply.Usage.PicturesLeftOut += a.countPictures(t.pictures)
		}
	}
	return reply, err
}

// guess draws an option from the question's words, the same in every run.
func guess(q Query) string {
	if len(q.Options) == 0 {
		return answerUnknown
	}
	text := q.QuestionID
	for _, o := range q.Options {
		text += "\x00" + o.Text
	}
	sum := sha256.Sum256([]byte(text))
	return q.Options[binary.LittleEndian.Uint64(sum[:])%uint64(len(q.Options))].Key
}

// callSize implements modelAsker.
func (r *reference) callSize(h historySize, topK int) (tokens, pictures int) {
	if r.opts.Answerer == nil {
		return 0, 0
	}
	turns := min(h.turns, topK)
	switch r.rule {
	case ReferenceNothing:
		turns = 0
	case ReferenceWhole:
		turns = h.turns
	}
	pictures = min(r.opts.Answerer.images(), h.pictures*turns/max(1, h.turns))
	tokens = min(r.opts.Context, h.characters/charactersPerToken*turns/max(1, h.turns)+tokensPerPicture*pictures)
	return tokens + promptTokens, pictures
}

// Close implements System.
func (r *reference) Close() error { return nil }
