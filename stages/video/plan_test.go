package video

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/facts"
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
		Mezzanine: &schemas.Mezzanine{Video: b.blob("video " + name), Audio: b.blob("audio " + name), Width: 64, Height: 48, FPS: 25, Frames: 500},
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
		out = append(out, schemas.Event{Kind: facts.PicksUp, Subject: "Ada", Object: o, Start: float64(2 * i), End: float64(2*i + 1)})
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
	pairs := decodeAll[schemas.Pair](t, schemas.NamePair, out)
	if len(pairs) != 1 || pairs[0].A.Name != "one" || pairs[0].B.Name != "two" {
		t.Fatalf("pairs %+v, want one and two, which share the cup", pairs)
	}
	if got := pairs[0].Pool[facts.PicksUp]; !slices.Equal(got, []string{"oar", "rope"}) {
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
	plans := decodeAll[reels.Plan](t, reels.Schema, out)
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
	trials := decodeAll[schemas.Trial](t, schemas.NameTrial, out)
	if len(trials) != 4*26 || len(lost) != 0 {
		t.Fatalf("%d trials and %v lost, want 104 and none", len(trials), lost)
	}
	yes := map[string]int{}
	for _, tr := range trials {
		if why := checkTrial(tr); why != nil {
			t.Errorf("trial: %v", why)
		}
		if tr.Match {
			yes[fmt.Sprint(tr.N, tr.K)]++
		}
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
		{Pair: pair, Order: orderAB, Media: schemas.Media{MediaID: b.blob("ab"), Recipe: sequence(schemas.LayoutConcat, []schemas.Video{pair.A, pair.B})}},
		{Pair: pair, Order: orderBA, Media: schemas.Media{MediaID: b.blob("ba"), Recipe: sequence(schemas.LayoutConcat, []schemas.Video{pair.B, pair.A})}},
		{Pair: pair, Order: orderAB, Media: schemas.Media{MediaID: b.blob("s0"), Frames: 500, FPS: 25, Recipe: sideBySide(pair, 500, nil)}},
		{Pair: pair, Order: orderAB, Swaps: 10, Media: schemas.Media{MediaID: b.blob("s10"), Frames: 500, FPS: 25, Recipe: sideBySide(pair, 500, nil)}},
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

// TestOrdersMirror checks that both orders ask the same and differ only in
// direction, media and the times of evidence.
func TestOrdersMirror(t *testing.T) {
	b := newBench(t)
	cs := b.compositions(b.films()[0])
	out, lost := b.run("video.ask-interference", "", cs[0], cs[1])
	qs := decodeAll[schemas.Question](t, schemas.NameQuestion, out)
	if len(qs) != 8 || len(lost) != 0 {
		t.Fatalf("%d questions, %v lost; want 2 for each target and order", len(qs), lost)
	}
	groups := map[string][]schemas.Question{}
	for _, q := range qs {
		groups[q.Labels[labelMirror]] = append(groups[q.Labels[labelMirror]], q)
		if q.QuestionMCQ == "" || q.Explanation == "" || q.Split != "test" || q.Family != "video" || len(q.Evidence) != 3 {
			t.Errorf("incomplete question %+v", q)
		}
	}
	for _, g := range groups {
		if len(g) != 2 || g[0].QuestionMCQ != g[1].QuestionMCQ || g[0].AnswerKey != g[1].AnswerKey || g[0].TaskID != g[1].TaskID {
			t.Fatalf("group %+v is no mirror", g)
		}
		if g[0].QuestionID == g[1].QuestionID || g[0].Media[0] == g[1].Media[0] || g[0].Labels[labelDirection] == g[1].Labels[labelDirection] {
			t.Errorf("group %+v asks twice over one order", g)
		}
	}
	for _, q := range qs {
		checkClue(t, b, q)
	}
}

// checkClue recomputes where the answer is.
func checkClue(t *testing.T, b *bench, q schemas.Question) {
	t.Helper()
	first := "A"
	if q.Media[0] == b.blob("ba") {
		first = "B"
	}
	second := q.Labels[labelTarget] != first
	if want := map[bool]string{true: "proactive", false: "retroactive"}[second]; q.Labels[labelDirection] != want {
		t.Errorf("direction %s, want %s", q.Labels[labelDirection], want)
	}
	start := map[string]float64{"red cup": 0, "green pan": 2, "atlas": 4, "lamp": 6, "blue hat": 0, "kettle": 2, "rope": 4, "oar": 6}[q.AnswerText]
	if second {
		start += 20
	}
	want := fmt.Sprintf("%s#t=%.2f,%.2f", q.Media[0], start, start+1)
	clues := 0
	for i, e := range q.Evidence {
		if e.Order != int32(i+1) {
			t.Errorf("evidence %+v is out of order", q.Evidence)
		}
		if e.Role == roleClue {
			clues++
			if e.Ref != want {
				t.Errorf("clue of %q at %s, want %s", q.AnswerText, e.Ref, want)
			}
		}
	}
	if clues != 1 {
		t.Errorf("%d clues, want 1", clues)
	}
}

func TestAskSource(t *testing.T) {
	b := newBench(t)
	cs := b.compositions(b.films()[0])
	out, _ := b.run("video.ask-source", "", cs[2], cs[3])
	qs := decodeAll[schemas.Question](t, schemas.NameQuestion, out)
	conditions := map[string]int{}
	groups := map[string]string{}
	for _, q := range qs {
		conditions[q.Labels["swap_condition"]]++
		if first, known := groups[q.Labels[labelMirror]]; known && first != q.QuestionMCQ {
			t.Errorf("the variants ask different questions: %q and %q", first, q.QuestionMCQ)
		}
		groups[q.Labels[labelMirror]] = q.QuestionMCQ
		for _, o := range q.Options {
			if o.Role != schemas.RoleCorrect && o.Role != schemas.RoleDistractor {
				t.Errorf("option %+v", o)
			}
		}
	}
	if conditions["swap0"] != 4 || conditions["swap10"] != 4 || len(groups) != 4 {
		t.Errorf("conditions %v in %d groups, want 4 of each in 4", conditions, len(groups))
	}
	_, lost := b.run("video.ask-source", "", cs[0])
	_, other := b.run("video.ask-interference", "", cs[2])
	if codes(lost)["other-layout"] != 1 || codes(other)["other-layout"] != 1 {
		t.Errorf("other layouts: %v and %v, want rejections", lost, other)
	}
}

func TestTooFewFacts(t *testing.T) {
	b := newBench(t)
	out, _ := b.run("video.pair", anySource, b.clip("north", "", pickUps("cup")...), b.clip("south", "", pickUps("hat")...))
	for _, c := range b.compositions(out[0])[:2] {
		if qs, lost := b.run("video.ask-interference", "", c); len(qs) != 0 || codes(lost)["too-few-facts"] != 1 {
			t.Errorf("questions %v, rejections %v; want too-few-facts", qs, lost)
		}
	}
}

func TestConfigs(t *testing.T) {
	b := newBench(t)
	bad := map[string][]any{
		"video.pair":             badPairs(),
		"video.probe":            {ProbeConfig{}},
		"video.normalise":        {NormaliseConfig{}},
		"video.split":            {SplitConfig{}, SplitConfig{Swaps: 10, Preset: "ultra", Threads: 1}},
		"video.reel-plan":        {ReelPlanConfig{}, ReelPlanConfig{Attribute: "action", ClipsPerReel: 1}},
		"video.ask-interference": {InterferenceConfig{}, InterferenceConfig{QuestionsPerTarget: 2, Shown: "sign", Identify: "it"}},
		"video.ask-source":       {SourceConfig{}},
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
