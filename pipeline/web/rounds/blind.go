package rounds

import (
	"fmt"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// Piece is a piece of what a blind annotator is shown.
type Piece struct {
	Text string `json:"text,omitempty"`
	// When says when a turn was said, Span when in its video the piece is.
	When string `json:"when,omitempty"`
	Span string `json:"span,omitempty"`
	// Media is the digest of a picture or video, From and To its seconds; To is 0 where it is
	// whole.
	Media string  `json:"media,omitempty"`
	Video bool    `json:"video,omitempty"`
	From  float64 `json:"from,omitempty"`
	To    float64 `json:"to,omitempty"`
	// Own says that the picture belongs to the question itself.
	Own bool `json:"own,omitempty"`
}

// Shower gives what is shown of a question before it is answered.
type Shower func(q *schemas.Question) (setting string, pieces []Piece, err error)

// Blind is all that an annotator gets of an item before answering. It has no gold, no roles,
// labels, captions, id or kind, and follows from none of them.
type Blind struct {
	Handle   string         `json:"handle"`
	Place    int            `json:"place"`
	Of       int            `json:"of"`
	Question string         `json:"question"`
	Options  []string       `json:"options"`
	Setting  string         `json:"setting,omitempty"`
	Tools    []schemas.Tool `json:"tools,omitempty"`
	Pieces   []Piece        `json:"pieces"`
	// History says why a history is shown in place of evidence.
	History string `json:"history,omitempty"`
}

// Blind returns an item as a person sees it before answering.
func (r *Round) Blind(person, item string, show Shower) (Blind, error) {
	it, ok := r.items[item]
	if !ok || !slices.Contains(r.orders[person], item) {
		return Blind{}, refuse("This item is not yours to review.")
	}
	q := it.Question
	b := Blind{Handle: r.Handle(person, item), Of: len(r.orders[person]), Question: q.Question, Tools: q.Tools}
	b.Place, _ = r.Place(person, item)
	if stem, ok := q.Stem(); ok {
		b.Question = stem
	}
	for _, o := range OptionsFor(r.Seed, person, q) {
		b.Options = append(b.Options, o.Text)
	}
	var err error
	if b.Setting, b.Pieces, err = show(&q); err != nil {
		return b, fmt.Errorf("show item %d of %s: %w", b.Place, person, err)
	}
	return b, nil
}

// OptionAt returns the key of the option at a place, from 1, in the order of a person.
func (r *Round) OptionAt(person string, it *Item, place int) (key string, ok bool) {
	options := OptionsFor(r.Seed, person, it.Question)
	if place < 1 || place > len(options) {
		return "", false
	}
	return options[place-1].Key, true
}
