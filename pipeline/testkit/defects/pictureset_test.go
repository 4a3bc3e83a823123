package defects_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit/defects"
	"github.com/memforge/memforge/schemas"
)

// pictureChain are the gates of questions about pictures as the default build has
// them. An item that one flags goes no further, so it is found by one gate.
var pictureChain = []string{"text-leak", "option-only", "text-only", "caption-bypass", "oracle", "taxonomy-y1", "taxonomy-y2", "taxonomy-y3"}

// finds says by which gate of the chain each leak is found.
var finds = map[string]string{
	defects.GoldInWords: "text-leak", defects.GoldInStyle: "option-only", defects.GoldInSayings: "text-only", defects.GoldInCaption: "caption-bypass",
	defects.TwoTrue: "oracle", defects.LowY1: "taxonomy-y1", defects.HighY2: "taxonomy-y2", defects.LowY2: "taxonomy-y2",
	defects.StaleShows: "taxonomy-y3", defects.HighY3: "taxonomy-y3",
}

func newGallery(t *testing.T) bench {
	t.Helper()
	s, err := defects.NewPictureSet(1, 30, perDefect)
	if err != nil {
		t.Fatal(err)
	}
	b := bench{s.Items, newHouse(t, records(t, questions(s.Items)), s.Pictures), map[string][]byte{}}
	for _, p := range s.Pictures {
		b.pictures[string(pipeline.DigestOf(p))] = p
	}
	return b
}

// TestPictureLeaks puts leaks of pictures through the chain, before a competent panel:
// each is found by its gate and by no other, and clean items pass all.
func TestPictureLeaks(t *testing.T) {
	b := newGallery(t)
	brain{}.sit(t, b.house, "gallery.invalid")
	for _, gate := range pictureChain {
		j := b.house.judge(t, gate, nil)
		n := map[string]int{}
		for i, it := range b.items {
			v := j.verdicts[i]
			if want := finds[it.Defect] == gate; want != (v.Outcome == schemas.Fail) || v.Outcome == schemas.Error {
				t.Errorf("%s on %s (%s, %q): %s %s; flagged should be %v", gate, it.Question.QuestionID, it.Form, it.Defect, v.Outcome, v.Reason, want)
			}
			if v.Outcome == schemas.Fail {
				n[it.Defect]++
			}
		}
		t.Logf("%-15s %s, %v", gate, count(due(b.items, gate), j.flags()), n)
		b = b.part(func(i int) bool { return j.verdicts[i].Outcome != schemas.Fail })
	}
	if len(b.items) != 90 {
		t.Errorf("%d items pass all gates, want the 90 clean ones", len(b.items))
	}
}

// due says of each item whether a gate is the one to find it.
func due(items []defects.Item, gate string) (out []bool) {
	for _, it := range items {
		out = append(out, finds[it.Defect] == gate)
	}
	return out
}

// TestPictureLeaksBeforeANoisyPanel: each gate flags about as many of its leaks, and of
// the other items that reach it, as the slips of the panel imply.
func TestPictureLeaksBeforeANoisyPanel(t *testing.T) {
	b := newGallery(t)
	noisy.sit(t, b.house, "noisy-gallery.invalid")
	var lines []string
	for _, gate := range pictureChain {
		viewer, asks := b.viewerOf(t, gate)
		j := b.house.judge(t, gate, nil)
		got, want := j.flags(), due(b.items, gate)
		items := make([]defects.Outcome, len(b.items))
		for i, it := range b.items {
			p := chanceOf(got[i]) // by its form: nothing is asked
			if asks {
				if views := viewer.Views(itemOf(&it.Question)); len(views) > 0 {
					p = defects.FlagChance(gate, b.chances(t, noisy, gate, views, &it.Question))
				}
			}
			items[i] = defects.Outcome{Want: want[i], Got: got[i], Chance: p}
		}
		lines = append(lines, measured(t, gate, items))
		b = b.part(func(i int) bool { return !got[i] })
	}
	t.Log("gate, recall, precision, what the slips imply\n" + strings.Join(lines, "\n"))
}

// viewerOf is a gate that asks a panel; text-leak asks a judge who does not err here.
func (b bench) viewerOf(t *testing.T, gate string) (pipeline.Viewer, bool) {
	t.Helper()
	if gate == "text-leak" {
		return nil, false
	}
	return b.house.viewer(t, gate, nil), true
}

// TestOrderOfPictures: that the right picture is the first one sent is found by the
// gate of shortcuts, and by none of those that ask.
func TestOrderOfPictures(t *testing.T) {
	qs, leaky := defects.OrderedQuestions(1, 80)
	h := newHouse(t, records(t, qs), nil)
	j := h.judge(t, "statistical-shortcuts", nil)
	n := count(leaky, j.flags())
	t.Log(n)
	if n.invented > 0 || n.recall() < 0.6 {
		t.Errorf("the order of pictures: %s; want at least 0.6 of the planted and no other", n)
	}
	for _, gate := range []string{"text-leak", "option-only"} {
		brain{}.sit(t, h, "ordered.invalid")
		if slices.Contains(h.judge(t, gate, nil).flags(), true) {
			t.Errorf("%s flags the order of pictures", gate)
		}
	}
}
