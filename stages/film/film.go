// Package film is the stage that turns a film script into a video: it draws
// every frame, plays a little music, and keeps the script beside the video as
// its ground truth.
package film

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// license of everything this stage draws.
const license = "CC0-1.0"

// Config of the stage.
type Config struct {
	Sound bool `yaml:"sound" json:"sound" doc:"give every video a soft sound track; a ding marks the start of each event"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() { c.Sound = true }

// Register adds the stage under the name film.render.
func Register(r *pipeline.Registry) {
	pipeline.AddStage(r, "film.render", "1", "draws film scripts and encodes them as videos", New)
}

// New builds the stage; ffmpeg is looked for when the first film is rendered.
func New(c Config) (pipeline.Stage, error) { return stage{cfg: c, tools: media.Lazy()}, nil }

type stage struct {
	cfg   Config
	tools *media.Tools
}

func (s stage) Spec() pipeline.Spec {
	return pipeline.Spec{
		Accepts: []string{schemas.NameFilm}, Emits: []string{schemas.NameVideo},
		Resource: pipeline.FFmpeg, Tools: []string{"ffmpeg"},
	}
}

// Map renders one script.
func (s stage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	f, err := pipeline.Decode[schemas.Film](in)
	if err != nil {
		return nil, err
	}
	if err := check(f); err != nil {
		return nil, pipeline.Reject("bad-script", "%v; correct the script or drop it", err)
	}
	dir, err := scope.TempDir()
	if err != nil {
		return nil, err
	}
	path, err := Render(ctx, s.tools, f, s.cfg.Sound, dir)
	if err != nil {
		return nil, fmt.Errorf("render %s: %w", in.ID, err)
	}
	picture, err := scope.PutFile(ctx, path)
	if err != nil {
		return nil, err
	}
	text, err := pipeline.Canonical(f)
	if err != nil {
		return nil, err
	}
	script, err := scope.PutBlob(ctx, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	v := Truth(f)
	v.Name, v.SourceID, v.Media, v.Script = in.ID, f.Source, string(picture.Digest), string(script.Digest)
	id := "video-" + strings.TrimPrefix(in.ID, "film-")
	out, err := pipeline.NewRecord(schemas.NameVideo, id, v, picture.Digest, script.Digest)
	if err != nil {
		return nil, err
	}
	return []pipeline.Record{out}, nil
}

// Render draws and encodes f and returns the path of an MP4 under dir. The
// script must have passed the stage's checks or an error comes back.
func Render(ctx context.Context, tools *media.Tools, f schemas.Film, sound bool, dir string) (string, error) {
	if err := check(f); err != nil {
		return "", err
	}
	a, err := newArtist(f)
	if err != nil {
		return "", err
	}
	spec := media.FrameSpec{Width: f.Width, Height: f.Height, FPS: f.FPS}
	if sound {
		if spec.Audio, err = writeSound(f, dir); err != nil {
			return "", err
		}
	}
	return tools.EncodeFrames(ctx, spec, a.next, dir, media.DefaultLimits())
}

// Truth tells what a film shows, in the words of its script. The script must
// have come from a source or passed the stage's checks.
func Truth(f schemas.Film) schemas.Video {
	v := schemas.Video{Title: f.Title, Category: f.Place, License: license, Labels: f.Labels, Lures: f.Lures}
	if f.Twins != "" {
		v.Clusters = []string{f.Source + "/" + f.Twins}
	}
	for _, e := range f.Events {
		if told, ok := tell(f, e); ok {
			v.Events = append(v.Events, told)
		}
	}
	v.Description = describe(f)
	return v
}

// tell puts one event into words. Walks and the actions of clips are not told.
func tell(f schemas.Film, e schemas.FilmEvent) (schemas.Event, bool) {
	out := schemas.Event{Kind: e.Kind, Start: e.Start, End: e.End}
	if n := indexActor(f, e.Actor); n >= 0 {
		out.Subject = f.Actors[n].Description
	}
	switch e.Kind {
	case schemas.FilmEnters, schemas.FilmLeaves:
	case schemas.FilmPicks, schemas.FilmPuts:
		out.Object = f.Props[indexProp(f, e.Prop)].Description
	case schemas.FilmOpens:
		out.Object = f.Fixtures[indexFixture(f, e.Fixture)].Description
	case schemas.FilmChanges:
		out.Subject, out.Object = f.Fixtures[indexFixture(f, e.Fixture)].Description, e.Text
	default:
		return out, false
	}
	return out, true
}

// describe is one sentence about place and cast.
func describe(f schemas.Film) string {
	var cast []string
	for _, a := range f.Actors {
		cast = append(cast, a.Description)
	}
	if f.Kind == schemas.FilmClip {
		return fmt.Sprintf("%s is %s; the place is: %s", strings.Join(cast, " and "), f.Labels["action"], f.Place)
	}
	return fmt.Sprintf("a little film; the place is: %s; seen are %s", f.Place, strings.Join(cast, ", "))
}
