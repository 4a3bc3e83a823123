package question

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
	"github.com/memforge/memforge/stages/video/timeline"
)

var style = Style{Shown: "sign", Identify: "the video that begins with the {shown} {first} and ends with the {shown} {last}"}

func event(kind, subject, object string, start float64) schemas.Event {
	return schemas.Event{Kind: kind, Subject: subject, Object: object, Start: start, End: start + 1}
}

// film draws events from a small world, so that clashes are common.
func film(rnd *rand.Rand, title string) schemas.Video {
	v := schemas.Video{Media: title, Title: title, Normalised: &schemas.NormalisedVideo{Video: title, FPS: 25, Frames: 500}}
	colours, things := []string{"red", "blue", "green", ""}, []string{"cup", "kettle", "atlas", "lamp", "door", "rope", "tent", "flute", "spade", "coin"}
	thing := func() string {
		return strings.TrimSpace(colours[rnd.IntN(4)] + " " + things[rnd.IntN(10)])
	}
	people := []string{"the baker", "the guard", "Ada", "Bo", "the old sailor", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ida"}
	kinds := append(groundtruth.Kinds(), "waves")
	at := 0.0
	for range rnd.IntN(26) {
		kind := kinds[rnd.IntN(len(kinds))]
		object := thing()
		if kind == groundtruth.SignChanges {
			object = fmt.Sprint("SALE ", rnd.IntN(9))
		}
		v.Events = append(v.Events, event(kind, people[rnd.IntN(len(people))], object, at))
		at += float64(rnd.IntN(4)) / 2
	}
	return v
}

// shown composes a pair: A and B in one layout, from their beginning to frames
// endA and endB.
func shown(p schemas.Pair, layout string, endA, endB int64) Scene {
	r := schemas.Recipe{Layout: layout}
	add := func(v schemas.Video, region string, from, to, at int64) {
		r.Segments = append(r.Segments, schemas.Segment{Source: v.Normalised.Video, Region: region, From: from, To: to, At: at})
	}
	switch layout {
	case schemas.LayoutSplit:
		add(p.A, timeline.Left, 0, min(endA, endB), 0)
		add(p.B, timeline.Right, 0, min(endA, endB), 0)
		r.SwapFrames = []int64{60, 150, 240}
	case schemas.LayoutConcat:
		add(p.A, "full", 0, endA, 0)
		add(p.B, "full", 0, endB, endA)
	default:
		for k := range int64(5) {
			add(p.A, "full", endA*k/5, endA*(k+1)/5, endA*k/5+endB*k/5)
			add(p.B, "full", endB*k/5, endB*(k+1)/5, endA*(k+1)/5+endB*k/5)
		}
	}
	a, b, err := timeline.Trace(schemas.Composition{Pair: p, Media: schemas.Media{Recipe: r}})
	if err != nil {
		panic(err)
	}
	return Scene{Pair: p, A: a, B: b, Layout: layout, Style: style}
}

var layouts = []string{schemas.LayoutConcat, schemas.LayoutSplit, schemas.LayoutInterleaved}

func scene(rnd *rand.Rand, layout string) Scene {
	pool := map[string][]string{
		groundtruth.PicksUp: {"red cup", "yellow vase", "anvil", "blue lamp", "pink jar"}, groundtruth.Opens: {"window", "green door", "crate"},
		groundtruth.SignChanges: {"SALE 3", "CLOSED", "GONE FISHING"}, groundtruth.Enters: {"Bo", "the nurse", "Ada"}, groundtruth.Shows: {"again", "cup"},
		groundtruth.PutsDown: {"red cup", "tray"}, groundtruth.Leaves: {"Zoe", "the pilot"},
	}
	a, b := film(rnd, "North Pier"), film(rnd, "South Yard")
	if rnd.IntN(4) == 0 {
		a.Title = ""
	}
	return shown(schemas.Pair{A: a, B: b, Pool: pool}, layout, 100+rnd.Int64N(250), 100+rnd.Int64N(250))
}

// TestItemsAreUnambiguous checks the items of many random scenes against the
// events directly: what the options claim is so, and nothing else would be.
func TestItemsAreUnambiguous(t *testing.T) {
	asked := map[string]int{}
	for seed := range uint64(600) {
		for _, layout := range layouts {
			s := scene(rand.New(rand.NewPCG(seed, 7)), layout)
			for _, typ := range Types(layout) {
				items := Items(s, typ, 3, rand.New(rand.NewPCG(seed, 8)))
				again := Items(s, typ, 3, rand.New(rand.NewPCG(seed, 8)))
				if !reflect.DeepEqual(items, again) {
					t.Fatalf("seed %d: two runs differ", seed)
				}
				perTarget := map[string]int{}
				for _, it := range items {
					perTarget[it.Target]++
					asked[it.Type]++
					asked[it.Kind]++
					checkItem(t, s, it)
				}
				for target, n := range perTarget {
					if n > 3 && typ != schemas.TypeSpatialGrounding && typ != schemas.TypeTemporalGrounding || n > 6 {
						t.Errorf("%d questions about %s", n, target)
					}
				}
				if t.Failed() {
					t.Fatalf("seed %d, %s: %+v", seed, layout, items)
				}
			}
		}
	}
	t.Log(asked)
	for _, what := range append(groundtruth.Kinds(), append(Types(schemas.LayoutConcat), append(Types(schemas.LayoutSplit), Types(schemas.LayoutInterleaved)...)...)...) {
		if asked[what] < 10 {
			t.Errorf("%q was asked %d times; the test sees too little of it", what, asked[what])
		}
	}
}

// TestPositionsAreBalanced looks at 1,000 questions: each position has the
// right option in 250 of them, give or take four standard deviations.
func TestPositionsAreBalanced(t *testing.T) {
	counts := map[string]int{}
	total := 0
	for seed := uint64(0); total < 1000; seed++ {
		for _, it := range Items(scene(rand.New(rand.NewPCG(seed, 1)), schemas.LayoutConcat), schemas.TypeInterference, 2, rand.New(rand.NewPCG(seed, 2))) {
			counts[it.Key]++
			total++
		}
	}
	t.Logf("%d questions: %v", total, counts)
	for _, key := range []string{"A", "B", "C", "D"} {
		if counts[key] < 195 || counts[key] > 305 {
			t.Errorf("position %s is right in %d of %d", key, counts[key], total)
		}
	}
}

func reel(labels ...string) schemas.Video {
	name := strings.Join(labels, "-")
	v := schemas.Video{Media: name, Normalised: &schemas.NormalisedVideo{Video: name, FPS: 25, Frames: int64(25 * len(labels))}}
	for i, l := range labels {
		v.Events = append(v.Events, event(groundtruth.Shows, "", l, float64(i)))
	}
	return v
}

func TestReels(t *testing.T) {
	pool := map[string][]string{groundtruth.Shows: {"night"}}
	s := shown(schemas.Pair{A: reel("bird", "book", "eat", "milk"), B: reel("no", "help", "learn", "please"), Pool: pool}, schemas.LayoutConcat, 100, 100)
	items := Items(s, schemas.TypeInterference, 5, rand.New(rand.NewPCG(1, 1)))
	if len(items) != 4 {
		t.Fatalf("%d items, want the two inner signs of each reel: %+v", len(items), items)
	}
	for _, it := range items {
		if it.Target == "A" && !strings.Contains(it.Question, `the video that begins with the sign "bird" and ends with the sign "milk"`) {
			t.Errorf("question %q does not name its reel", it.Question)
		}
		if it.Answer == "bird" || it.Answer == "milk" {
			t.Errorf("%q is given away by %q", it.Answer, it.Question)
		}
	}
	if got := schemas.MCQ("Which?", []schemas.Option{{Key: "A", Text: "x"}, {Key: "B", Text: "y"}}); got != "Which?\nA. x\nB. y" {
		t.Errorf("MCQ = %q", got)
	}
}

func TestNothingToAsk(t *testing.T) {
	pool := map[string][]string{groundtruth.Shows: {"night"}, groundtruth.PicksUp: {"vase"}}
	long := reel("no", "help", "learn", "please")
	tests := map[string]schemas.Pair{
		"no events":              {Pool: pool},
		"short reel":             {A: reel("bird", "milk"), B: reel("no", "yes"), Pool: pool},
		"no pool":                {A: reel("bird", "book", "eat", "milk"), B: long},
		"pool holds the rival's": {A: reel("bird", "book", "eat", "milk"), B: long, Pool: map[string][]string{groundtruth.Shows: {"Help", "the learn"}}},
		"first sign in rival":    {A: reel("bird", "book", "eat", "milk"), B: reel("help", "bird", "milk"), Pool: pool},
		"same labels":            {A: long, B: reel("no", "help", "learn", "please"), Pool: pool},
		"titles clash":           {A: schemas.Video{Title: "Pier", Events: long.Events}, B: schemas.Video{Title: "The Pier", Events: reel("a1", "b1", "c1").Events}, Pool: pool},
		"one event each": {A: schemas.Video{Title: "X", Events: []schemas.Event{event(groundtruth.PicksUp, "", "cup", 0)}},
			B: schemas.Video{Title: "Y", Events: []schemas.Event{event(groundtruth.PicksUp, "", "pan", 0)}}, Pool: pool},
		"empty values": {A: schemas.Video{Title: "X", Events: []schemas.Event{{Kind: groundtruth.PicksUp}}}, B: schemas.Video{Title: "Y"}, Pool: pool},
	}
	for name, pair := range tests {
		for i, v := range []*schemas.Video{&pair.A, &pair.B} {
			v.Normalised = &schemas.NormalisedVideo{Video: fmt.Sprint(i), FPS: 25, Frames: 225}
		}
		items := Items(shown(pair, schemas.LayoutConcat, 225, 225), schemas.TypeInterference, 5, rand.New(rand.NewPCG(1, 1)))
		for _, it := range items {
			if name != "first sign in rival" || it.Target == "A" {
				t.Errorf("%s: asked %q %v", name, it.Question, it.Options)
			}
		}
	}
}

func TestStyleCheck(t *testing.T) {
	if err := style.Check(); err != nil {
		t.Error(err)
	}
	for _, s := range []Style{{}, {Shown: " ", Identify: "{first}"}, {Shown: "sign", Identify: "that one"}} {
		if s.Check() == nil {
			t.Errorf("style %+v passes", s)
		}
	}
}

// TestApartNothingIsNamedTwice asks of random scenes so that no question of a pair tells of
// another: no value of theirs is in two, and nothing is a right or wrong option twice.
func TestApartNothingIsNamedTwice(t *testing.T) {
	asked := map[string]int{}
	for seed := range uint64(150) {
		for _, layout := range layouts {
			s := scene(rand.New(rand.NewPCG(seed, 7)), layout)
			s.Apart = true
			for _, typ := range Types(layout) {
				named := map[string]string{}
				for _, it := range Items(s, typ, 6, rand.New(rand.NewPCG(seed, 8))) {
					asked[typ]++
					checkItem(t, s, it)
					own := map[string]bool{}
					for _, m := range append(it.Clues, it.Distractors...) {
						own[groundtruth.Value(m.Event)] = true
					}
					for _, o := range it.Options {
						if typ == schemas.TypeInterference || typ == schemas.TypeSourceIdentification {
							own[o.Text] = true
						}
					}
					for v := range own {
						if other, twice := named[v]; twice && typ != schemas.TypeOrderUnderstanding {
							t.Errorf("seed %d, %s: %q is named by %q and by %q", seed, typ, v, other, it.Question)
						}
						named[v] = it.Question
					}
				}
				if t.Failed() {
					t.FailNow()
				}
			}
		}
	}
	for _, layout := range layouts {
		for _, typ := range Types(layout) {
			if asked[typ] < 2 {
				t.Errorf("%s was asked %d times; the test sees too little of it", typ, asked[typ])
			}
		}
	}
}

// TestAnswersAreDrawn: where questions stand apart, each answer is right as often, and that
// of one question of a pair no more and no less likely for another.
func TestAnswersAreDrawn(t *testing.T) {
	lists := func(sizes ...int) (out [][]draft) {
		for answer, n := range sizes {
			out = append(out, slices.Repeat([]draft{{Item: Item{Answer: fmt.Sprint(answer)}}}, n))
		}
		return out
	}
	const pairs = 4000
	right, asked, same, couples := map[string]float64{}, 0.0, 0.0, 0.0
	for seed := range uint64(pairs) {
		drawn := drawApart([][][]draft{lists(5, 5, 4, 4), lists(2, 2, 40, 4), lists(9, 9, 9, 0)}, 30, rand.New(rand.NewPCG(seed, 3)))
		for i, a := range drawn {
			right[a.Answer]++
			asked++
			for _, b := range drawn[:i] {
				if couples++; a.Answer == b.Answer {
					same++
				}
			}
		}
	}
	for answer := range 4 {
		if share := right[fmt.Sprint(answer)] / asked; math.Abs(share-0.25) > 0.01 {
			t.Errorf("answer %d is right in %.3f", answer, share)
		}
	}
	if share := same / couples; math.Abs(share-0.25) > 0.02 || asked < 8*pairs {
		t.Errorf("%.3f of the couples of a pair have one answer, want a fourth; %.0f questions", share, asked)
	}
}
