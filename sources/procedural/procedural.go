// Package procedural is a source that needs no network: it writes the scripts
// of little films. A script is the ground truth of the video that is drawn
// from it, so gold answers are true by construction.
package procedural

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// Config of the source.
type Config struct {
	Count   int     `json:"count" doc:"how many scripts to write; script i does not change when the count grows"`
	First   int     `json:"first" doc:"number of the first script, even: sources with ranges of their own write different films"`
	Kind    string  `json:"kind" doc:"film (title card, cast, events; films come in twins of one place) or clip (one action in one place, no text)"`
	Seconds float64 `json:"seconds" doc:"length of each: 10 to 600 for a film, 1.5 to 6 for a clip; 0 means 30 and 2.4"`
	Width   int32   `json:"width" doc:"pixels, a multiple of 4, 160 to 1920; the picture is laid out for 16:9"`
	Height  int32   `json:"height" doc:"pixels, a multiple of 4, 90 to 1080"`
	FPS     int32   `json:"fps" doc:"frames per second, 10 to 60, a divisor of 48000"`
	Actions int     `json:"actions" doc:"clips only: how many different actions, 2 to 10; clip i and clip i + actions x scenes show the same action and scene"`
	Scenes  int     `json:"scenes" doc:"how many different places, 1 to 8"`
	Parts   int     `json:"parts" doc:"films only: nothing that is asked about runs over the bounds of so many equal parts of a film, so that it may be cut there; 0 means anywhere"`
	Shared  int     `json:"shared" doc:"films only: how many things, and how many texts of the sign, both twins show, 0 to 5; -1 means by length"`
	Changes int     `json:"changes" doc:"films only: how often the sign changes, up to 20; 0 means by length"`
	// Likeness is told by the table in docs/formats.md.
	Likeness []float64 `json:"likeness" doc:"films only: how alike twins look, 0 (other wall, light and palette) to 1 (only people, colours of things, their places and events differ); the pairs take the levels in turn"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() {
	*c = Config{
		Count: 16, Kind: schemas.FilmFull, Width: 640, Height: 360, FPS: 25, Actions: 8, Scenes: 8,
		Parts: 10, Shared: -1, Likeness: []float64{0, 0.5, 1},
	}
}

func (c Config) resolve() (Config, error) {
	low, high, usual := 10.0, 600.0, 30.0
	switch c.Kind {
	case schemas.FilmFull:
	case schemas.FilmClip:
		low, high, usual = 1.5, 6, 2.4
	default:
		return c, fmt.Errorf("kind %q: want film or clip", c.Kind)
	}
	if c.Seconds == 0 {
		c.Seconds = usual
	}
	if !(c.Seconds >= low && c.Seconds <= high) { // so that NaN is refused as well
		return c, fmt.Errorf("seconds %g: a %s lasts %g to %g", c.Seconds, c.Kind, low, high)
	}
	if c.Width%4 != 0 || c.Height%4 != 0 {
		return c, fmt.Errorf("size %dx%d: width and height must be multiples of 4", c.Width, c.Height)
	}
	if c.FPS > 0 && 48000%c.FPS != 0 {
		return c, fmt.Errorf("fps %d: a frame must be a whole number of sound samples; use a divisor of 48000 such as 24, 25 or 30", c.FPS)
	}
	if err := c.checkLikeness(); err != nil {
		return c, err
	}
	if c.First%2 != 0 {
		return c, fmt.Errorf("first %d: twins are scripts 2k and 2k + 1; use an even number", c.First)
	}
	for _, r := range []struct {
		name           string
		v, least, most int
	}{
		{"count", c.Count, 1, maxTitles}, {"first", c.First, 0, maxTitles - c.Count}, {"width", int(c.Width), 160, 1920}, {"height", int(c.Height), 90, 1080},
		{"fps", int(c.FPS), 10, 60}, {"actions", c.Actions, 2, len(actions)}, {"scenes", c.Scenes, 1, len(places)}, {"parts", c.Parts, 0, 100}, {"shared", c.Shared, -1, maxShared}, {"changes", c.Changes, 0, maxChanges},
	} {
		if r.v < r.least || r.v > r.most {
			return c, fmt.Errorf("%s %d: want %d to %d", r.name, r.v, r.least, r.most)
		}
	}
	return c, nil
}

// What a film can be given at most.
const (
	maxShared  = 5
	maxChanges = 20
)

func (c Config) frames() int64 { return int64(c.Seconds*float64(c.FPS) + 0.5) }

// RandFunc gives the random numbers that belong to some labels; Scope.Rand is one.
type RandFunc func(labels ...string) *rand.Rand

// Register adds the source under the name procedural.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, "procedural", "6", "scripts of little films and action clips, generated offline", New)
}

// New checks the configuration.
func New(c Config) (pipeline.Source, error) {
	c, err := c.resolve()
	if err != nil {
		return nil, fmt.Errorf("procedural: %w", err)
	}
	return source{cfg: c}, nil
}

type source struct{ cfg Config }

func (s source) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{schemas.NameFilm}, License: "CC0-1.0"}
}

func (s source) Needs() []pipeline.Need { return nil }

func (s source) Read(ctx context.Context, scope *pipeline.Scope, _ []pipeline.Asset, emit func(pipeline.Record) error) error {
	for i := range s.cfg.Count {
		if err := ctx.Err(); err != nil {
			return err
		}
		f, err := Generate(scope.Rand, s.cfg, s.cfg.First+i)
		if err != nil {
			return err
		}
		f.Source = scope.Name()
		rec, err := scriptRecord(f)
		if err != nil {
			return err
		}
		if err := emit(rec); err != nil {
			return err
		}
	}
	return nil
}

func scriptRecord(f schemas.Film) (pipeline.Record, error) {
	b, err := pipeline.Canonical(f)
	if err != nil {
		return pipeline.Record{}, err
	}
	return pipeline.NewRecord(schemas.NameFilm, "film-"+string(pipeline.DigestOf(b))[:16], f)
}

// Generate writes script i. It depends on draw, on the shape of c (not on its
// Count) and on i alone. c must have been accepted by New.
func Generate(draw RandFunc, c Config, i int) (schemas.Film, error) {
	c, err := c.resolve()
	if err != nil {
		return schemas.Film{}, err
	}
	if c.Kind == schemas.FilmClip {
		return writeClip(draw, c, i), nil
	}
	f, err := writeFilm(draw, c, i)
	if err != nil {
		return f, fmt.Errorf("procedural film %d: %w", i, err)
	}
	return f, nil
}

// placesFor returns the places this configuration uses, in a seeded order.
func placesFor(draw RandFunc, c Config) []place {
	order := draw(c.Kind, "places").Perm(len(places))[:c.Scenes]
	out := make([]place, len(order))
	for n, p := range order {
		out[n] = places[p]
	}
	return out
}

func emptyStage(r *rand.Rand, c Config, p place) schemas.Film {
	s := schemes[r.IntN(len(schemes))]
	return schemas.Film{
		Kind: c.Kind, Place: p.name, Width: c.Width, Height: c.Height, FPS: c.FPS, Frames: c.frames(),
		Light: lights[r.IntN(len(lights))], Palette: s, Seed: r.Uint32(),
	}
}

func label(i int) string { return strconv.Itoa(i) }

// What writing one script takes, s: the longer it is, the more people have to
// keep out of each other's way.
const (
	scriptCPU   = 0.001
	draftingCPU = 0.0005 // a second of film
)

// Forecast implements pipeline.Forecaster: the amount is known exactly.
func (s source) Forecast(pipeline.Volume) pipeline.Forecast {
	films := media.MarkDrawn(media.PlayingAmount(float64(s.cfg.Count), s.cfg.Seconds, s.cfg.Width, s.cfg.Height, s.cfg.FPS))
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameFilm: films}, CPU: scriptCPU*films.Records + draftingCPU*films.Seconds}
}
