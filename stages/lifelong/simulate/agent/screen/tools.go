package screen

import "github.com/memforge/memforge/pipeline/draw"

// otherShapes are the shapes of things of the other places.
func otherShapes() map[string]func(*brush, appearance, int, int) int {
	return map[string]func(*brush, appearance, int, int) int{
		"crate": crate, "parcel": parcel, "trolley": trolley, "beacon": beacon,
		"pickaxe": pickaxe, "furnace": furnace, "lantern": lantern, "shield": shield,
		"pot": pot, "tin": tin, "mower": mower, "tray": tray,
	}
}

func crate(b *brush, l appearance, x, y int) int {
	b.plane(x-26, y-48, 52, 48, l.ink)
	for i := range 3 {
		b.plane(x-26, y-48+20*i, 52, 6, l.trim)
	}
	return 24
}

func parcel(b *brush, l appearance, x, y int) int {
	b.pill(x-30, y-40, 60, 40, 3, l.ink)
	b.plane(x-20, y-40, 7, 40, l.trim)
	b.ring(x-28, y-54, 11, 12, 4, l.trim)
	b.ring(x-16, y-54, 11, 12, 4, l.trim)
	return 20
}

func trolley(b *brush, l appearance, x, y int) int {
	b.line(x-34, y-58, x-22, y-12, 5, 0x374151)
	b.plane(x-24, y-40, 52, 28, l.ink)
	b.plane(x-26, y-12, 56, 4, l.trim)
	b.disc(x-16, y-4, 5, 0x1f2937)
	b.disc(x+20, y-4, 5, 0x1f2937)
	return 26
}

func beacon(b *brush, l appearance, x, y int) int {
	b.fill(l.ink, draw.P(x-8, y-46), draw.P(x+8, y-46), draw.P(x+20, y), draw.P(x-20, y))
	b.c.Oval(draw.Disc(draw.P(x, y-52), draw.Px(11)), l.trim)
	b.line(x-24, y-62, x-15, y-57, 3, 0xf59e0b)
	b.line(x+24, y-62, x+15, y-57, 3, 0xf59e0b)
	return 14
}

func pickaxe(b *brush, l appearance, x, y int) int {
	b.line(x-22, y, x+16, y-56, 7, 0x6b4a2b)
	b.fill(l.ink, draw.P(x-22, y-66), draw.P(x+6, y-68), draw.P(x+30, y-50), draw.P(x+36, y-22), draw.P(x+20, y-44), draw.P(x, y-56))
	b.c.Oval(draw.Disc(draw.P(x-14, y-11), draw.Px(6)), l.trim)
	return 32
}

func furnace(b *brush, l appearance, x, y int) int {
	b.plane(x-30, y-60, 60, 60, l.ink)
	b.plane(x-30, y-60, 60, 8, l.trim)
	b.box(x-18, y-24, 36, 20, 0x1f1f1f)
	b.shape(0xf59e0b, draw.P(x-12, y-4), draw.P(x-4, y-18), draw.P(x, y-10), draw.P(x+6, y-20), draw.P(x+12, y-4))
	return 38
}

func lantern(b *brush, l appearance, x, y int) int {
	b.ring(x-9, y-64, 18, 18, 4, l.ink)
	b.plane(x-20, y-52, 40, 8, l.ink)
	b.box(x-16, y-44, 32, 36, 0xfde68a)
	b.plane(x-20, y-8, 40, 8, l.trim)
	return 26
}

func shield(b *brush, l appearance, x, y int) int {
	b.fill(l.ink, draw.P(x-28, y-66), draw.P(x+28, y-66), draw.P(x+26, y-26), draw.P(x, y), draw.P(x-26, y-26))
	b.plane(x-5, y-62, 10, 50, l.trim)
	b.plane(x-24, y-46, 48, 10, l.trim)
	return 41
}

// label is the label of a thing of a shed, which has the trim.
func label(b *brush, l appearance, x, y, w int) { b.plane(x-w/2, y, w, 22, l.trim) }

func pot(b *brush, l appearance, x, y int) int {
	b.line(x, y-48, x, y-74, 3, 0x3f7d20)
	b.disc(x-8, y-72, 8, 0x4f9d2f)
	b.disc(x+8, y-78, 8, 0x4f9d2f)
	b.fill(l.ink, draw.P(x-30, y-50), draw.P(x+30, y-50), draw.P(x+20, y), draw.P(x-20, y))
	label(b, l, x, y-34, 44)
	return 23
}

func tin(b *brush, l appearance, x, y int) int {
	b.ring(x-24, y-66, 48, 36, 3, draw.Hex(0x374151))
	b.pill(x-26, y-52, 52, 52, 4, l.ink)
	label(b, l, x, y-38, 52)
	return 27
}

func mower(b *brush, l appearance, x, y int) int {
	b.line(x+18, y-30, x+46, y-72, 4, 0x374151)
	b.pill(x-38, y-36, 64, 28, 8, l.ink)
	label(b, l, x-6, y-33, 40)
	b.disc(x-26, y-8, 9, 0x1f2937)
	b.disc(x+18, y-8, 9, 0x1f2937)
	return 22
}

func tray(b *brush, l appearance, x, y int) int {
	for i := range 5 {
		b.line(x-36+18*i, y-26, x-36+18*i, y-42, 3, 0x3f7d20)
		b.disc(x-36+18*i, y-44, 5, 0x6ab04c)
	}
	b.fill(l.ink, draw.P(x-48, y-28), draw.P(x+48, y-28), draw.P(x+42, y), draw.P(x-42, y))
	label(b, l, x, y-25, 50)
	return 14
}
