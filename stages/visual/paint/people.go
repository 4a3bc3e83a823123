package paint

import (
	"strings"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// bust is a person's head and shoulders with what is worn; a garment that is told is a
// part of it, drawn before the head.
func bust(b *Brush, t scene.Thing) {
	b.Art("back "+t.Look["style"], bustBox(t), 0, false, bustInks(t)...)
	b.Art("neck", bustBox(t), 0, false, bustInks(t)...)
}

// bustBox is where the shoulders and the head are: below what may stand above the head.
func bustBox(t scene.Thing) draw.Box {
	_, box := Box(t).Cut(Box(t).H * 18 / 100)
	return box
}

// bustInks are skin, hair, nothing and garment.
func bustInks(t scene.Thing) []draw.Color {
	return []draw.Color{
		draw.Hex([]uint32{0xf6d2b4, 0xeab98e, 0xd69c6c, 0xb67a4c, 0x8e5a38, 0x6a402a}[Number(t, "skin", 0)%6]),
		draw.Hex([]uint32{0x2a2022, 0x4c3222, 0x7a4a2a, 0xb8823e, 0xe0bc6c, 0xa8482a, 0xa8a6ac}[Number(t, "hair", 0)%7]),
		{}, Ink(t, scene.Colour, 0x5a6a80),
	}
}

// shoulders are the garment, which goes on below where a photograph cuts it.
func shoulders(b *Brush, t scene.Thing) {
	b.Art("body"+t.Look["cut"], bustBox(t), 0, false, bustInks(t)...)
}

// face is the head over the garment.
func face(b *Brush, t scene.Thing) {
	box, inks := bustBox(t), bustInks(t)
	b.Art("head", box, 0, false, inks...)
	b.Art("smile "+t.Look["smile"], box, 0, false, inks...)
	if t.Look["beard"] != "" {
		b.Art("beard yes", box, 0, false, inks...)
	}
	b.Art("front "+t.Look["style"], box, 0, false, inks...)
	if worn := b.owner(t).Look[scene.Which]; worn != "" {
		b.Art("acc "+bareName(worn), box, 0, false, inks...)
	}
}

// avatar is the disc of a profile picture; the person in it is its parts.
func avatar(b *Brush, t scene.Thing) {
	box, back := Box(t), draw.Hex([]uint32{0xf4c9b8, 0xbcdaea, 0xd9cdf0, 0xc9e4c5, 0xf5e3a8, 0xf3c1d0, 0xc4d7f2, 0xd4e0cc}[Number(t, "back", 0)%8])
	b.Oval(box, draw.Down(box, shaded(back, 60), shaded(back, -10)))
}

// rim cuts a person to the disc: all around is as what lies behind.
func rim(b *Brush, t scene.Thing) {
	box := Box(t)
	wide := box.W * 14 / 100
	b.Stroke(new(draw.Path).Oval(box.Inset(-wide/2, -wide/2)), wide, chatTheme(b.Scene.Look).Paper)
	b.Stroke(new(draw.Path).Oval(box), draw.Px(2), chatTheme(b.Scene.Look).Line)
}

// dot says by its colour whether somebody is there.
func dot(b *Brush, t scene.Thing) {
	box := Box(t)
	b.Oval(box.Inset(-draw.Px(4), -draw.Px(4)), chatTheme(b.Scene.Look).Paper)
	b.Oval(box, Ink(t, scene.Colour, 0x888888))
}

// margin is the strip below a photograph.
func margin(b *Brush, t scene.Thing) { b.Rect(Box(t), chatTheme(b.Scene.Look).Paper) }

// nameTag says who stands above it.
func nameTag(b *Brush, t scene.Thing) {
	theme, box := chatTheme(b.Scene.Look), Box(t)
	style := sans(draw.SansMedium, 19, theme.Accent)
	w := b.Width(style, t.Look["words"]) + draw.Px(28)
	pill := draw.Box{X: box.Mid().X - w/2, Y: box.Y, W: w, H: box.H}
	b.RoundRect(pill, box.H/2, theme.Accent.Fade(34))
	b.Line(style, pill, draw.Center, t.Look["words"])
}

// entries are lines of a menu with icons.
func entries(b *Brush, t scene.Thing) {
	theme, box := chatTheme(b.Scene.Look), Box(t)
	for i, word := range strings.Split(t.Look["words"], "|") {
		var row draw.Box
		row, box = box.Cut(draw.Px(56))
		name, icon, _ := strings.Cut(word, "/")
		b.Icon(icon, draw.Box{X: row.X, Y: row.Mid().Y - draw.Px(13), W: draw.Px(26), H: draw.Px(26)}, theme.Muted)
		b.Line(sans(draw.Sans, 20, theme.Ink), row.Inset(draw.Px(46), 0), draw.Left, name)
		b.Icon("chevron-right", draw.Box{X: row.X + row.W - draw.Px(26), Y: row.Mid().Y - draw.Px(12), W: draw.Px(24), H: draw.Px(24)}, theme.Faint)
		if i > 0 {
			b.Rect(draw.Box{X: row.X, Y: row.Y, W: row.W, H: 64}, theme.Line)
		}
	}
}
