package film

import (
	"math"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// signBoard is the plate of a sign: its size, paint and lettering.
type signBoard struct {
	width, height float64
	plate, frame  rgb
	text          rgb
	mono          bool
}

func signBoardOf(x schemas.FilmFixture) signBoard {
	accent := hex(x.Colour)
	switch x.Kind {
	case "chalkboard":
		return signBoard{width: 122, height: 58, plate: rgb{0.17, 0.23, 0.21}, frame: oak, text: cream}
	case "post":
		return signBoard{width: 122, height: 52, plate: rgb{0.96, 0.93, 0.84}, frame: rgb{0.25, 0.42, 0.3}, text: rgb{0.15, 0.25, 0.18}}
	case "departures":
		return signBoard{width: 128, height: 52, plate: rgb{0.09, 0.1, 0.13}, frame: rgb{0.3, 0.32, 0.36}, text: rgb{1, 0.8, 0.25}, mono: true}
	case "frame":
		return signBoard{width: 118, height: 58, plate: cream, frame: accent.dark(0.15), text: accent.dark(0.45)}
	}
	return signBoard{width: 122, height: 54, plate: white, frame: accent.dark(0.2), text: rgb{0.12, 0.14, 0.2}}
}

// sign draws a board. While it changes it turns about its long axis.
func (b *brush) sign(x schemas.FilmFixture, s signState) {
	p := signBoardOf(x)
	text, squash := s.text, 1.0
	if s.next != "" {
		squash = math.Max(0.06, math.Abs(math.Cos(s.turn*math.Pi)))
		if s.turn >= half {
			text = s.next
		}
	}
	b.Push()
	defer b.Pop()
	b.Translate(x.At.X, x.At.Y)
	b.hang(x.Kind, p)
	b.Scale(1, squash)
	w, h := p.width, p.height
	b.DrawRoundedRectangle(-w/2-2, -h/2+3, w+4, h, 4)
	b.glaze(black, 0.22)
	b.round(p.frame, -w/2-4, -h/2-4, w+8, h+8, 5)
	b.round(p.plate, -w/2, -h/2, w, h, 2)
	b.DrawRectangle(-w/2, -h/2, w, h/2)
	b.glaze(white, 0.05)
	b.lettering(p, text)
}

// hang draws what the board is fixed to.
func (b *brush) hang(kind string, p signBoard) {
	switch kind {
	case "post":
		b.shadow(0, 182, 20)
		b.line(p.frame.dark(0.3), 7, 0, 0, 0, 180)
	case "departures":
		b.line(p.frame, 3, -44, -90, -44, 0)
		b.line(p.frame, 3, 44, -90, 44, 0)
	default:
		b.line(ink, 1.4, -40, -p.height/2, 0, -p.height/2-20, 40, -p.height/2)
		b.disc(brass, 0, -p.height/2-20, 2.4)
	}
}

// lettering sets the text in one line or two, as large as fits.
func (b *brush) lettering(p signBoard, text string) {
	face := b.kit.bold
	if p.mono {
		face = b.kit.mono
	}
	lines := wrap(text)
	most := 25.0
	if len(lines) == 2 {
		most = 21
	}
	size := most
	for _, l := range lines {
		size = math.Min(size, fitted(face, l, most, p.width-14))
	}
	pitch := size * 1.08
	y := size*0.36 - pitch*float64(len(lines)-1)/2
	for n, l := range lines {
		b.write(face, l, 0, y+pitch*float64(n), size, 0, p.text, 1)
	}
}

// wrap breaks a text of more than nine letters at the space nearest its middle.
func wrap(text string) []string {
	if len(text) <= 9 {
		return []string{text}
	}
	best := -1
	for n, r := range text {
		if r == ' ' && (best < 0 || abs(2*n-len(text)) < abs(2*best-len(text))) {
			best = n
		}
	}
	if best < 0 {
		return []string{text}
	}
	return []string{strings.TrimSpace(text[:best]), text[best+1:]}
}

func abs(n int) int { return max(n, -n) }
