package video

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// labelled is a section with an action and a scene.
func labelled(from, to int64, action, scene string) schemas.Section {
	return schemas.Section{From: from, To: to, Labels: map[string]string{"action": action, "scene": scene}}
}

// long is an annotated video of 500 frames with a keyframe every 25.
func (b *bench) long(sections ...schemas.Section) pipeline.Record {
	b.t.Helper()
	v, err := pipeline.Decode[schemas.Video](b.clip("long", "whole", pickUps("cup", "pan", "hat")...))
	if err != nil {
		b.t.Fatal(err)
	}
	v.Normalised.KeyEvery, v.Normalised.Keyframes = 25, []int64{110}
	v.Sections = sections
	v.Captions = []schemas.Caption{{Start: 1, End: 5, Text: "hello"}, {Start: 18, End: 19, Text: "bye"}}
	r, err := pipeline.NewRecord(schemas.NameVideo, "v-long", v, normalisedBlobs(v)...)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

func TestClipStage(t *testing.T) {
	b := newBench(t)
	in := b.long(
		labelled(0, 100, "cut", "kitchen"), labelled(100, 150, "stir", "kitchen"), labelled(150, 160, "cut", "kitchen"),
		labelled(160, 260, "cut", "kitchen"), labelled(275, 375, "", "kitchen"), labelled(375, 500, "wash", ""),
	)
	out, lost := b.run("video.clip", `{"attributes": ["action", "scene"]}`, in)
	clips := testkit.DecodeAll[schemas.Video](t, schemas.NameVideo, out)
	if len(clips) != 2 || len(lost) != 0 {
		t.Fatalf("%d clips, lost %v; want the two labelled ones of 2 s or more that begin at a keyframe", len(clips), lost)
	}
	whole, _ := pipeline.Decode[schemas.Video](in)
	for i, want := range []schemas.NormalisedVideo{
		{Frames: 100, Of: 500, Keyframes: []int64{25, 50, 75}},
		{Frames: 50, From: 100, Of: 500, Keyframes: []int64{10, 25}},
	} {
		c := clips[i]
		m := *c.Normalised
		if m.Frames != want.Frames || m.From != want.From || m.Of != want.Of || m.KeyEvery != 0 || !slices.Equal(m.Keyframes, want.Keyframes) {
			t.Errorf("clip %d: normalised video %+v, want %+v", i, m, want)
		}
		if m.Video != whole.Normalised.Video || c.Media != whole.Media || c.Title != "" || len(c.Sections) != 0 || c.SourceID != whole.SourceID {
			t.Errorf("clip %d: %+v", i, c)
		}
	}
	if e := clips[1].Events; len(e) != 1 || e[0].Start != 0 || e[0].End != 1 || e[0].Object != "hat" {
		t.Errorf("events of frames 100 to 150: %+v, want the hat in second 4 to 5", e)
	}
	if c := clips[1].Captions; len(c) != 1 || c[0].Start != 0 || c[0].End != 1 {
		t.Errorf("captions of frames 100 to 150: %+v, want one cut to a second", c)
	}
	if originID(clips[0]) == originID(whole) || originID(clips[0]) == originID(clips[1]) {
		t.Error("a clip is taken for another or for the whole")
	}
}

// TestClipsOfClipsAndReels checks that offsets add up.
func TestClipsOfClipsAndReels(t *testing.T) {
	v := ruler("a", 500, 25)
	inner := clipVideo(clipVideo(v, labelled(100, 300, "x", "y")), labelled(50, 120, "x", "y"))
	if m := inner.Normalised; m.From != 150 || m.Frames != 70 || m.Of != 500 || !slices.Equal(m.Keyframes, []int64{25, 50}) {
		t.Errorf("a clip of a clip: %+v", m)
	}
	if got := brief(recipeOf(schemas.LayoutConcat, append(wholePieces(inner), piece{inner, 10, 20, ""}))); got != "a[150,220)@0 a[160,170)@70" {
		t.Errorf("recipe %s", got)
	}
	part := clipVideo(reelOf(ruler("a", 10, 1), ruler("b", 20, 1)), labelled(8, 14, "x", "y"))
	if got := brief(recipeOf(schemas.LayoutConcat, wholePieces(part, part))); got != "a[8,10)@0 b[0,4)@2 a[8,10)@6 b[0,4)@8" {
		t.Errorf("recipe of a clip of a reel %s", got)
	}
}

func TestClipLimits(t *testing.T) {
	b := newBench(t)
	var sections []schemas.Section
	for i := range int64(10) {
		sections = append(sections, labelled(50*i, 50*i+50, fmt.Sprint("a", i%2), fmt.Sprint("s", i)))
	}
	tests := []struct {
		config string
		clips  int
	}{
		{`{}`, 6}, {`{"max_per_label": 1}`, 2}, {`{"max_clips": 4}`, 4}, {`{"attributes": ["scene"]}`, 10},
		{`{"max_seconds": 2, "max_per_label": 9}`, 10}, {`{"attributes": ["action", "scene"], "max_per_label": 2}`, 4},
	}
	for _, tt := range tests {
		out, lost := b.run("video.clip", tt.config, b.long(sections...))
		clips := testkit.DecodeAll[schemas.Video](t, schemas.NameVideo, out)
		if len(clips) != tt.clips || len(lost) != 0 {
			t.Errorf("%s: %d clips, lost %v; want %d", tt.config, len(clips), lost, tt.clips)
		}
	}
	for name, tt := range map[string]struct {
		config string
		in     pipeline.Record
		want   string
	}{
		"too long":       {`{"min_seconds": 0, "max_seconds": 1}`, b.long(sections...), "10 over 1 s"},
		"other labels":   {`{"attributes": ["mood"]}`, b.long(sections...), "10 without a label of [mood]"},
		"no sections":    {`{}`, b.long(), "it has none"},
		"outside":        {`{}`, b.long(labelled(-25, 30, "a", "b"), labelled(475, 600, "a", "b"), labelled(75, 75, "a", "b")), "3 not within"},
		"not normalised": {`{}`, pipeline.Record{ID: "v", Schema: schemas.NameVideo, Data: []byte(`{"media":"","name":"","source_id":"","license":""}`)}, "not normalised"},
	} {
		out, lost := b.run("video.clip", tt.config, tt.in)
		if len(out) != 0 || len(lost) != 1 || !strings.Contains(lost[0].Reason, tt.want) {
			t.Errorf("%s: %d clips, lost %v; want %q", name, len(out), lost, tt.want)
		}
	}
	one, _ := b.run("video.clip", `{"max_clips": 3}`, b.long(sections...))
	b.seed = 2
	two, _ := b.run("video.clip", `{"max_clips": 3}`, b.long(sections...))
	if reflect.DeepEqual(one, two) {
		t.Error("the seed changes nothing")
	}
}

func TestClipConfigs(t *testing.T) {
	for _, edit := range []func(*ClipConfig){
		func(c *ClipConfig) { c.Attributes = nil },
		func(c *ClipConfig) { c.Attributes = []string{""} },
		func(c *ClipConfig) { c.MinSeconds = -1 },
		func(c *ClipConfig) { c.MaxSeconds = 1 },
		func(c *ClipConfig) { c.MaxClips = 0 },
		func(c *ClipConfig) { c.MaxPerLabel = 0 },
	} {
		var c ClipConfig
		c.SetDefaults()
		edit(&c)
		if _, err := newClip(c); err == nil {
			t.Errorf("accepts %+v", c)
		}
	}
}
