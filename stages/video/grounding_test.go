package video

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/ask"
	"github.com/memforge/memforge/stages/video/author"
)

const groundingTypes = `{"types": ["spatial_grounding", "temporal_grounding"]%s}`

// titled is a described video of some frames in equal sections, at 25 frames a
// second. In each something is lifted that no other has.
func (b *bench) titled(title string, frames int64, sections int64) schemas.Video {
	b.t.Helper()
	v := schemas.Video{
		Media: b.blob("media " + title), SourceID: "src", License: "CC-BY-4.0", Title: title, Describer: "scripted-1",
		Mezzanine: &schemas.Mezzanine{Video: b.blob("video " + title), Audio: b.blob("audio " + title), Width: 64, Height: 48, FPS: 25, Frames: frames},
	}
	for i := range sections {
		v.Sections = append(v.Sections, schemas.Section{
			From: i * frames / sections, To: (i + 1) * frames / sections,
			Description: &schemas.Description{ShortTermActionState: "Somebody has a thing called " + lifted(title, int(i+1)) + "."},
		})
	}
	return v
}

func lifted(title string, section int) string {
	return fmt.Sprintf("%c%cx", 'a'+rune(section)/26, 'a'+rune(section)%26) + strings.ToLower(title[:1])
}

// lifts answers as an author who reads what is lifted in the section.
func (b *bench) lifts(r pipeline.Request) (any, error) {
	in := input[author.EventInput](b.t, r)
	title := strings.Split(in.Target.Name, `"`)[1]
	return author.Event{Event: "a thing called " + lifted(title, in.Section) + " is lifted", Explanation: "It is told so."}, nil
}

func (b *bench) composed(p schemas.Pair, order string, swaps []int64, r schemas.Recipe) pipeline.Record {
	b.t.Helper()
	rec, err := compositionRecord(schemas.Composition{
		Pair: p, Order: order, Swaps: int32(len(swaps)), Media: schemas.Media{MediaID: b.blob(fmt.Sprint(pairID(p), r)), FPS: 25, Recipe: r},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return rec
}

// swapsOf are the frames at which n even swaps fall.
func swapsOf(frames, n int64) []int64 {
	var out []int64
	for k := int64(1); k <= n; k++ {
		out = append(out, (k*frames+n)/(n+1))
	}
	return out
}

// spread shows a pair side by side with some swaps.
func (b *bench) spread(p schemas.Pair, n int64) pipeline.Record {
	frames := min(p.A.Mezzanine.Frames, p.B.Mezzanine.Frames)
	swaps := swapsOf(frames, n)
	return b.composed(p, "AB", swaps, sideBySide(p, frames, swaps))
}

func (b *bench) turns(p schemas.Pair, order string) pipeline.Record {
	q := p
	if order == "BA" {
		q.A, q.B = p.B, p.A
	}
	return b.composed(p, order, nil, inTurns(q, 10))
}

// write runs the author over a composition.
func (b *bench) write(patch string, in pipeline.Record) ([]schemas.Question, []pipeline.Rejection) {
	b.t.Helper()
	out, lost := b.run("video.author", fmt.Sprintf(groundingTypes, patch), in)
	return decodeAll[schemas.Question](b.t, schemas.NameQuestion, out), lost
}

// TestGroundedRows works out from frame numbers where the section of each
// question is shown.
func TestGroundedRows(t *testing.T) {
	b := newBench(t)
	p := schemas.Pair{A: b.titled("North", 1000, 10), B: b.titled("South", 1000, 10)}
	b.script(b.lifts)
	seen := map[string]bool{}
	check := func(name string, in pipeline.Record, group, dimension string, at func(side string, from int) (float64, string)) {
		qs, lost := b.write(`, "questions_per_target": 2`, in)
		if len(qs) != 4 || len(lost) != 0 {
			t.Fatalf("%s: %d questions, lost %+v", name, len(qs), lost)
		}
		for _, q := range qs {
			side := q.Labels[schemas.LabelTarget]
			title := map[string]string{"A": "North", "B": "South"}[side]
			section := 1
			for !strings.Contains(q.Question, lifted(title, section)) {
				section++
			}
			start, place := at(side, 100*(section-1))
			seen[name+" "+place] = true
			want := fmt.Sprintf(`the video titled "%s", %s`, title, place)
			if q.AnswerText != want || len(q.Options) != 4 {
				t.Errorf("%s, section %d of %s: answer %q, want %q", name, section, side, q.AnswerText, want)
			}
			for _, o := range q.Options {
				if (o.Role == schemas.RoleCorrect) != (o.Key == q.AnswerKey) || (o.Key == q.AnswerKey) != (o.Text == want) {
					t.Errorf("%s: options %+v, answer %s", name, q.Options, q.AnswerKey)
				}
			}
			ref := fmt.Sprintf("%s#t=%.2f,%.2f", q.Media[0], start, start+4)
			if len(q.Evidence) != 1 || q.Evidence[0].Ref != ref || q.Evidence[0].Role != "clue" {
				t.Errorf("%s: evidence %+v, want %s", name, q.Evidence, ref)
			}
			labels := map[string]string{
				schemas.LabelMirror: q.Labels[schemas.LabelMirror], schemas.LabelPair: pairID(p), schemas.LabelTarget: side,
				schemas.LabelMetricGroup: group, schemas.LabelDimension: dimension,
				schemas.LabelMetricDetail: schemas.DetailSourceMemory, schemas.LabelErrorType: schemas.ErrorSourceConfusion,
				schemas.LabelAuthor: "scripted-1", schemas.LabelDescriber: "scripted-1",
			}
			if !maps.Equal(q.Labels, labels) {
				t.Errorf("%s: labels %v, want %v", name, q.Labels, labels)
			}
			if q.Explanation != "The answer is: "+want+". It is told so." || !strings.Contains(q.QuestionMCQ, " is lifted: which video is that part of, and ") {
				t.Errorf("%s: %q, explained by %q", name, q.QuestionMCQ, q.Explanation)
			}
		}
	}
	beside := func(swapped func(from int) bool) func(string, int) (float64, string) {
		return func(side string, from int) (float64, string) {
			return float64(from) / 25, map[bool]string{false: "on the left", true: "on the right"}[swapped(from) != (side == "B")]
		}
	}
	check("plain", b.spread(p, 0), "swap0", schemas.DimensionSpatial, beside(func(int) bool { return false }))
	check("swapped", b.spread(p, 4), "swap4", schemas.DimensionSpatial, beside(func(from int) bool { return from/200%2 == 1 }))
	for _, order := range []string{"AB", "BA"} {
		check("in turn "+order, b.turns(p, order), schemas.GroupInterleaved, schemas.DimensionNarrative, func(side string, from int) (float64, string) {
			at := 2 * from
			if side != order[:1] {
				at += 100
			}
			return float64(at) / 25, map[bool]string{true: "in the first half", false: "in the second half"}[at < 1000]
		})
	}
	if len(seen) != 8 {
		t.Errorf("seen %v", seen)
	}
}

// TestGroundingIsBalanced wants every couple to have both places and both
// videos, over many seeds each video at each place as often, and the answer
// everywhere among the options.
func TestGroundingIsBalanced(t *testing.T) {
	b := newBench(t)
	p := schemas.Pair{A: b.titled("North", 1100, 22), B: b.titled("South", 1100, 22)}
	b.script(b.lifts)
	cells, keys := map[string]int{}, map[string]int{}
	const seeds = 120
	for seed := range uint64(seeds) {
		b.seed = seed
		for name, in := range map[string]pipeline.Record{"swapped": b.spread(p, 10), "in turn": b.turns(p, "AB")} {
			qs, lost := b.write("", in)
			if len(qs) != 2 || len(lost) != 0 {
				t.Fatalf("%s: %d questions, lost %+v", name, len(qs), lost)
			}
			place := func(q schemas.Question) string { return strings.Split(q.AnswerText, ", ")[1] }
			if place(qs[0]) == place(qs[1]) || qs[0].Labels[schemas.LabelTarget] == qs[1].Labels[schemas.LabelTarget] {
				t.Errorf("%s: answers %q and %q", name, qs[0].AnswerText, qs[1].AnswerText)
			}
			for _, q := range qs {
				cells[name+": "+q.AnswerText]++
				keys[q.AnswerKey]++
			}
		}
	}
	t.Log(cells, keys)
	if len(cells) != 8 {
		t.Errorf("answers %v", cells)
	}
	for answer, n := range cells {
		if n < 38 || n > 82 {
			t.Errorf("%d of %d times %s; four standard deviations are 60 +- 22", n, seeds, answer)
		}
	}
	for _, key := range []string{"A", "B", "C", "D"} {
		if keys[key] < 82 || keys[key] > 158 {
			t.Errorf("answers at %v; four standard deviations are 120 +- 38", keys)
		}
	}
}

// TestGroundingAsksWithoutTheComposition wants one request for one section
// whatever shows it, so that a model is paid once, and few sections asked about
// by one composition only.
func TestGroundingAsksWithoutTheComposition(t *testing.T) {
	b := newBench(t)
	p := schemas.Pair{A: b.titled("North", 1100, 22), B: b.titled("South", 1100, 22)}
	m := b.script(b.lifts)
	ways := map[string]pipeline.Record{"plain": b.spread(p, 0), "swapped": b.spread(p, 10), "AB": b.turns(p, "AB"), "BA": b.turns(p, "BA")}
	longer := p // a composition that ends with the shorter video
	longer.B = b.titled("South", 1900, 22)
	requests, put := map[string]map[string]bool{}, map[string]bool{}
	for name, in := range ways {
		m.requests, requests[name] = nil, map[string]bool{}
		if qs, _ := b.write(`, "questions_per_target": 3`, in); len(qs) != 6 || len(m.requests) != 6 {
			t.Fatalf("%s: %d questions after %d requests", name, len(qs), len(m.requests))
		}
		for _, r := range m.requests {
			raw, err := pipeline.Canonical(r)
			if err != nil {
				t.Fatal(err)
			}
			requests[name][string(raw)], put[string(raw)] = true, true
			for _, word := range []string{"side by side", "in turn", "left", "swap"} {
				if strings.Contains(r.User, word) {
					t.Errorf("%s: %q tells of the composition:\n%s", name, word, r.User)
				}
			}
		}
	}
	if !maps.Equal(requests["AB"], requests["BA"]) {
		t.Error("both orders of the segments ask different requests")
	}
	if len(put) > 14 {
		t.Errorf("%d different requests of 24", len(put))
	}
	m.requests = nil
	qs, _ := b.write("", b.spread(longer, 0))
	in := input[author.EventInput](t, m.requests[0])
	if len(qs) != 2 || len(in.Target.Sections) != 22 || len(in.Other.Sections) != 22 {
		t.Errorf("%d questions; the author of an event sees %d and %d of 22 sections", len(qs), len(in.Target.Sections), len(in.Other.Sections))
	}
}

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
		if tc.code != "" && (len(lost) != 1 || !strings.Contains(lost[0].Reason, tc.code) || lost[0].Transient != (tc.code == "model-pending")) {
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
	fps := float64(v.Mezzanine.FPS)
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
				v.Sections = append(v.Sections, schemas.Section{From: i * v.Mezzanine.Frames / 6, To: (i + 1) * v.Mezzanine.Frames / 6})
			}
			for i, clauses := range clausesOf(*v) {
				v.Sections[i].Description = &schemas.Description{ShortTermActionState: strings.Join(clauses, "; ")}
			}
		}, func(p schemas.Pair) []schemas.Composition {
			n := min(p.A.Mezzanine.Frames, p.B.Mezzanine.Frames)
			swaps := swapsOf(n, 2)
			return []schemas.Composition{
				{Pair: p, Order: "AB", Swaps: 2, Media: schemas.Media{Recipe: sideBySide(p, n, swaps)}},
				{Pair: p, Order: "AB", Media: schemas.Media{Recipe: inTurns(p, 6)}},
			}
		})
		b.script(func(r pipeline.Request) (any, error) { return reads(input[author.EventInput](t, r)), nil })
		for _, c := range compositions {
			qs, _ := b.write(`, "questions_per_target": 3`, c)
			for _, q := range qs {
				counts[q.Type]++
				if key, err := s.cases[q.Media[0]].Solve(q.Question, q.Options); err != nil || key != q.AnswerKey {
					t.Errorf("replay answers %s (%v), gold is %s\n%s", key, err, q.AnswerKey, q.QuestionMCQ)
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
		if _, grounds := ask.GroundingOf(typ); grounds == (author.Task(typ) != "") {
			t.Errorf("%s has the prompt %q", typ, author.Task(typ))
		}
	}
}
