package question

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
	"github.com/memforge/memforge/stages/video/timeline"
)

// worded is a question with some choices of wrong options.
func worded(kind, answer string, sets ...[]string) choices {
	var out choices
	for _, wrong := range sets {
		out = append(out, draft{Item: Item{Kind: kind, Answer: answer}, wrong: distractors(wrong)})
	}
	return out
}

// TestEvenlyFindsTheBalancedSet gives four questions choices of which one set has
// the right option longest, shortest and in between once each.
func TestEvenlyFindsTheBalancedSet(t *testing.T) {
	long, short := []string{"xxxx1", "xxxx2", "xxxx3"}, []string{"x1", "x2", "x3"}
	mixed, other := []string{"y1", "yyyy2", "yyyy3"}, []string{"z1", "z2", "zzzz3"}
	sides := []sideFacts{
		{worded("a", "ggg", long, short), worded("b", "hhh", long, short)},
		{worded("a", "iii", long, mixed), worded("b", "jjj", long, other)},
	}
	tally := map[string]int{}
	for _, d := range chooseBalanced(sides, 2, true) {
		tally[fmt.Sprint(rankOf(d.Answer, texts(d.wrong))[0])]++
	}
	if fmt.Sprint(tally) != "map[0:1 1:1 2:1 3:1]" {
		t.Errorf("options longer than the answer: %v, want each number once", tally)
	}
	if n := len(chooseBalanced(sides, 1, true)); n != 2 {
		t.Errorf("%d questions, want one a side", n)
	}
}

// TestEvenlyKeepsKinds: what is right more often than shown is exchanged for
// something of another kind where that is allowed, and never twice the same fact.
func TestEvenlyKeepsKinds(t *testing.T) {
	sides := []sideFacts{
		{worded("a", "aa1", []string{"bb1", "bb2", "bb3"}), worded("b", "cc1", []string{"dd1", "dd2", "dd3"})},
		{worded("a", "bb1", []string{"aa1", "aa2", "aa3"}), worded("b", "ee1", []string{"ff1", "ff2", "ff3"})},
	}
	kinds := func(anyKind bool) (out string) {
		for _, d := range chooseBalanced(sides, 1, anyKind) {
			out += d.Kind
		}
		return out
	}
	if got := kinds(false); got != "aa" {
		t.Errorf("kinds %s, want those that came first", got)
	}
	if got := kinds(true); got != "ab" && got != "ba" && got != "bb" {
		t.Errorf("kinds %s: aa1 and bb1 are shown twice and right once, the others less", got)
	}
	seen := map[string]bool{}
	for _, d := range chooseBalanced(sides, 2, true) {
		if seen[d.Answer] {
			t.Errorf("%s is asked twice", d.Answer)
		}
		seen[d.Answer] = true
	}
	if len(seen) != 4 {
		t.Errorf("asked %v, want all four", seen)
	}
}

func texts(options []schemas.Option) (out []string) {
	for _, o := range options {
		out = append(out, o.Text)
	}
	return out
}

// TestChoicesDiffer wants every rank by length that the values allow.
func TestChoicesDiffer(t *testing.T) {
	values := strings.Fields("ox cow hen goat duck mouse sheep badger ferret")
	ranks := map[int]bool{}
	for _, c := range findOptionSets(rand.New(rand.NewPCG(1, 1)), "lamb", optionRequest{values, 3}) {
		ranks[rankOf("lamb", c)[0]] = true
	}
	if len(ranks) != 4 {
		t.Errorf("so many options are longer than the answer: %v, want 0 to 3", ranks)
	}
	// "cup" could be held for the answer; two of "red pan", "blue pan" and "blue
	// cup" would share more words than the rest.
	got := findOptionSets(rand.New(rand.NewPCG(1, 1)), "red cup", optionRequest{[]string{"cup", "red pan", "blue pan", "blue cup", "green hat"}, 2}, optionRequest{[]string{"white jar"}, 1})
	if len(got) != 1 || fmt.Sprint(got[0]) != "[blue pan green hat white jar]" {
		t.Errorf("options %q, want a blue pan, a green hat and a white jar", got)
	}
}

// TestColoursAreRightAsOften looks at every scene of many: each colour among the
// options about it is right in one question of four.
func TestColoursAreRightAsOften(t *testing.T) {
	sets := 0
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		for _, layout := range []string{schemas.LayoutSplit, schemas.LayoutInterleaved} {
			shown, right := map[string]int{}, map[string]int{}
			s := coloured(rnd, layout)
			for _, it := range Items(s, schemas.TypeContentRetention, 4, rnd) {
				if it.Detail != schemas.DetailColour {
					continue
				}
				checkContent(t, s, it)
				right[it.Answer]++
				for _, o := range it.Options {
					shown[o.Text]++
				}
			}
			for c, n := range shown {
				if 4*right[c] != n {
					t.Errorf("seed %d, %s: %s is right %d times of %d", seed, layout, c, right[c], n)
				}
			}
			sets += len(right) / 4
		}
	}
	if sets < 60 {
		t.Errorf("%d sets were asked; the test sees too little", sets)
	}
}

// coloured is a pair in which things of five colours are picked up and opened,
// half of them in both videos, mostly in another colour.
func coloured(rnd *rand.Rand, layout string) Scene {
	things := strings.Fields("cup kettle atlas lamp door crate vase anvil jar tray hat rope")
	colours := []string{"red", "blue", "green", "white", "black"}
	video := func(title string, things []string) schemas.Video {
		v := schemas.Video{Media: title, Title: title, Normalised: &schemas.NormalisedVideo{Video: title, FPS: 25, Frames: 500}}
		for i, thing := range things {
			kind := []string{groundtruth.PicksUp, groundtruth.Opens}[i%2]
			v.Events = append(v.Events, event(kind, "Bo", colours[rnd.IntN(5)]+" "+thing, float64(2*i)))
		}
		return v
	}
	at := rnd.Perm(len(things))
	pick := func(from int) (out []string) {
		for _, i := range at[from : from+6] {
			out = append(out, things[i])
		}
		return out
	}
	return shown(schemas.Pair{A: video("North Pier", pick(0)), B: video("South Yard", pick(3))}, layout, 500, 500)
}

// TestAnswersAboutPlacesAreSpread wants both places of both videos to be right as
// often, in every scene that asks more than one couple and has both places for
// both; without exchange of sides one couple is asked.
func TestAnswersAboutPlacesAreSpread(t *testing.T) {
	spread, fixed := 0, 0
	for seed := range uint64(120) {
		for layout, typ := range map[string]string{schemas.LayoutSplit: schemas.TypeSpatialGrounding, schemas.LayoutInterleaved: schemas.TypeTemporalGrounding} {
			rnd := rand.New(rand.NewPCG(seed, 5))
			s := coloured(rnd, layout)
			right := map[string]int{}
			items := Items(s, typ, 2, rnd)
			for _, it := range items {
				right[it.Answer]++
			}
			if len(items) == 2 && len(right) == 2 {
				continue
			}
			if len(items) != 4 || len(right) != 4 {
				t.Errorf("seed %d, %s: answers %v", seed, typ, right)
			}
			spread++
		}
		plain := sideBySide(coloured(rand.New(rand.NewPCG(seed, 6)), schemas.LayoutSplit).Pair)
		right := map[string]int{}
		for _, it := range Items(plain, schemas.TypeSpatialGrounding, 2, rand.New(rand.NewPCG(seed, 7))) {
			right[it.Target]++
		}
		if right["A"] == 1 && right["B"] == 1 {
			fixed++
		}
	}
	if spread < 80 || fixed < 80 {
		t.Errorf("%d scenes spread their answers, %d without exchange ask about both videos; the test sees too little", spread, fixed)
	}
}

// sideBySide shows a pair in a split screen without exchange.
func sideBySide(p schemas.Pair) Scene {
	r := schemas.Recipe{Layout: schemas.LayoutSplit, Segments: []schemas.Segment{
		{Source: p.A.Normalised.Video, Region: timeline.Left, To: 500}, {Source: p.B.Normalised.Video, Region: timeline.Right, To: 500},
	}}
	a, b, err := timeline.Trace(schemas.Composition{Pair: p, Media: schemas.Media{Recipe: r}})
	if err != nil {
		panic(err)
	}
	return Scene{Pair: p, A: a, B: b, Layout: schemas.LayoutSplit, Style: style}
}

// TestEndsThatNameAVideo wants what a video shows first, and last where it is asked for: not
// where two things are first, nor where the rival has one of them.
func TestEndsThatNameAVideo(t *testing.T) {
	shows := func(object string, start float64) schemas.Event {
		return schemas.Event{Kind: groundtruth.Shows, Object: object, Start: start, End: start + 1}
	}
	rival := videoView{index: groundtruth.NewIndex([]schemas.Event{shows("moon", 0)})}
	for _, c := range []struct {
		identify string
		seen     []schemas.Event
		want     string
	}{
		{"{first}", nil, "[] false"}, {"{first}", []schemas.Event{shows("sun", 1)}, "[sun] true"}, {"{first}", []schemas.Event{shows("moon", 1)}, "[moon] false"},
		{"{first}", []schemas.Event{shows("sun", 1), shows("sea", 1)}, "[] false"}, {"{first}", []schemas.Event{shows("sun", 1), shows("moon", 2)}, "[sun] true"},
		{"{first} {last}", []schemas.Event{shows("sun", 1), shows("sea", 2)}, "[] false"}, // the last is not shown whole
	} {
		ends, ok := Style{Identify: c.identify}.endValues(videoView{seen: c.seen}, rival)
		if got := fmt.Sprint(ends, ok); got != c.want {
			t.Errorf("%s of %v: %s, want %s", c.identify, c.seen, got, c.want)
		}
	}
}
