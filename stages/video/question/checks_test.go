package question

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
	"github.com/memforge/memforge/stages/video/timeline"
)

// sides are the target and the other video of an item about one of them.
func sides(s Scene, it Item) (target, rival schemas.Video, line timeline.Line) {
	if it.Target == string(B) {
		return s.Pair.B, s.Pair.A, s.B
	}
	return s.Pair.A, s.Pair.B, s.A
}

func checkItem(t *testing.T, s Scene, it Item) {
	t.Helper()
	texts := map[string]bool{}
	for i, o := range it.Options {
		texts[o.Text] = true
		if o.Key != string(rune('A'+i)) || (o.Role == schemas.RoleCorrect) != (o.Key == it.Key) || (o.Text == it.Answer) != (o.Key == it.Key) {
			t.Errorf("option %d is %+v and the answer %s %q", i, o, it.Key, it.Answer)
		}
	}
	if len(texts) != optionCount || len(it.Options) != optionCount {
		t.Errorf("options %v", it.Options)
	}
	for _, m := range it.Clues {
		line := map[Side]timeline.Line{A: s.A, B: s.B}[m.Side]
		if !line.ShowsAll(m.Event.Start, m.Event.End) || m.Event.Kind != it.Kind {
			t.Errorf("clue %+v is not seen, or of another kind than %s", m, it.Kind)
		}
		if seen := line.ShortestPiece(m.Event.Start, m.Event.End); seen < 1-1e-6 {
			t.Errorf("clue %+v is seen for %.2f s at a time", m, seen)
		}
	}
	switch it.Type {
	case schemas.TypeInterference:
		checkValues(t, s, it, map[string]int{schemas.RoleCorrect: 1, schemas.RoleIntrusion: 2, schemas.RoleUnrelated: 1})
	case schemas.TypeSourceIdentification:
		checkValues(t, s, it, map[string]int{schemas.RoleCorrect: 1, schemas.RoleDistractor: 3})
	case schemas.TypeOrderUnderstanding:
		checkOrder(t, it)
	case schemas.TypeFalseMemory, schemas.TypeSourceMemory:
		checkRecall(t, s, it)
	case schemas.TypeContentRetention:
		checkContent(t, s, it)
	}
}

func checkValues(t *testing.T, s Scene, it Item, roles map[string]int) {
	t.Helper()
	target, rival, line := sides(s, it)
	got := map[string]int{}
	for i, o := range it.Options {
		got[o.Role]++
		inTarget, inRival := groundtruth.Mentions(target.Events, o.Text), groundtruth.Mentions(rival.Events, o.Text)
		want := map[string][2]bool{
			schemas.RoleCorrect: {true, false}, schemas.RoleIntrusion: {false, true},
			schemas.RoleDistractor: {false, true}, schemas.RoleUnrelated: {false, false},
		}[o.Role]
		if inTarget != want[0] || inRival != want[1] {
			t.Errorf("option %+v: in target %v, in rival %v", o, inTarget, inRival)
		}
		for _, other := range it.Options[:i] {
			if groundtruth.Clash(o.Text, other.Text) {
				t.Errorf("options %q and %q clash", o.Text, other.Text)
			}
		}
	}
	if !reflect.DeepEqual(got, roles) {
		t.Errorf("roles %v, want %v", got, roles)
	}
	checkOrdinal(t, target, line, it)
}

// checkOrdinal recounts the events before the clue.
func checkOrdinal(t *testing.T, target schemas.Video, line timeline.Line, it Item) {
	t.Helper()
	clue := it.Clues[0].Event
	before, total := 0, 0
	for _, e := range target.Events {
		if e.Kind != it.Kind || !line.Shows(e.Start) {
			continue
		}
		total++
		if e.Start < clue.Start {
			before++
			if groundtruth.Clash(groundtruth.Value(e), it.Answer) {
				t.Errorf("answer %q is also an earlier event", it.Answer)
			}
		}
		if e.Start == clue.Start && e != clue {
			t.Errorf("event %+v begins with the clue", e)
		}
	}
	named := slices.IndexFunc(ordinals, func(o string) bool { return strings.Contains(it.Question, " "+o+" ") })
	if total == 1 && named != -1 || total > 1 && named != before {
		t.Errorf("%q asks for ordinal %d; the clue is number %d of %d", it.Question, named, before, total)
	}
}

// checkOrder wants the same words in every option and events without overlap.
func checkOrder(t *testing.T, it Item) {
	t.Helper()
	sorted := func(s string) string {
		parts := strings.Split(s, ", then ")
		slices.Sort(parts)
		return strings.Join(parts, "|")
	}
	for _, o := range it.Options {
		if sorted(o.Text) != sorted(it.Answer) {
			t.Errorf("option %q holds other things than %q", o.Text, it.Answer)
		}
	}
	for i := 1; i < len(it.Clues); i++ {
		if it.Clues[i].Event.Start < it.Clues[i-1].Event.End {
			t.Errorf("clues %+v overlap", it.Clues)
		}
	}
}

// checkRecall wants the made-up to be of neither video, and the rest of just
// those that the answer names.
func checkRecall(t *testing.T, s Scene, it Item) {
	t.Helper()
	want := map[string]string{"A": "only in", "B": "only in", schemas.TargetBoth: "in both", schemas.TargetNeither: "in neither"}[it.Target]
	if !strings.HasPrefix(it.Answer, want) || (it.Type == schemas.TypeFalseMemory) != (it.Target == schemas.TargetNeither) {
		t.Errorf("target %s has the answer %q", it.Target, it.Answer)
	}
	for _, v := range []struct {
		side  Side
		video schemas.Video
	}{{A, s.Pair.A}, {B, s.Pair.B}} {
		told := slices.ContainsFunc(v.video.Events, func(e schemas.Event) bool {
			return groundtruth.Value(e) != "" && e.Kind == it.Kind && it.Question == openings[s.Layout]+" In which of the two videos "+style.askWhether(e.Kind, groundtruth.Value(e))+"?"
		})
		if told != (it.Target == string(v.side) || it.Target == schemas.TargetBoth) {
			t.Errorf("%q: told in %s is %v, the target is %s", it.Question, v.side, told, it.Target)
		}
	}
}

// checkContent puts each option into the gap: only the answer is true of a video.
func checkContent(t *testing.T, s Scene, it Item) {
	t.Helper()
	target, rival, _ := sides(s, it)
	for _, o := range it.Options {
		value := o.Text
		if strings.Contains(it.Question, gap) {
			d, _ := groundtruth.ParseDetail(groundtruth.Value(it.Clues[0].Event))
			value = d.WithColour(o.Text)
		}
		if groundtruth.Mentions(rival.Events, value) || groundtruth.Mentions(target.Events, value) != (o.Role == schemas.RoleCorrect) {
			t.Errorf("option %+v stands for %q, which is of a video", o, value)
		}
	}
}
