package author

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// ovens asks for an event of section 2 of the first kitchen.
func ovens() EventInput {
	in := kitchen()
	return EventInput{Target: in.Target, Other: in.Other, Section: 2, Refused: []EventRefusal{}}
}

func TestCheckEvent(t *testing.T) {
	long := strings.Repeat("a very ", 20) + "long thing is moved"
	for _, tc := range []struct{ event, want string }{
		{"An oven is switched on.", ""},
		{"dough is kneaded on the table", ""},
		{"a glove is pulled over a hand after the door is opened", ""},
		{"it opens", "has 2 words"},
		{"dough is kneaded", ""},
		{strings.Repeat("very ", 35) + "long dough is kneaded slowly", ""},
		{strings.Repeat("very ", 36) + "long dough is kneaded slowly", "has 41 words; use 3 to 40"},
		{long, "words; use"},
		{"is the oven switched on?", "one statement"},
		{"this is done:", "one statement"},
		{"the left oven is switched on", `"left"`},
		{"the oven on the right-hand wall is switched on", `"right`},
		{"the oven is switched on for the first time", `"first"`},
		{"the dough is cut in half", `"half"`},
		{"the oven is switched on again", `"again"`},
		{"at the very end an oven is switched on", `"at the very end"`},
		{"the oven is switched on at 0:12", `"at 0:12"`},
		{"the oven of this video is switched on", `"video"`},
		{"a woman switches on an oven", `"woman"`},
		{"the soup is stirred by a hand", `"soup"`},
		{"the lid of a jar is opened", "section 1 of the target video too"},
		{"A lid is put on the pot.", "section 2 of the other video too"},
	} {
		why := strings.Join(CheckEvent(ovens(), Event{Event: tc.event, Explanation: "It is so."}), "\n")
		if tc.want == "" && why != "" || !strings.Contains(why, tc.want) {
			t.Errorf("%q: %q does not say %q", tc.event, why, tc.want)
		}
	}
	if why := CheckEvent(ovens(), Event{Event: "an oven is switched on", Explanation: "Option B is wrong."}); len(why) != 1 {
		t.Errorf("a lettered explanation: %q", why)
	}
	if got := (Event{Event: " An oven is\n switched on. "}).Clause(); got != "An oven is switched on" {
		t.Errorf("told as %q", got)
	}
}

// TestChooseEvent holds every choice against the descriptions by itself: it
// quotes its section word for word and stands in no other.
func TestChooseEvent(t *testing.T) {
	chosen, empty := 0, 0
	for seed := range uint64(80) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		in := EventInput{
			Target:  measured(rnd, `the video titled "North Pier"`, 2+rnd.IntN(9)),
			Other:   measured(rnd, `the video titled "South Yard"`, 2+rnd.IntN(9)),
			Section: 1 + rnd.IntN(2), Refused: []EventRefusal{},
		}
		e := ChooseEvent(in, rand.New(rand.NewPCG(seed, 2)))
		if again := ChooseEvent(in, rand.New(rand.NewPCG(seed, 2))); !reflect.DeepEqual(e, again) {
			t.Fatalf("seed %d: two runs differ", seed)
		}
		if e.Event == "" {
			empty++
			continue
		}
		chosen++
		if why := CheckEvent(in, e); len(why) > 0 {
			t.Errorf("seed %d: %q", seed, why)
		}
		quote := strings.Split(e.Event, `"`)[1]
		var at []string
		for i, s := range []Story{in.Target, in.Other} {
			for _, p := range s.Sections {
				if stands(Story{Sections: []Part{p}}, quote) {
					at = append(at, fmt.Sprint([]string{RoleTarget, RoleOther}[i], " ", p.Section))
				}
			}
		}
		if !slices.Equal(at, []string{fmt.Sprint(RoleTarget, " ", in.Section)}) {
			t.Errorf("seed %d: %q of section %d stands in %v", seed, quote, in.Section, at)
		}
	}
	t.Logf("%d events, %d sections without one", chosen, empty)
	if chosen < 20 || empty < 5 {
		t.Errorf("%d events and %d sections without one; the test sees too little", chosen, empty)
	}
	if e := ChooseEvent(EventInput{Section: 3}, rand.New(rand.NewPCG(1, 1))); e.Event != "" || e.Explanation == "" {
		t.Errorf("of a section that does not exist: %+v", e)
	}
}

func FuzzCheckEvent(f *testing.F) {
	f.Add("An oven is switched on.", "It is so.", 2)
	f.Add("\xff İ: ", "", -1)
	f.Fuzz(func(t *testing.T, event, explanation string, section int) {
		in := ovens()
		in.Section, in.Other.Name = section, explanation
		CheckEvent(in, Event{Event: event, Explanation: explanation})
	})
}

// TestFixedOptions wants the right one of four options that are always the same.
func TestFixedOptions(t *testing.T) {
	in := Input{Target: Story{Name: "Pie"}, Other: Story{Name: "Soup"}}
	texts := []string{"Only in Pie", "Only in Soup", "In both of the two videos", "In neither of the two videos"}
	for typ, right := range map[string]int{schemas.TypeFalseMemory: 3, schemas.TypeSourceMemory: 0} {
		for i, o := range AddFixedOptions(typ, in, Draft{}).Options {
			if o.Text != texts[i] || (o.Role == schemas.RoleCorrect) != (i == right) || i != right && o.Role != schemas.RoleDistractor {
				t.Errorf("%s, option %d: %+v", typ, i, o)
			}
		}
	}
	if d := AddFixedOptions(schemas.TypeOrderUnderstanding, in, Draft{Options: []Option{{Text: "a"}}}); len(d.Options) != 1 {
		t.Errorf("options of a type that has its own: %+v", d.Options)
	}
	for layout, want := range map[string]string{schemas.LayoutSplit: "side by side", schemas.LayoutInterleaved: "played in turn", schemas.LayoutConcat: "one after the other"} {
		if got := LayoutSentence(layout); !strings.Contains(got, want) {
			t.Errorf("%s: %q", layout, got)
		}
	}
}
