package video

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/procedural"
	"github.com/memforge/memforge/stages/video/film"
	"github.com/memforge/memforge/stages/video/oracle"
)

// scripted is a build over procedural films that were never drawn: normalised videos
// are stand-ins, recipes are written here.
type scripted struct {
	cases     map[string]oracle.Case // by media id, from the scripts
	pairs     map[string]schemas.Composition
	questions []schemas.Question
	lost      []pipeline.Rejection
}

// shelf holds what several tests read and none changes: it is made once.
var shelf struct {
	mu    sync.Mutex
	films *scripted
}

// shelvedFilms are 24 films of seed 5 in every layout, asked about once for all.
func shelvedFilms(t *testing.T) scripted {
	t.Helper()
	shelf.mu.Lock()
	defer shelf.mu.Unlock()
	if shelf.films == nil {
		s := askScripted(t, 5, 24, everyLayout)
		shelf.films = &s
	}
	return *shelf.films
}

// askScripted asks about count films of a seed, composed in some ways.
func askScripted(t *testing.T, seed uint64, count int, ways func(schemas.Pair) []schemas.Composition) scripted {
	t.Helper()
	return askScriptedWith(t, "", seed, count, ways)
}

// askScriptedWith asks as a configuration says.
func askScriptedWith(t *testing.T, config string, seed uint64, count int, ways func(schemas.Pair) []schemas.Composition) scripted {
	t.Helper()
	b := newBench(t)
	b.seed = seed
	s, compositions := b.composeScripted(count, func(*schemas.Video) {}, ways)
	out, lost := b.run("video.ask", config, compositions...)
	s.questions, s.lost = testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, out), lost
	for _, told := range testkit.DecodeAll[schemas.Statements](t, schemas.NameStatements, out) {
		for id, c := range s.cases {
			c.Labels = append(slices.Clone(c.Labels), told.Labels...)
			s.cases[id] = c
		}
	}
	return s
}

// scriptTables are what a script states, as a release has it. Who comes or goes
// is told from when to when it is in the picture.
func scriptTables(f schemas.Film, original string) (events []schemas.StatedEvent, labels []schemas.StatedLabel) {
	names := map[string]string{}
	for _, a := range f.Actors {
		names[a.ID] = a.Description
	}
	for _, p := range f.Props {
		names[p.ID] = p.Description
	}
	for _, x := range f.Fixtures {
		names[x.ID] = x.Description
	}
	for _, e := range f.Events {
		told := schemas.StatedEvent{
			Original: original, From: e.Start, To: e.End, Kind: e.Kind, Actors: []string{names[e.Actor]}, SourceID: "films", StatedBy: schemas.StatedByScript,
		}
		switch e.Kind {
		case "enters", "leaves":
			told.From, told.To = inPicture(f, e)
		case "picks up", "puts down", "opens":
			told.Objects = []string{names[e.Prop+e.Fixture]}
		case "sign changes":
			told.Actors, told.Objects, told.Text = nil, []string{names[e.Fixture]}, e.Text
		default:
			continue
		}
		events = append(events, told)
	}
	for name, value := range f.Labels {
		labels = append(labels, schemas.StatedLabel{Original: original, Attribute: name, Value: value, SourceID: "films", StatedBy: schemas.StatedByScript})
	}
	return events, append(labels, schemas.StatedLabel{Original: original, Attribute: schemas.AttributeTitle, Value: f.Title, SourceID: "films", StatedBy: schemas.StatedByScript})
}

// inPicture is when the middle of who comes or goes is where the camera looks.
func inPicture(f schemas.Film, e schemas.FilmEvent) (from, to float64) {
	from, to = math.Inf(1), 0
	for n := int(math.Round(e.Start * 25)); n < int(math.Round(e.End*25)); n++ {
		now := float64(n) / 25
		pan := math.Max(0, math.Min(1, (now-f.Camera.Start)/(f.Camera.End-f.Camera.Start)))
		pan *= pan * (3 - 2*pan)
		zoom := f.Camera.From.Zoom + pan*(f.Camera.To.Zoom-f.Camera.From.Zoom)
		middle := f.Camera.From.Centre.X + pan*(f.Camera.To.Centre.X-f.Camera.From.Centre.X)
		x := e.From.X + schemas.WalkProgress((now-e.Start)/(e.End-e.Start))*(e.To.X-e.From.X)
		if math.Abs(x-middle) <= 320/zoom {
			from, to = math.Min(from, now), now+1./25
		}
	}
	return from, math.Round(to*1e4) / 1e4
}

// composeScripted composes films of the bench's seed, to which prepare may add.
func (b *bench) composeScripted(count int, prepare func(*schemas.Video), ways func(schemas.Pair) []schemas.Composition) (scripted, []pipeline.Record) {
	t, seed := b.t, b.seed
	t.Helper()
	films := map[string]schemas.Film{}
	var videos []pipeline.Record
	for i := range count {
		f := scriptOf(t, seed, i)
		v := film.GroundTruth(f)
		name := fmt.Sprintf("%d-%d", seed, i)
		v.Media, v.SourceID, v.Script = b.blob("media "+name), "films", b.blob("script "+name)
		v.Category = v.Clusters[0] // twins are to meet, and nobody else
		v.Normalised = &schemas.NormalisedVideo{Video: b.blob("video " + name), Audio: b.blob("audio " + name), Width: 640, Height: 360, FPS: f.FPS, Frames: f.Frames}
		prepare(&v)
		films[v.Normalised.Video] = f
		r, err := pipeline.NewRecord(schemas.NameVideo, "v-"+name, v)
		if err != nil {
			t.Fatal(err)
		}
		videos = append(videos, r)
	}
	pairs, lost := b.run("video.pair", "", videos...)
	if len(lost) > 0 {
		t.Fatalf("unpaired films: %v", lost)
	}
	s := scripted{cases: map[string]oracle.Case{}, pairs: map[string]schemas.Composition{}}
	var compositions []pipeline.Record
	for _, p := range testkit.DecodeAll[schemas.Pair](t, schemas.NamePair, pairs) {
		for _, c := range ways(p) {
			c.Media.MediaID = b.blob(fmt.Sprint(pairID(p), c.Media.Recipe.Layout, c.Order, c.Swaps))
			c.Media.FPS = float64(p.A.Normalised.FPS)
			for _, seg := range c.Media.Recipe.Segments {
				c.Media.Frames = max(c.Media.Frames, seg.At+seg.To-seg.From)
			}
			s.pairs[c.Media.MediaID] = c
			of := oracle.Case{Media: c.Media}
			for _, v := range []schemas.Video{p.A, p.B} {
				events, labels := scriptTables(films[v.Normalised.Video], v.Media)
				labels = append(labels, schemas.StatedLabel{Original: v.Media, Attribute: schemas.AttributeCategory, Value: v.Category, SourceID: v.SourceID, StatedBy: schemas.StatedByScript})
				of.Events, of.Labels = append(of.Events, events...), append(of.Labels, labels...)
			}
			s.cases[c.Media.MediaID] = of
			r, err := compositionRecord(c)
			if err != nil {
				t.Fatal(err)
			}
			compositions = append(compositions, r)
		}
	}
	return s, compositions
}

// scriptOf writes script i of a seed.
func scriptOf(t *testing.T, seed uint64, i int) schemas.Film {
	t.Helper()
	var c procedural.Config
	c.SetDefaults()
	c.Seconds = 30 + 1.5*float64(i%2) // a split screen ends with the shorter film
	f, err := procedural.Generate(func(labels ...string) *rand.Rand {
		h := fnv.New64a()
		fmt.Fprintf(h, "%q", labels)
		return rand.New(rand.NewPCG(seed, h.Sum64()))
	}, c, i)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// everyLayout composes a pair in every way.
func everyLayout(p schemas.Pair) []schemas.Composition {
	var out []schemas.Composition
	for _, order := range directedOrders() {
		var vs []schemas.Video
		for _, side := range order {
			vs = append(vs, map[rune]schemas.Video{'A': p.A, 'B': p.B}[side])
		}
		out = append(out, schemas.Composition{Pair: p, Order: order, Media: schemas.Media{Recipe: recipeOf(schemas.LayoutConcat, namePieces(wholePieces(vs...), strings.Split(order, "")))}})
	}
	n := min(p.A.Normalised.Frames, p.B.Normalised.Frames)
	var swaps []int64
	for k := int64(1); k <= 10; k++ {
		swaps = append(swaps, (k*n+10)/11)
	}
	return append(out,
		schemas.Composition{Pair: p, Order: "AB", SideSwapFrames: swaps, Media: schemas.Media{Recipe: splitRecipe(p, n, nil)}},
		schemas.Composition{Pair: p, Order: "AB", Swaps: 10, SideSwapFrames: swaps, Media: schemas.Media{Recipe: splitRecipe(p, n, swaps)}},
		schemas.Composition{Pair: p, Order: "AB", Segments: 10, Media: schemas.Media{Recipe: inTurns(p, 10)}})
}

// inTurns is the recipe of n segments of either video, by turns.
func inTurns(p schemas.Pair, n int64) schemas.Recipe {
	r := schemas.Recipe{Layout: schemas.LayoutInterleaved}
	var at int64
	for k := range n {
		for i, v := range []schemas.Video{p.A, p.B} {
			s := schemas.Segment{
				Source: v.Normalised.Video, Region: regionFull, From: k * v.Normalised.Frames / n, To: (k + 1) * v.Normalised.Frames / n, At: at,
				Original: v.Media, SourceID: v.SourceID, Video: []string{"A", "B"}[i],
			}
			r.Segments = append(r.Segments, s)
			at += s.To - s.From
		}
	}
	return r
}
