package video

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
	"github.com/memforge/memforge/stages/video/oracle"
	"github.com/memforge/memforge/stages/video/reels"
)

// tablesOf are the tables of a release without gates: what a bench gave.
func tablesOf(t *testing.T, recs []pipeline.Record) release.Contents {
	t.Helper()
	c := release.Contents{Manifest: manifest.Manifest{Derivations: map[string]string{family: oracle.Version}}}
	c.Questions = testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, recs)
	c.Tasks = testkit.DecodeAll[schemas.Task](t, schemas.NameTask, recs)
	c.Media = testkit.DecodeAll[schemas.Media](t, schemas.NameMedia, recs)
	asked := map[string]bool{}
	for _, q := range c.Questions {
		asked[q.TaskID] = true
	}
	c.Tasks = slices.DeleteFunc(c.Tasks, func(t schemas.Task) bool { return !asked[t.TaskID] })
	seen := map[string]bool{}
	for _, s := range testkit.DecodeAll[schemas.Statements](t, schemas.NameStatements, recs) {
		for _, e := range s.Events {
			if key := fmt.Sprintf("%q", fmt.Sprint(e)); !seen[key] {
				seen[key] = true
				c.Events = append(c.Events, e)
			}
		}
		for _, l := range s.Labels {
			if key := fmt.Sprintf("%q", fmt.Sprint(l)); !seen[key] {
				seen[key] = true
				c.Labels = append(c.Labels, l)
			}
		}
	}
	return c
}

// everything composes and asks in every way, over films, reels and clips,
// without drawing any of them.
func everything(t *testing.T) release.Contents {
	t.Helper()
	b := newBench(t)
	b.seed = 6
	_, compositions := b.composeScripted(2, func(*schemas.Video) {}, everyLayout)
	recs := b.asks(compositions)
	p := schemas.Pair{
		A: b.reel("a", "bird", "book", "eat", "milk"), B: b.reel("b", "no", "help", "learn", "please"), Pool: map[string][]string{groundtruth.Shows: {"night", "again"}},
	}
	compositions = nil
	for _, c := range everyLayout(p) {
		c.Media.MediaID, c.Media.FPS = b.blob(fmt.Sprint("reels", c.Order, c.Swaps, c.Media.Recipe.Layout)), 25
		if c.Segments > 0 {
			c.Media.Recipe = turnsOf(t, p, 4)
		}
		c.Media.Frames = framesOf(c.Media.Recipe)
		r, err := compositionRecord(c)
		if err != nil {
			t.Fatal(err)
		}
		compositions = append(compositions, r)
	}
	recs = append(recs, b.asks(compositions)...)
	named, lost := b.run("video.ask", `{"identify": "the video signed by {signer}"}`, compositions...)
	if len(named) == 0 {
		t.Fatalf("no questions that name videos by a label: %v", lost)
	}
	recs = append(recs, named...)
	return tablesOf(t, append(recs, b.trials()...))
}

// asks gives what composing and asking stages would about compositions.
func (b *bench) asks(compositions []pipeline.Record) []pipeline.Record {
	b.t.Helper()
	out, lost := b.run("video.ask", "", compositions...)
	if len(out) == 0 {
		b.t.Fatalf("no questions: %v", lost)
	}
	byLayout := map[string][]schemas.Composition{}
	for _, c := range testkit.DecodeAll[schemas.Composition](b.t, schemas.NameComposition, compositions) {
		byLayout[c.Media.Recipe.Layout] = append(byLayout[c.Media.Recipe.Layout], c)
	}
	for layout, summary := range map[string]string{
		schemas.LayoutConcat:      "Two similar videos one after the other, in both orders and with one of them repeated.",
		schemas.LayoutSplit:       "Two similar videos side by side, with and without exchange of sides.",
		schemas.LayoutInterleaved: fmt.Sprintf("Two similar videos in %d segments each, which alternate.", turnsIn(byLayout[schemas.LayoutInterleaved][0])),
	} {
		recs, err := pairRecords(byLayout[layout][0].Pair, layout, summary, byLayout[layout])
		if err != nil {
			b.t.Fatal(err)
		}
		out = append(out, recs...)
	}
	return out
}

func turnsIn(c schemas.Composition) int {
	n, last := 0, ""
	for _, s := range c.Media.Recipe.Segments {
		if s.Video == "A" && last != "A" {
			n++
		}
		last = s.Video
	}
	return n
}

func turnsOf(t *testing.T, p schemas.Pair, n int) schemas.Recipe {
	t.Helper()
	pieces, err := (&interleaveStage{cfg: InterleaveConfig{Segments: n}}).alternatePieces(p.A, p.B)
	if err != nil {
		t.Fatal(err)
	}
	return recipeOf(schemas.LayoutInterleaved, namePieces(pieces, strings.Split(strings.Repeat("AB", n), "")))
}

func framesOf(r schemas.Recipe) (n int64) {
	for _, s := range r.Segments {
		n = max(n, s.At+s.To-s.From)
	}
	return n
}

// reel is a normalised reel of clips of 50 frames, from files of their own but
// for the last, which is cut out of a longer one.
func (b *bench) reel(name string, shows ...string) schemas.Video {
	b.t.Helper()
	plan := reels.Plan{Attribute: "action"}
	var keys []int64
	for i, label := range shows {
		v := b.cell(name+label, label)
		v.SourceID = fmt.Sprint("source-", i%2)
		if i == len(shows)-1 {
			v.Normalised.From, v.Normalised.Of = 100, 300
		}
		plan.Clips = append(plan.Clips, v)
		keys = append(keys, int64(50*i), int64(50*i+25))
	}
	v := reelVideo(plan)
	v.Labels = map[string]string{"signer": strings.ToUpper(name) + "da"}
	v.Media = b.blob("reel " + name)
	v.Normalised = &schemas.NormalisedVideo{Video: v.Media, Audio: b.blob("sound " + name), Width: 64, Height: 48, FPS: 25, Frames: int64(50 * len(shows)), Keyframes: keys[1:]}
	return v
}

// cell is a clip of 50 frames.
func (b *bench) cell(name, label string) schemas.Video {
	return schemas.Video{
		Media: b.blob("media " + name), Name: name, SourceID: "source-0", License: "CC0-1.0", Category: "signs", Labels: map[string]string{"action": label},
		Normalised: &schemas.NormalisedVideo{Video: b.blob("video " + name), Audio: b.blob("audio " + name), Width: 64, Height: 48, FPS: 25, Frames: 50},
	}
}

// trials are N-Back questions over eight clips of two labels, with tasks, media
// and statements.
func (b *bench) trials() []pipeline.Record {
	b.t.Helper()
	var clips []pipeline.Record
	for i := range 8 {
		v := b.cell(fmt.Sprint("cell ", i), []string{"wave", "jump"}[i%2])
		if i > 5 {
			v.Normalised.From, v.Normalised.Of = 100, 300
		}
		r, err := pipeline.NewRecord(schemas.NameVideo, v.Name, v)
		if err != nil {
			b.t.Fatal(err)
		}
		clips = append(clips, r)
	}
	plans, lost := b.run("video.nback-plan", `{"clips_per_sequence": 4, "labels_per_sequence": 2, "n": [1, 2], "k": [2, 3, 4]}`, clips...)
	if len(plans) == 0 {
		b.t.Fatalf("no trials: %v", lost)
	}
	var out []pipeline.Record
	for _, p := range plans {
		tr, err := pipeline.Decode[schemas.Trial](p)
		if err != nil {
			b.t.Fatal(err)
		}
		m := schemas.Media{MediaID: b.blob(p.ID), FPS: 25, Recipe: recipeOf(schemas.LayoutNBack, namePieces(wholePieces(tr.Clips...), clipNumbers(tr)))}
		m.Frames = framesOf(m.Recipe)
		recs, err := trialRecords(p.ID, tr, m)
		if err != nil {
			b.t.Fatal(err)
		}
		out = append(out, recs...)
	}
	return out
}

// registered is a registry with this family.
func registered() *pipeline.Registry {
	r := pipeline.NewRegistry()
	Register(r)
	return r
}

// goldOf audits tables and gives what it says of gold.
func goldOf(t *testing.T, r *pipeline.Registry, c release.Contents) (audit.Gold, []string) {
	t.Helper()
	items, err := audit.IndexItems(r, c)
	if err != nil {
		t.Fatal(err)
	}
	gold, parts := audit.DeriveGold(r, c, items)
	if err := items.Close(); err != nil {
		t.Error(err)
	}
	var differences []string
	for _, p := range parts {
		differences = append(differences, p.Differences...)
	}
	return gold[0], differences
}

// derives wants all that was composed and asked to follow from what was stated.
func (b *bench) derives(recs ...[]pipeline.Record) {
	b.t.Helper()
	c := tablesOf(b.t, slices.Concat(recs...))
	gold, differences := goldOf(b.t, registered(), c)
	if len(differences) > 0 || gold.Derived != len(c.Questions) || gold.TasksDerived != len(c.Tasks) || len(c.Questions) == 0 {
		b.t.Errorf("%d questions and %d tasks: %+v\n%s", len(c.Questions), len(c.Tasks), gold, strings.Join(differences, "\n"))
	}
}

// TestAllGoldByConstructionIsDerived wants every question and task, in every
// layout, to follow from the tables.
func TestAllGoldByConstructionIsDerived(t *testing.T) {
	c := everything(t)
	gold, differences := goldOf(t, registered(), c)
	if len(differences) > 0 || gold.Derived != len(c.Questions) || gold.TasksDerived != len(c.Tasks) || len(gold.Underived) > 0 {
		t.Errorf("%d questions and %d tasks: %+v\n%s", len(c.Questions), len(c.Tasks), gold, strings.Join(differences, "\n"))
	}
	types := map[string]int{}
	for _, q := range c.Questions {
		types[q.Type]++
	}
	for _, typ := range append(everyType(), schemas.TypeNBack) {
		if types[typ] == 0 {
			t.Errorf("no question of type %s; the test sees too little: %v", typ, types)
		}
	}
	t.Logf("%v\n%+v", types, gold)
	for name := range gold.Unconstrained {
		if !slices.Contains([]string{"labels.pair", "labels.sequence"}, name) {
			t.Errorf("%s follows from nothing", name)
		}
	}
}
