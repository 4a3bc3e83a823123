package author

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// kitchen is two cooking videos as a captioner might describe them.
func kitchen() Input {
	part := func(n int, main, spatial, action, tool, fine, text string) Part {
		return Part{Section: n, Start: float64(10*n - 10), End: float64(10 * n), Description: schemas.Description{
			MainStoryline: main, SpatialRelationBinding: spatial, ShortTermActionState: action, ToolProp: tool, FineVisualAttribute: fine, TextSymbol: text,
		}}
	}
	return Input{
		Shown: LayoutSentence(schemas.LayoutConcat),
		Target: Story{Name: "the video in which a woman bakes bread", Sections: []Part{
			part(1, "A woman sifts flour into a bowl.", "The bowl stands left of the scale.", "The lid of a jar is opened.", "A green enamel bowl and a sieve.", "She wears a red apron.", `"RYE" on a paper bag.`),
			part(2, "She kneads the dough on the table.", "The dough lies in the middle.", "The oven is switched on.", "A wooden rolling pin.", "The table top is white marble.", ""),
			part(3, "She slides the loaf into the oven.", "The oven is at the right edge.", "The oven door is closed.", "A blue oven glove.", "The loaf is round and brown.", `The dial shows "220".`),
		}},
		Other: Story{Name: "the video in which a man cooks soup", Sections: []Part{
			part(1, "A man peels carrots.", "The board lies right of the sink.", "The tap is turned on.", "A yellow plastic board and a peeler.", "He wears a black shirt.", ""),
			part(2, "He boils water in a pot.", "The pot stands at the back.", "A lid is put on the pot.", "A steel ladle with a long handle.", "The wall is tiled in grey.", `"SALT" on a tin.`),
			part(3, "He pours soup into a bowl.", "Two bowls stand side by side.", "The stove is switched off.", "A white china bowl.", "The soup is orange.", ""),
		}},
		Asked: []string{}, Refused: []Refusal{},
	}
}

// sound are drafts that pass, one a type.
func sound() map[string]Draft {
	name := kitchen().Target.Name
	wrong := func(role string, texts ...string) []Option {
		var out []Option
		for _, t := range texts {
			out = append(out, Option{t, role})
		}
		return out
	}
	right := func(t string) []Option { return []Option{{t, schemas.RoleCorrect}} }
	return map[string]Draft{
		schemas.TypeInterference: {
			Question: "In " + name + ", which bowl or board is worked with?",
			Options: append(right("a green enamel bowl"),
				Option{"a yellow plastic board", schemas.RoleIntrusion}, Option{"a white china bowl", schemas.RoleIntrusion}, Option{"a brown clay dish", schemas.RoleUnrelated}),
			Evidence: []Evidence{{RoleTarget, 1}, {RoleOther, 1}, {RoleOther, 3}}, Explanation: "The bowl is green.",
		},
		schemas.TypeSourceIdentification: {
			Question: "In " + name + ", what happens to a device?",
			Options:  append(right("The oven is switched on."), wrong(schemas.RoleDistractor, "The tap is turned on.", "The stove is switched off.", "A lid is put on the pot.")...),
			Evidence: []Evidence{{RoleTarget, 2}, {RoleOther, 1}, {RoleOther, 2}, {RoleOther, 3}}, Explanation: "Only the oven is in the target.",
		},
		schemas.TypeOrderUnderstanding: {
			Question: "In " + name + ", what happens directly after the flour is sifted?",
			Options:  append(right("The dough is kneaded."), wrong(schemas.RoleDistractor, "The loaf is baked.", "The jar is opened.", "The oven is closed.")...),
			Evidence: []Evidence{{RoleTarget, 1}, {RoleTarget, 2}}, Explanation: "Kneading follows sifting.",
		},
		schemas.TypeContentRetention: {
			Question: "In " + name + ", what colour is the apron?",
			Options:  append(right("red"), wrong(schemas.RoleDistractor, "blue", "green", "white")...),
			Evidence: []Evidence{{RoleTarget, 1}}, Explanation: "The apron is red.",
		},
		schemas.TypeFalseMemory: {
			Question: "In which of the two videos is an egg broken into a bowl?",
			Evidence: []Evidence{{RoleTarget, 1}, {RoleOther, 3}}, Explanation: "No egg is in either.",
		},
		schemas.TypeSourceMemory: {
			Question: "In which of the two videos is flour sifted into a bowl?",
			Evidence: []Evidence{{RoleTarget, 1}}, Explanation: "She sifts flour.",
		},
	}
}

func TestSoundDraftsPass(t *testing.T) {
	for typ, d := range sound() {
		if why := CheckDraft(typ, kitchen(), AddFixedOptions(typ, kitchen(), d)); len(why) > 0 {
			t.Errorf("%s: %q", typ, why)
		}
	}
	if len(sound()) != len(kinds) {
		t.Errorf("%d types are tested, there are %d", len(sound()), len(kinds))
	}
}

func TestCheckSaysWhatIsWrong(t *testing.T) {
	name := kitchen().Target.Name
	text := func(i int, s string) func(*Input, *Draft) { return func(_ *Input, d *Draft) { d.Options[i].Text = s } }
	ask := func(q string) func(*Input, *Draft) { return func(_ *Input, d *Draft) { d.Question = q } }
	tests := []struct {
		name, typ string
		spoil     func(*Input, *Draft)
		want      string
	}{
		{"two correct", schemas.TypeInterference, func(_ *Input, d *Draft) { d.Options[1].Role = schemas.RoleCorrect }, `2 options have the role "correct"; 1 must`},
		{"no intrusion", schemas.TypeInterference, func(_ *Input, d *Draft) { d.Options[1].Role = schemas.RoleUnrelated }, `1 options have the role "intrusion"; 2 must`},
		{"roles of another type", schemas.TypeContentRetention, func(_ *Input, d *Draft) { d.Options[1].Role = schemas.RoleIntrusion }, `"distractor"; 3 must`},
		{"equal options", schemas.TypeContentRetention, text(1, "Red."), "hold one another"},
		{"option within option", schemas.TypeInterference, text(3, "a green enamel bowl with a lid"), "hold one another"},
		{"same words", schemas.TypeInterference, text(3, "a enamel green bowl"), "say the same"},
		{"empty option", schemas.TypeContentRetention, text(1, " - "), "has no word"},
		{"lettered", schemas.TypeContentRetention, text(1, "B. blue"), "carries a letter"},
		{"sweeping", schemas.TypeContentRetention, text(1, "none of these"), "speaks of other options"},
		{"option names a place", schemas.TypeSourceIdentification, text(1, "A tap in the left half is opened."), `"left half"`},
		{"long right option", schemas.TypeContentRetention, text(0, "red with a white hem and two pockets"), "about equally long"},
		{"right option stands out", schemas.TypeOrderUnderstanding, text(0, "The dough is kneaded on the table."), "its length must not tell it"},
		{"giveaway", schemas.TypeInterference, ask("In " + name + ", which green enamel thing is used?"), `"enamel" "green"`},
		{"no name", schemas.TypeContentRetention, ask("What colour is the apron?"), "must hold"},
		{"both names", schemas.TypeContentRetention, ask("In " + name + " and not in the video in which a man cooks soup, what colour is the apron?"), "not the name of the other"},
		{"by place", schemas.TypeContentRetention, ask("In " + name + ", the first video, what colour is the apron?"), `"first video"`},
		{"by side", schemas.TypeContentRetention, ask("In " + name + ", the one on the left, what colour is the apron?"), "on the left"},
		{"by section", schemas.TypeContentRetention, ask("In section 2 of " + name + ", what colour is the apron?"), `"section 2"`},
		{"by time", schemas.TypeContentRetention, ask("In " + name + ", what colour is the apron at 0:12?"), `"at 0:12"`},
		{"no question mark", schemas.TypeContentRetention, ask("In " + name + ", the apron has a colour."), "question mark"},
		{"asked already", schemas.TypeContentRetention, func(in *Input, d *Draft) { in.Asked = []string{strings.ToUpper(d.Question)} }, "asked already"},
		{"no such section", schemas.TypeContentRetention, func(_ *Input, d *Draft) { d.Evidence[0].Section = 4 }, "section 4 of the target video"},
		{"evidence of the other only", schemas.TypeContentRetention, func(_ *Input, d *Draft) { d.Evidence[0].Video = RoleOther }, "at least one section of the target"},
		{"no evidence of the other", schemas.TypeInterference, func(_ *Input, d *Draft) { d.Evidence = d.Evidence[:1] }, "at least one section of the other"},
		{"right in both", schemas.TypeSourceIdentification, func(in *Input, _ *Draft) { in.Other.Sections[0].MainStoryline = "the oven is switched on" }, "must be false of the other video"},
		{"intrusion in target", schemas.TypeInterference, text(1, "a wooden rolling pin"), "must be false of the target video"},
		{"unrelated in other", schemas.TypeInterference, text(3, "A steel ladle"), "must be false of the other video"},
		{"distractor in target", schemas.TypeContentRetention, func(_ *Input, d *Draft) {
			for i, s := range []string{"a red apron", "a blue oven glove", "a green apron", "a white apron"} {
				d.Options[i].Text = s
			}
		}, "must be false of the target video"},
		{"letter in explanation", schemas.TypeContentRetention, func(_ *Input, d *Draft) { d.Explanation = "Option B is blue." }, `"Option B"`},
		{"fake question names", schemas.TypeFalseMemory, ask("In which of the two videos, as in " + name + ", is an egg broken?"), "name neither video"},
		{"fake question of another form", schemas.TypeFalseMemory, ask("Who breaks an egg?"), "must begin with"},
		{"true question without evidence", schemas.TypeSourceMemory, func(_ *Input, d *Draft) { d.Evidence[0].Video = RoleOther }, "at least one section of the target"},
		{"unknown type", "riddle", func(*Input, *Draft) {}, "no question type"},
	}
	for _, tc := range tests {
		in, d := kitchen(), sound()[tc.typ]
		tc.spoil(&in, &d)
		why := strings.Join(CheckDraft(tc.typ, in, AddFixedOptions(tc.typ, in, d)), "\n")
		if !strings.Contains(why, tc.want) {
			t.Errorf("%s: %q does not say %q", tc.name, why, tc.want)
		}
	}
}

// TestPlaceWordsWithinAVideo allows what is said about things in the picture
// and about what happens.
func TestPlaceWordsWithinAVideo(t *testing.T) {
	for _, ok := range []string{
		"the cup on the left of the plate", "after the lid is opened", "the second cup", "her left hand", "the top shelf", "a video camera", "two parts of the dough",
	} {
		if m := findPlacement(ok, true); m != "" {
			t.Errorf("%q is refused for %q", ok, m)
		}
	}
	for _, bad := range []string{"the second video", "the right half", "video B", "the video on the right", "Section 3", "at second 12", "after 12.5 s", "the former video", "the last of the two videos"} {
		if findPlacement(bad, true) == "" {
			t.Errorf("%q passes", bad)
		}
	}
}

func TestCheckName(t *testing.T) {
	in := NameInput{Target: kitchen().Target.Sections, Other: kitchen().Other.Sections}
	if why := CheckName(in, Name{Phrase: "the video in which a woman bakes bread", Sections: []int{1, 3}}); len(why) > 0 {
		t.Error(why)
	}
	for phrase, want := range map[string]string{
		"a woman bakes bread":                                    "must begin",
		"the video of bread":                                     "has 4 words",
		"the video on the left with a loaf":                      "place, time or number",
		"the video in which " + strings.Repeat("she bakes ", 15): "words; use",
	} {
		why := strings.Join(CheckName(in, Name{Phrase: phrase, Sections: []int{1}}), "\n")
		if phrase == "the video of bread" {
			if why != "" {
				t.Errorf("four words are enough: %s", why)
			}
			continue
		}
		if !strings.Contains(why, want) {
			t.Errorf("%q: %q does not say %q", phrase, why, want)
		}
	}
	if why := CheckName(in, Name{Phrase: "the video in which a woman bakes bread", Sections: []int{4}}); len(why) != 1 {
		t.Errorf("section 4 of 3: %v", why)
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("In the video in which a woman bakes bread, what colour is the apron?", "red", "blue\x00", 1)
	f.Add("\xff İ?", "", "the", -1)
	f.Fuzz(func(t *testing.T, question, right, wrong string, section int) {
		for typ, d := range sound() {
			in := kitchen()
			in.Target.Name = wrong
			d.Question = question
			for i := range d.Options {
				d.Options[i].Text = wrong
			}
			if len(d.Options) > 0 {
				d.Options[0].Text = right
			}
			d.Evidence[0].Section = section
			CheckDraft(typ, in, AddFixedOptions(typ, in, d))
		}
	})
}

// TestParticlesGiveNothingAway: what question and right option share must be
// something that is seen.
func TestParticlesGiveNothingAway(t *testing.T) {
	for event, want := range map[string]int{
		"a D is turned letter up": 0,
		"a D is put on the mat":   1,
	} {
		d := Draft{Question: "In " + kitchen().Target.Name + ", what happens before the yellow W is picked up from the mat?"}
		d.Options = []Option{{event, schemas.RoleCorrect}, {"a Y is shifted", schemas.RoleDistractor}, {"an O is pushed along", schemas.RoleDistractor}}
		var why []string
		checkGiveaway(kitchen(), d, func(format string, args ...any) { why = append(why, fmt.Sprintf(format, args...)) })
		if len(why) != want {
			t.Errorf("%q: %q", event, why)
		}
	}
}
