package planted_test

import (
	"cmp"
	"fmt"
	"image"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/gates/planted"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// size of the set that the gates are measured on.
var size = planted.Size{Clean: 30, Film: 6, Defect: perDefect}

// newSet makes the set and its film. Without ffmpeg it has no film items.
func newSet(t testing.TB, film bool) (*planted.Set, [][]byte) {
	t.Helper()
	s, err := planted.New(1, size)
	if err != nil {
		t.Fatal(err)
	}
	blobs := slices.Clone(s.Pictures)
	if film {
		b := shoot(t, s)
		s.SetFilm(string(pipeline.DigestOf(b)))
		return s, append(blobs, b)
	}
	s.Items = slices.DeleteFunc(s.Items, func(it planted.Item) bool { return it.Form == planted.Film })
	return s, blobs
}

// shoot encodes the film.
func shoot(t testing.TB, s *planted.Set) []byte {
	t.Helper()
	spec := media.FrameSpec{Width: planted.Width, Height: planted.Height, FPS: planted.FPS}
	frames := int64(planted.ShotFrames * len(s.Shots))
	path, err := media.Lazy().EncodeFrames(t.Context(), spec, func(n int64) (*image.RGBA, bool, error) {
		return s.Shots[min(n, frames-1)/planted.ShotFrames], n < frames, nil
	}, t.TempDir(), media.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func hasFFmpeg() bool {
	_, err := media.Locate()
	return err == nil
}

func questions(s *planted.Set) []schemas.Question {
	out := make([]schemas.Question, len(s.Items))
	for i, it := range s.Items {
		out[i] = it.Question
	}
	return out
}

func housing(t testing.TB, s *planted.Set, blobs [][]byte) *house {
	return newHouse(t, records(t, questions(s)), blobs)
}

// configured edits a gate's configuration as the chain has it.
func configured(gate string, full bool) func(map[string]any) {
	return func(c map[string]any) {
		c["full_protocol"] = full
		if types := only[gate]; types != nil {
			c["types"] = types
		}
	}
}

// TestCompetentPanel puts the set before a panel that can do all that can be
// done, behind a real server: every gate flags what violates it and no more.
func TestCompetentPanel(t *testing.T) {
	s, blobs := newSet(t, hasFFmpeg())
	if len(s.Items) < 400 {
		t.Errorf("%d items, want at least 400", len(s.Items))
	}
	h := housing(t, s, blobs)
	server := brain{}.serve(t, h)
	calls := 0
	table := map[string]map[string]int{}
	for _, gate := range chain {
		j := h.judge(t, gate, configured(gate, false))
		f := count(shouldFlag(s.Items, gate), j.flags())
		t.Logf("%-20s %s", gate, f)
		for i, it := range s.Items {
			calls += len(j.probes[i])
			note(table, it, gate, j.verdicts[i])
			if want := slices.Contains(violates(it), gate); want != (j.verdicts[i].Outcome == schemas.Fail) || j.verdicts[i].Outcome == schemas.Error {
				t.Errorf("%s on %s (%s, %s): %s %s; flagged should be %v", gate, it.Question.QuestionID, it.Form, it.Defect, j.verdicts[i].Outcome, j.verdicts[i].Reason, want)
			}
		}
	}
	t.Log("\n" + confusion(table, s))
	t.Logf("%d items, %d calls, of which the server answered %d", len(s.Items), calls, server.Counts().Answered)
}

func note(table map[string]map[string]int, it planted.Item, gate string, v schemas.Verdict) {
	if table[it.Defect] == nil {
		table[it.Defect] = map[string]int{}
	}
	table[it.Defect][""]++
	if v.Outcome == schemas.Fail {
		table[it.Defect][gate]++
	}
}

// confusion is the table of defects by gates.
func confusion(table map[string]map[string]int, s *planted.Set) string {
	var b strings.Builder
	names := []string{""}
	for _, d := range planted.Defects() {
		names = append(names, d.Name)
	}
	for _, name := range names {
		fmt.Fprintf(&b, "%-18s %3d:", cmp.Or(name, "clean"), table[name][""]/len(chain))
		for _, gate := range chain {
			if n := table[name][gate]; n > 0 {
				fmt.Fprintf(&b, " %s %d", gate, n)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestEqualSeedsGiveEqualSets(t *testing.T) {
	make := func(seed uint64) *planted.Set {
		s, err := planted.New(seed, planted.Size{Clean: 3, Film: 2, Defect: 3})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if !reflect.DeepEqual(make(3), make(3)) {
		t.Error("one seed gives two sets")
	}
	if reflect.DeepEqual(make(3).Items[0], make(4).Items[0]) {
		t.Error("two seeds give one set")
	}
}
