package visual

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/paint"
	"github.com/memforge/memforge/stages/visual/scene"
	"github.com/memforge/memforge/stages/visual/simulate"
)

// Album is a simulation with its rendered pictures.
type Album struct {
	Simulation simulate.Simulation `json:"life"`
	// Pictures has the media id of each scene.
	Pictures []string `json:"pictures"`
}

// Picture is a row of the table visual_pictures: what a rendered picture shows.
type Picture struct {
	MediaID string `json:"media_id"`
	// PixelsSHA256 is the digest of the pixels, independent of the file format.
	PixelsSHA256 string `json:"pixels_sha256"`
	// Noun is the word of questions for the picture, MinimalCaption its kind.
	Noun           string       `json:"noun"`
	MinimalCaption string       `json:"minimal_caption"`
	Shown          []ShownThing `json:"shown"`
	// Absent names expected things that the picture does not show.
	Absent []string `json:"absent"`
}

// ShownThing is a thing in a picture. Tells has its aspects as "aspect=value",
// separated by "; ". Class and Prep describe what is counted or told apart there. Box
// is left, top, right and bottom in pixels, the latter two exclusive.
type ShownThing struct {
	Name   string  `json:"name"`
	Class  string  `json:"class"`
	Prep   string  `json:"prep"`
	Plural bool    `json:"plural"`
	Tells  string  `json:"tells"`
	Box    []int32 `json:"box"`
}

type renderStage struct{ renderers sync.Pool }

func newRenderStage(struct{}) (pipeline.Stage, error) {
	return &renderStage{renderers: sync.Pool{New: func() any { return paint.NewRenderer() }}}, nil
}

func (*renderStage) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{nameSimulation}, Emits: []string{nameAlbum, namePicture, schemas.NameMedia}}
}

func (r *renderStage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	l, err := pipeline.Decode[simulate.Simulation](in)
	if err != nil {
		return nil, err
	}
	painter := r.renderers.Get().(*paint.Renderer)
	defer r.renderers.Put(painter)
	album, told := Album{Simulation: l}, map[string]Picture{}
	var out pipeline.RecordBuilder
	for i, s := range l.Scenes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		drawn, err := painter.Draw(s)
		if err != nil {
			return nil, pipeline.Reject("bad-scene", "picture %d: %v; correct the scenario", i, err)
		}
		m, err := drawn.Store(ctx, scope, sceneMime(s), license)
		if err != nil {
			return nil, fmt.Errorf("picture %d of %s: %w", i, in.ID, err)
		}
		row := describePicture(s, m.MediaID, drawn)
		switch before := slices.Index(album.Pictures, m.MediaID); {
		case before < 0:
			out.Add(schemas.NameMedia, m.MediaID, m, pipeline.Digest(m.MediaID))
			out.Add(namePicture, "picture-"+m.MediaID, row)
		case !reflect.DeepEqual(row, told[m.MediaID]):
			return nil, pipeline.Reject("same-pixels", "pictures %d and %d are the same and should show different things; let the scenario draw what it tells", before, i)
		}
		told[m.MediaID] = row
		album.Pictures = append(album.Pictures, m.MediaID)
	}
	out.Add(nameAlbum, in.ID, album)
	return out.Records()
}

// sceneMime keeps photographs as JPEG and screens as PNG.
func sceneMime(s scene.Scene) string {
	if s.Photo {
		return draw.MimePhoto
	}
	return draw.MimePicture
}

// describePicture returns the row of a picture from the marks of its canvas.
func describePicture(s scene.Scene, media string, c *draw.Canvas) Picture {
	p := Picture{
		MediaID: media, PixelsSHA256: string(c.PixelDigest()), Noun: s.Noun, MinimalCaption: s.Minimal,
		Shown: []ShownThing{}, Absent: append([]string{}, s.Absent...),
	}
	for _, m := range c.Marks() {
		if m.Kind != paint.MarkThing || m.Value == "" {
			continue
		}
		t, _ := s.Find(m.Name)
		p.Shown = append(p.Shown, ShownThing{
			Name: m.Name, Class: t.Class, Prep: t.Prep, Plural: t.Plural, Tells: m.Value,
			Box: []int32{int32(m.Box[0]), int32(m.Box[1]), int32(m.Box[2]), int32(m.Box[3])},
		})
	}
	return p
}
