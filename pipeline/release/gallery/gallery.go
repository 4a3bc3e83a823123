// Package gallery says which questions the report of a release shows, and how. The
// words of a card follow from the tables, so that anybody can work them out again; its
// picture is drawn by what the family of the question registered, if anything.
package gallery

import (
	"context"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// A Card is how the questions of a family are shown. A family that registers none has
// plain cards: words alone.
type Card struct {
	Family string
	// Render draws what a question is about, as a PNG without text in its metadata;
	// nothing where nothing is to be seen. The media are those of the question, in
	// its order, file gives the path of their bytes.
	Render func(ctx context.Context, q schemas.Question, media []schemas.Media, file File) ([]byte, error)
}

// File gives the path of a blob.
type File func(context.Context, pipeline.Digest) (string, error)

// kind of these extensions of a registry.
const kind = "gallery card"

// Add registers a card.
func Add(r *pipeline.Registry, c Card) { r.Extend(kind, c.Family, c) }

// CardOf finds the card of a family.
func CardOf(r *pipeline.Registry, family string) (Card, bool) {
	all := pipeline.Extensions[Card](r, kind)
	i := slices.IndexFunc(all, func(c Card) bool { return c.Family == family })
	if i < 0 {
		return Card{}, false
	}
	return all[i], true
}

// Bounds of a gallery: cards of a family, and questions of one type that a card is chosen of.
const (
	mostCards      = 16
	mostCandidates = 12
)

// Choice chooses one question of each type while questions go by; its size does not
// grow with them. The zero value is ready.
type Choice struct {
	of map[[2]string][]schemas.Question
}

// Add takes a question into account: of those alike the first few count.
func (c *Choice) Add(q schemas.Question) {
	if c.of == nil {
		c.of = map[[2]string][]schemas.Question{}
	}
	group := [2]string{q.Family, q.Type}
	list := c.of[group]
	alike := func(other schemas.Question) bool { return len(q.Media) > 0 && slices.Equal(other.Media, q.Media) }
	if len(list) < mostCandidates && !slices.ContainsFunc(list, alike) {
		c.of[group] = append(list, q)
	}
}

// Questions are those chosen, by family and type: where it can be, each is about media
// that no other shows.
func (c *Choice) Questions() (out []schemas.Question) {
	groups := make([][2]string, 0, len(c.of))
	for g := range c.of {
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	shown, cards := map[string]bool{}, map[string]int{}
	for _, g := range groups {
		if cards[g[0]]++; cards[g[0]] > mostCards {
			continue
		}
		list := c.of[g]
		i := max(0, slices.IndexFunc(list, func(q schemas.Question) bool {
			return !slices.ContainsFunc(q.Media, func(id string) bool { return shown[id] })
		}))
		for _, id := range list[i].Media {
			shown[id] = true
		}
		out = append(out, list[i])
	}
	return out
}
