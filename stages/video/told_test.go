package video

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/author"
)

// TestAuthorIsToldWhatIsCut tells the author of sections of which a shorter
// partner cuts off a part, and leaves out those that are not shown at all.
func TestAuthorIsToldWhatIsCut(t *testing.T) {
	for _, tc := range []struct {
		frames int64
		cut    []bool
	}{{750, []bool{false, false, false}}, {600, []bool{false, false, true}}, {400, []bool{false, true}}} {
		b := newBench(t)
		c, err := pipeline.Decode[schemas.Composition](b.kitchenPair()["swap0"])
		if err != nil {
			t.Fatal(err)
		}
		c.Media.Recipe = splitRecipe(c.Pair, tc.frames, nil)
		rec, err := compositionRecord(c)
		if err != nil {
			t.Fatal(err)
		}
		m := b.script(b.writes)
		b.run("video.author", "", rec)
		in := input[author.NameInput](t, m.requests[0])
		var cut []bool
		for _, p := range in.Target {
			cut = append(cut, p.Cut)
		}
		if !slices.Equal(cut, tc.cut) || len(in.Other) != len(tc.cut) {
			t.Errorf("%d of 750 frames are shown, and the author is told of sections cut %v, want %v", tc.frames, cut, tc.cut)
		}
	}
}

// TestAuthorsDecline counts what a model says it cannot write.
func TestAuthorsDecline(t *testing.T) {
	b := newBench(t)
	made := b.kitchenPair()
	b.script(func(r pipeline.Request) (any, error) {
		if a, err := b.writes(r); r.Task != author.JobName(schemas.TypeContentRetention) {
			return a, err
		}
		return map[string]any{"cannot": "no detail is told", "question": "", "options": []string{}, "evidence": []string{}, "explanation": ""}, nil
	})
	out, lost := b.run("video.author", `{"types": ["content_retention", "order_understanding"]}`, made["swap0"])
	if len(out) != 2 || len(lost) != 2 || lost[0].Code != "declined" || lost[0].Reason != "scripted-1 declines: no detail is told" {
		t.Errorf("%d questions, lost %+v", len(out), lost)
	}
	b.script(func(pipeline.Request) (any, error) {
		return author.Name{Cannot: "they are the same", Sections: []int{}}, nil
	})
	if _, lost = b.run("video.author", "", made["AB"]); len(lost) != 1 || lost[0].Code != "declined" || !strings.Contains(lost[0].Reason, "name video A") {
		t.Errorf("lost %+v", lost)
	}
}

// TestTitlesThatAreNoNames are left to the author.
func TestTitlesThatAreNoNames(t *testing.T) {
	for title, want := range map[string]string{
		"Rye": `the video titled "Rye"`, "  Two\u00a0words ": `the video titled "Two words"`, "": "", "a\x00b": "", "a\nb": "", "\x1b[31mred": "",
		`say "cheese"`: "", strings.Repeat("x", 81): "", strings.Repeat("x ", 13): "", "...": "", "a\xffb": "",
	} {
		if got, ok := author.TitleName(title); got != want || ok != (want != "") {
			t.Errorf("%q is called %q, want %q", title, got, want)
		}
	}
}
