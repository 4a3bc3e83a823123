package lifelong

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/draw/widget"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/simulate"
	"github.com/memforge/memforge/stages/lifelong/simulate/agent/screen"
)

// Exhibit is a row of the table lifelong_exhibits: what a picture was drawn to show.
type Exhibit struct {
	ExhibitID string       `json:"exhibit_id"`
	MediaID   string       `json:"media_id"`
	Kind      string       `json:"kind"`
	Title     string       `json:"title"`
	Rows      []ExhibitRow `json:"rows"`
}

// ExhibitRow is a name and its value.
type ExhibitRow struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type drawing struct {
	studios sync.Pool
	// keep draws an exhibit and stores it.
	keep func(context.Context, *pipeline.Scope, *draw.Studio, widget.Theme, simulate.Exhibit) (schemas.Media, error)
}

func newDraw(struct{}) (pipeline.Stage, error) {
	return &drawing{studios: sync.Pool{New: func() any { return draw.NewStudio() }}, keep: picture}, nil
}

// Spec declares what is drawn.
func (*drawing) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{nameLife}, Emits: []string{nameAlbum, nameExhibit, schemas.NameMedia}}
}

// Map draws the exhibits of a life.
func (d *drawing) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	l, err := pipeline.Decode[Life](in)
	if err != nil {
		return nil, err
	}
	studio := d.studios.Get().(*draw.Studio)
	defer d.studios.Put(studio)
	accents := []uint32{0x2563eb, 0x14805e, 0xb4442c, 0x7c4dbd, 0x8c5a3c, 0x0f7490}
	theme := widget.Light(draw.Hex(accents[scope.Rand(in.ID).IntN(len(accents))]))
	album, seen := Album{Life: l}, map[string]bool{}
	var out pipeline.Made
	for i, x := range l.World.Exhibits {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m, err := d.keep(ctx, scope, studio, theme, x)
		if err != nil {
			return nil, fmt.Errorf("picture %d of %s: %w", i, in.ID, err)
		}
		album.Pictures = append(album.Pictures, m.MediaID)
		if seen[m.MediaID] {
			continue
		}
		seen[m.MediaID] = true
		out.Add(schemas.NameMedia, m.MediaID, m, pipeline.Digest(m.MediaID))
		row := exhibitOf(m.MediaID, x)
		out.Add(nameExhibit, row.ExhibitID, row, pipeline.Digest(m.MediaID))
	}
	out.Add(nameAlbum, in.ID, album)
	return out.Records()
}

// exhibitID is the id of what a picture shows.
func exhibitID(media string) string { return "exhibit-" + media }

func exhibitOf(media string, x simulate.Exhibit) Exhibit {
	out := Exhibit{ExhibitID: exhibitID(media), MediaID: media, Kind: x.Kind, Title: x.Title}
	for _, r := range x.Rows {
		out.Rows = append(out.Rows, ExhibitRow{r[0], r[1]})
	}
	return out
}

// hoursOfWork is what bars of charts stand for, each for a month.
const hoursOfWork = "hours of work"

// picture draws an exhibit and stores it.
func picture(ctx context.Context, scope *pipeline.Scope, studio *draw.Studio, t widget.Theme, x simulate.Exhibit) (schemas.Media, error) {
	c, err := paint(studio, t, x)
	if err != nil {
		return schemas.Media{}, err
	}
	return c.Keep(ctx, scope, draw.MimePicture, license)
}

// paint draws an exhibit as what it is.
func paint(studio *draw.Studio, t widget.Theme, x simulate.Exhibit) (*draw.Canvas, error) {
	if x.Kind == simulate.Screen {
		return screen.Screen{App: x.App, Title: x.Title, Rows: x.Rows, Around: x.Around}.Draw(studio)
	}
	size := map[string][2]int{simulate.Card: {440, 120 + 36*len(x.Rows)}, simulate.Sheet: {560, 160 + 42*(len(x.Rows)+1)}, simulate.Chart: {720, 420}}[x.Kind]
	if size[0] == 0 {
		return nil, fmt.Errorf("nobody draws a picture of kind %q", x.Kind)
	}
	c, err := studio.Canvas(size[0], size[1], t.Back)
	if err != nil {
		return nil, err
	}
	box := draw.Pixels(18, 18, size[0]-36, size[1]-36)
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
	table.Head[1] = hoursOfWork
	for _, r := range table.Rows {
		r[0] = strings.TrimPrefix(r[0], hoursOfWork+" in ")
	}
	return c, table.DrawBars(c, t, box, x.Title)
}

// attachment is an exhibit as a session shows it. What only eyes may tell, its caption
// leaves out; the caption for tasks spells it out all the same, and no view of the
// session has that one.
func attachment(session string, n, at int, a Album) schemas.Attachment {
	x := a.Life.World.Exhibits[at]
	said := captionsOf(exhibitOf(a.Pictures[at], x), x.App)
	caption := said.full
	if x.Hidden {
		caption = said.bare
	}
	return schemas.Attachment{
		AttachmentID: schemas.AttachmentIDOf(session, n), MediaID: a.Pictures[at],
		Type: said.sort, Caption: caption, MinimalCaption: said.minimal, TaskAwareCaption: said.full,
	}
}

// captions are what can be said of a picture: of what sort it is, what it is a picture of,
// what stands in it without the values, and with them.
type captions struct{ sort, minimal, bare, full string }

func captionsOf(x Exhibit, app string) captions {
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
