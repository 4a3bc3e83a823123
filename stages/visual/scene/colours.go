package scene

import (
	"slices"

	"github.com/memforge/memforge/pipeline/draw"
)

type namedColour struct {
	word string
	ink  uint32
}

// namedColours are far enough apart to be told from each other on a screen, shaded or
// lit; a test checks their distances.
func namedColours() []namedColour {
	return []namedColour{
		{"red", 0xc62f2f}, {"orange", 0xee7f22}, {"yellow", 0xf4cf3a}, {"green", 0x2f9148}, {"turquoise", 0x2bb5b0},
		{"blue", 0x2457b8}, {"purple", 0x74399e}, {"pink", 0xf08cb4}, {"brown", 0x6d4326}, {"grey", 0x8a8f96},
		{"black", 0x25262b}, {"white", 0xf6f4ef},
	}
}

// Colours returns the names of colours, in a fixed order.
func Colours() []string {
	var out []string
	for _, h := range namedColours() {
		out = append(out, h.word)
	}
	return out
}

// Ink returns the colour of a name, and whether there is one.
func Ink(word string) (draw.Color, bool) {
	i := slices.IndexFunc(namedColours(), func(h namedColour) bool { return h.word == word })
	if i < 0 {
		return draw.Color{}, false
	}
	return draw.Hex(namedColours()[i].ink), true
}
