package crosssource

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/draw/widget"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/simulate"
)

// RenderedPicture is a row of the table crosssource_exhibits: what a drawn picture shows.
type RenderedPicture struct {
	PictureID string `json:"exhibit_id"`
	MediaID   string `json:"media_id"`
	// Kind is chart, table, card, poster or page, of which a row is a paragraph.
	Kind    string       `json:"kind"`
	Title   string       `json:"title"`
	Columns []string     `json:"columns"`
	Rows    []PictureRow `json:"rows"`
}

// PictureRow has a cell for each column.
type PictureRow struct {
	Cells []string `json:"cells"`
}

type drawStage struct {
	studios sync.Pool
	// storePicture draws a picture and stores it.
	storePicture func(context.Context, *pipeline.Scope, *draw.Studio, widget.Theme, simulate.Picture) (schemas.Media, error)
}

func newDraw(struct{}) (pipeline.Stage, error) {
	return &drawStage{studios: sync.Pool{New: func() any { return draw.NewStudio() }}, storePicture: drawAndStore}, nil
}

// Spec declares what is given.
func (*drawStage) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{nameWorld}, Emits: []string{schemas.NameEvidenceItem, schemas.NameProfile, schemas.NameMedia, namePicture}}
}

// Map draws what a world shows, and gives its people and items.
func (d *drawStage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	w, err := pipeline.Decode[SimulatedWorld](in)
	if err != nil {
		return nil, err
	}
	studio := d.studios.Get().(*draw.Studio)
	defer d.studios.Put(studio)
	var out pipeline.RecordBuilder
	for i, p := range w.World.People {
		profile := buildProfile(in.ID, i, w.Source, p)
		out.Add(schemas.NameProfile, profile.ProfileID, profile)
	}
	rnd, places := scope.Rand(in.ID), schemas.BalancedPlaces(scope.Rand(in.ID, "places"), len(w.World.Items), simulate.Choices)
	for i, item := range w.World.Items {
		e := buildItem(rnd, in.ID, i, places[i], w, item)
		for n := range item.Units {
			x := item.Units[n].Picture
			if x == nil {
				continue
			}
			m, err := d.storePicture(ctx, scope, studio, pickTheme(rnd, x.Kind), *x)
			if err != nil {
				return nil, fmt.Errorf("picture %d of item %s: %w", n, e.ItemID, err)
			}
			e.Units[n].Media = m.MediaID
			e.Media = append(e.Media, m)
			out.Add(schemas.NameMedia, m.MediaID, m, pipeline.Digest(m.MediaID))
			out.Add(namePicture, pictureID(m.MediaID), renderedPicture(m.MediaID, *x), pipeline.Digest(m.MediaID))
		}
		if wrong := e.Problems(); len(wrong) > 0 {
			return nil, pipeline.Reject(wrong[0].Code, "item %s: %s", e.ItemID, wrong[0].Text)
		}
		var blobs []pipeline.Digest
		for _, id := range e.ShownMedia() {
			blobs = append(blobs, pipeline.Digest(id))
		}
		out.Add(schemas.NameEvidenceItem, e.ItemID, e, blobs...)
	}
	return out.Records()
}

// pictureID differs from the id of the medium, which has verdicts of its own.
func pictureID(media string) string { return "exhibit-" + media }

func renderedPicture(media string, x simulate.Picture) RenderedPicture {
	out := RenderedPicture{PictureID: pictureID(media), MediaID: media, Kind: x.Kind, Title: x.Title, Columns: x.Columns}
	for _, r := range x.Rows {
		out.Rows = append(out.Rows, PictureRow{r})
	}
	return out
}

func drawAndStore(ctx context.Context, scope *pipeline.Scope, studio *draw.Studio, theme widget.Theme, x simulate.Picture) (schemas.Media, error) {
	c, err := drawPicture(studio, theme, x)
	if err != nil {
		return schemas.Media{}, err
	}
	return c.Store(ctx, scope, draw.MimePicture, license)
}

func pickTheme(rnd *rand.Rand, kind string) widget.Theme {
	theme := widget.Light(draw.Hex([]uint32{0x2563eb, 0x14805e, 0xb4442c, 0x7c4dbd, 0x8c5a3c, 0x0f7490}[rnd.IntN(6)]))
	if kind != simulate.Poster && kind != simulate.Page && rnd.IntN(4) == 0 {
		theme = widget.Dark(theme.Accent)
	}
	return theme
}

// Sizes of pictures, in pixels.
const (
	wide       = 920
	chartHigh  = 460
	rowHigh    = 37
	cardWide   = 420
	cardRow    = 32
	posterWide = 640
	pageWide   = 620
	// lineHigh is a line of a page's paragraph, which has at least so many letters, and
	// gapHigh what is between paragraphs.
	lineHigh = 21
	letters  = 46
	gapHigh  = 10
)

// pictureSize returns the size of a picture: as high as its content, with a margin.
func pictureSize(x simulate.Picture) (w, h int) {
	switch x.Kind {
	case simulate.Chart:
		return wide, chartHigh
	case simulate.Card:
		return cardWide, 108 + cardRow*len(x.Rows)
	case simulate.Poster:
		return posterWide, 225 + rowHigh*(len(x.Rows)+1)
	case simulate.Page:
		h := 175
		for _, r := range x.Rows {
			h += lineHigh*(1+len(r[0])/letters) + gapHigh
		}
		return pageWide, h
	}
	return wide/2 + 120, 108 + rowHigh*(len(x.Rows)+1)
}

func drawPicture(studio *draw.Studio, t widget.Theme, x simulate.Picture) (*draw.Canvas, error) {
	w, h := pictureSize(x)
	c, err := studio.NewCanvas(w, h, t.Back)
	if err != nil {
		return nil, err
	}
	box := draw.PixelBox(18, 18, w-36, h-36)
	table := widget.Table{Head: x.Columns, Rows: x.Rows}
	switch x.Kind {
	case simulate.Chart:
		return c, table.DrawBars(c, t, box, x.Title)
	case simulate.Card:
		return c, table.DrawCard(c, t, box, x.Title)
	case simulate.Poster:
		return c, widget.Page{Title: x.Title, Paragraphs: []widget.Paragraph{{Table: &table}}}.Draw(c, t, box)
	case simulate.Page:
		page := widget.Page{Title: x.Title}
		for _, r := range x.Rows {
			page.Paragraphs = append(page.Paragraphs, widget.Paragraph{Text: r[0]})
		}
		return c, page.Draw(c, t, box)
	case simulate.Sheet:
		return c, table.DrawWindow(c, t, box, x.Title)
	}
	return nil, fmt.Errorf("nobody draws a picture of kind %q", x.Kind)
}

// pictureType returns the type of a picture (schemas.Attachment). A table is a window on
// a screen, other text is a sheet of paper.
func pictureType(kind string) string {
	switch kind {
	case simulate.Chart:
		return "chart"
	case simulate.Sheet:
		return "screenshot"
	}
	return "document"
}

// captions returns two captions of a picture: its kind, and all that stands on it (E.10).
func captions(x simulate.Picture) (minimal, dense string) {
	minimal = map[string]string{simulate.Chart: "a bar chart", simulate.Sheet: "a picture of a table", simulate.Card: "a picture of a card", simulate.Poster: "a picture of a programme", simulate.Page: "a picture of a page"}[x.Kind]
	if x.Kind == simulate.Page {
		var said []string
		for _, r := range x.Rows {
			said = append(said, r[0])
		}
		return minimal, "A picture of a page, titled \"" + x.Title + "\". It reads: " + strings.Join(said, " ")
	}
	var rows []string
	for _, r := range x.Rows {
		rows = append(rows, strings.Join(r, ": "))
	}
	return minimal, strings.ToUpper(minimal[:1]) + minimal[1:] + ", titled \"" + x.Title + "\", with the columns " + strings.Join(x.Columns, " and ") + ". It reads: " + strings.Join(rows, "; ") + "."
}
