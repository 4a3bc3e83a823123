package basetalk_test

import (
	"regexp"
	"testing"

	"github.com/memforge/memforge/stages/crosssource/basetalk"
)

// TestTwoSpeakAsTwo: where only two are in a chat nobody speaks as to a group, and where
// more are, somebody does. What tells the time of the day is said in neither, for moments
// are planned without words.
func TestTwoSpeakAsTwo(t *testing.T) {
	t.Parallel()
	many := regexp.MustCompile(`\b(?i:which of you|you all|the group|and all,|tell the others|everybody is reading|we are all here|some of you|for all\.|has any(one|body)|does any(one|body)|any(one|body) (up|else)|let's hear)|(I think|It seems) [A-Z]\w+ (has|wants|is)`)
	hours := regexp.MustCompile(`(?i)\b(good night|good morning|tonight|this morning|last night|noon|at lunch|lunch first|^morning|^evening)\b`)
	for _, people := range []int{2, 5} {
		group, lines := 0, spoken(t, people)
		for _, l := range lines {
			if many.MatchString(l) {
				group++
				if people == 2 {
					t.Errorf("one of two says %q", l)
				}
			}
			if hours.MatchString(l) {
				t.Errorf("%q tells the time of the day", l)
			}
		}
		if people > 2 && group*200 < len(lines) {
			t.Errorf("%d of %d turns are to a group", group, len(lines))
		}
	}
}

// spoken are turns of a chat of so many, and what is said in it around pieces.
func spoken(t *testing.T, people int) (out []string) {
	t.Helper()
	all := cast(people, 1)
	v, err := basetalk.NewVoice(rnd(3), []string{"films", "sports"}, all)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := v.Chat(1500)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		out = append(out, l.Text)
	}
	for range 100 {
		for _, rule := range []string{"before", "ready", "prompt", "after", "after_topic", "heard", "welcome", "quote", "quoted", "picture", "table"} {
			text, err := v.Scaffold(rule, all[0].Name, all[1].Name, "Fig. 00000000", "budget")
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, text)
		}
	}
	return out
}
