package video

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/author"
)

const groundingTypes = `{"types": ["spatial_grounding", "temporal_grounding"]%s}`

// titled is a described video of some frames in equal sections, at 25 frames a
// second. In each something is lifted that no other has.
func (b *bench) titled(title string, frames int64, sections int64) schemas.Video {
	b.t.Helper()
	v := schemas.Video{
		Media: b.blob("media " + title), SourceID: "src", License: "CC-BY-4.0", Title: title, Describer: "scripted-1",
		Normalised: &schemas.NormalisedVideo{Video: b.blob("video " + title), Audio: b.blob("audio " + title), Width: 64, Height: 48, FPS: 25, Frames: frames},
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
	frames := min(p.A.Normalised.Frames, p.B.Normalised.Frames)
	swaps := swapsOf(frames, n)
	return b.composed(p, "AB", swaps, splitRecipe(p, frames, swaps))
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
	return testkit.DecodeAll[schemas.Question](b.t, schemas.NameQuestion, out), lost
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
			if clues := ofRole(q, schemas.RoleClue); len(clues) != 1 || clues[0].Ref != ref || len(ofRole(q, schemas.RoleContext)) != len(q.Evidence)-1 {
				t.Errorf("%s: evidence %+v, want %s", name, q.Evidence, ref)
			}
			labels := map[string]string{
				schemas.LabelMirror: q.Labels[schemas.LabelMirror], schemas.LabelFact: q.Labels[schemas.LabelFact], schemas.LabelPair: pairID(p), schemas.LabelTarget: side,
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
				if strings.Contains(r.User(), word) {
					t.Errorf("%s: %q tells of the composition:\n%s", name, word, r.User())
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
