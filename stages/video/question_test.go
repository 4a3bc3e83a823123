package video

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
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
		switch n := slices.IndexFunc([]string{"first", "second", "third", "fourth", "fifth", "sixth"}, func(nth string) bool { return strings.Contains(q.Question, " the "+nth+" ") }); {
		case q.Type == schemas.TypeOrderUnderstanding && n >= 0: // all that is counted
			want = n + 1
		case q.Labels[schemas.LabelDetail] == schemas.DetailSign:
			want = 2
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

// TestDetailsTakeTurns wants content retention to ask for six kinds of details or more,
// none in more than a third of its facts, and no question but one for an order to count.
func TestDetailsTakeTurns(t *testing.T) {
	facts, kinds := map[string]bool{}, map[string]int{}
	for _, q := range shelvedFilms(t).questions {
		if n := regexp.MustCompile(` (first|second|third|fourth|fifth|sixth) (?:object|thing|text|to)`).FindString(q.Question); n != "" && q.Type != schemas.TypeOrderUnderstanding {
			t.Errorf("%s counts: %q", q.Type, q.Question)
		}
		if q.Type == schemas.TypeContentRetention && !facts[q.Fact()] {
			facts[q.Fact()] = true
			kinds[q.Labels[schemas.LabelDetail]]++
		}
	}
	t.Log(len(facts), kinds)
	for kind, n := range kinds {
		if kind == "" || 3*n > len(facts) {
			t.Errorf("%q is asked in %d of %d facts", kind, n, len(facts))
		}
	}
	if len(kinds) < 6 || len(facts) < 40 {
		t.Errorf("%d facts are of the kinds %v", len(facts), kinds)
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

// ofRole is the evidence that has a role.
func ofRole(q schemas.Question, role string) (out []schemas.Evidence) {
	for _, e := range q.Evidence {
		if e.Role == role {
			out = append(out, e)
		}
	}
	return out
}

var figure = regexp.MustCompile(`[0-9]+\.[0-9]{2}`)

// figures are the numbers of a text.
func figures(t *testing.T, s string) (out []float64) {
	t.Helper()
	for _, m := range figure.FindAllString(s, -1) {
		n, err := strconv.ParseFloat(m, 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, n)
	}
	return out
}

// reader knows of a composed video what the setting of a question says.
type reader struct {
	half  float64
	swaps []float64
	// runs of the two videos, "the one" first.
	runs [2][]float64
}

func readSetting(t *testing.T, setting string) (r reader) {
	t.Helper()
	length, layout, _ := strings.Cut(setting, " It")
	if f := figures(t, length); len(f) == 2 && f[1] >= f[0]/2-0.01 && f[1] <= f[0]/2+0.01 {
		r.half = f[1]
	} else {
		t.Fatalf("no length in %q", setting)
	}
	if strings.Contains(layout, "halves") || strings.Contains(layout, "two videos at once") {
		r.swaps = figures(t, layout)
		return r
	}
	one, other, _ := strings.Cut(layout, "; the other ")
	r.runs = [2][]float64{figures(t, one), figures(t, other)}
	return r
}

// which of the two videos is shown in the middle of a span, 0 or 1; -1 where the
// setting tells of none.
func (r reader) which(span [2]float64) int {
	at := (span[0] + span[1]) / 2
	for v, runs := range r.runs {
		for i := 0; i+1 < len(runs); i += 2 {
			if runs[i] <= at && at <= runs[i+1] {
				return v
			}
		}
	}
	return -1
}

// exchanged reports whether the sides are exchanged at a moment.
func (r reader) exchanged(at float64) (odd bool) {
	for _, s := range r.swaps {
		if s <= at {
			odd = !odd
		}
	}
	return odd
}

// TestSettingsPlaceTheAnswer works out from settings and spans alone, and from
// what can be seen in them (the title of a video, on which side of the picture
// something happens), which video it is that a clue is part of, and where.
func TestSettingsPlaceTheAnswer(t *testing.T) {
	s := shelvedFilms(t)
	placed := map[string]int{}
	for _, q := range s.questions {
		c := s.pairs[q.Media[0]]
		if q.Type == schemas.TypeFalseMemory {
			if e := q.Evidence; len(e) != 1 || e[0].Role != schemas.RoleAbsence || e[0].Ref != q.Media[0] || q.Setting == "" {
				t.Errorf("evidence of what never happens: %+v", e)
			}
			continue
		}
		r := readSetting(t, q.Setting)
		titles := ofRole(q, schemas.RoleContext)
		clue := spanOf(t, ofRole(q, schemas.RoleClue)[0])
		video, place := "", "second half"
		if clue[1] <= r.half+0.01 {
			place = "first half"
		}
		if c.Media.Recipe.Layout == schemas.LayoutSplit {
			if len(titles) != 1 {
				t.Errorf("both titles are seen at once: %+v", titles)
			}
			// The first film stands at the left, and its title with it.
			video, place = "A", "left"
			if (q.Labels[schemas.LabelTarget] == "A") == r.exchanged(clue[0]+0.04) {
				place = "right"
			}
			if (place == "left") == r.exchanged(clue[0]+0.04) {
				video = "B"
			}
		} else {
			video = c.Order[:1]
			if r.which(clue) != r.which(spanOf(t, titles[0])) {
				video = map[string]string{"A": "B", "B": "A"}[video]
			}
		}
		if target := q.Labels[schemas.LabelTarget]; target != video && target != schemas.TargetBoth {
			t.Errorf("%s over %s: the clue at %v is of %s by %q, the question is about %s", q.Type, c.Order, clue, video, q.Setting, target)
		}
		if strings.HasSuffix(q.Type, "grounding") && !strings.HasSuffix(q.AnswerText, place) {
			t.Errorf("%s: the clue at %v is in the %s by %q, the answer is %s", q.Type, clue, place, q.Setting, q.AnswerText)
		}
		placed[q.Type]++
	}
	for _, typ := range []string{schemas.TypeSpatialGrounding, schemas.TypeTemporalGrounding, schemas.TypeInterference, schemas.TypeSourceMemory} {
		if placed[typ] < 20 {
			t.Errorf("%d questions of %s: the test sees too little", placed[typ], typ)
		}
	}
}

// TestOnlyInOneShowsAllOfTheOther: beside its clue, what happens in one video only
// has every run of the other as the setting tells it, and no other question has.
func TestOnlyInOneShowsAllOfTheOther(t *testing.T) {
	s := shelvedFilms(t)
	seen := map[string]int{}
	for _, q := range s.questions {
		absent, target := ofRole(q, schemas.RoleAbsence), q.Labels[schemas.LabelTarget]
		if q.Type != schemas.TypeSourceMemory || target == schemas.TargetBoth {
			if len(absent) > 0 && q.Type != schemas.TypeFalseMemory {
				t.Errorf("%s about %s: %+v", q.Type, target, absent)
			}
			continue
		}
		seen[target]++
		r, clues := readSetting(t, q.Setting), ofRole(q, schemas.RoleClue)
		if len(clues) == 0 {
			t.Fatalf("%s has no clue", q.QuestionID)
		}
		runs := r.runs[1-r.which(spanOf(t, clues[0]))]
		var got []float64
		for _, e := range absent {
			span := spanOf(t, e)
			got = append(got, span[0], span[1])
		}
		if fmt.Sprint(got) != fmt.Sprint(runs) || len(runs) == 0 {
			t.Errorf("it happens in %s only, at %s: absent from %v; the other is played at %v", target, clues[0].Ref, got, runs)
		}
	}
	if seen["A"] < 20 || seen["B"] < 20 {
		t.Errorf("%v questions; the test sees too little", seen)
	}
}

func spanOf(t *testing.T, e schemas.Evidence) [2]float64 {
	t.Helper()
	_, span, ok := strings.Cut(e.Ref, "#t=")
	f := figures(t, span)
	if !ok || len(f) != 2 {
		t.Fatalf("no span in %s", e.Ref)
	}
	return [2]float64{f[0], f[1]}
}

// TestSettingsTellNoVideo: neither a title nor a name stands in any, and copies
// of a layout differ in it as they differ in how they are shown.
func TestSettingsTellNoVideo(t *testing.T) {
	s := askScripted(t, 5, 4, everyLayout)
	for _, q := range s.questions {
		p := s.pairs[q.Media[0]].Pair
		for _, title := range []string{p.A.Title, p.B.Title, p.A.Name, p.B.Name} {
			if title != "" && strings.Contains(q.Setting, title) {
				t.Errorf("%q tells %q", q.Setting, title)
			}
		}
		for _, e := range q.Evidence {
			if !strings.HasPrefix(e.MinimalCaption, "a ") || strings.Contains(e.MinimalCaption, q.AnswerText) || p.A.Category == "" || strings.Contains(e.MinimalCaption, p.A.Category) {
				t.Errorf("minimal caption %q of %s", e.MinimalCaption, q.AnswerText)
			}
		}
	}
	many := make([]float64, 0)
	for i := range 30 {
		many = append(many, float64(i))
	}
	if got := swapsText(many); !strings.Contains(got, "29.00 s") || strings.Contains(swapsText(nil), "change") {
		t.Errorf("%s", fmt.Sprint(got, swapsText(nil)))
	}
}

// toldElsewhere wants all that is described of the other video to go with what
// the question says does not happen there, and nothing of the video in which it
// does.
func toldElsewhere(t *testing.T, pair schemas.Pair, q schemas.Question) {
	t.Helper()
	told := ""
	for _, e := range ofRole(q, schemas.RoleAbsence) {
		told += e.Caption + "\n"
	}
	for side, v := range map[string]schemas.Video{"A": pair.A, "B": pair.B} {
		for i, s := range v.Sections {
			if want := side != q.Labels[schemas.LabelTarget]; strings.Contains(told, captionOf(s.Description)) != want {
				t.Errorf("it happens in %s only; section %d of %s is told of where it does not: %t\n%s", q.Labels[schemas.LabelTarget], i+1, side, !want, told)
			}
		}
	}
}
