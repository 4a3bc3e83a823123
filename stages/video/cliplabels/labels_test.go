package cliplabels

import (
	"slices"
	"strings"
	"testing"
	"testing/quick"

	"github.com/memforge/memforge/schemas"
)

func TestNormal(t *testing.T) {
	for in, want := range map[string]string{
		"  The Kitchen. ": "kitchen", "a  city\tstreet": "city street", "\"chopping vegetables\"": "chopping vegetables",
		"Living-Room": "living-room", "dog's bed": "dog's bed", "A": "a", "the": "the", "!?": "", "": "", "küche": "küche", "- pier -": "pier",
	} {
		if got := Normalise(in); got != want {
			t.Errorf("Normal(%q) = %q, want %q", in, got, want)
		}
	}
	if err := quick.Check(func(s string) bool {
		return Normalise(Normalise(s)) == Normalise(s) || strings.HasPrefix(Normalise(s), "a") || strings.HasPrefix(Normalise(s), "the")
	}, nil); err != nil {
		t.Error(err)
	}
}

func TestListCountsReuse(t *testing.T) {
	l := NewOpen()
	for _, g := range []struct {
		label  string
		reused bool
		want   string
	}{{"Kitchen", false, "kitchen"}, {"the kitchen.", true, "kitchen"}, {"garden", true, "garden"}, {"Garden", false, "garden"}} {
		if err := l.Check(g.label); err != nil {
			t.Fatal(err)
		}
		if got := l.Assign(g.label, g.reused); got != g.want {
			t.Errorf("%q became %q, want %q", g.label, got, g.want)
		}
	}
	l.AddKnown("pier")
	l.AddKnown("garden")
	if want := (schemas.LabelUse{Known: 2, New: 2, Reused: 2, Misstated: 2}); l.Usage() != want {
		t.Errorf("use %+v, want %+v", l.Usage(), want)
	}
	if got := l.Names(); !slices.Equal(got, []string{"kitchen", "garden", "pier"}) {
		t.Errorf("names %q", got)
	}
	for _, bad := range []string{"", " . ", "one two three four five six seven", strings.Repeat("x", 61)} {
		if l.Check(bad) == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestClosedList(t *testing.T) {
	l := NewClosed([]string{"Kitchen", "garden"})
	if err := l.Check("the garden"); err != nil {
		t.Error(err)
	}
	if err := l.Check("pier"); err == nil || !strings.Contains(err.Error(), "kitchen, garden") {
		t.Errorf("a label outside the list: %v", err)
	}
	if got := l.Assign("Garden", true); got != "garden" || l.Usage() != (schemas.LabelUse{Reused: 1}) {
		t.Errorf("%q, use %+v", got, l.Usage())
	}
}

func TestCheckVocabulary(t *testing.T) {
	for _, bad := range [][]string{{"kitchen"}, {"kitchen", ""}, {"kitchen", "The kitchen"}, {"a b c d e f g h", "x"}} {
		if CheckVocabulary(Scene, bad) == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	for _, ok := range [][]string{nil, {"kitchen", "garden"}} {
		if err := CheckVocabulary(Scene, ok); err != nil {
			t.Error(err)
		}
	}
}

func TestOf(t *testing.T) {
	v := schemas.Video{
		Labels: map[string]string{Scene: "The Pier"},
		Events: []schemas.Event{
			{Kind: "picks up", Object: "cup", Start: 0, End: 4}, {Kind: "shows", Object: "Bird", Start: 10, End: 20},
			{Kind: "opens", Start: 20, End: 30}, {Kind: "enters", Start: 20, End: 29},
		},
	}
	for _, tc := range []struct {
		attribute  string
		start, end float64
		want       string
	}{
		{Scene, 0, 5, "pier"}, {Action, 0, 5, "picks up"}, {Action, 0, 10, ""}, {Action, 10, 20, "bird"}, {Action, 12, 14, "bird"},
		{Action, 20, 30, ""}, {Action, 40, 50, ""}, {Action, 5, 5, ""}, {"mood", 0, 5, ""},
	} {
		if got := KnownLabel(v, tc.attribute, tc.start, tc.end); got != tc.want {
			t.Errorf("%s of %g to %g is %q, want %q", tc.attribute, tc.start, tc.end, got, tc.want)
		}
	}
	v.Labels[Action] = "waving"
	if got := KnownLabel(v, Action, 10, 20); got != "waving" {
		t.Errorf("the video's own label gives %q", got)
	}
}
