package paint

import (
	"cmp"
	"strings"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/draw/widget"
	"github.com/memforge/memforge/stages/visual/scene"
)

// chats paints screens of a messenger: lists, members, profiles and conversations.
func chats() painters {
	return painters{
		backdrops: map[string]Painter{"phone": phone, "chat room": chatRoom},
		kinds: map[string]Painter{
			"chat row": chatRow, "member card": personCard, "avatar": avatar, "bust": bust, "shoulders": shoulders, "face": face, "rim": rim, "dot": dot,
			"name": personName, "member tag": memberTag, "status": status, "name tag": nameTag, "margin": margin, "entries": entries,
		},
	}
}

func chatTheme(look map[string]string) widget.Theme {
	accent := draw.Hex([]uint32{0x2f7cf6, 0x14805e, 0x7c4dbd, 0xc0447e, 0xd0642a, 0x0f8a9e}[int((look["accent"] + "0")[0]-'0')%6])
	if look["theme"] == "dark" {
		return widget.Dark(accent)
	}
	return widget.Light(accent)
}

func sans(font draw.Font, size int, ink draw.Color) draw.Style {
	return draw.Style{Font: font, Size: draw.Px(size), Ink: ink}
}

func statusBar(b *Brush, t scene.Thing, theme widget.Theme) {
	bar := draw.PixelBox(0, 0, t.Box[2], 40)
	b.Rect(bar, theme.Paper)
	b.Line(sans(draw.SansBold, 17, theme.Ink), bar.Inset(draw.Px(24), 0), draw.Left, cmp.Or(t.Look["now"], t.Look["clock"]))
	for i, icon := range []string{"wifi", "battery-medium"} {
		b.Icon(icon, draw.PixelBox(t.Box[2]-84+36*i, 8, 24, 24), theme.Ink)
	}
}

// phone is a screen with a title. Its content is things.
func phone(b *Brush, t scene.Thing, f field) {
	theme := chatTheme(t.Look)
	all := f.all()
	b.Rect(all, theme.Paper)
	statusBar(b, t, theme)
	head := draw.PixelBox(28, 48, t.Box[2]-56, 64)
	left := "menu"
	if t.Look["inner"] != "" {
		left = "arrow-left"
	}
	b.Icon(left, draw.PixelBox(28, 66, 28, 28), theme.Accent)
	b.Line(sans(draw.SansBold, 30, theme.Ink), head.Inset(draw.Px(52), 0), draw.Left, t.Look["title"])
	for i, icon := range []string{"search", "ellipsis-vertical"} {
		b.Icon(icon, draw.PixelBox(t.Box[2]-100+44*i, 66, 28, 28), theme.Muted)
	}
	b.Rect(draw.PixelBox(0, 118, t.Box[2], 1), theme.Line)
	foot := draw.PixelBox(0, t.Box[3]-64, t.Box[2], 64)
	b.Rect(foot, theme.Paper)
	b.Rect(draw.PixelBox(0, t.Box[3]-65, t.Box[2], 1), theme.Line)
	for i, icon := range []string{"message-circle", "users", "phone", "settings"} {
		ink := theme.Faint
		if i == 0 {
			ink = theme.Accent
		}
		b.Icon(icon, draw.PixelBox(t.Box[2]*(2*i+1)/8-15, t.Box[3]-47, 30, 30), ink)
	}
}

// chatRow is a line of the list of chats. Name and picture are parts.
func chatRow(b *Brush, t scene.Thing, f field) {
	theme, box := chatTheme(b.Scene.Look), f.all()
	if t.Look["open"] != "" {
		b.RoundRect(box.Inset(draw.Px(2), draw.Px(3)), draw.Px(16), theme.Accent.Fade(26))
	}
	b.Rect(draw.Box{X: box.X + draw.Px(140), Y: box.Y + box.H, W: box.W - draw.Px(150), H: 64}, theme.Line)
	text := draw.Box{X: box.X + draw.Px(140), Y: box.Y + draw.Px(68), W: box.W - draw.Px(230), H: draw.Px(30)}
	b.Line(sans(draw.Sans, 19, theme.Muted), text, draw.Left, t.Look["last"])
	when := draw.Box{X: box.X + box.W - draw.Px(120), Y: box.Y + draw.Px(32), W: draw.Px(104), H: draw.Px(26)}
	b.Line(sans(draw.Sans, 17, theme.Faint), when, draw.Right, t.Look["when"])
	if t.Look[scene.Count] == "0" {
		return
	}
	pill := draw.Box{X: box.X + box.W - draw.Px(54), Y: box.Y + draw.Px(66), W: draw.Px(38), H: draw.Px(34)}
	b.RoundRect(pill, draw.Px(17), theme.Accent)
	b.Line(sans(draw.SansBold, 18, theme.OnAccent), pill, draw.Center, t.Look[scene.Count])
}

func personCard(b *Brush, t scene.Thing, f field) {
	theme, box := chatTheme(b.Scene.Look), f.all()
	shape := new(draw.Path).Round(box, draw.Px(18))
	b.Shadow(shape, 8, 0, 3, draw.Hex(0x1e3250).Fade(40))
	b.Fill(shape, theme.Paper)
	b.Stroke(shape, draw.Px(1), theme.Line)
}

// personName is a name with an icon beside it.
func personName(b *Brush, t scene.Thing, f field) {
	theme, box := chatTheme(b.Scene.Look), f.all()
	style := sans(draw.SansBold, Number(t, "size", 24), theme.Ink)
	icon := draw.Px(Number(t, "size", 24) + 4)
	w := b.Width(style, t.Look["words"])
	x := box.X
	if t.Look["align"] == "center" {
		x += (box.W - w - icon - draw.Px(10)) / 2
	}
	b.Line(style, draw.Box{X: x, Y: box.Y, W: box.W, H: box.H}, draw.Left, t.Look["words"])
	b.Icon(bareName(t.Look[scene.Beside]), draw.Box{X: x + w + draw.Px(10), Y: box.Mid().Y - icon/2, W: icon, H: icon}, theme.Accent)
}

func memberTag(b *Brush, t scene.Thing, f field) {
	theme, box := chatTheme(b.Scene.Look), f.all()
	style := sans(draw.SansMedium, 18, theme.Accent)
	w := b.Width(style, t.Look[scene.Text]) + draw.Px(28)
	pill := draw.Box{X: box.Mid().X - w/2, Y: box.Y, W: w, H: box.H}
	b.RoundRect(pill, box.H/2, theme.Accent.Fade(34))
	b.Line(style, pill, draw.Center, t.Look[scene.Text])
}

func status(b *Brush, t scene.Thing, f field) {
	theme, box := chatTheme(b.Scene.Look), f.all()
	b.RoundRect(box, draw.Px(16), theme.Back)
	b.Line(sans(draw.Serif, 26, theme.Ink), box, draw.Center, t.Look[scene.Text])
}

// chatRoom is a conversation: below its head a card for a photograph, and messages
// below that.
func chatRoom(b *Brush, t scene.Thing, f field) {
	theme := chatTheme(t.Look)
	below := draw.Px(Number(t, "below", 600))
	all := f.all()
	_, screen := all.Cut(draw.Px(40))
	room := conversation(t)
	talk := room.Messages
	room.Messages = nil
	if _, err := room.Draw(b.Canvas, theme, screen); err != nil {
		b.Fail(err)
		return
	}
	statusBar(b, t, theme)
	room.Messages, room.Title, room.Status = talk, "", ""
	_, lower := all.Cut(below)
	b.Clip(lower, func() { // its own head lies above what is drawn
		lower.Y, lower.H = lower.Y-draw.Px(64), lower.H+draw.Px(64)
		if _, err := room.Draw(b.Canvas, theme, lower); err != nil {
			b.Fail(err)
		}
	})
	card := draw.PixelBox(24, 124, t.Box[2]-48, Number(t, "below", 600)-134)
	shape := new(draw.Path).Round(card, draw.Px(20))
	b.Shadow(shape, 6, 0, 2, draw.Hex(0x1e3250).Fade(50))
	b.Fill(shape, theme.Paper)
	head, _ := card.Inset(draw.Px(16), draw.Px(4)).Cut(draw.Px(38))
	b.Line(sans(draw.SansBold, 18, theme.Accent), head, draw.Left, t.Look["from"])
	b.Line(sans(draw.Sans, 17, theme.Faint), head, draw.Right, t.Look["clock"])
}

// conversation parses a look: people as "name|skin|hair|style", messages as
// "number|time|words", a line each. Number -1 is the user.
func conversation(t scene.Thing) widget.Chat {
	room := widget.Chat{Title: t.Look["title"], Status: t.Look["members"], Group: true}
	for line := range strings.Lines(t.Look["people"]) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) != 4 {
			continue
		}
		who := scene.Thing{Look: map[string]string{"skin": f[1], "hair": f[2]}}
		inks := bustInks(who)
		long := f[3] == "long" || f[3] == "bob" || f[3] == "curls" || f[3] == "afro"
		room.People = append(room.People, widget.Person{Name: f[0], Back: draw.Hex(0xc4d7f2), Skin: inks[0], Hair: inks[1], Long: long})
	}
	for line := range strings.Lines(t.Look["talk"]) {
		f := strings.SplitN(strings.TrimSpace(line), "|", 3)
		if len(f) != 3 {
			continue
		}
		m := widget.Message{At: f[1], Text: f[2], Own: f[0] == "-1"}
		if !m.Own {
			m.From = Number(scene.Thing{Look: map[string]string{"n": f[0]}}, "n", 0)
		}
		room.Messages = append(room.Messages, m)
	}
	return room
}

// bust is a person's head and shoulders. A garment that is told is a part of it, drawn
// before the head.
func bust(b *Brush, t scene.Thing, f field) {
	b.Art("back "+t.Look["style"], bustBox(t), 0, false, bustInks(t)...)
	b.Art("neck", bustBox(t), 0, false, bustInks(t)...)
}

// bustBox leaves room above the head.
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

// shoulders are the garment, which continues below the edge of a photograph.
func shoulders(b *Brush, t scene.Thing, f field) {
	b.Art("body"+t.Look["cut"], bustBox(t), 0, false, bustInks(t)...)
}

func face(b *Brush, t scene.Thing, f field) {
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

// avatar is the disc of a profile picture. The person in it is its parts.
func avatar(b *Brush, t scene.Thing, f field) {
	box, back := f.all(), draw.Hex([]uint32{0xf4c9b8, 0xbcdaea, 0xd9cdf0, 0xc9e4c5, 0xf5e3a8, 0xf3c1d0, 0xc4d7f2, 0xd4e0cc}[Number(t, "back", 0)%8])
	b.Oval(box, draw.Down(box, shaded(back, 60), shaded(back, -10)))
}

// rim cuts a person to the disc: it covers the surroundings with the background.
func rim(b *Brush, t scene.Thing, f field) {
	box := f.all()
	wide := box.W * 14 / 100
	b.Stroke(new(draw.Path).Oval(box.Inset(-wide/2, -wide/2)), wide, chatTheme(b.Scene.Look).Paper)
	b.Stroke(new(draw.Path).Oval(box), draw.Px(2), chatTheme(b.Scene.Look).Line)
}

func dot(b *Brush, t scene.Thing, f field) {
	box := f.all()
	b.Oval(box.Inset(-draw.Px(4), -draw.Px(4)), chatTheme(b.Scene.Look).Paper)
	b.Oval(box, Ink(t, scene.Colour, 0x888888))
}

func margin(b *Brush, _ scene.Thing, f field) { b.Rect(f.all(), chatTheme(b.Scene.Look).Paper) }

func nameTag(b *Brush, t scene.Thing, f field) {
	theme, box := chatTheme(b.Scene.Look), f.all()
	style := sans(draw.SansMedium, 19, theme.Accent)
	w := b.Width(style, t.Look["words"]) + draw.Px(28)
	pill := draw.Box{X: box.Mid().X - w/2, Y: box.Y, W: w, H: box.H}
	b.RoundRect(pill, box.H/2, theme.Accent.Fade(34))
	b.Line(style, pill, draw.Center, t.Look["words"])
}

func entries(b *Brush, t scene.Thing, f field) {
	theme, box := chatTheme(b.Scene.Look), f.all()
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
