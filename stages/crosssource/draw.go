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

// Exhibit is a row of the table crosssource_exhibits: what a drawn picture shows.
type Exhibit struct {
	ExhibitID string `json:"exhibit_id"`
	MediaID   string `json:"media_id"`
	// Kind is chart, table, card, poster or page, of which a row is a paragraph.
	Kind    string       `json:"kind"`
	Title   string       `json:"title"`
	Columns []string     `json:"columns"`
	Rows    []ExhibitRow `json:"rows"`
}

// ExhibitRow has a cell for each column.
type ExhibitRow struct {
	Cells []string `json:"cells"`
}

type drawing struct {
	studios sync.Pool
	// keep draws an exhibit and stores it.
	keep func(context.Context, *pipeline.Scope, *draw.Studio, widget.Theme, simulate.Exhibit) (schemas.Media, error)
}

func newDraw(struct{}) (pipeline.Stage, error) {
	return &drawing{studios: sync.Pool{New: func() any { return draw.NewStudio() }}, keep: keep}, nil
}

// Spec declares what is given.
func (*drawing) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{nameWorld}, Emits: []string{schemas.NameEvidenceItem, schemas.NameProfile, schemas.NameMedia, nameExhibit}}
}

// Map draws what a world shows, and gives its people and items.
func (d *drawing) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	w, err := pipeline.Decode[Simulated](in)
	if err != nil {
		return nil, err
	}
	studio := d.studios.Get().(*draw.Studio)
	defer d.studios.Put(studio)
	var out pipeline.Made
	for i, p := range w.World.People {
		profile := profileOf(in.ID, i, w.Source, p)
		out.Add(schemas.NameProfile, profile.ProfileID, profile)
	}
	rnd, places := scope.Rand(in.ID), schemas.Places(scope.Rand(in.ID, "places"), len(w.World.Items), simulate.Choices)
	for i, item := range w.World.Items {
		e := itemOf(rnd, in.ID, i, places[i], w, item)
		for n := range item.Units {
			x := item.Units[n].Exhibit
			if x == nil {
				continue
			}
			m, err := d.keep(ctx, scope, studio, lookOf(rnd, x.Kind), *x)
			if err != nil {
				return nil, fmt.Errorf("picture %d of item %s: %w", n, e.ItemID, err)
			}
			e.Units[n].Media = m.MediaID
			e.Media = append(e.Media, m)
			out.Add(schemas.NameMedia, m.MediaID, m, pipeline.Digest(m.MediaID))
			out.Add(nameExhibit, exhibitID(m.MediaID), exhibitOf(m.MediaID, *x), pipeline.Digest(m.MediaID))
		}
		if wrong := e.Problems(); len(wrong) > 0 {
			return nil, pipeline.Reject(wrong[0].Code, "item %s: %s", e.ItemID, wrong[0].Text)
		}
		var blobs []pipeline.Digest
		for _, id := range e.Shown() {
			blobs = append(blobs, pipeline.Digest(id))
		}
		out.Add(schemas.NameEvidenceItem, e.ItemID, e, blobs...)
	}
	return out.Records()
}

// exhibitID is another than that of the picture, whose verdicts are its own.
func exhibitID(media string) string { return "exhibit-" + media }

func exhibitOf(media string, x simulate.Exhibit) Exhibit {
	out := Exhibit{ExhibitID: exhibitID(media), MediaID: media, Kind: x.Kind, Title: x.Title, Columns: x.Columns}
	for _, r := range x.Rows {
		out.Rows = append(out.Rows, ExhibitRow{r})
	}
	return out
}

// keep draws an exhibit and stores it.
func keep(ctx context.Context, scope *pipeline.Scope, studio *draw.Studio, theme widget.Theme, x simulate.Exhibit) (schemas.Media, error) {
	c, err := paint(studio, theme, x)
	if err != nil {
		return schemas.Media{}, err
	}
	return c.Keep(ctx, scope, draw.MimePicture, license)
}

// lookOf draws in which colours an exhibit of a kind is drawn.
func lookOf(rnd *rand.Rand, kind string) widget.Theme {
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

// sizeOf is how wide and high an exhibit is drawn: as high as what stands on it, with a
// margin.
func sizeOf(x simulate.Exhibit) (w, h int) {
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

// paint draws an exhibit as what it is.
func paint(studio *draw.Studio, t widget.Theme, x simulate.Exhibit) (*draw.Canvas, error) {
	w, h := sizeOf(x)
	c, err := studio.Canvas(w, h, t.Back)
	if err != nil {
		return nil, err
	}
	box := draw.Pixels(18, 18, w-36, h-36)
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

// typeOf is what sort of picture (schemas.Attachment) an exhibit of a kind is. A table is
// drawn in a window of a screen, what else has lines of text as a sheet of paper.
func typeOf(kind string) string {
	switch kind {
	case simulate.Chart:
		return "chart"
	case simulate.Sheet:
		return "screenshot"
	}
	return "document"
}

// Captions of an exhibit: of what kind it is, and all that stands on it (E.10).
func captions(x simulate.Exhibit) (minimal, dense string) {
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
