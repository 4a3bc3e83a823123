package question

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/phrasebook"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
	"github.com/memforge/memforge/stages/video/timeline"
	"github.com/memforge/memforge/stages/video/wordings"
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
		if !line.ShowsAll(m.Event.Start, m.Event.End) || m.Event.Kind != it.Kind && it.Detail != schemas.DetailSign {
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
		if it.Fact[0] == "nth" {
			checkNth(t, s, it)
			break
		}
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
	clue := it.Clues[0].Event
	for _, e := range target.Events {
		if e != clue && e.Kind == it.Kind && line.Shows(e.Start) && groundtruth.Clash(groundtruth.Value(e), it.Answer) {
			t.Errorf("answer %q is another event as well", it.Answer)
		}
	}
	for _, m := range it.Distractors {
		n := 0
		for _, e := range rival.Events {
			if e.Kind == it.Kind && map[Side]timeline.Line{A: s.A, B: s.B}[m.Side].Shows(e.Start) && groundtruth.Clash(groundtruth.Value(e), groundtruth.Value(m.Event)) {
				n++
			}
		}
		if n != 1 || m.Side == Side(it.Target) {
			t.Errorf("what option %q comes from happens %d times, the answer once", groundtruth.Value(m.Event), n)
		}
	}
	if named := slices.IndexFunc(ordinals, func(o string) bool { return strings.Contains(it.Question, " "+o+" ") }); named >= 0 {
		t.Errorf("%q counts, and no option would be another number", it.Question)
	}
}

// checkNth recounts the events before the one that is asked for: all are clues, and
// every option is one of the events that a number could ask for.
func checkNth(t *testing.T, s Scene, it Item) {
	t.Helper()
	target, _, line := sides(s, it)
	named := slices.IndexFunc(ordinals, func(o string) bool { return strings.Contains(it.Question, " "+o+" ") })
	before := 0
	for _, e := range target.Events {
		if e.Kind == it.Kind && line.Shows(e.Start) && groundtruth.Value(e) != "" && e.Start < it.Clues[len(it.Clues)-1].Event.Start {
			before++
		}
	}
	if before != named || len(it.Clues) != named+1 || groundtruth.Value(it.Clues[named].Event) != it.Answer {
		t.Errorf("%q asks for %q, which is number %d; clues %+v", it.Question, it.Answer, before, it.Clues)
	}
	for _, o := range it.Options {
		if !groundtruth.Mentions(target.Events, o.Text) {
			t.Errorf("option %q happens not in the video", o.Text)
		}
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
			v := groundtruth.Value(e)
			return v != "" && e.Kind == it.Kind && slices.ContainsFunc(wordings.Sentences(wordings.Which), func(sentence string) bool {
				return it.Question == Opening(s.Layout)+" "+phrasebook.Fill(sentence, map[string]string{"whether": style.askWhether(e.Kind, v), "clause": style.statement(e.Kind, v)})
			})
		})
		if told != (it.Target == string(v.side) || it.Target == schemas.TargetBoth) {
			t.Errorf("%q: told in %s is %v, the target is %s", it.Question, v.side, told, it.Target)
		}
	}
}

// checkContent holds each option against the events: only the answer is true of a
// video, and of details all that the options name is.
func checkContent(t *testing.T, s Scene, it Item) {
	t.Helper()
	target, rival, _ := sides(s, it)
	clue := it.Clues[len(it.Clues)-1].Event
	value := groundtruth.Value(clue)
	isTrue := func(v schemas.Video, option string) bool {
		return slices.ContainsFunc(v.Events, func(e schemas.Event) bool {
			of := groundtruth.Value(e)
			switch it.Detail {
			case schemas.DetailHandled:
				return e.Kind == clue.Kind && e.Subject == clue.Subject && of == option
			case schemas.DetailDeed:
				return of != "" && style.deed(e.Kind, e.Subject, of) == option
			case schemas.DetailSign:
				return e.Kind == groundtruth.SignChanges && of == option && e == it.Clues[0].Event
			case schemas.DetailWhole:
				return groundtruth.Clash(of, option)
			}
			return groundtruth.Clash(of, strings.Replace(value, it.Answer, option, 1))
		})
	}
	for _, o := range it.Options {
		if isTrue(rival, o.Text) || isTrue(target, o.Text) != (o.Role == schemas.RoleCorrect) {
			t.Errorf("%s: option %+v is true of the other video, or of this", it.Detail, o)
		}
		shown := groundtruth.Mentions(target.Events, o.Text) || groundtruth.Mentions(rival.Events, o.Text)
		if !shown && (it.Detail == schemas.DetailHandled || it.Detail == schemas.DetailSign) {
			t.Errorf("%s: option %q is never shown", it.Detail, o.Text)
		}
	}
}
