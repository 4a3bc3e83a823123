package ask

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/facts"
)

var style = Style{Shown: "sign", Identify: "the video that begins with the {shown} {first} and ends with the {shown} {last}"}

func event(kind, subject, object string, start float64) schemas.Event {
	return schemas.Event{Kind: kind, Subject: subject, Object: object, Start: start, End: start + 1}
}

// film draws events from a small world, so that clashes are common.
func film(rnd *rand.Rand, title string) schemas.Video {
	v := schemas.Video{Media: title, Title: title, Mezzanine: &schemas.Mezzanine{FPS: 25, Frames: 500}}
	colours, things := []string{"red", "blue", "green", ""}, []string{"cup", "kettle", "atlas", "lamp", "door"}
	thing := func() string {
		return strings.TrimSpace(colours[rnd.IntN(4)] + " " + things[rnd.IntN(5)])
	}
	people := []string{"the baker", "the guard", "Ada", "Bo", "the old sailor", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ida"}
	kinds := append(facts.Kinds(), "puts down", "leaves")
	at := 0.0
	for range rnd.IntN(14) {
		kind := kinds[rnd.IntN(len(kinds))]
		object := thing()
		if kind == facts.SignChanges {
			object = fmt.Sprint("SALE ", rnd.IntN(9))
		}
		v.Events = append(v.Events, event(kind, people[rnd.IntN(len(people))], object, at))
		at += float64(rnd.IntN(4)) / 2
	}
	return v
}

func scene(rnd *rand.Rand) Scene {
	pool := map[string][]string{
		facts.PicksUp: {"red cup", "yellow vase", "anvil", "blue lamp"}, facts.Opens: {"window", "green door", "crate"},
		facts.SignChanges: {"SALE 3", "CLOSED", "GONE FISHING"}, facts.Enters: {"Bo", "the nurse", "Ada"}, facts.Shows: {"again", "cup"},
	}
	a, b := film(rnd, "North Pier"), film(rnd, "South Yard")
	if rnd.IntN(4) == 0 {
		a.Title = ""
	}
	return Scene{Pair: schemas.Pair{A: a, B: b, Pool: pool}, SeenA: 4 + rnd.Float64()*10, SeenB: 4 + rnd.Float64()*10, Opening: "Two videos.", Style: style}
}

// TestItemsAreUnambiguous checks every item of many random scenes against the
// events directly: the right option is true of the target at its ordinal and
// of nothing in the rival, the others are what their roles say.
func TestItemsAreUnambiguous(t *testing.T) {
	asked := map[string]int{}
	for seed := range uint64(300) {
		s := scene(rand.New(rand.NewPCG(seed, 7)))
		for _, mix := range []Mix{Interference, Source} {
			items := Items(s, mix, 3, rand.New(rand.NewPCG(seed, 8)))
			again := Items(s, mix, 3, rand.New(rand.NewPCG(seed, 8)))
			if !reflect.DeepEqual(items, again) {
				t.Fatalf("seed %d: two runs differ", seed)
			}
			perSide := map[Side]int{}
			for _, it := range items {
				perSide[it.Target]++
				asked[it.Kind]++
				checkItem(t, s, mix, it)
			}
			if perSide[A] > 3 || perSide[B] > 3 {
				t.Errorf("%v items, want at most 3 a side", perSide)
			}
			if t.Failed() {
				t.Fatalf("seed %d: %+v", seed, items)
			}
		}
	}
	for _, kind := range facts.Kinds() {
		if asked[kind] < 5 {
			t.Errorf("kind %q was asked %d times; the test sees too little of it", kind, asked[kind])
		}
	}
}

func checkItem(t *testing.T, s Scene, mix Mix, it Item) {
	t.Helper()
	target, rival, seen := s.Pair.A, s.Pair.B, s.SeenA
	if it.Target == B {
		target, rival, seen = s.Pair.B, s.Pair.A, s.SeenB
	}
	roles := map[string]int{}
	for i, o := range it.Options {
		roles[o.Role]++
		inTarget, inRival := facts.Mentions(target.Events, o.Text), facts.Mentions(rival.Events, o.Text)
		want := map[string][2]bool{
			schemas.RoleCorrect: {true, false}, schemas.RoleIntrusion: {false, true},
			schemas.RoleDistractor: {false, true}, schemas.RoleUnrelated: {false, false},
		}[o.Role]
		if inTarget != want[0] || inRival != want[1] {
			t.Errorf("option %+v: in target %v, in rival %v", o, inTarget, inRival)
		}
		for _, other := range it.Options[:i] {
			if facts.Clash(o.Text, other.Text) {
				t.Errorf("options %q and %q clash", o.Text, other.Text)
			}
		}
		if o.Key != string(rune('A'+i)) || (o.Role == schemas.RoleCorrect) != (o.Key == it.Key) {
			t.Errorf("option %d is %+v and the answer %s", i, o, it.Key)
		}
	}
	if roles[schemas.RoleCorrect] != 1 || roles[mix.RivalRole] != mix.Rivals || roles[schemas.RoleUnrelated] != mix.Unrelated {
		t.Errorf("roles %v", roles)
	}
	if it.Clue.End > seen+slack || len(it.Others) != mix.Rivals {
		t.Errorf("clue %+v ends after %.2f, or %d others", it.Clue, seen, len(it.Others))
	}
	checkOrdinal(t, target, seen, it)
}

// checkOrdinal recounts the events before the clue.
func checkOrdinal(t *testing.T, target schemas.Video, seen float64, it Item) {
	t.Helper()
	before, total := 0, 0
	for _, e := range target.Events {
		if e.Kind != it.Kind || e.Start >= seen {
			continue
		}
		total++
		if e.Start < it.Clue.Start {
			before++
			if facts.Clash(facts.Value(e), it.Answer) {
				t.Errorf("answer %q is also an earlier event", it.Answer)
			}
		}
		if e.Start == it.Clue.Start && e != it.Clue {
			t.Errorf("event %+v begins with the clue", e)
		}
	}
	named := slices.IndexFunc(ordinals, func(o string) bool { return strings.Contains(it.Question, " "+o+" ") })
	if total == 1 && named != -1 || total > 1 && named != before {
		t.Errorf("%q asks for ordinal %d; the clue is number %d of %d", it.Question, named, before, total)
	}
}

// TestPositionsAreBalanced looks at 1,000 questions: each position has the
// right option in 250 of them, give or take four standard deviations.
func TestPositionsAreBalanced(t *testing.T) {
	counts := map[string]int{}
	total := 0
	for seed := uint64(0); total < 1000; seed++ {
		for _, it := range Items(scene(rand.New(rand.NewPCG(seed, 1))), Interference, 2, rand.New(rand.NewPCG(seed, 2))) {
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
	v := schemas.Video{Media: strings.Join(labels, "-")}
	for i, l := range labels {
		v.Events = append(v.Events, event(facts.Shows, "", l, float64(i)))
	}
	return v
}

func TestReels(t *testing.T) {
	pool := map[string][]string{facts.Shows: {"night"}}
	s := Scene{Pair: schemas.Pair{A: reel("bird", "book", "eat", "milk"), B: reel("no", "help", "learn", "please"), Pool: pool},
		SeenA: 4, SeenB: 4, Opening: "Two videos are played one after the other.", Style: style}
	items := Items(s, Interference, 5, rand.New(rand.NewPCG(1, 1)))
	if len(items) != 4 {
		t.Fatalf("%d items, want the two inner signs of each reel: %+v", len(items), items)
	}
	for _, it := range items {
		if it.Target == A && !strings.Contains(it.Question, `the video that begins with the sign "bird" and ends with the sign "milk"`) {
			t.Errorf("question %q does not name its reel", it.Question)
		}
		if it.Answer == "bird" || it.Answer == "milk" {
			t.Errorf("%q is given away by %q", it.Answer, it.Question)
		}
	}
	if got := MCQ("Which?", []schemas.Option{{Key: "A", Text: "x"}, {Key: "B", Text: "y"}}); got != "Which?\nA. x\nB. y" {
		t.Errorf("MCQ = %q", got)
	}
}

func TestNothingToAsk(t *testing.T) {
	pool := map[string][]string{facts.Shows: {"night"}, facts.PicksUp: {"vase"}}
	long := reel("no", "help", "learn", "please")
	tests := map[string]schemas.Pair{
		"no events":              {Pool: pool},
		"short reel":             {A: reel("bird", "milk"), B: reel("no", "yes"), Pool: pool},
		"no pool":                {A: reel("bird", "book", "eat", "milk"), B: long},
		"pool holds the rival's": {A: reel("bird", "book", "eat", "milk"), B: long, Pool: map[string][]string{facts.Shows: {"Help", "the learn"}}},
		"first sign in rival":    {A: reel("bird", "book", "eat", "milk"), B: reel("help", "bird", "milk"), Pool: pool},
		"same labels":            {A: long, B: reel("no", "help", "learn", "please"), Pool: pool},
		"titles clash":           {A: schemas.Video{Title: "Pier", Events: long.Events}, B: schemas.Video{Title: "The Pier", Events: reel("a1", "b1", "c1").Events}, Pool: pool},
		"one event each": {A: schemas.Video{Title: "X", Events: []schemas.Event{event(facts.PicksUp, "", "cup", 0)}},
			B: schemas.Video{Title: "Y", Events: []schemas.Event{event(facts.PicksUp, "", "pan", 0)}}, Pool: pool},
		"empty values": {A: schemas.Video{Title: "X", Events: []schemas.Event{{Kind: facts.PicksUp}}}, B: schemas.Video{Title: "Y"}, Pool: pool},
	}
	for name, pair := range tests {
		items := Items(Scene{Pair: pair, SeenA: 9, SeenB: 9, Style: style}, Interference, 5, rand.New(rand.NewPCG(1, 1)))
		for _, it := range items {
			if name != "first sign in rival" || it.Target == A {
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
