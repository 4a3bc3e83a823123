package video

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
	"github.com/memforge/memforge/stages/video/reels"
)

// digestOf is a stand-in for the digest of a blob; the bench holds its bytes.
func (b *bench) blob(text string) string {
	b.t.Helper()
	blob, err := b.store.PutBlob(b.t.Context(), strings.NewReader(text))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(blob.Digest)
}

// clip is a normalised video whose files are stand-ins: stages that decide
// never read them.
func (b *bench) clip(name, action string, events ...schemas.Event) pipeline.Record {
	b.t.Helper()
	v := schemas.Video{
		Media: b.blob("media " + name), Name: name, SourceID: "src-" + name, License: "CC-BY-4.0", Category: "c",
		Labels: map[string]string{"action": action}, Events: events,
		Normalised: &schemas.NormalisedVideo{Video: b.blob("video " + name), Audio: b.blob("audio " + name), Width: 64, Height: 48, FPS: 25, Frames: 500},
	}
	if len(events) > 0 {
		v.Title = "Film " + name
	}
	r, err := pipeline.NewRecord(schemas.NameVideo, "v-"+name, v)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

func pickUps(objects ...string) []schemas.Event {
	var out []schemas.Event
	for i, o := range objects {
		out = append(out, schemas.Event{Kind: groundtruth.PicksUp, Subject: "Ada", Object: o, Start: float64(2 * i), End: float64(2*i + 1)})
	}
	return out
}

func codes(lost []pipeline.Rejection) map[string]int {
	out := map[string]int{}
	for _, r := range lost {
		out[r.Code]++
	}
	return out
}

func TestPairStage(t *testing.T) {
	b := newBench(t)
	bare, err := pipeline.NewRecord(schemas.NameVideo, "v-bare", schemas.Video{Media: "x"})
	if err != nil {
		t.Fatal(err)
	}
	twin := b.clip("one", "")
	twin.ID = "v-one-again"
	in := []pipeline.Record{
		b.clip("one", "", pickUps("cup", "pan")...), twin, b.clip("two", "", pickUps("cup", "hat")...),
		b.clip("three", "", pickUps("rope", "oar")...), bare,
	}
	out, lost := b.run("video.pair", anySource, in...)
	pairs := testkit.DecodeAll[schemas.Pair](t, schemas.NamePair, out)
	if len(pairs) != 1 || pairs[0].A.Name != "one" || pairs[0].B.Name != "two" {
		t.Fatalf("pairs %+v, want one and two, which share the cup", pairs)
	}
	if got := pairs[0].Pool[groundtruth.PicksUp]; !slices.Equal(got, []string{"oar", "rope"}) {
		t.Errorf("pool %v, want what neither holds", got)
	}
	want := map[string]int{"duplicate": 1, "unpaired": 1, "not-normalised": 1}
	if got := codes(lost); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("rejections %v, want %v", got, want)
	}
	if out, lost := b.run("video.pair", ""); len(out)+len(lost) != 0 {
		t.Errorf("empty collection gives %v and %v", out, lost)
	}
}

func TestReelPlanStage(t *testing.T) {
	b := newBench(t)
	var in []pipeline.Record
	for i := range 9 {
		in = append(in, b.clip(fmt.Sprint(i), fmt.Sprint("sign", i)))
	}
	in = append(in, b.clip("unlabelled", ""))
	out, lost := b.run("video.reel-plan", "", in...)
	plans := testkit.DecodeAll[reels.Plan](t, reels.Schema, out)
	if len(plans) != 2 || len(plans[0].Clips) != 4 {
		t.Fatalf("%d plans, want 2 of 4 clips", len(plans))
	}
	if got := codes(lost); got["no-reel"] != 1 || got["no-label"] != 1 || len(lost) != 2 {
		t.Errorf("rejections %v", got)
	}
}

func TestNBackPlanStage(t *testing.T) {
	b := newBench(t)
	var in []pipeline.Record
	for i := range 12 {
		in = append(in, b.clip(fmt.Sprint(i), fmt.Sprint("sign", i)))
	}
	out, lost := b.run("video.nback-plan", `{"sequences": 4, "allow_repeat": true}`, in...)
	trials := testkit.DecodeAll[schemas.Trial](t, schemas.NameTrial, out)
	if len(trials) != 4*8 || len(lost) != 0 {
		t.Fatalf("%d trials and %v lost, want 32 and none", len(trials), lost)
	}
	yes, asked := map[string]int{}, 0
	for _, tr := range trials {
		if why := checkTrial(tr); why != nil {
			t.Errorf("trial: %v", why)
		}
		asked += len(tr.Lags)
		for _, lag := range tr.Lags {
			if lag.Match {
				yes[fmt.Sprint(lag.N, tr.K)]++
			}
		}
	}
	if asked != 4*26 || len(yes) != 26 {
		t.Errorf("%d questions, %d cells with a yes; want 104 and 26", asked, len(yes))
	}
	for cell, n := range yes {
		if n != 2 {
			t.Errorf("cell %s: %d yes of 4", cell, n)
		}
	}
	again, _ := b.run("video.nback-plan", `{"sequences": 4, "allow_repeat": true}`, in...)
	if !bytes.Equal(encodeAll(t, out), encodeAll(t, again)) {
		t.Error("two runs differ")
	}
	_, lost = b.run("video.nback-plan", "", in...)
	if got := codes(lost); got["too-few-clips"] != 12 || !strings.Contains(lost[0].Reason, "sign11: 1") {
		t.Errorf("without repeats: %v, want every clip rejected with the label counts", lost)
	}
}

// compositions puts a pair together without rendering it.
func (b *bench) compositions(p pipeline.Record) []pipeline.Record {
	b.t.Helper()
	pair, err := pipeline.Decode[schemas.Pair](p)
	if err != nil {
		b.t.Fatal(err)
	}
	var out []pipeline.Record
	for _, c := range []schemas.Composition{
		{Pair: pair, Order: orderAB, Media: schemas.Media{MediaID: b.blob("ab"), Recipe: sequenceRecipe(schemas.LayoutConcat, []schemas.Video{pair.A, pair.B})}},
		{Pair: pair, Order: orderBA, Media: schemas.Media{MediaID: b.blob("ba"), Recipe: sequenceRecipe(schemas.LayoutConcat, []schemas.Video{pair.B, pair.A})}},
		{Pair: pair, Order: orderAB, Media: schemas.Media{MediaID: b.blob("s0"), Frames: 500, FPS: 25, Recipe: splitRecipe(pair, 500, nil)}},
		{Pair: pair, Order: orderAB, Swaps: 10, Media: schemas.Media{MediaID: b.blob("s10"), Frames: 500, FPS: 25, Recipe: splitRecipe(pair, 500, nil)}},
		{Pair: pair, Order: orderAB, Segments: 10, Media: schemas.Media{MediaID: b.blob("i10"), Frames: 1000, FPS: 25, Recipe: inTurns(pair, 10)}},
	} {
		r, err := compositionRecord(c)
		if err != nil {
			b.t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// elsewhere moves a video to another category.
func (b *bench) elsewhere(r pipeline.Record) pipeline.Record {
	b.t.Helper()
	v, err := pipeline.Decode[schemas.Video](r)
	if err != nil {
		b.t.Fatal(err)
	}
	v.Category = "elsewhere"
	if r, err = pipeline.NewRecord(schemas.NameVideo, r.ID, v); err != nil {
		b.t.Fatal(err)
	}
	return r
}

func (b *bench) films() []pipeline.Record {
	b.t.Helper()
	out, _ := b.run("video.pair", anySource,
		b.clip("north", "", pickUps("red cup", "green pan", "atlas", "lamp")...),
		b.clip("south", "", pickUps("blue hat", "kettle", "rope", "oar")...),
		b.elsewhere(b.clip("other", "", pickUps("anvil", "vase", "drum", "flute")...)))
	if len(out) != 1 {
		b.t.Fatalf("%d pairs, want north and south", len(out))
	}
	return out
}

func TestConfigs(t *testing.T) {
	b := newBench(t)
	bad := map[string][]any{
		"video.pair":      badPairs(),
		"video.probe":     {ProbeConfig{}},
		"video.normalise": {NormaliseConfig{}},
		"video.split":     {SplitConfig{}, SplitConfig{Swaps: 10, Preset: "ultra", Threads: 1}},
		"video.reel-plan": {ReelPlanConfig{}, ReelPlanConfig{Attribute: "action", ClipsPerReel: 1}},
		"video.ask": {AskConfig{}, AskConfig{QuestionsPerTarget: 2, Shown: "sign", Identify: "it"},
			AskConfig{QuestionsPerTarget: 2, Shown: "sign", Identify: "{first}", Types: []string{"riddle"}}},
		"video.nback-plan": {NBackPlanConfig{}, nbackWith(func(c *NBackPlanConfig) { c.Sequences = 3 }), nbackWith(func(c *NBackPlanConfig) { c.K = []int{13} }),
			nbackWith(func(c *NBackPlanConfig) { c.N = []int{1, 1} }), nbackWith(func(c *NBackPlanConfig) { c.N, c.K = []int{5}, []int{4} }), nbackWith(func(c *NBackPlanConfig) { c.LabelsPerSequence = 1 })},
	}
	for use, list := range bad {
		p, ok := b.rt.Registry.Plugin(pipeline.KindStage, use)
		if !ok {
			t.Fatalf("no stage %s", use)
		}
		if _, err := p.Build(p.NewConfig()); err != nil {
			t.Errorf("%s: defaults are refused: %v", use, err)
		}
		for _, cfg := range list {
			raw, err := pipeline.Canonical(cfg)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.BuildRaw(raw); err == nil {
				t.Errorf("%s accepts %s", use, raw)
			}
		}
	}
}

func nbackWith(edit func(*NBackPlanConfig)) NBackPlanConfig {
	var c NBackPlanConfig
	c.SetDefaults()
	edit(&c)
	return c
}
