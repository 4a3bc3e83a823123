package video

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

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
