package author

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
)

// measured is a video as the built-in captioner describes it.
func measured(rnd *rand.Rand, name string, sections int) Story {
	hues := []string{"black", "grey", "white", "green"}
	at := []string{"top left", "top right", "bottom left", "middle"}
	s := Story{Name: name}
	for i := range sections {
		p := Part{Section: i + 1, Start: float64(i), End: float64(i + 1)}
		c := rnd.Perm(len(hues))
		p.FineVisualAttribute = fmt.Sprintf("mostly %s and %s; %s, with low contrast", hues[c[0]], hues[c[1]], []string{"dark", "rather dark", "bright", "rather bright"}[rnd.IntN(4)])
		p.SpatialRelationBinding = "most of the movement is at the " + at[rnd.IntN(len(at))]
		if rnd.IntN(2) == 0 {
			p.ShortTermActionState = "slight movement; no cut"
		}
		s.Sections = append(s.Sections, p)
	}
	return s
}

// TestChoose holds every choice against the descriptions by itself: what its
// roles claim is so, word for word.
func TestChoose(t *testing.T) {
	chosen := map[string]int{}
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		in := Input{
			Target: measured(rnd, `the video titled "North Pier"`, 2+rnd.IntN(9)), Other: measured(rnd, `the video titled "South Yard"`, 2+rnd.IntN(9)),
		}
		for typ := range kinds {
			d, err := ChooseDraft(typ, in, rand.New(rand.NewPCG(seed, 2)))
			again, _ := ChooseDraft(typ, in, rand.New(rand.NewPCG(seed, 2)))
			if !reflect.DeepEqual(d, again) {
				t.Fatalf("seed %d, %s: two runs differ", seed, typ)
			}
			var refused *pipeline.Rejection
			if errors.As(err, &refused) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			chosen[typ]++
			d = AddFixedOptions(typ, in, d)
			if why := CheckDraft(typ, in, d); len(why) > 0 {
				t.Errorf("seed %d, %s: %q", seed, typ, why)
			}
			checkChoice(t, typ, in, d)
		}
	}
	t.Logf("chosen of 20: %v", chosen)
	for typ := range kinds {
		if chosen[typ] < 5 {
			t.Errorf("%s was chosen %d times of 20; the test sees too little of it", typ, chosen[typ])
		}
	}
}

func stands(s Story, text string) bool {
	return slices.ContainsFunc(s.Sections, func(p Part) bool {
		texts := groundtruth.DescriptionTexts(p.Description)
		return slices.ContainsFunc(texts[:], func(t string) bool { return t != "" && strings.Contains(t, text) })
	})
}

func checkChoice(t *testing.T, typ string, in Input, d Draft) {
	t.Helper()
	quote := d.Question[strings.Index(d.Question, `"`)+1:]
	quote = strings.TrimSuffix(quote, `"?`)
	switch typ {
	case schemas.TypeFalseMemory:
		if stands(in.Target, quote) || stands(in.Other, quote) {
			t.Errorf("the fake %q stands in a description", quote)
		}
		return
	case schemas.TypeSourceMemory:
		if !stands(in.Target, quote) || stands(in.Other, quote) {
			t.Errorf("%q is not the target's alone", quote)
		}
		return
	case schemas.TypeOrderUnderstanding:
		checkOrder(t, in, d)
		return
	}
	for _, o := range d.Options {
		want := map[string][2]bool{
			schemas.RoleCorrect: {true, false}, schemas.RoleIntrusion: {false, true}, schemas.RoleUnrelated: {false, false}, schemas.RoleDistractor: {false, true},
		}[o.Role]
		if typ == schemas.TypeContentRetention {
			want[1] = o.Role == schemas.RoleCorrect && stands(in.Other, o.Text)
		}
		if stands(in.Target, o.Text) != want[0] || stands(in.Other, o.Text) != want[1] {
			t.Errorf("%s: option %+v: in target %v, in other %v", typ, o, stands(in.Target, o.Text), stands(in.Other, o.Text))
		}
	}
}

// checkOrder finds where the quoted parts of each option stand.
func checkOrder(t *testing.T, in Input, d Draft) {
	t.Helper()
	for _, o := range d.Options {
		var at []int
		for _, text := range strings.Split(strings.Trim(o.Text, `"`), `", then "`) {
			at = append(at, slices.IndexFunc(in.Target.Sections, func(p Part) bool { return stands(Story{Sections: []Part{p}}, text) }))
		}
		if len(at) != 3 || slices.Contains(at, -1) || slices.IsSorted(at) != (o.Role == schemas.RoleCorrect) {
			t.Errorf("option %+v stands at %v", o, at)
		}
	}
}

func TestChooseRefusesAlikeVideos(t *testing.T) {
	same := measured(rand.New(rand.NewPCG(1, 1)), "the video titled \"A\"", 5)
	in := Input{Target: same, Other: Story{Name: "the video titled \"B\"", Sections: same.Sections}}
	for _, typ := range []string{schemas.TypeInterference, schemas.TypeSourceIdentification, schemas.TypeSourceMemory} {
		_, err := ChooseDraft(typ, in, rand.New(rand.NewPCG(1, 1)))
		var refused *pipeline.Rejection
		if !errors.As(err, &refused) || refused.Code != CodeAlike {
			t.Errorf("%s about equal videos: %v", typ, err)
		}
	}
	if n, ok := ChooseName(NameInput{Target: same.Sections, Other: same.Sections}); ok {
		t.Errorf("equal videos are told apart by %q", n.Phrase)
	}
}

func TestChooseName(t *testing.T) {
	n, ok := ChooseName(NameInput{Target: kitchen().Target.Sections, Other: kitchen().Other.Sections})
	if !ok || n.Phrase != `the video with a part described as "A woman sifts flour into a bowl"` || !slices.Equal(n.Sections, []int{1}) {
		t.Errorf("%v %+v", ok, n)
	}
}

func TestStrangeColoursAreFarFromWhatIsThere(t *testing.T) {
	in := Input{Target: Story{Sections: []Part{{Description: schemas.Description{FineVisualAttribute: "mostly white and brown"}}}}}
	if got := absentWords(in); !slices.Equal(got[0], []string{"black", "yellow", "green", "blue", "purple", "pink"}) || len(got[1]) != 4 {
		t.Errorf("%v", got)
	}
	c := chooser{in: in, absent: [][]string{{"green"}, nil}}
	if got := c.exchangeWords(excerpt{text: "mostly white and brown"}, 0); len(got) != 1 || got[0].text != "mostly green and brown" {
		t.Errorf("%+v", got)
	}
}

func TestExchange(t *testing.T) {
	for _, tc := range []struct{ text, old, word, want string }{
		{"mostly red and grey", "red", "blue", "mostly blue and grey"},
		{"Red and grey", "red", "blue", "blue and grey"},
		{"a scarred wall", "red", "blue", ""},
		{"red on red", "red", "blue", ""},
		{"blue-green water", "green", "red", ""},
		{"no colour", "", "red", ""},
	} {
		got, ok := exchangeWord(tc.text, tc.old, tc.word)
		if got != tc.want || ok != (tc.want != "") {
			t.Errorf("%q with %q for %q: %q, want %q", tc.text, tc.word, tc.old, got, tc.want)
		}
	}
}
