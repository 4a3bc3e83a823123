package appearance

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/memforge/memforge/schemas"
)

func TestDescribe(t *testing.T) {
	lively := schemas.Appearance{
		Colours: []string{"grey", "brown", "white", "red"}, Brightness: 0.4, Contrast: 0.3, Motion: 0.05, MotionAt: "top left", Cuts: 2, Text: []string{"top left", "bottom right"},
	}
	still := schemas.Appearance{Brightness: 0.9, Contrast: 0.01, Motion: 0, MotionAt: "middle"}
	tests := []struct {
		looks    *schemas.Appearance
		captions []string
		want     schemas.Description
	}{
		{&lively, []string{"Now we  stir.", "Then we wait."}, schemas.Description{
			MainStoryline:          `a caption says "Now we stir. Then we wait."`,
			SpatialRelationBinding: "most of the movement is at the top left",
			ShortTermActionState:   "moderate movement; 3 shots",
			FineVisualAttribute:    "mostly grey, brown and white; rather dark, with strong contrast",
			TextSymbol:             "what looks like text at the top left and bottom right",
		}},
		{&still, nil, schemas.Description{ShortTermActionState: "no movement; no cut", FineVisualAttribute: "bright, with low contrast"}},
		{nil, []string{"Hello."}, schemas.Description{MainStoryline: `a caption says "Hello."`}},
		{nil, nil, schemas.Description{}},
	}
	for _, tc := range tests {
		if got := Describe(tc.looks, tc.captions); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%+v", got)
		}
	}
}

// TestTextsFit holds the longest texts against what the answer schemas allow.
func TestTextsFit(t *testing.T) {
	long := []string{strings.Repeat("ä word ", 500)}
	d := Describe(nil, long)
	if n := utf8.RuneCountInString(d.MainStoryline); n > 600 || !strings.Contains(d.MainStoryline, "...") {
		t.Errorf("main_storyline has %d characters", n)
	}
	var many []schemas.Description
	for range 50 {
		many = append(many, d, schemas.Description{FineVisualAttribute: "dark"})
	}
	if n := utf8.RuneCountInString(Summary(many)); n > 1500 || n < 1000 {
		t.Errorf("summary has %d characters", n)
	}
}

func TestPlaces(t *testing.T) {
	for want, ninths := range map[string][]string{
		"what looks like text in the centre":                          {"centre"},
		"what looks like text in the centre and at the top and right": {"top", "centre", "right"},
		"what looks like text at the left":                            {"left"},
		"what looks like text in most of the picture":                 {"top left", "top", "top right", "left", "centre", "right"},
		"": nil,
	} {
		if got := Describe(&schemas.Appearance{Text: ninths}, nil).TextSymbol; got != want {
			t.Errorf("%q: %q", ninths, got)
		}
	}
	if got := Describe(&schemas.Appearance{Motion: 0.1, MotionAt: "centre"}, nil).SpatialRelationBinding; got != "most of the movement is in the centre" {
		t.Error(got)
	}
}

func TestLabels(t *testing.T) {
	if got := SceneLabel(schemas.Appearance{Colours: []string{"grey", "green", "red"}, Brightness: 0.7}); got != "bright green and grey" {
		t.Error(got)
	}
	if got := SceneLabel(schemas.Appearance{Brightness: 0.1}); got != "dark" {
		t.Error(got)
	}
	for motion, want := range map[float64]string{0: "no movement", 0.01: "slight movement", 0.03: "moderate movement", 0.2: "strong movement"} {
		if got := MotionLabel(schemas.Appearance{Motion: motion}); got != want {
			t.Errorf("motion %g is %q, want %q", motion, got, want)
		}
	}
}

func TestSummarySaysItWasNotWatched(t *testing.T) {
	got := Summary([]schemas.Description{{FineVisualAttribute: "dark"}, {FineVisualAttribute: "dark"}, {FineVisualAttribute: "bright", MainStoryline: `a caption says "Hi"`}})
	if got != `Measured in 3 parts, not watched. Part 1: dark. Part 3: a caption says "Hi"` {
		t.Error(got)
	}
}
