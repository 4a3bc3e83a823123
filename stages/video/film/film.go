// Package film is the stage that turns a film script into a video: it draws
// every frame, plays a little music, and keeps the script beside the video as
// its ground truth.
package film

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// license of everything this stage draws.
const license = "CC0-1.0"

// Config of the stage.
type Config struct {
	Sound    bool  `json:"sound" doc:"give every video a soft sound track; a ding marks the start of each event"`
	Segments []int `json:"segments" doc:"into how many equal segments a film can be cut without encoding it again, for example [10] for interleaving; a clip is never cut"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() { *c = Config{Sound: true, Segments: []int{10}} }

// Register adds the stage under the name film.render.
func Register(r *pipeline.Registry) {
	pipeline.AddStage(r, "film.render", "5", "draws film scripts and encodes them as normalised videos", New)
}

// New builds the stage; ffmpeg is looked for when the first film is rendered.
func New(c Config) (pipeline.Stage, error) {
	for _, n := range c.Segments {
		if n < 2 || n > 1000 {
			return nil, fmt.Errorf("segments has %d; want 2 to 1000", n)
		}
	}
	return stage{cfg: c, tools: media.Lazy()}, nil
}

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
	if err := checkScript(f); err != nil {
		return nil, pipeline.Reject("bad-script", "%v; correct the script or drop it", err)
	}
	dir, err := scope.TempDir()
	if err != nil {
		return nil, err
	}
	drawn, err := Render(ctx, s.tools, f, s.cfg, dir)
	if err != nil {
		return nil, fmt.Errorf("render %s: %w", in.ID, err)
	}
	v := GroundTruth(f)
	v.Name, v.SourceID = in.ID, f.Source
	blobs, err := storeFilm(ctx, scope, f, drawn, &v)
	if err != nil {
		return nil, fmt.Errorf("render %s: %w", in.ID, err)
	}
	id := "video-" + strings.TrimPrefix(in.ID, "film-")
	out, err := pipeline.NewRecord(schemas.NameVideo, id, v, blobs...)
	if err != nil {
		return nil, err
	}
	return []pipeline.Record{out}, nil
}

func storeFilm(ctx context.Context, scope *pipeline.Scope, f schemas.Film, d Rendered, v *schemas.Video) ([]pipeline.Digest, error) {
	var blobs []pipeline.Digest
	for _, path := range []string{d.Path, d.Normalised.Video, d.Normalised.Audio} {
		b, err := scope.PutFile(ctx, path)
		if err != nil {
			return nil, err
		}
		blobs = append(blobs, b.Digest)
	}
	text, err := pipeline.Canonical(f)
	if err != nil {
		return nil, err
	}
	script, err := scope.PutBlob(ctx, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	m := d.Normalised
	v.Media, v.Script = string(blobs[0]), string(script.Digest)
	v.Normalised = &schemas.NormalisedVideo{
		Video: string(blobs[1]), Audio: string(blobs[2]), Width: f.Width, Height: f.Height, FPS: f.FPS,
		Frames: m.Frames, HasAudio: m.HasAudio, KeyEvery: m.KeyEvery, Keyframes: m.Keyframes,
	}
	blobs = append(blobs, script.Digest)
	slices.Sort(blobs)
	return slices.Compact(blobs), nil
}

// Rendered is a film as a file to play and as the normalised video that this was copied
// from: nothing is encoded twice.
type Rendered struct {
	Path       string
	Normalised media.NormalisedVideo
}

// Render draws and encodes f; the files are under dir. The script must have
// passed the stage's checks or an error comes back.
func Render(ctx context.Context, tools *media.Tools, f schemas.Film, c Config, dir string) (Rendered, error) {
	if err := checkScript(f); err != nil {
		return Rendered{}, err
	}
	a, err := newFrameRenderer(f)
	if err != nil {
		return Rendered{}, err
	}
	spec := media.FrameSpec{Width: f.Width, Height: f.Height, FPS: f.FPS, Keys: boundaries(f, c.Segments)}
	if c.Sound {
		if spec.Audio, err = writeSound(f, dir); err != nil {
			return Rendered{}, err
		}
	}
	m, err := tools.EncodeNormalised(ctx, spec, a.nextFrame, dir, media.DefaultLimits())
	if err != nil {
		return Rendered{}, err
	}
	path, err := tools.Play(ctx, m, spec.Profile(), dir, media.DefaultLimits())
	return Rendered{Path: path, Normalised: m}, err
}

func boundaries(f schemas.Film, segments []int) []int64 {
	var keys []int64
	for _, n := range segments {
		for k := 1; k < n && f.Kind == schemas.FilmFull; k++ {
			keys = append(keys, int64(k)*f.Frames/int64(n))
		}
	}
	return keys
}

// GroundTruth returns what a film shows, in the words of its script. The script
// must have come from a source or passed the stage's checks.
func GroundTruth(f schemas.Film) schemas.Video {
	v := schemas.Video{Title: f.Title, Category: f.Place, License: license, Labels: f.Labels, Lures: f.Lures}
	if f.Twins != "" {
		v.Clusters = []string{f.Source + "/" + f.Twins}
	}
	for _, e := range f.Events {
		if event, ok := eventOf(f, e); ok {
			v.Events = append(v.Events, event)
		}
	}
	slices.SortStableFunc(v.Events, func(a, b schemas.Event) int { return cmp.Compare(a.Start, b.Start) })
	v.Description = describeScene(f)
	return v
}

// eventOf puts one event into words; false for walks and the actions of clips.
func eventOf(f schemas.Film, e schemas.FilmEvent) (schemas.Event, bool) {
	out := schemas.Event{Kind: e.Kind}
	out.Start, out.End = visibleSpan(f, e)
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

func describeScene(f schemas.Film) string {
	var cast []string
	for _, a := range f.Actors {
		cast = append(cast, a.Description)
	}
	if f.Kind == schemas.FilmClip {
		return fmt.Sprintf("%s is %s; the place is: %s", strings.Join(cast, " and "), f.Labels["action"], f.Place)
	}
	seen := fmt.Sprintf("a little film; the place is: %s; seen are %s", f.Place, strings.Join(cast, ", "))
	for _, x := range f.Fixtures {
		if x.Group == schemas.FilmSign {
			// No event tells it, and yet it is no text that the film does not show.
			seen += fmt.Sprintf("; %s first says %s", x.Description, x.Text)
		}
	}
	return seen
}

// What drawing takes, measured on the build of testdata/measured.yaml in
// pipeline/cli/plugins: 12 films of 12 s and 36 clips of 2.4 s, 640x360 at 25.
const (
	startCPU = 0.27  // s a film
	drawCPU  = 0.017 // s a megapixel
)

// Forecast implements pipeline.Forecaster: the packets are kept twice, as a
// normalised video and as a film to play.
func (s stage) Forecast(in pipeline.Volume) pipeline.Forecast {
	v := in[schemas.NameFilm]
	if !s.cfg.Sound {
		v.Sound = 0
	}
	v.Bytes = media.EncodedBytes(v)
	return pipeline.Forecast{
		Out:   pipeline.Volume{schemas.NameVideo: v},
		CPU:   startCPU*v.Records + media.RunsCPU(v.Records) + drawCPU*v.Megapixels + media.EncodingCPU(v),
		Bytes: 2 * v.Bytes,
	}
}

// visibleSpan returns from when to when an event is to be seen. Someone who
// comes or goes is outside the picture for a while, and is shown when half of
// the body is in it.
func visibleSpan(f schemas.Film, e schemas.FilmEvent) (start, end float64) {
	n := indexActor(f, e.Actor)
	if n < 0 || e.Kind != schemas.FilmEnters && e.Kind != schemas.FilmLeaves {
		return e.Start, e.End
	}
	fps := float64(f.FPS)
	first, last := math.Round(e.Start*fps), math.Round(e.End*fps)
	for first < last && !inPicture(f, n, first/fps) {
		first++
	}
	for last > first && !inPicture(f, n, (last-1)/fps) {
		last--
	}
	if first == last {
		return e.Start, e.End
	}
	return max(e.Start, roundTime(first/fps)), min(e.End, roundTime(last/fps))
}

// roundTime rounds a time to four decimals, as scripts have it.
func roundTime(t float64) float64 { return math.Round(t*1e4) / 1e4 }

// inPicture reports whether the middle of an actor's body is in frame at t.
func inPicture(f schemas.Film, actor int, t float64) bool {
	left, _, zoom := viewAt(f, t)
	width, _ := visibleSize(f, zoom)
	x := sceneAt(f, t).actors[actor].at.X
	return x >= left && x <= left+width
}
