package scene

import (
	"slices"

	"github.com/memforge/memforge/pipeline/draw"
)

// namedColour is a colour with the word by which people tell it from all others here.
type namedColour struct {
	word string
	ink  uint32
}

// namedColours are far enough apart that nobody takes one for another on a screen, shaded
// or lit: a test holds their distances.
func namedColours() []namedColour {
	return []namedColour{
		{"red", 0xc62f2f}, {"orange", 0xee7f22}, {"yellow", 0xf4cf3a}, {"green", 0x2f9148}, {"turquoise", 0x2bb5b0},
		{"blue", 0x2457b8}, {"purple", 0x74399e}, {"pink", 0xf08cb4}, {"brown", 0x6d4326}, {"grey", 0x8a8f96},
		{"black", 0x25262b}, {"white", 0xf6f4ef},
	}
}

// Colours are the words for colours, in a fixed order.
func Colours() []string {
	var out []string
	for _, h := range namedColours() {
		out = append(out, h.word)
	}
	return out
}

// Ink is the colour that a word stands for; false where the word is none.
func Ink(word string) (draw.Color, bool) {
	i := slices.IndexFunc(namedColours(), func(h namedColour) bool { return h.word == word })
	if i < 0 {
		return draw.Color{}, false
	}
	return draw.Hex(namedColours()[i].ink), true
}
