package video

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/author"
	"github.com/memforge/memforge/stages/video/question"
)

// TestGroundingNeedsAPlace asks nothing about sections during which sides
// change, says so, and goes on with other types.
func TestGroundingNeedsAPlace(t *testing.T) {
	for _, tc := range []struct {
		frames, sections, swaps int64
		want                    int // sections of either video that have a side
	}{
		{1000, 10, 10, 0}, {1000, 10, 0, 10}, {1000, 10, 4, 10}, {1000, 20, 10, 10}, {1000, 22, 10, 22},
		// Sections begin at whole frames, swaps at others: 1003 is no multiple of 11.
		{1003, 11, 10, 11}, {1003, 33, 10, 33}, {1000, 12, 10, 2},
		{60, 22, 10, 0}, // of less than four frames
	} {
		b := newBench(t)
		p := schemas.Pair{A: b.titled("North", tc.frames, tc.sections), B: b.titled("South", tc.frames, tc.sections)}
		b.script(b.lifts)
		qs, lost := b.write(`, "questions_per_target": 50`, b.spread(p, tc.swaps))
		if tc.want == 0 {
			if len(qs) != 0 || len(lost) != 1 || lost[0].Code != "no-question" || !strings.Contains(lost[0].Reason, "no-place") {
				t.Errorf("%+v: %d questions, lost %+v", tc, len(qs), lost)
			}
			continue
		}
		// Couples take one section at either side, of which one has none more.
		if len(lost) != 1 || lost[0].Code != "no-place" || !lost[0].Flagged || len(qs) > 2*tc.want || len(qs) < 2*tc.want-2 {
			t.Errorf("%+v: %d questions, lost %+v", tc, len(qs), lost)
		}
	}
	b := newBench(t)
	kitchens := b.kitchenPair()
	b.script(b.writes)
	out, lost := b.run("video.author", "", kitchens["swap10"])
	if len(out) != 6 || len(lost) != 1 || !strings.HasSuffix(lost[0].ID, "/spatial_grounding/1") ||
		lost[0].Reason != `of the sections not asked about, 0 are shown wholly in the place "left" and 0 in "right", and a question is asked about each; let video.segment cut sections at most half as long as the time between two of the 10 swaps, such as 22 equal ones` {
		t.Errorf("%d questions, lost %+v", len(out), lost)
	}
}

// TestGroundingTriesOtherSections when one has no event, and gives up after
// some. A model that is waited for is not asked about others instead.
func TestGroundingTriesOtherSections(t *testing.T) {
	answers := func(b *bench, n int, spoil func(a author.Event) (any, error)) *playback {
		var m *playback
		m = b.script(func(r pipeline.Request) (any, error) {
			a, err := b.lifts(r)
			if len(m.requests) <= n {
				return spoil(a.(author.Event))
			}
			return a, err
		})
		return m
	}
	none := func(a author.Event) (any, error) { return author.Event{Explanation: "All sections are alike."}, nil }
	bad := func(a author.Event) (any, error) { a.Event += " on the left"; return a, nil }
	refuse := func(author.Event) (any, error) { return nil, pipeline.Reject("model-refused", "no") }
	wait := func(author.Event) (any, error) {
		r := pipeline.Reject("model-pending", "wait")
		r.Transient = true
		return nil, r
	}
	for _, tc := range []struct {
		name                string
		n                   int
		spoil               func(author.Event) (any, error)
		questions, requests int
		code                string
	}{
		{"no event in two sections", 2, none, 2, 4, ""},
		{"a bad answer", 1, bad, 2, 3, ""},
		{"two bad answers", 2, bad, 2, 4, ""},
		{"a refusal", 1, refuse, 2, 3, ""},
		{"four sections of a video", 4, none, 2, 6, ""},
		{"eight sections of a place", 8, none, 0, 8, "no-event"},
		{"bad answers only", 99, bad, 0, 16, "bad-question"},
		{"the first waits", 1, wait, 0, 2, "model-pending"},
		{"both wait", 2, wait, 0, 2, "model-pending"},
	} {
		b := newBench(t)
		m := answers(b, tc.n, tc.spoil)
		qs, lost := b.write("", b.turns(schemas.Pair{A: b.titled("North", 1000, 10), B: b.titled("South", 1000, 10)}, "AB"))
		if len(qs) != tc.questions || len(m.requests) != tc.requests {
			t.Errorf("%s: %d questions after %d requests, lost %+v", tc.name, len(qs), len(m.requests), lost)
		}
		if tc.code != "" && (len(lost) != 1 || !strings.Contains(lost[0].Code+" "+lost[0].Reason, tc.code) || lost[0].Transient != (tc.code == "model-pending")) {
			t.Errorf("%s: lost %+v", tc.name, lost)
		}
		for _, q := range qs {
			if strings.Contains(q.Question, "left") || q.Labels[schemas.LabelTarget] == "" {
				t.Errorf("%s: %q", tc.name, q.Question)
			}
		}
	}
}

// TestGroundingByTheBuiltInModel quotes descriptions that one section has.
func TestGroundingByTheBuiltInModel(t *testing.T) {
	b := newBench(t)
	p := schemas.Pair{A: b.titled("North", 1000, 10), B: b.titled("South", 1000, 10)}
	for _, in := range []pipeline.Record{b.spread(p, 4), b.turns(p, "AB")} {
		qs, lost := b.write("", in)
		if len(qs) != 2 || len(lost) != 0 {
			t.Fatalf("%d questions, lost %+v", len(qs), lost)
		}
		for _, q := range qs {
			if q.Labels[schemas.LabelAuthor] != pipeline.BuiltInModel || !strings.Contains(q.Question, `This description of actions and changes of state becomes true: "Somebody has a thing called `) {
				t.Errorf("%q by %s", q.Question, q.Labels[schemas.LabelAuthor])
			}
		}
	}
	for i := range p.A.Sections {
		p.A.Sections[i].Description = p.A.Sections[0].Description
	}
	p.B = b.titled("South", 1000, 10)
	for i := range p.B.Sections {
		p.B.Sections[i].Description = p.A.Sections[0].Description
	}
	if qs, lost := b.write("", b.turns(p, "AB")); len(qs) != 0 || len(lost) != 1 || !strings.Contains(lost[0].Reason, "no-event") {
		t.Errorf("equal sections: %d questions, lost %+v", len(qs), lost)
	}
}

// clausesOf are, by section, what the script of a film tells of it. What goes on
// from one section to the next is told of both.
func clausesOf(v schemas.Video) [][]string {
	verbs := map[string]string{"picks up": "is picked up", "puts down": "is put down", "opens": "is opened", "enters": "enters", "leaves": "leaves"}
	fps := float64(v.Normalised.FPS)
	out := make([][]string, len(v.Sections))
	for i, s := range v.Sections {
		for _, e := range v.Events {
			what := e.Object
			if what == "" {
				what = e.Subject
			}
			if !strings.HasPrefix(what, "the ") {
				what = "the " + what
			}
			if verb := verbs[e.Kind]; verb != "" && e.Start < float64(s.To)/fps && e.End > float64(s.From)/fps {
				out[i] = append(out[i], what+" "+verb)
			}
		}
	}
	return out
}

// TestReplayAgreesWithGroundedEvents has an author ask about scripted films from
// descriptions that tell their events, and a solver that knows the scripts and
// the recipe only answer.
func TestReplayAgreesWithGroundedEvents(t *testing.T) {
	counts := map[string]int{}
	for seed := uint64(1); seed <= 2; seed++ {
		b := newBench(t)
		b.seed = seed
		s, compositions := b.composeScripted(16, func(v *schemas.Video) {
			for i := range int64(6) {
				v.Sections = append(v.Sections, schemas.Section{From: i * v.Normalised.Frames / 6, To: (i + 1) * v.Normalised.Frames / 6})
			}
			for i, clauses := range clausesOf(*v) {
				v.Sections[i].Description = &schemas.Description{ShortTermActionState: strings.Join(clauses, "; ")}
			}
		}, func(p schemas.Pair) []schemas.Composition {
			n := min(p.A.Normalised.Frames, p.B.Normalised.Frames)
			swaps := swapsOf(n, 2)
			return []schemas.Composition{
				{Pair: p, Order: "AB", Swaps: 2, Media: schemas.Media{Recipe: splitRecipe(p, n, swaps)}},
				{Pair: p, Order: "AB", Media: schemas.Media{Recipe: inTurns(p, 6)}},
			}
		})
		b.script(func(r pipeline.Request) (any, error) { return reads(input[author.EventInput](t, r)), nil })
		for _, c := range compositions {
			qs, _ := b.write(`, "questions_per_target": 3`, c)
			for _, q := range qs {
				counts[q.Type]++
				if got, _, err := s.cases[q.Media[0]].DeriveQuestion(q); err != nil || got.AnswerKey != q.AnswerKey {
					t.Errorf("replay answers %s (%v), gold is %s\n%s", got.AnswerKey, err, q.AnswerKey, q.QuestionMCQ)
				}
			}
		}
	}
	t.Log(counts)
	if counts[schemas.TypeSpatialGrounding] < 20 || counts[schemas.TypeTemporalGrounding] < 40 {
		t.Errorf("questions %v; the test sees too few", counts)
	}
}

// reads answers with a clause of the section that passes the checks, if any.
func reads(in author.EventInput) author.Event {
	at := slices.IndexFunc(in.Target.Sections, func(p author.Part) bool { return p.Section == in.Section })
	for clause := range strings.SplitSeq(in.Target.Sections[at].ShortTermActionState, "; ") {
		if e := (author.Event{Event: clause, Explanation: "It is told so."}); clause != "" && len(author.CheckEvent(in, e)) == 0 {
			return e
		}
	}
	return author.Event{Explanation: "Nothing is of this section only."}
}

// TestEveryGroundingTypeIsAsked wants both families of types to know each other.
func TestEveryGroundingTypeIsAsked(t *testing.T) {
	for _, typ := range authorTypes() {
		if _, grounds := question.GroundingFor(typ); grounds == (author.JobName(typ) != "") {
			t.Errorf("%s has the prompt %q", typ, author.JobName(typ))
		}
	}
}
