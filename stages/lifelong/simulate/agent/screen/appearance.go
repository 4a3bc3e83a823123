package screen

import (
	"hash/fnv"
	"strings"

	"github.com/memforge/memforge/pipeline/draw"
)

// appearance is how a thing looks: its body, its trim, and the mosaic that things of one name
// have and no others.
type appearance struct {
	ink, trim draw.Color
	mosaic    uint16
}

// value is what stands behind a name on the screen, empty where nothing does.
func (s Screen) value(name string) string {
	for _, r := range s.Rows {
		if r[0] == name {
			return r[1]
		}
	}
	return ""
}

// appearance is that of the thing in front: of the colours that its rows give its body and its
// trim, and where they give none of colours that go with its name.
func (s Screen) appearance(body, trim string) appearance {
	name, _, _ := strings.Cut(s.Title, " ")
	h := fnv.New32a()
	h.Write([]byte(name))
	n := int(h.Sum32() >> 1)
	inks := []uint32{0xd9534f, 0x3a7ca5, 0x6d5bd0, 0x2e8b57, 0xc98b2b, 0x8c5a3c, 0x0f7490, 0xb03a6f, 0x5b7553, 0x4f6272, 0xa0522d, 0x7a8f1f}
	out := appearance{draw.Hex(inks[n%len(inks)]), draw.Hex(inks[(n+1+n/16%(len(inks)-1))%len(inks)]), uint16(n >> 8)}
	if c, ok := colourOf(s.value(body)); ok {
		out.ink = c
	}
	if c, ok := colourOf(s.value(trim)); ok {
		out.trim = c
	}
	return out
}

// colourOf is the colour that words name: how it is, and which one or which metal.
func colourOf(words string) (draw.Color, bool) {
	how, of, _ := strings.Cut(words, " ")
	ink, known := map[string]uint32{
		"teal": 0x128c8c, "crimson": 0xc81e3c, "ochre": 0xcc8a1e, "violet": 0x8038c8, "lime": 0x8cc81e, "navy": 0x1e3c96, "coral": 0xf0745a, "olive": 0x808a28,
		"slate": 0x64788c, "plum": 0x96327d,
		"iron": 0xa0a0a0, "copper": 0xc0703c, "brass": 0xc8aa46, "bronze": 0x96693c, "steel": 0x8296aa, "silver": 0xc8cdd2, "tin": 0xafb9b4, "nickel": 0xb4af9b,
	}[of]
	to, way := map[string]struct {
		ink uint32
		far int
	}{
		"pale": {0xffffff, 140}, "deep": {0x000000, 60}, "dusty": {0x8c8278, 130}, "bright": {0xffffff, 0}, "soft": {0xffffff, 72}, "dark": {0x000000, 130},
		"polished": {0xffffff, 90}, "rough": {0x5a5046, 70}, "forged": {0x000000, 90}, "hammered": {0x28323c, 40}, "plain": {0xffffff, 0},
	}[how]
	return draw.Hex(ink).Mix(draw.Hex(to.ink), to.far), known && way
}

// drawMosaic draws the mosaic of a name, with its middle at x and y: three cells each way, of
// which the one in the middle is always there.
func (b *brush) drawMosaic(l appearance, x, y int) {
	b.box(x-8, y-8, 16, 16, 0xf8fafc)
	for i := range 9 {
		if i == 4 || l.mosaic>>i&1 == 1 {
			b.c.Rect(draw.PixelBox(x-8+5*(i%3)+1, y-8+5*(i/3)+1, 4, 4), l.trim.Mix(draw.Hex(0x000000), 60))
		}
	}
}
