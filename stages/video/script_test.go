package video

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/author"
)

// playback answers the roles captioner and author as a test says, and keeps
// what it was asked.
type playback struct {
	answer   func(r pipeline.Request) (any, error)
	requests []pipeline.Request
}

func (m *playback) Ask(_ context.Context, _ *pipeline.Scope, r pipeline.Request) (pipeline.Reply, error) {
	m.requests = append(m.requests, r)
	a, err := m.answer(r)
	if err != nil {
		return pipeline.Reply{}, err
	}
	raw, err := json.Marshal(a)
	return pipeline.Reply{Text: string(raw), Model: "scripted-1"}, err
}

func (*playback) Embed(context.Context, *pipeline.Scope, string, []string) ([][]float32, error) {
	return nil, fmt.Errorf("nobody embeds here")
}

// script gives both roles to a scripted model.
func (b *bench) script(answer func(r pipeline.Request) (any, error)) *playback {
	m := &playback{answer: answer}
	b.rt.Models = m
	id := pipeline.ModelIdentity{Name: "scripted", Model: "scripted-1", Host: "localhost"}
	b.roles = map[string]pipeline.ModelIdentity{roleCaptioner: id, roleAuthor: id}
	return m
}

// input decodes the typed input of a request.
func input[T any](t *testing.T, r pipeline.Request) T {
	t.Helper()
	var in T
	if err := json.Unmarshal(r.Input, &in); err != nil {
		t.Fatal(err)
	}
	return in
}

// cook is a normalised, segmented video of three sections, each with a caption,
// two pictures and measured looks.
func (b *bench) cook(name string, captions ...string) pipeline.Record {
	b.t.Helper()
	v := schemas.Video{
		Media: b.blob("media " + name), Name: name, SourceID: "src-" + name, License: "CC-BY-4.0", Category: "cooking",
		Normalised: &schemas.NormalisedVideo{Video: b.blob("video " + name), Audio: b.blob("audio " + name), Width: 64, Height: 48, FPS: 25, Frames: 750},
	}
	blobs := normalisedBlobs(v)
	shades := map[string][]string{"bread": {"red", "white", "brown"}, "soup": {"black", "grey", "orange"}}[name]
	for i := range int64(3) {
		s := schemas.Section{From: 250 * i, To: 250 * (i + 1), Looks: &schemas.Appearance{
			Colours: []string{shades[i], "green"}, Brightness: 0.3 * float64(i), Contrast: 0.2, Motion: 0.03 * float64(i), MotionAt: "top left",
		}}
		for j := range 2 {
			s.Frames = append(s.Frames, b.blob(picture(name, int(i), j)))
			blobs = append(blobs, pipeline.Digest(s.Frames[j]))
		}
		v.Sections = append(v.Sections, s)
		if int(i) < len(captions) {
			v.Captions = append(v.Captions, schemas.Caption{Start: float64(10 * i), End: float64(10*i) + 5, Text: captions[i]})
		}
	}
	r, err := pipeline.NewRecord(schemas.NameVideo, "v-"+name, v, blobs...)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// picture is a PNG of one colour, another for each moment of a kitchen.
func picture(name string, section, n int) string {
	img := image.NewRGBA(image.Rect(0, 0, 16, 12))
	shade := color.RGBA{uint8(len(name) + int(name[0])), uint8(60 * section), uint8(60 * n), 255}
	draw.Draw(img, img.Bounds(), image.NewUniform(shade), image.Point{}, draw.Src)
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		panic(err)
	}
	return out.String()
}

// kitchens are what a competent captioner sees: descriptions by video and
// section, and clip labels.
var kitchens = map[string][]schemas.Description{
	"bread": {
		{MainStoryline: "A woman sifts flour into a bowl.", ToolProp: "A green enamel bowl and a sieve.", FineVisualAttribute: "She wears a red apron.", TextSymbol: `"RYE" on a paper bag.`},
		{MainStoryline: "She kneads the dough on the table.", ShortTermActionState: "The oven is switched on.", FineVisualAttribute: "The table top is white marble."},
		{MainStoryline: "She slides the loaf into the oven.", ToolProp: "A blue oven glove.", TextSymbol: `The dial shows "220".`},
	},
	"soup": {
		{MainStoryline: "A man peels carrots.", ShortTermActionState: "The tap is turned on.", ToolProp: "A yellow plastic board and a peeler."},
		{MainStoryline: "He boils water in a pot.", ShortTermActionState: "A lid is put on the pot.", ToolProp: "A steel ladle with a long handle."},
		{MainStoryline: "He pours soup into a bowl.", ShortTermActionState: "The stove is switched off.", ToolProp: "A white china bowl."},
	},
}

// watches answers as somebody who sees the kitchens: which of them is told by
// the pictures, here by their number of the bench.
func (b *bench) watches(r pipeline.Request) (any, error) {
	b.t.Helper()
	if r.Task == jobSummarise {
		return summaryAnswer{fmt.Sprintf("A kitchen in %d parts.", len(input[summaryInput](b.t, r).Sections))}, nil
	}
	in := input[sectionInput](b.t, r)
	for name, sections := range kitchens {
		if len(r.Images()) > 0 && string(r.Images()[0]) == b.blob(picture(name, in.Index-1, 0)) {
			return descriptionAnswer{Description: sections[in.Index-1]}, nil
		}
	}
	return nil, pipeline.Reject("model-refused", "it sees no kitchen")
}

// names and drafts are what a competent author writes about the kitchens.
var names = map[string]string{"A woman": "the video in which a woman bakes bread", "A man p": "the video in which a man cooks soup"}

// happens is what a competent author finds in each section of a kitchen, by its
// name.
var happens = map[string][]string{
	names["A woman"]: {"flour is sifted into a bowl", "an oven is switched on", "a loaf is slid into an oven"},
	names["A man p"]: {"carrots are peeled", "water is boiled in a pot", "a stove is switched off"},
}

func nameOf(parts []author.Part) string { return names[parts[0].MainStoryline[:7]] }

func option(role string, texts ...string) []author.Option {
	var out []author.Option
	for _, t := range texts {
		out = append(out, author.Option{Text: t, Role: role})
	}
	return out
}

// writes answers as a competent author.
func (b *bench) writes(r pipeline.Request) (any, error) {
	b.t.Helper()
	if r.Task == author.NameJob {
		return author.Name{Phrase: nameOf(input[author.NameInput](b.t, r).Target), Sections: []int{1}}, nil
	}
	if r.Task == author.EventJob {
		in := input[author.EventInput](b.t, r)
		return author.Event{Event: happens[in.Target.Name][in.Section-1], Explanation: "The section says so."}, nil
	}
	in := input[author.Input](b.t, r)
	bread := in.Target.Name == names["A woman"]
	of := func(target int, other ...int) []author.Evidence {
		out := []author.Evidence{{Video: author.RoleTarget, Section: target}}
		for _, n := range other {
			out = append(out, author.Evidence{Video: author.RoleOther, Section: n})
		}
		return out
	}
	d := author.Draft{Evidence: of(1), Explanation: "The descriptions say so."}
	ask := func(a, b string) string {
		if bread {
			return "In " + in.Target.Name + ", " + a + "?"
		}
		return "In " + in.Target.Name + ", " + b + "?"
	}
	pick := func(a, b []author.Option) []author.Option {
		if bread {
			return a
		}
		return b
	}
	right, wrong, rival, none := schemas.RoleCorrect, schemas.RoleDistractor, schemas.RoleIntrusion, schemas.RoleUnrelated
	switch r.Task {
	case author.JobName(schemas.TypeInterference):
		d.Question, d.Evidence = ask("which bowl or tool is used", "which bowl or tool is used"), of(map[bool]int{true: 1, false: 3}[bread], 1, 3)
		d.Options = pick(
			append(append(option(right, "a green enamel bowl"), option(rival, "a yellow plastic board", "a white china bowl")...), option(none, "a brown clay dish")...),
			append(append(option(right, "a white china bowl"), option(rival, "a green enamel bowl", "a blue oven glove")...), option(none, "a brown clay dish")...))
	case author.JobName(schemas.TypeSourceIdentification):
		d.Question, d.Evidence = ask("what is done with a thing", "what is done with a thing"), of(map[bool]int{true: 1, false: 2}[bread], 1, 2, 3)
		d.Options = pick(
			append(option(right, "flour is sifted"), option(wrong, "a tap is turned", "carrots are peeled", "water is boiled")...),
			append(option(right, "water is boiled"), option(wrong, "dough is kneaded", "flour is sifted", "a loaf is slid")...))
	case author.JobName(schemas.TypeOrderUnderstanding):
		d.Question, d.Evidence = ask("what is done after the flour is sifted", "what is done after the carrots are peeled"), of(2)
		d.Options = pick(
			append(option(right, "dough is kneaded"), option(wrong, "a loaf is slid", "a glove is used", "the dial is shown")...),
			append(option(right, "water is boiled"), option(wrong, "soup is poured", "a tap is turned", "the board is used")...))
	case author.JobName(schemas.TypeContentRetention):
		d.Question = ask("what colour is the apron", "what colour is the board")
		d.Options = pick(
			append(option(right, "red"), option(wrong, "blue", "pink", "green")...),
			append(option(right, "yellow"), option(wrong, "red", "pink", "blue")...))
	case author.JobName(schemas.TypeFalseMemory):
		d.Question = "In which of the two videos is an egg broken?"
	case author.JobName(schemas.TypeSourceMemory):
		d.Question = "In which of the two videos is flour sifted into a bowl?"
		if !bread {
			d.Question = "In which of the two videos are carrots peeled?"
		}
	default:
		return nil, fmt.Errorf("nobody scripted %s", r.Task)
	}
	return d, nil
}
