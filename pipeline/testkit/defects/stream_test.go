package defects_test

import (
	"fmt"
	"image"
	"os"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/defects"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
)

// How many sound questions of either kind a stream has.
const (
	soundPlaces   = 7
	soundAbsences = 3
)

// newStream is a house with questions about one stream, those that keep keeps
// and may edit.
func newStream(t *testing.T, layout string, keep func(*defects.Item) bool) ([]defects.Item, *house) {
	t.Helper()
	s := defects.NewStream(3, layout, soundPlaces, soundAbsences)
	size := s.Shots[0].Bounds()
	frames := int64(defects.ShotFrames * len(s.Shots))
	path, err := media.Lazy().EncodeFrames(t.Context(), media.FrameSpec{Width: int32(size.Dx()), Height: int32(size.Dy()), FPS: defects.FPS}, func(n int64) (*image.RGBA, bool, error) {
		return s.Shots[min(n, frames-1)/defects.ShotFrames], n < frames, nil
	}, t.TempDir(), media.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	film, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s.SetFilm(string(pipeline.DigestOf(film)))
	var items []defects.Item
	for i := range s.Items {
		if keep(&s.Items[i]) {
			items = append(items, s.Items[i])
		}
	}
	s.Items = items
	h := newHouse(t, records(t, questions(s.Items)), [][]byte{film})
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		said, err := watch(a)
		if err != nil {
			t.Error(err)
		}
		return testkit.ReplyJSON(said)
	})
	h.roles, h.models = server.Live(t, "panel_a", "panel_b", "judge")
	return s.Items, h
}

// watch answers as somebody who sees every picture and reads what is told of
// it.
func watch(a testkit.ChatRequest) (map[string]string, error) {
	shown, err := defects.ReadPrompt(a.User, a.Images)
	if err != nil {
		return nil, err
	}
	said := map[string]string{"why": "As shown."}
	word := map[bool]string{true: "yes", false: "no"}
	switch {
	case strings.HasSuffix(a.Task, "contradiction"):
		yes, err := defects.StreamContradicted(shown)
		said["contradicted"] = word[yes]
		return said, err
	case strings.HasSuffix(a.Task, "support"):
		yes, err := defects.StreamSupported(shown)
		said["supported"] = word[yes]
		return said, err
	}
	said["answer"], err = defects.SolveStream(shown)
	return said, err
}

// flaggedOf counts what a gate flags of the sound and of the planted ones, by
// what is asked.
func flaggedOf(items []defects.Item, j judged) string {
	n := map[string]int{}
	for i, it := range items {
		kind := "sound"
		if it.Defect != "" {
			kind = "wrong"
		}
		kind += " " + strings.TrimRight(strings.TrimPrefix(it.Question.QuestionID, it.Form+"-"), "0123456789")
		if n[kind] += 0; j.verdicts[i].Outcome != schemas.Pass {
			n[kind]++
		}
	}
	return fmt.Sprint(n)
}

// TestPlacesAndAbsences: a competent panel passes questions about halves, sides
// and what occurs nowhere, and flags those whose gold is wrong.
func TestPlacesAndAbsences(t *testing.T) {
	if testing.Short() {
		t.Skip("short: runs ffmpeg")
	}
	if _, err := media.Locate(); err != nil {
		t.Skipf("needs ffmpeg: %v", err)
	}
	// Of sides, whose pictures are taken as those of halves are, at full size alone.
	for _, layout := range testsize.Choose([]string{defects.Halves}, []string{defects.Halves, defects.Sides}) {
		items, h := newStream(t, layout, func(*defects.Item) bool { return true })
		if got := flaggedOf(items, h.judge(t, "correctness", nil)); got != "map[sound absence:0 sound place:0 wrong absence:3 wrong place:7]" {
			t.Errorf("%s, correctness: flagged %s", layout, got)
		}
		// All sound ones, and one wrong one of either kind: each takes a run of
		// ffmpeg.
		some, part := []defects.Item{}, *h
		part.refs = nil
		for i, it := range items {
			if it.Defect == "" || strings.HasSuffix(it.Question.QuestionID, "place7") || strings.HasSuffix(it.Question.QuestionID, "absence3") {
				some, part.refs = append(some, it), append(part.refs, h.refs[i])
			}
		}
		if got := flaggedOf(some, part.judge(t, "oracle", nil)); got != "map[sound absence:0 sound place:0 wrong absence:1 wrong place:1]" {
			t.Errorf("%s, oracle: flagged %s", layout, got)
		}
		if got := flaggedOf(items, h.judge(t, "option-only", nil)); got != "map[sound absence:0 sound place:0 wrong absence:0 wrong place:0]" {
			t.Errorf("%s, option-only: %s", layout, got)
		}
		// Parts of what occurs nowhere are no evidence.
		for i, v := range h.judge(t, "answerable-alone", nil).verdicts {
			if strings.Contains(items[i].Question.QuestionID, "absence") && (v.Outcome != schemas.NotApplicable || !strings.HasPrefix(v.Reason, "absence:")) {
				t.Errorf("%s: %s %s", v.Item, v.Outcome, v.Reason)
			}
		}
	}
}

// TestWithoutTimeNothingPasses shows what the setting and the role are for: as
// questions were before, a competent judge flags all of them.
func TestWithoutTimeNothingPasses(t *testing.T) {
	if testing.Short() {
		t.Skip("short: runs ffmpeg")
	}
	if _, err := media.Locate(); err != nil {
		t.Skipf("needs ffmpeg: %v", err)
	}
	items, h := newStream(t, defects.Halves, func(it *defects.Item) bool {
		it.Question.Setting = ""
		if e := &it.Question.Evidence[0]; e.Role == schemas.RoleAbsence {
			e.Role = schemas.RoleClue
		}
		return it.Defect == ""
	})
	if got := flaggedOf(items, h.judge(t, "correctness", nil)); got != "map[sound absence:3 sound place:7]" {
		t.Errorf("flagged %s", got)
	}
}

// TestFittedViewsSaySo: what is left of a view stands in every probe, and whoever
// has the item and the configuration finds the same.
func TestFittedViewsSaySo(t *testing.T) {
	if testing.Short() {
		t.Skip("short: runs ffmpeg")
	}
	if _, err := media.Locate(); err != nil {
		t.Skipf("needs ffmpeg: %v", err)
	}
	items, h := newStream(t, defects.Halves, func(it *defects.Item) bool { return strings.HasSuffix(it.Question.QuestionID, "0") })
	if len(items) != 3 {
		t.Fatalf("%d items", len(items))
	}
	few := func(c map[string]any) { c["max_pictures"] = 5 }
	j, viewer := h.judge(t, "correctness", few), h.viewer(t, "correctness", few)
	for i, it := range items {
		want := [2]int32{5, 16} // eight of what is cited, eight of the rest
		if strings.HasSuffix(it.Question.QuestionID, "place10") {
			want[1] = 24 // which is two spans
		}
		if it.Question.Evidence[0].Role == schemas.RoleAbsence {
			want = [2]int32{5, 32}
		}
		for _, p := range j.probes[i] {
			shown, err := viewer.Show(itemOf(&it.Question), p, nil)
			if p.Pictures != want[0] || p.PicturesFull != want[1] || err != nil || string(shown.Digest) != p.ViewDigest || shown.FullPictures != int(want[1]) {
				t.Errorf("%s: %d of %d pictures, view %+v, %v; want %v", p.Item, p.Pictures, p.PicturesFull, shown, err, want)
			}
		}
	}
}
