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
	"github.com/memforge/memforge/stages/video/author"
)

// kitchenPair is the two kitchens described by a competent captioner and put
// together, in every layout.
func (b *bench) kitchenPair() map[string]pipeline.Record {
	b.t.Helper()
	b.script(b.watches)
	out, lost := b.run("video.describe", "", b.cook("bread"), b.cook("soup"))
	vs := testkit.DecodeAll[schemas.Video](b.t, schemas.NameVideo, out)
	if len(vs) != 2 || len(lost) != 0 {
		b.t.Fatalf("%d videos, lost %v", len(vs), lost)
	}
	p := schemas.Pair{A: vs[0], B: vs[1]}
	made := map[string]pipeline.Record{}
	add := func(name, order string, swaps int32, r schemas.Recipe) {
		c := schemas.Composition{Pair: p, Order: order, Swaps: swaps, Media: schemas.Media{MediaID: b.blob(name), FPS: 25, Frames: 750, Recipe: r}}
		rec, err := compositionRecord(c)
		if err != nil {
			b.t.Fatal(err)
		}
		made[name] = rec
	}
	add("AB", "AB", 0, sequenceRecipe(schemas.LayoutConcat, []schemas.Video{p.A, p.B}))
	add("BA", "BA", 0, sequenceRecipe(schemas.LayoutConcat, []schemas.Video{p.B, p.A}))
	add("AAB", "AAB", 0, sequenceRecipe(schemas.LayoutConcat, []schemas.Video{p.A, p.A, p.B}))
	add("swap0", "AB", 0, splitRecipe(p, 750, nil))
	add("swap10", "AB", 10, splitRecipe(p, 750, []int64{75, 150, 225, 300, 375, 450, 525, 600, 675, 740}))
	interleaved := func(x, y schemas.Video) schemas.Recipe {
		r := schemas.Recipe{Layout: schemas.LayoutInterleaved}
		for i := range int64(3) {
			for j, v := range []schemas.Video{x, y} {
				r.Segments = append(r.Segments, schemas.Segment{
					Source: v.Normalised.Video, Region: "full", From: 250 * i, To: 250 * (i + 1), At: 500*i + 250*int64(j), Original: v.Media, SourceID: v.SourceID,
				})
			}
		}
		return r
	}
	add("interleaved AB", "AB", 0, interleaved(p.A, p.B))
	add("interleaved BA", "BA", 0, interleaved(p.B, p.A))
	return made
}

func byGroup(qs []schemas.Question) map[string][]schemas.Question {
	out := map[string][]schemas.Question{}
	for _, q := range qs {
		out[q.Labels[schemas.LabelMirror]] = append(out[q.Labels[schemas.LabelMirror]], q)
	}
	return out
}

// TestAuthorAsksMirroredCompositionsOnce wants compositions that differ in
// order, repetition or swaps to put the same requests, so that one recorded
// answer serves all, and to carry the same questions.
func TestAuthorAsksMirroredCompositionsOnce(t *testing.T) {
	for _, tc := range []struct {
		names []string
		types []string
		each  int
	}{
		{[]string{"AB", "BA", "AAB"}, []string{schemas.TypeInterference}, 2},
		{[]string{"swap0", "swap10"}, []string{schemas.TypeSourceIdentification, schemas.TypeOrderUnderstanding, schemas.TypeContentRetention}, 6},
		{[]string{"interleaved AB", "interleaved BA"}, []string{
			schemas.TypeSourceIdentification, schemas.TypeOrderUnderstanding, schemas.TypeContentRetention, schemas.TypeFalseMemory, schemas.TypeSourceMemory,
		}, 9},
	} {
		b := newBench(t)
		made := b.kitchenPair()
		var asked []string
		var all []schemas.Question
		for _, name := range tc.names {
			m := b.script(b.writes)
			out, lost := b.run("video.author", fmt.Sprintf(`{"types": ["%s"]}`, strings.Join(tc.types, `", "`)), made[name])
			qs := testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, out)
			if len(qs) != tc.each || len(lost) != 0 {
				t.Fatalf("%s: %d questions, want %d; lost %v", name, len(qs), tc.each, lost)
			}
			all = append(all, qs...)
			put, err := pipeline.Canonical(m.requests)
			if err != nil {
				t.Fatal(err)
			}
			asked = append(asked, string(put))
		}
		if len(slices.Compact(asked)) != 1 {
			t.Errorf("%v ask different requests", tc.names)
		}
		types := map[string]bool{}
		for group, qs := range byGroup(all) {
			types[qs[0].Type] = true
			for _, q := range qs {
				if len(qs) != len(tc.names) || q.QuestionMCQ != qs[0].QuestionMCQ || q.AnswerKey != qs[0].AnswerKey || !reflect.DeepEqual(q.Options, qs[0].Options) {
					t.Errorf("group %s holds %d questions: %q and %q", group, len(qs), q.QuestionMCQ, qs[0].QuestionMCQ)
				}
			}
		}
		if len(types) != len(tc.types) {
			t.Errorf("types %v, want %v", types, tc.types)
		}
	}
}

func TestAuthoredRows(t *testing.T) {
	b := newBench(t)
	made := b.kitchenPair()
	b.script(b.writes)
	ask := func(name string) []schemas.Question {
		out, _ := b.run("video.author", "", made[name])
		return testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, out)
	}
	for _, q := range ask("BA") {
		if q.Labels[schemas.LabelTarget] != "A" {
			continue
		}
		want := map[string]string{
			schemas.LabelMirror: q.Labels[schemas.LabelMirror], schemas.LabelFact: q.Labels[schemas.LabelFact], schemas.LabelPair: q.Labels[schemas.LabelPair], schemas.LabelTarget: "A", schemas.LabelDirection: schemas.Proactive,
			schemas.LabelMetricGroup: schemas.Proactive, schemas.LabelRepetition: schemas.RepeatsNone,
			schemas.LabelAuthor: "scripted-1", schemas.LabelDescriber: "scripted-1",
		}
		if !reflect.DeepEqual(q.Labels, want) {
			t.Errorf("labels %v", q.Labels)
		}
		var refs []string
		for _, e := range q.Evidence {
			refs = append(refs, e.Role+" "+strings.TrimPrefix(e.Ref, q.Media[0]))
		}
		// Where the two names can be seen stands between them.
		if want := []string{"context #t=0.00,10.00", "distractor #t=0.00,10.00", "distractor #t=20.00,30.00", "clue #t=30.00,40.00", "context #t=30.00,40.00"}; !slices.Equal(refs, want) {
			t.Errorf("evidence %q: B plays from 0 to 30 s, A after it", refs)
		}
		if !strings.HasPrefix(q.QuestionMCQ, "Two videos are played one after the other. In the video in which a woman bakes bread, ") || q.AnswerText != "a green enamel bowl" || q.Explanation == "" {
			t.Errorf("%+v", q)
		}
	}
	interleaved, err := pipeline.Decode[schemas.Composition](made["interleaved AB"])
	if err != nil {
		t.Fatal(err)
	}
	pair, only := interleaved.Pair, 0
	for _, q := range ask("interleaved AB") {
		if q.Type == schemas.TypeFalseMemory && (q.AnswerText != author.Neither || q.Labels[schemas.LabelTarget] != schemas.TargetNeither || q.Labels[schemas.LabelMetricDetail] != schemas.DetailFalseAttribution || len(q.Evidence) != 1 || q.Evidence[0].Ref != q.Media[0]) {
			t.Errorf("%+v", q)
		}
		if q.Type == schemas.TypeSourceMemory && q.AnswerText != "Only in "+names[map[string]string{"A": "A woman", "B": "A man p"}[q.Labels[schemas.LabelTarget]]] {
			t.Errorf("%+v", q)
		}
		if q.Type != schemas.TypeSourceMemory {
			continue
		}
		toldElsewhere(t, pair, q)
		only++
	}
	if only != 2 {
		t.Errorf("%d questions about what happens in one video only", only)
	}
	for _, q := range ask("swap10") {
		if q.Labels[schemas.LabelMetricGroup] != "swap10" || q.Labels[schemas.LabelDimension] != schemas.DimensionSpatial || q.Labels[schemas.LabelErrorType] == "" {
			t.Errorf("labels %v", q.Labels)
		}
	}
}

// TestAuthorAsksAgain shows the author why an answer was refused, and gives up
// a question that stays bad while the others go on.
func TestAuthorAsksAgain(t *testing.T) {
	spoilt := func(b *bench, times int) func(pipeline.Request) (any, error) {
		return func(r pipeline.Request) (any, error) {
			a, err := b.writes(r)
			d, ok := a.(author.Draft)
			if !ok || input[author.Input](t, r).Target.Name != names["A woman"] || len(input[author.Input](t, r).Refused) >= times {
				return a, err
			}
			d.Options[1].Role = schemas.RoleCorrect
			return d, err
		}
	}
	b := newBench(t)
	made := b.kitchenPair()
	m := b.script(spoilt(b, 1))
	out, lost := b.run("video.author", "", made["AB"])
	if len(out) != 2 || len(lost) != 0 || len(m.requests) != 5 {
		t.Fatalf("%d questions after %d requests, lost %v", len(out), len(m.requests), lost)
	}
	again := input[author.Input](t, m.requests[3])
	if len(again.Refused) != 1 || !slices.Contains(again.Refused[0].Reasons, `2 options have the role "correct"; 1 must`) || again.Refused[0].Answer.Question == "" {
		t.Errorf("asked again with %+v", again.Refused)
	}
	m = b.script(spoilt(b, 9))
	out, lost = b.run("video.author", `{"attempts": 3}`, made["AB"])
	if len(out) != 1 || len(m.requests) != 6 || len(lost) != 1 || lost[0].Code != "bad-question" || !lost[0].Flagged || !strings.HasSuffix(lost[0].ID, "/interference/A/1") {
		t.Errorf("%d questions after %d requests, lost %+v", len(out), len(m.requests), lost)
	}
}

func TestAuthorRejects(t *testing.T) {
	tests := map[string]struct {
		composition string
		patch       string
		answer      func(b *bench) func(pipeline.Request) (any, error)
		code, says  string
	}{
		"refused name": {"AB", "", func(*bench) func(pipeline.Request) (any, error) {
			return func(pipeline.Request) (any, error) { return nil, pipeline.Reject("model-refused", "no") }
		}, "model-refused", "name video A: no"},
		"bad name": {"AB", "", func(*bench) func(pipeline.Request) (any, error) {
			return func(pipeline.Request) (any, error) {
				return author.Name{Phrase: "the first video of the two", Sections: []int{1}}, nil
			}
		}, "bad-name", "must not be named by its place"},
		"one name for both": {"AB", "", func(*bench) func(pipeline.Request) (any, error) {
			return func(pipeline.Request) (any, error) {
				return author.Name{Phrase: "the video with a kitchen", Sections: []int{1}}, nil
			}
		}, "names-alike", "could stand for each other"},
		"refused questions": {"AB", "", func(b *bench) func(pipeline.Request) (any, error) {
			return func(r pipeline.Request) (any, error) {
				if r.Task == author.NameJob {
					return b.writes(r)
				}
				return nil, pipeline.Reject("model-refused", "no")
			}
		}, "no-question", "none of its 2 questions"},
		"questions that wait": {"AB", "", func(b *bench) func(pipeline.Request) (any, error) {
			return func(r pipeline.Request) (any, error) {
				if r.Task == author.NameJob {
					return b.writes(r)
				}
				late := pipeline.Reject("model-pending", "no answer yet")
				late.Transient = true
				return nil, late
			}
		}, "model-pending", "no answer yet"},
		"no type fits": {"AB", `{"types": ["order_understanding"]}`, func(b *bench) func(pipeline.Request) (any, error) { return b.writes }, "other-layout", "concatenated"},
	}
	for name, tc := range tests {
		b := newBench(t)
		made := b.kitchenPair()
		b.script(tc.answer(b))
		out, lost := b.run("video.author", tc.patch, made[tc.composition])
		if len(out) != 0 || len(lost) != 1 || lost[0].Code != tc.code || lost[0].Flagged || !strings.Contains(lost[0].Reason, tc.says) {
			t.Errorf("%s: %d questions, lost %+v", name, len(out), lost)
		}
	}
	b := newBench(t)
	if out, lost := b.run("video.author", "", b.compositions(b.films()[0])[0]); len(out) != 0 || lost[0].Code != "not-described" {
		t.Errorf("undescribed videos: %d questions, lost %+v", len(out), lost)
	}
}

// TestAuthorNamesTitledVideosByTheirTitle needs no model for it.
func TestAuthorNamesTitledVideosByTheirTitle(t *testing.T) {
	b := newBench(t)
	c, err := pipeline.Decode[schemas.Composition](b.kitchenPair()["AB"])
	if err != nil {
		t.Fatal(err)
	}
	c.Pair.A.Title, c.Pair.B.Title = "Rye", "Leek"
	rec, err := compositionRecord(c)
	if err != nil {
		t.Fatal(err)
	}
	m := b.script(func(r pipeline.Request) (any, error) {
		if r.Task == author.NameJob {
			t.Error("a titled video was given another name")
		}
		return nil, pipeline.Reject("stop", "seen enough")
	})
	b.run("video.author", "", rec)
	if got := input[author.Input](t, m.requests[0]).Target.Name; got != `the video titled "Rye"` {
		t.Errorf("named %q", got)
	}
}

// TestAuthoredPositionsAreDrawn looks at many pairs: the model always gives the
// right option first, and it ends up everywhere.
func TestAuthoredPositionsAreDrawn(t *testing.T) {
	b := newBench(t)
	made := b.kitchenPair()
	b.script(b.writes)
	counts := map[string]int{}
	for seed := range uint64(60) {
		b.seed = seed
		out, _ := b.run("video.author", "", made["swap0"])
		for _, q := range testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, out) {
			counts[q.AnswerKey]++
			if strings.Join(keysOf(q.Options), "") != "ABCD" {
				t.Fatalf("keys %v", keysOf(q.Options))
			}
		}
	}
	for _, key := range []string{"A", "B", "C", "D"} {
		if counts[key] < 82 || counts[key] > 158 {
			t.Errorf("of 480 right options %v stand at %s; four standard deviations are 120 +- 38", counts[key], key)
		}
	}
}

func keysOf(options []schemas.Option) []string {
	var out []string
	for _, o := range options {
		out = append(out, o.Key)
	}
	return out
}

func TestAuthorByTheBuiltInModel(t *testing.T) {
	b := newBench(t)
	made := b.kitchenPair()
	b.roles, b.rt.Models = nil, nil
	out, lost := b.run("video.author", "", made["interleaved AB"])
	qs := testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, out)
	if len(qs) < 4 {
		t.Errorf("%d questions, lost %v", len(qs), lost)
	}
	for _, q := range qs {
		if q.Labels[schemas.LabelAuthor] != pipeline.BuiltInModel || q.Labels[schemas.LabelDescriber] != "scripted-1" {
			t.Errorf("%q is by %q", q.Question, q.Labels[schemas.LabelAuthor])
		}
		t.Log(fmt.Sprintln(q.QuestionMCQ, q.AnswerKey))
	}
}
