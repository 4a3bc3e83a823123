package lifelong

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/draw/widget"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/simulate"
	"github.com/memforge/memforge/stages/lifelong/simulate/agent/screen"
)

// RenderedPicture is a row of the table lifelong_exhibits: what a picture was drawn to show.
type RenderedPicture struct {
	PictureID string       `json:"exhibit_id"`
	MediaID   string       `json:"media_id"`
	Kind      string       `json:"kind"`
	Title     string       `json:"title"`
	Rows      []PictureRow `json:"rows"`
}

// PictureRow is a name and its value.
type PictureRow struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type drawStage struct {
	studios sync.Pool
	// storePicture draws a picture and stores it.
	storePicture func(context.Context, *pipeline.Scope, *draw.Studio, widget.Theme, simulate.Picture) (schemas.Media, error)
}

func newDraw(struct{}) (pipeline.Stage, error) {
	return &drawStage{studios: sync.Pool{New: func() any { return draw.NewStudio() }}, storePicture: drawAndStore}, nil
}

// Spec declares what is drawn.
func (*drawStage) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{nameSimulation}, Emits: []string{nameRendered, namePicture, schemas.NameMedia}}
}

// accent draws the colour of the pictures of a life.
func accent(rnd *rand.Rand) uint32 {
	accents := []uint32{0x2563eb, 0x14805e, 0xb4442c, 0x7c4dbd, 0x8c5a3c, 0x0f7490}
	return accents[rnd.IntN(len(accents))]
}

// Map draws the pictures of a simulation.
func (d *drawStage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	l, err := pipeline.Decode[Simulation](in)
	if err != nil {
		return nil, err
	}
	studio := d.studios.Get().(*draw.Studio)
	defer d.studios.Put(studio)
	theme := widget.Light(draw.Hex(accent(scope.Rand(in.ID))))
	album, seen := RenderedSimulation{Simulation: l}, map[string]bool{}
	var out pipeline.RecordBuilder
	for i, x := range l.World.Pictures {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m, err := d.storePicture(ctx, scope, studio, theme, x)
		if err != nil {
			return nil, fmt.Errorf("picture %d of %s: %w", i, in.ID, err)
		}
		album.MediaIDs = append(album.MediaIDs, m.MediaID)
		if seen[m.MediaID] {
			continue
		}
		seen[m.MediaID] = true
		out.Add(schemas.NameMedia, m.MediaID, m, pipeline.Digest(m.MediaID))
		row := renderedPicture(m.MediaID, x)
		out.Add(namePicture, row.PictureID, row, pipeline.Digest(m.MediaID))
	}
	out.Add(nameRendered, in.ID, album)
	return out.Records()
}

func pictureID(media string) string { return "exhibit-" + media }

func renderedPicture(media string, x simulate.Picture) RenderedPicture {
	out := RenderedPicture{PictureID: pictureID(media), MediaID: media, Kind: x.Kind, Title: x.Title}
	for _, r := range x.Rows {
		out.Rows = append(out.Rows, PictureRow{r[0], r[1]})
	}
	return out
}

// hoursOfWork is what bars of charts stand for, each for a month.
const hoursOfWork = "hours of work"

func drawAndStore(ctx context.Context, scope *pipeline.Scope, studio *draw.Studio, t widget.Theme, x simulate.Picture) (schemas.Media, error) {
	c, err := drawPicture(studio, t, x)
	if err != nil {
		return schemas.Media{}, err
	}
	return c.Store(ctx, scope, draw.MimePicture, license)
}

func drawPicture(studio *draw.Studio, t widget.Theme, x simulate.Picture) (*draw.Canvas, error) {
	if x.Kind == simulate.Screen {
		return screen.Screen{App: x.App, Title: x.Title, Rows: x.Rows, Around: x.Around}.Draw(studio)
	}
	size := map[string][2]int{simulate.Card: {440, 120 + 36*len(x.Rows)}, simulate.Sheet: {560, 160 + 42*(len(x.Rows)+1)}, simulate.Chart: {720, 420}}[x.Kind]
	if size[0] == 0 {
		return nil, fmt.Errorf("nobody draws a picture of kind %q", x.Kind)
	}
	c, err := studio.NewCanvas(size[0], size[1], t.Back)
	if err != nil {
		return nil, err
	}
	box := draw.PixelBox(18, 18, size[0]-36, size[1]-36)
	table := widget.Table{Head: []string{"field", "value"}}
	for _, r := range x.Rows {
		table.Rows = append(table.Rows, r[:])
	}
	switch x.Kind {
	case simulate.Card:
		return c, table.DrawCard(c, t, box, x.Title)
	case simulate.Sheet:
		return c, table.DrawWindow(c, t, box, x.Title)
	}
	table.Head[1] = cmp.Or(x.Unit, hoursOfWork)
	for _, r := range table.Rows {
		r[0] = strings.TrimPrefix(r[0], table.Head[1]+" in ")
	}
	return c, table.DrawBars(c, t, box, x.Title)
}

// attachPicture returns a picture as an attachment of a session. The caption omits what
// only the picture may tell; the task-aware caption has it, and no view of the session
// shows that one.
func attachPicture(session string, n, at int, a RenderedSimulation) schemas.Attachment {
	x := a.Simulation.World.Pictures[at]
	said := buildCaptions(renderedPicture(a.MediaIDs[at], x), x.App)
	caption := said.full
	if x.Hidden {
		caption = said.bare
	}
	return schemas.Attachment{
		AttachmentID: schemas.AttachmentIDOf(session, n), MediaID: a.MediaIDs[at],
		Type: said.sort, Caption: caption, MinimalCaption: said.minimal, TaskAwareCaption: said.full,
	}
}

// captions are the captions of a picture: its type, its kind, its content without values,
// and with them.
type captions struct{ sort, minimal, bare, full string }

func buildCaptions(x RenderedPicture, app string) captions {
	var names, rows []string
	for _, r := range x.Rows {
		names = append(names, r.Name)
		rows = append(rows, r.Name+": "+r.Value)
	}
	out := captions{
		sort:    map[string]string{simulate.Card: "document", simulate.Sheet: "screenshot", simulate.Chart: "chart", simulate.Screen: "screenshot"}[x.Kind],
		minimal: map[string]string{simulate.Card: "a picture of a card", simulate.Sheet: "a screenshot of a table", simulate.Chart: "a bar chart", simulate.Screen: screen.Caption(app)}[x.Kind],
	}
	if out.minimal == "" {
		return out
	}
	head := strings.ToUpper(out.minimal[:1]) + out.minimal[1:] + ", titled \"" + x.Title + "\""
	out.bare = head + ", with values for " + strings.Join(names, ", ") + "."
	out.full = head + ". It reads: " + strings.Join(rows, "; ") + "."
	return out
}
