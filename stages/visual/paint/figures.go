package paint

import (
	"strings"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// edge is how wide the outlines of a comic are.
const edge = draw.Unit(115)

// creature is how a kind of figure is drawn: head and what else it has, and its inks
// (see art/figures.txt).
type creature struct {
	ink, second, third uint32
	tail               bool
	// own is true of heads that have eyes and a mouth already.
	eyes, mouth bool
}

func creatureOf(species string) creature {
	return map[string]creature{
		"fox": {0xe2762a, 0xfdf2e4, 0x4a2a22, true, false, false}, "bear": {0x8a5a3a, 0xe0b88a, 0, true, false, false},
		"panda": {0x3a3a44, 0xf6f3ee, 0, false, true, false}, "cat": {0x8f95a3, 0xf4f1ea, 0xf0a8b0, true, false, false},
		"rabbit": {0xf2ece2, 0xffffff, 0xf3b3b8, true, false, false}, "frog": {0x5aae4a, 0xf2f6d8, 0, false, true, true},
		"penguin": {0x2c3448, 0xf8f5ee, 0, false, false, true}, "owl": {0x9a6a3e, 0xf6e6c8, 0, false, true, true},
		"pig": {0xf2a8b4, 0xf8c8d0, 0, false, false, false}, "dragon": {0x3aa890, 0xd8f0c0, 0xe8843a, true, false, false},
		"mouse": {0xb8b0b4, 0xf4ecea, 0xf0b8c0, true, false, false}, "lion": {0xe8b050, 0xfae6c0, 0xa8622a, true, false, false},
		"robot": {0x9ab2c4, 0, 0, false, true, true}, "knight": {0xf0c8a4, 0, 0, false, false, false},
		"girl": {0xf2c8a4, 0, 0x6a3a22, false, false, false}, "boy": {0xb87a4e, 0, 0x2e2224, false, false, false},
		"wizard": {0xf0c8a4, 0, 0xe8e6ec, false, false, true}, "pirate": {0xd8a070, 0, 0x3a2a26, false, true, true},
		"alien": {0x8ad060, 0xf4e04a, 0, false, true, false},
	}[species]
}

// inks of a figure, its garment's last.
func (k creature) inks(garment draw.Color) []draw.Color {
	return []draw.Color{draw.Hex(k.ink), draw.Hex(k.second), draw.Hex(k.third), garment}
}

// flipped is whether a thing looks to the left.
func flipped(t scene.Thing) bool { return t.Look["flip"] != "" }

// castFigure is what is below the garment: shade, tail and legs.
func castFigure(b *Brush, t scene.Thing) {
	k, box := creatureOf(t.Look["species"]), Box(t)
	b.Art("shade", box, 0, false)
	inks := k.inks(draw.Hex(0x888888))
	if k.tail {
		b.Art("tail "+t.Look["species"], box, edge, flipped(t), inks...)
	}
	if t.Look["species"] == "dragon" {
		b.Art("wings dragon", box, edge, flipped(t), inks...)
	}
	b.Art("legs "+t.Look["legs"], box, edge, flipped(t), inks...)
}

// garment is the trunk with the arms, in the ink that is told.
func garment(b *Brush, t scene.Thing) {
	k, box := creatureOf(t.Look["species"]), Box(t)
	cloth := Ink(t, scene.Colour, 0x888888)
	inks := k.inks(cloth)
	b.Art("arms "+t.Look["arms"], box, edge, flipped(t), inks...)
	if t.Look["holds"] == "" {
		b.Art("arms "+t.Look["arms"], box, edge, !flipped(t), inks...)
	}
	b.Art("trunk", box, edge, flipped(t), inks...)
	b.Art("pattern "+t.Look[scene.Pattern], box, 0, flipped(t), contrast(cloth))
	b.Art("collar", box, 0, false, inks...)
	if t.Look["holds"] != "" {
		b.Art("arm hold", box, edge, flipped(t), inks...)
	}
}

// contrast is the ink of a pattern on a cloth.
func contrast(c draw.Color) draw.Color {
	if 3*int(c.R)+6*int(c.G)+int(c.B) > 1900 {
		return draw.Hex(0x3a3448)
	}
	return draw.Hex(0xfff8e6)
}

// head is drawn over the garment, with a face and what is worn on it.
func head(b *Brush, t scene.Thing) {
	k, box, species := creatureOf(t.Look["species"]), Box(t), t.Look["species"]
	inks := k.inks(draw.Hex(0x888888))
	b.Art("head "+species, box, edge, flipped(t), inks...)
	if !k.eyes {
		b.Art("eyes "+t.Look["mood"], box, 0, false, inks...)
	}
	if !k.mouth {
		b.Art("mouth "+t.Look["mood"], box, edge/2, false, inks...)
	}
	if letter := t.Look["letter"]; letter != "" {
		plate := draw.Disc(draw.Point{X: box.X + box.W*78/100, Y: box.Y + box.H*54/100}, box.W*11/100)
		b.Oval(plate, draw.Hex(0xfdfaf0))
		b.Stroke(new(draw.Path).Oval(plate), edge, draw.Hex(0x2b2026))
		b.Line(draw.Style{Font: draw.Comic, Size: plate.H * 9 / 10, Ink: draw.Hex(0x2b2026)}, plate, draw.Center, letter)
	}
	if hat := b.owner(t).Look[scene.Which]; hat != "" {
		b.Art("hat "+bareName(hat), draw.Box{X: box.X + box.W*14/100, Y: box.Y + box.H*3/100, W: box.W * 72 / 100, H: box.W * 43 / 100}, edge, flipped(t))
	}
}

// held is what a hand holds.
func held(b *Brush, t scene.Thing) {
	b.Art("held "+bareName(t.Look[scene.Which]), Box(t), edge, flipped(t))
	box := Box(t)
	k := creatureOf(t.Look["species"])
	grip := draw.Disc(draw.Point{X: box.X + box.W/2, Y: box.Y + box.H*85/100}, box.W*13/100)
	b.Lit(new(draw.Path).Oval(grip), grip, draw.Hex(k.ink))
	b.Stroke(new(draw.Path).Oval(grip), edge, shaded(draw.Hex(k.ink), -150))
}

// bareName is a phrase without its article.
func bareName(phrase string) string {
	for _, article := range []string{"the ", "an ", "a "} {
		if rest, ok := strings.CutPrefix(phrase, article); ok {
			return rest
		}
	}
	return phrase
}

// owner is the thing that a look names: what it tells is what this one shows.
func (b *Brush) owner(t scene.Thing) scene.Thing {
	of, _ := b.Scene.Find(t.Look["of"])
	return of
}

// standing draws what its look names, or what an aspect of its owner is, from a list of
// drawings.
func standing(list string, shadow bool) Painter {
	return func(b *Brush, t scene.Thing) {
		box, line, what := Box(t), edge, t.Look["what"]
		if t.Look["of"] != "" {
			what = bareName(b.owner(t).Look[t.Look["aspect"]])
		}
		if what == "" {
			return // its owner is not there
		}
		if shadow {
			b.Shadow(new(draw.Path).Oval(draw.Box{X: box.X + box.W/8, Y: box.Y + box.H*88/100, W: box.W * 3 / 4, H: box.H / 10}), 5, 3, 2, draw.Hex(0x2a2030).Fade(80))
		}
		if t.Look["soft"] != "" {
			line = 0
		}
		b.Art(list+what, box, line, flipped(t))
	}
}
