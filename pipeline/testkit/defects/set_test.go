package defects_test

import (
	"cmp"
	"fmt"
	"image"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/testkit/defects"
	"github.com/memforge/memforge/schemas"
)

// extent is the size of the set that the gates are measured on.
var extent = defects.Size{Clean: 40, Film: 2, Defect: perDefect}

// bench is a part of the set and where gates are run on it.
type bench struct {
	items []defects.Item
	house *house
	// pictures by their ids.
	pictures map[string][]byte
}

// newBench takes the items that rest on the film, or all others.
func newBench(t testing.TB, films bool) bench {
	t.Helper()
	s, err := defects.NewSet(1, extent)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Items) < 400 {
		t.Errorf("the set has %d items, want at least 400", len(s.Items))
	}
	blobs := s.Pictures
	if films {
		film := shoot(t, s)
		s.SetFilm(string(pipeline.DigestOf(film)))
		blobs = [][]byte{film}
	}
	items := slices.DeleteFunc(s.Items, func(it defects.Item) bool { return (it.Form == defects.Film) != films })
	b := bench{items, newHouse(t, records(t, questions(items)), blobs), map[string][]byte{}}
	for _, p := range s.Pictures {
		b.pictures[string(pipeline.DigestOf(p))] = p
	}
	return b
}

// part is a bench with the items at some places.
func (b bench) part(keep func(i int) bool) bench {
	h := *b.house
	h.refs = nil
	var items []defects.Item
	for i, it := range b.items {
		if keep(i) {
			items, h.refs = append(items, it), append(h.refs, b.house.refs[i])
		}
	}
	return bench{items, &h, b.pictures}
}

// shoot encodes the film.
func shoot(t testing.TB, s *defects.Set) []byte {
	t.Helper()
	spec := media.FrameSpec{Width: defects.Width, Height: defects.Height, FPS: defects.FPS}
	frames := int64(defects.ShotFrames * len(s.Shots))
	path, err := media.Lazy().EncodeFrames(t.Context(), spec, func(n int64) (*image.RGBA, bool, error) {
		return s.Shots[min(n, frames-1)/defects.ShotFrames], n < frames, nil
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

func questions(items []defects.Item) []schemas.Question {
	out := make([]schemas.Question, len(items))
	for i, it := range items {
		out[i] = it.Question
	}
	return out
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

// TestPanels puts the items without films before several panels.
func TestPanels(t *testing.T) {
	b := newBench(t, false)
	if testing.Short() { // enough for the race detector; the others ask thousands of times
		t.Run("behind a server", b.part(func(i int) bool { return i%21 == 0 }).behindAServer)
		return
	}
	t.Run("behind a server", b.part(func(i int) bool { return i%7 == 0 }).behindAServer)
	t.Run("competent", b.competent)
	t.Run("noisy", b.noisy)
	t.Run("sequential is full", b.part(func(i int) bool { return i%12 == 1 }).sequentialIsFull)
}

// competent asks a panel that can do all that can be done: every gate flags what
// violates it and no more.
func (b bench) competent(t *testing.T) {
	brain{}.sit(t, b.house, "competent.invalid")
	calls, table := 0, map[string]map[string]int{}
	for _, gate := range chain {
		calls += b.exact(t, gate, table)
	}
	t.Logf("%d items, %d calls\n%s", len(b.items), calls, confusion(table))
}

// behindAServer asks the same panel through a real server.
func (b bench) behindAServer(t *testing.T) {
	server := brain{}.serve(t, b.house)
	calls, table := 0, map[string]map[string]int{}
	for _, gate := range chain {
		calls += b.exact(t, gate, table)
	}
	n := server.Counts().Answered
	t.Logf("%d items, %d calls, of which the server answered %d; the others are the same question in another gate\n%s", len(b.items), calls, n, confusion(table))
	if n == 0 || n > calls {
		t.Errorf("the server answered %d of %d calls", n, calls)
	}
}

// TestFilms puts the items with films before a competent panel behind a server. The gates that have
// nothing to do with the defect and show the film see the clean ones only:
// pictures of a video take a run of ffmpeg for each item and gate.
func TestFilms(t *testing.T) {
	if testing.Short() {
		t.Skip("takes pictures of videos; run without -short")
	}
	if _, err := media.Locate(); err != nil {
		t.Skipf("needs ffmpeg: %v", err)
	}
	b := newBench(t, true)
	brain{}.serve(t, b.house)
	few := b.part(func(i int) bool { return b.items[i].Defect == "" })
	table := map[string]map[string]int{}
	for _, gate := range chain {
		if slices.Contains([]string{"oracle", "correctness", "taxonomy-y1"}, gate) {
			few.exact(t, gate, table)
			continue
		}
		b.exact(t, gate, table)
	}
	t.Log("\n" + confusion(table))
}

// exact runs a gate and wants what violates it flagged and nothing else. It
// returns how many calls it took and books the verdicts in the table.
func (b bench) exact(t *testing.T, gate string, table map[string]map[string]int) (calls int) {
	t.Helper()
	j := b.house.judge(t, gate, configured(gate, false))
	t.Logf("%-20s %s", gate, count(shouldFlag(b.items, gate), j.flags()))
	for i, it := range b.items {
		v := j.verdicts[i]
		calls += len(j.probes[i])
		note(table, it, gate, v)
		if want := slices.Contains(violates(it), gate); want != (v.Outcome == schemas.Fail) || v.Outcome == schemas.Error {
			t.Errorf("%s on %s (%s, %s): %s %s; flagged should be %v", gate, it.Question.QuestionID, it.Form, it.Defect, v.Outcome, v.Reason, want)
		}
	}
	return calls
}

func note(table map[string]map[string]int, it defects.Item, gate string, v schemas.Verdict) {
	defect := cmp.Or(it.Defect, "clean")
	if table[defect] == nil {
		table[defect] = map[string]int{}
	}
	if v.Outcome == schemas.Fail {
		table[defect][gate]++
	}
}

// confusion is the table of defects by gates.
func confusion(table map[string]map[string]int) string {
	var b strings.Builder
	for _, defect := range slices.Sorted(maps.Keys(table)) {
		fmt.Fprintf(&b, "%-18s", defect)
		for _, gate := range chain {
			if n := table[defect][gate]; n > 0 {
				fmt.Fprintf(&b, " %s %d", gate, n)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestEqualSeedsGiveEqualSets(t *testing.T) {
	setOf := func(seed uint64) *defects.Set {
		s, err := defects.NewSet(seed, defects.Size{Clean: 3, Film: 2, Defect: 3})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if !reflect.DeepEqual(setOf(3), setOf(3)) {
		t.Error("one seed gives two sets")
	}
	if reflect.DeepEqual(setOf(3).Items[0], setOf(4).Items[0]) {
		t.Error("two seeds give one set")
	}
}
