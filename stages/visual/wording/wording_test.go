package wording_test

import (
	"strings"
	"testing"

	"github.com/memforge/memforge/stages/visual/scene"
	"github.com/memforge/memforge/stages/visual/wording"
)

// TestEightWordings: each type asks for each aspect in eight ways at least, in no two the
// same, and each is read back as what it asks.
func TestEightWordings(t *testing.T) {
	slots := strings.NewReplacer(
		"{thing}", "the tag on mat A", "{class}", "tile", "{prep}", "on", "{be}", "is", "{do}", "does", "{has}", "has", "{is}", "is", "{are}", "are", "{can}", "can",
		"{picture}", `the photo where "call the plumber" is written on the blackboard and the colour of the kitchen cabinets is red`, "{picture2}", "the chat list from just after a niece phoned for advice",
		"{thing2}", "the chat with Tariq", "{prep2}", "in", "{items}", "a key beside mat A, a pencil beside mat B or a key beside mat C",
	)
	cells := map[string][]string{"value": scene.Aspects(), "current": scene.Aspects(), "before": scene.Aspects(), "match": scene.Aspects()[:9], "sum": {"count"}, "first": {""}}
	for form, aspects := range cells {
		for _, aspect := range aspects {
			seen := map[string]bool{}
			for _, way := range wording.Questions(form, aspect) {
				q := slots.Replace(way) + "?"
				if seen[q] || strings.ContainsAny(q, "{}") {
					t.Errorf("%s %s: %q is there twice, or has a slot left", form, aspect, q)
				}
				seen[q] = true
				read := 0
				for _, r := range wording.Read(q) {
					if r.Form == form && r.Aspect == aspect && (r.Slots["thing"] == "" || r.Slots["thing"] == "the tag on mat A") {
						read++
					}
				}
				if read != 1 {
					t.Errorf("%s %s: %q is read %d times as that: %+v", form, aspect, q, read, wording.Read(q))
				}
			}
			if len(seen) < 8 {
				t.Errorf("%s %s: %d wordings, want 8", form, aspect, len(seen))
			}
		}
	}
}

// TestNames: a name of a picture is taken apart as it was put together, and no name has a
// date.
func TestNames(t *testing.T) {
	for _, tc := range []struct{ name, noun, sights, occasion string }{
		{wording.Name("photo", "the colour of the sofa is pink", ""), "photo", "the colour of the sofa is pink", ""},
		{wording.Name("chat list", "the chat with Ada is third", "the chat with Bo is last"), "chat list", "the chat with Ada is third and the chat with Bo is last", ""},
		{wording.NameByOccasion("comic page", "a niece phoned"), "comic page", "", "a niece phoned"},
		{"the photo of 3 May 2025", "", "", ""},
	} {
		if noun, sights, occasion := wording.ParseName(tc.name); noun != tc.noun || sights != tc.sights || occasion != tc.occasion {
			t.Errorf("%q: %q, %q, %q", tc.name, noun, sights, occasion)
		}
	}
	thing, value, ok := wording.ReadSight("which", "the painting above the bed is the feather")
	if thing != "the bed" || value != "the feather" || !ok {
		t.Errorf("read %q, %q, %t", thing, value, ok)
	}
	if _, _, ok := wording.ReadSight("count", "the colour of the sofa is pink"); ok {
		t.Error("a colour is read as a count")
	}
}

func FuzzRead(f *testing.F) {
	f.Add("In the photo where the sofa is pink, what colour is the rug?")
	f.Add("the photo from just after ?")
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range wording.Read(text) {
			for name, slot := range r.Slots {
				if !strings.Contains(text, slot) {
					t.Errorf("%q: %s is %q, which is not there", text, name, slot)
				}
			}
		}
		wording.ParseName(text)
	})
}
