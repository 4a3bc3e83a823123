package widget

import "github.com/memforge/memforge/pipeline/draw"

// Person is how somebody looks in a small round portrait.
type Person struct {
	Name             string
	Back, Skin, Hair draw.Color
	Long             bool // hair
}

// Portrait draws a person's head and shoulders in a disc.
func Portrait(c *draw.Canvas, who Person, at draw.Point, radius draw.Unit) {
	c.Object("portrait", who.Name, who.Back.String(), func() {
		disc := draw.Disc(at, radius)
		c.Oval(disc, draw.Down(disc, who.Back.Mix(draw.Hex(0xffffff), 50), who.Back))
		// Drawn on a grid of 100 around the middle of the disc.
		grid := draw.Affine{XX: int64(radius) << 16 / 6400, YY: int64(radius) << 16 / 6400, DX: at.X, DY: at.Y}
		fill := func(p *draw.Path, ink draw.Paint) { c.Fill(p.Transform(grid), ink) }
		part := func() *draw.Path { return new(draw.Path) }
		if who.Long {
			fill(part().Round(draw.PixelBox(-47, -56, 94, 108), draw.Px(44)), who.Hair.Mix(draw.Hex(0), 40))
		}
		shirt := who.Back.Mix(draw.Hex(0x27364a), 160)
		// The shoulders' lower edge is the disc's own.
		fill(part().Move(draw.P(-75, 66)).Cubic(draw.P(-62, 34), draw.P(-26, 36), draw.P(0, 36)).Cubic(draw.P(26, 36), draw.P(62, 34), draw.P(75, 66)).
			Cubic(draw.P(40, 111), draw.P(-40, 111), draw.P(-75, 66)).Close(), shirt)
		fill(part().Round(draw.PixelBox(-14, 8, 28, 40), draw.Px(12)), who.Skin.Mix(draw.Hex(0x5a2a18), 50))
		fill(part().Oval(draw.PixelBox(-33, -50, 66, 80)), who.Skin)
		fill(hair(who.Long), who.Hair)
		if radius > draw.Px(14) {
			ink := draw.Hex(0x3a2a26)
			fill(part().Oval(draw.PixelBox(-17, -13, 8, 10)), ink)
			fill(part().Oval(draw.PixelBox(9, -13, 8, 10)), ink)
			c.Stroke(part().Move(draw.P(-11, 10)).Quad(draw.P(0, 20), draw.P(11, 10)).Transform(grid), radius/25, who.Skin.Mix(draw.Hex(0x7a2a22), 170))
		}
	})
}

func hair(long bool) *draw.Path {
	p := new(draw.Path)
	if long {
		return p.Move(draw.P(-36, 4)).Cubic(draw.P(-52, -74), draw.P(52, -74), draw.P(36, 4)).
			Cubic(draw.P(34, -24), draw.P(8, -28), draw.P(-10, -36)).Cubic(draw.P(-20, -24), draw.P(-34, -18), draw.P(-36, 4)).Close()
	}
	return p.Move(draw.P(-35, -8)).Cubic(draw.P(-48, -72), draw.P(48, -72), draw.P(35, -8)).
		Cubic(draw.P(32, -32), draw.P(18, -36), draw.P(0, -31)).Cubic(draw.P(-18, -30), draw.P(-30, -34), draw.P(-35, -8)).Close()
}
