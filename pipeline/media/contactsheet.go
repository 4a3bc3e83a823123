package media

import (
	"context"
	"fmt"
	"image"
	"image/color"

	"github.com/disintegration/imaging"
)

// ContactSheetLayout is the layout of a contact sheet.
type ContactSheetLayout struct {
	Frames    int // pictures shown
	Columns   int
	CellWidth int // pixels; the height follows from the picture
}

// DefaultContactSheet shows 12 pictures in 4 columns.
func DefaultContactSheet() ContactSheetLayout {
	return ContactSheetLayout{Frames: 12, Columns: 4, CellWidth: 240}
}

// gutter is the space between two pictures, pixels.
const gutter = 4

func (s ContactSheetLayout) check() error {
	if s.Columns < 1 || s.CellWidth < 8 || s.CellWidth > 2048 || s.Frames < 1 || s.Frames > 100 {
		return fmt.Errorf("contact sheet of %d pictures of %d pixels in %d columns: use 1 to 100 pictures of 8 to 2048 pixels", s.Frames, s.CellWidth, s.Columns)
	}
	return nil
}

// ContactSheet shows pictures from evenly spaced moments of a video of frames
// pictures, in reading order, as one PNG.
func (t *Tools) ContactSheet(ctx context.Context, path string, frames int64, s ContactSheetLayout) ([]byte, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	stills, err := t.Stills(ctx, path, Span{0, frames}.Spread(s.Frames), 0)
	if err != nil {
		return nil, fmt.Errorf("contact sheet: %w", err)
	}
	return s.Compose(stills)
}

// Compose lays pictures out in reading order, as one PNG; the number of pictures is
// theirs.
func (s ContactSheetLayout) Compose(stills []Still) ([]byte, error) {
	s.Frames = len(stills)
	if err := s.check(); err != nil {
		return nil, err
	}
	b := stills[0].Picture.Bounds()
	high := max(1, s.CellWidth*b.Dy()/b.Dx())
	columns := min(s.Columns, len(stills))
	rows := (len(stills) + columns - 1) / columns
	sheet := imaging.New(columns*(s.CellWidth+gutter)-gutter, rows*(high+gutter)-gutter, color.White)
	for i, p := range stills {
		cell := imaging.Resize(p.Picture, s.CellWidth, high, imaging.Linear)
		at := image.Pt(i%columns*(s.CellWidth+gutter), i/columns*(high+gutter))
		sheet = imaging.Paste(sheet, cell, at)
	}
	return PNG(sheet)
}
