package video

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// TestOrdersMirror checks that both orders ask the same and differ only in
// direction, media and the times of evidence.
func TestOrdersMirror(t *testing.T) {
	b := newBench(t)
	cs := b.compositions(b.films()[0])
	out, lost := b.run("video.ask", "", cs[0], cs[1])
	qs := testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, out)
	if len(qs) != 8 || len(lost) != 0 {
		t.Fatalf("%d questions, %v lost; want 2 for each target and order", len(qs), lost)
	}
	groups := map[string][]schemas.Question{}
	for _, q := range qs {
		groups[q.Labels[schemas.LabelMirror]] = append(groups[q.Labels[schemas.LabelMirror]], q)
		if q.QuestionMCQ == "" || q.Explanation == "" || q.Split != "test" || q.Family != "video" || len(q.Evidence) != 5 || len(ofRole(q, schemas.RoleContext)) != 2 {
			t.Errorf("incomplete question %+v", q)
		}
	}
	for _, g := range groups {
		if len(g) != 2 || g[0].QuestionMCQ != g[1].QuestionMCQ || g[0].AnswerKey != g[1].AnswerKey || g[0].TaskID != g[1].TaskID {
			t.Fatalf("group %+v is no mirror", g)
		}
		if g[0].QuestionID == g[1].QuestionID || g[0].Media[0] == g[1].Media[0] || g[0].Labels[schemas.LabelDirection] == g[1].Labels[schemas.LabelDirection] {
			t.Errorf("group %+v asks twice over one order", g)
		}
	}
	for _, q := range qs {
		checkClue(t, b, q)
	}
}

// checkClue recomputes where the answer is.
func checkClue(t *testing.T, b *bench, q schemas.Question) {
	t.Helper()
	first := "A"
	if q.Media[0] == b.blob("ba") {
		first = "B"
	}
	second := q.Labels[schemas.LabelTarget] != first
	if want := map[bool]string{true: "proactive", false: "retroactive"}[second]; q.Labels[schemas.LabelDirection] != want {
		t.Errorf("direction %s, want %s", q.Labels[schemas.LabelDirection], want)
	}
	start := map[string]float64{"red cup": 0, "green pan": 2, "atlas": 4, "lamp": 6, "blue hat": 0, "kettle": 2, "rope": 4, "oar": 6}[q.AnswerText]
	if second {
		start += 20
	}
	want := fmt.Sprintf("%s#t=%.2f,%.2f", q.Media[0], start, start+1)
	clues := 0
	for i, e := range q.Evidence {
		if e.Order != int32(i+1) {
			t.Errorf("evidence %+v is out of order", q.Evidence)
		}
		if e.Role == schemas.RoleClue {
			clues++
			if e.Ref != want {
				t.Errorf("clue of %q at %s, want %s", q.AnswerText, e.Ref, want)
			}
		}
	}
	if clues != 1 {
		t.Errorf("%d clues, want 1", clues)
	}
}

// TestVariantsAskTheSame checks that both variants of a split screen get the same
// questions, but for where something is.
func TestVariantsAskTheSame(t *testing.T) {
	b := newBench(t)
	cs := b.compositions(b.films()[0])
	out, _ := b.run("video.ask", `{"types": ["source_identification", "order_understanding"]}`, cs[2], cs[3])
	conditions, groups := map[string]int{}, map[string]string{}
	for _, q := range testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, out) {
		conditions[q.Labels[schemas.LabelMetricGroup]]++
		if first, known := groups[q.Labels[schemas.LabelMirror]]; known && first != q.QuestionMCQ {
			t.Errorf("the variants ask different questions: %q and %q", first, q.QuestionMCQ)
		}
		groups[q.Labels[schemas.LabelMirror]] = q.QuestionMCQ
	}
	if conditions["swap0"] != 8 || conditions["swap10"] != 8 || len(groups) != 8 {
		t.Errorf("conditions %v in %d groups, want 8 of each in 8", conditions, len(groups))
	}
}

func TestOtherLayouts(t *testing.T) {
	b := newBench(t)
	cs := b.compositions(b.films()[0])
	odd, err := pipeline.Decode[schemas.Composition](cs[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		edit func(*schemas.Composition)
		with string
		want string
	}{
		{func(*schemas.Composition) {}, `{"types": ["source_identification"]}`, "other-layout"},
		{func(c *schemas.Composition) { c.Media.Recipe.Layout = schemas.LayoutNBack }, "", "other-layout"},
		{func(c *schemas.Composition) { c.Order = "ABA" }, "", "other-order"},
		{func(c *schemas.Composition) { c.Order = "BA" }, "", "bad-recipe"},
		{func(c *schemas.Composition) { c.Media.Recipe.Segments[0].Source = "x" }, "", "bad-recipe"},
		{func(c *schemas.Composition) { c.Pair.A.Normalised = nil }, "", "not-normalised"},
	} {
		c := odd
		c.Media.Recipe.Segments = append([]schemas.Segment(nil), odd.Media.Recipe.Segments...)
		tt.edit(&c)
		r, err := compositionRecord(c)
		if err != nil {
			t.Fatal(err)
		}
		if qs, lost := b.run("video.ask", tt.with, r); len(qs) != 0 || codes(lost)[tt.want] != 1 {
			t.Errorf("%s: %d questions, lost %v", tt.want, len(qs), lost)
		}
	}
}

// TestLabelsSayTheCondition looks at every layout of scripted films: all orders
// ask the same, each in the direction and repetition that its order means, and
// every question has the labels of its layout.
func TestLabelsSayTheCondition(t *testing.T) {
	s := askScripted(t, 3, 16, everyLayout)
	groups := map[string]map[string]string{}
	for _, q := range s.questions {
		c := s.pairs[q.Media[0]]
		l := q.Labels
		if c.Media.Recipe.Layout != schemas.LayoutConcat {
			want := map[string]string{schemas.LayoutSplit: fmt.Sprint("swap", c.Swaps, " spatial"), schemas.LayoutInterleaved: "interleaved narrative"}[c.Media.Recipe.Layout]
			if got := l[schemas.LabelMetricGroup] + " " + l[schemas.LabelDimension]; got != want || l[schemas.LabelMetricDetail] == "" || l[schemas.LabelErrorType] == "" {
				t.Errorf("labels %v, want %s", l, want)
			}
			continue
		}
		if groups[l[schemas.LabelMirror]] == nil {
			groups[l[schemas.LabelMirror]] = map[string]string{}
		}
		groups[l[schemas.LabelMirror]][c.Order] = l[schemas.LabelTarget] + " " + l[schemas.LabelDirection] + " " + l[schemas.LabelRepetition]
	}
	want := map[string]map[string]string{
		"A": {"AB": "A retroactive none", "BA": "A proactive none", "AAB": "A retroactive target", "ABB": "A retroactive interferer", "BBA": "A proactive interferer", "BAA": "A proactive target"},
		"B": {"AB": "B proactive none", "BA": "B retroactive none", "AAB": "B proactive interferer", "ABB": "B proactive target", "BBA": "B retroactive target", "BAA": "B retroactive interferer"},
	}
	for group, got := range groups {
		if w := want[got["AB"][:1]]; !maps.Equal(got, w) {
			t.Errorf("group %s: %v, want %v", group, got, w)
		}
	}
	if len(groups) != 32 {
		t.Errorf("%d mirror groups, want 4 for each of 8 pairs", len(groups))
	}
}

// TestEvidenceIsInEverySpan counts the spans of clues: twice where the target is
// repeated, in one piece of a second or more elsewhere, none but the whole video
// where nothing happens.
func TestEvidenceIsInEverySpan(t *testing.T) {
	s := shelvedFilms(t)
	seen := map[string]int{}
	for _, q := range s.questions {
		clues := 0
		for _, e := range q.Evidence {
			if e.Role == schemas.RoleClue {
				clues++
			}
		}
		c := s.pairs[q.Media[0]]
		want := map[string]int{schemas.TypeOrderUnderstanding: 3, schemas.TypeInterference: strings.Count(c.Order, q.Labels[schemas.LabelTarget])}[q.Type]
		switch {
		case q.Type == schemas.TypeFalseMemory:
			want = 0
		case q.Labels[schemas.LabelTarget] == schemas.TargetBoth:
			want = 2
		case want == 0:
			want = 1
		}
		if clues != want {
			t.Errorf("%s over %s about %s: %d clues, want %d", q.Type, c.Order, q.Labels[schemas.LabelTarget], clues, want)
		}
		seen[q.Type]++
		if q.Type == schemas.TypeFalseMemory {
			if len(q.Evidence) != 1 || q.Evidence[0].Ref != q.Media[0] {
				t.Errorf("evidence of what never happens: %v", q.Evidence)
			}
			continue
		}
		for _, e := range q.Evidence {
			var start, end float64
			_, span, _ := strings.Cut(e.Ref, "#t=")
			if _, err := fmt.Sscanf(span, "%f,%f", &start, &end); err != nil || e.Role == schemas.RoleClue && end-start < 1-0.001 {
				t.Errorf("%s over %s: clue %q", q.Type, c.Media.Recipe.Layout, span)
			}
		}
	}
	if len(seen) != 8 {
		t.Errorf("asked %v", seen)
	}
}

func TestTooFewFacts(t *testing.T) {
	b := newBench(t)
	out, _ := b.run("video.pair", anySource, b.clip("north", "", pickUps("cup")...), b.clip("south", "", pickUps("hat")...))
	for _, c := range b.compositions(out[0])[:2] {
		if qs, lost := b.run("video.ask", "", c); len(qs) != 0 || codes(lost)["too-few-facts"] != 1 {
			t.Errorf("questions %v, rejections %v; want too-few-facts", qs, lost)
		}
	}
}

// TestBothVariantsOfASplitScreenAreAskedTheSame holds for every type but the one
// whose answer is the side.
func TestBothVariantsOfASplitScreenAreAskedTheSame(t *testing.T) {
	s := shelvedFilms(t)
	asked := map[int32]map[string]bool{0: {}, 10: {}}
	for _, q := range s.questions {
		if c := s.pairs[q.Media[0]]; c.Media.Recipe.Layout == schemas.LayoutSplit && q.Type != schemas.TypeSpatialGrounding {
			asked[c.Swaps][q.Labels[schemas.LabelMirror]] = true
		}
	}
	if !maps.Equal(asked[0], asked[10]) || len(asked[0]) < 40 {
		t.Errorf("%d questions without exchanges, %d with", len(asked[0]), len(asked[10]))
	}
}

// TestLikenessIsCopiedWhereBothVideosCarryIt looks at the label of questions.
func TestLikenessIsCopiedWhereBothVideosCarryIt(t *testing.T) {
	s := shelvedFilms(t)
	levels := map[string]bool{}
	for _, q := range s.questions {
		p := s.pairs[q.Media[0]].Pair
		if want := p.A.Labels[schemas.LabelLikeness]; want == "" || q.Labels[schemas.LabelLikeness] != want {
			t.Fatalf("question %s has likeness %q, its films %q", q.QuestionID, q.Labels[schemas.LabelLikeness], want)
		}
		levels[q.Labels[schemas.LabelLikeness]] = true
	}
	if len(levels) != 3 {
		t.Errorf("levels %v", levels)
	}
	b := newBench(t)
	apart, compositions := b.composeScripted(4, func(v *schemas.Video) {
		if v.Title < "The M" {
			v.Labels = nil
		}
	}, oneOfEach)
	out, _ := b.run("video.ask", "", compositions...)
	for _, q := range testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, out) {
		p := apart.pairs[q.Media[0]].Pair
		both := p.A.Labels[schemas.LabelLikeness] != "" && p.B.Labels[schemas.LabelLikeness] != ""
		if (q.Labels[schemas.LabelLikeness] != "") != both {
			t.Fatalf("likeness %q of films with %v and %v", q.Labels[schemas.LabelLikeness], p.A.Labels, p.B.Labels)
		}
	}
}
