package view

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// spans is a question about pieces of one video.
func spans(n int) *schemas.Question {
	q := &schemas.Question{Question: "When?", AnswerText: "in the first half", Setting: "The video lasts 80.00 s.", Media: []string{videoID}}
	for i := range n {
		q.Evidence = append(q.Evidence, schemas.Evidence{
			Kind: "media", Ref: fmt.Sprintf("%s#t=%d.00,%d.50", videoID, 2*i, 2*i+1), Role: schemas.RoleClue, Order: int32(i + 1),
			Modality: schemas.ModalityVideo, Caption: "a cup is moved", MinimalCaption: "a few seconds of a video",
		})
	}
	return q
}

// TestViewsAreFitted evenly, and say so.
func TestViewsAreFitted(t *testing.T) {
	for _, tc := range []struct {
		pieces      int
		terms       Settings
		shown, full int
		each        string
	}{
		{2, Settings{Frames: 8, Most: 32}, 16, 16, "[8 8]"},
		{5, Settings{Frames: 4, Most: 8}, 8, 20, "[2 2 2 1 1]"},
		{5, Settings{Frames: 4, Most: 5}, 5, 20, "[1 1 1 1 1]"},
		{20, Settings{Frames: 1, Most: 8}, 8, 20, "[1 1 1 1 1 1 1 1]"},
		{2, Settings{Frames: 8, Most: 0}, 0, 16, "[]"},
	} {
		s, err := Show(spans(tc.pieces), Oracle, tc.terms)
		if err != nil {
			t.Fatal(err)
		}
		each := []int{}
		for _, p := range s.Passages {
			each = append(each, p.Picture.Frames)
		}
		if s.MaxPictures() != tc.shown || s.FullPictures() != tc.full || fmt.Sprint(each) != tc.each {
			t.Errorf("%d pieces, %+v: %d of %d pictures, %v; want %d of %d, %s", tc.pieces, tc.terms, s.MaxPictures(), s.FullPictures(), each, tc.shown, tc.full, tc.each)
		}
	}
	s, err := Show(spans(20), Oracle, Settings{Frames: 1, Most: 8})
	if err != nil {
		t.Fatal(err)
	}
	var at []float64
	for _, p := range s.Passages {
		at = append(at, p.Picture.From)
	}
	if want := []float64{2, 6, 12, 16, 22, 26, 32, 36}; !slices.Equal(at, want) {
		t.Errorf("8 of 20 pieces have a picture: those from %v, want %v", at, want)
	}
	// What is written of a piece stays where its pictures do not fit.
	q := chain()
	if s, err = Show(q, Oracle, Settings{Frames: 4, Most: 1}); err != nil || told(s.Passages) != "the cup | see | look(2 4-6.5 x1) | cup,1" || s.FullPictures() != 5 {
		t.Errorf("room for one picture: %s of %d, %v", told(s.Passages), s.FullPictures(), err)
	}
}

// TestTimeGoesWithPictures: the place of a piece in its video, and what there is
// to know of the whole, are shown where its pictures are and nowhere else.
func TestTimeGoesWithPictures(t *testing.T) {
	for name, shows := range map[string]bool{
		"oracle": true, "only:1": true, "without:1": true, "full": true,
		"none": false, "minimal_caption": false, "dense_caption": false, "single_frame": false, "without_modality:video": false,
	} {
		q := spans(2)
		q.Evidence[0].Text, q.Evidence[1].Text = "look", "and look"
		for _, view := range []string{name, "text"} {
			s, err := Show(q, view, Settings{Frames: 4, Whole: 16, Most: 32})
			if err != nil {
				t.Fatal(view, err)
			}
			told := strings.Contains(fmt.Sprintf("%+v", s.Passages), "of the video") || strings.Contains(fmt.Sprintf("%+v", s.Passages), wholeVideo)
			if want := shows && view == name; told != want || (s.Setting != "") != want {
				t.Errorf("%s: times %t, setting %q; want them: %t", view, told, s.Setting, want)
			}
		}
	}
	s, err := Show(spans(2), Oracle, Settings{Frames: 1, Most: 2})
	if err != nil || s.Passages[1].Span != "from 2.00 s to 3.50 s of the video" {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestWhatOccursNowhereIsShownWhole, as many pictures as there is room for, and
// described.
func TestWhatOccursNowhereIsShownWhole(t *testing.T) {
	q := &schemas.Question{
		Question: "In which is a cup broken?", AnswerText: "neither", Setting: "The video lasts 80.00 s.", Media: []string{videoID},
		Evidence: []schemas.Evidence{{Kind: "media", Ref: videoID, Role: schemas.RoleAbsence, Order: 1, Modality: schemas.ModalityVideo, Caption: "cups are moved"}},
	}
	if !AnswerIsAbsence(q) || AnswerIsAbsence(spans(1)) {
		t.Error("which question is about what occurs nowhere")
	}
	for most, frames := range map[int]int{32: 24, 8: 8} {
		s, err := Show(q, Oracle, Settings{Frames: 4, Whole: 24, Most: most})
		want := Passage{Span: wholeVideo, Caption: "cups are moved", Picture: &Picture{Media: videoID, Frames: frames}}
		if err != nil || len(s.Passages) != 1 || fmt.Sprintf("%+v%+v", s.Passages[0].Span+s.Passages[0].Caption, *s.Passages[0].Picture) != fmt.Sprintf("%+v%+v", want.Span+want.Caption, *want.Picture) || s.FullPictures() != 24 {
			t.Errorf("room for %d: %+v of %d, %v", most, s.Passages, s.FullPictures(), err)
		}
		if s.Setting == "" {
			t.Error("no setting")
		}
	}
}

// TestContextGoesWithEveryPart and is none itself.
func TestContextGoesWithEveryPart(t *testing.T) {
	q := spans(2)
	q.Evidence = append(q.Evidence, schemas.Evidence{Kind: "media", Ref: videoID + "#t=0.00,2.00", Role: schemas.RoleContext, Order: 0, Modality: schemas.ModalityVideo})
	for name, want := range map[string]string{
		"oracle": "(2 0-2 x2) | (2 0-1.5 x4) | (2 2-3.5 x4)", "only:2": "(2 0-2 x2) | (2 0-1.5 x4)", "without:2": "(2 0-2 x2) | (2 2-3.5 x4)",
		"single_frame": "(2 2-3.5 x1)",
	} {
		s, err := Show(q, name, Settings{Frames: 4, Most: 32})
		if err != nil || told(s.Passages) != want {
			t.Errorf("%s shows %s, %v; want %s", name, told(s.Passages), err, want)
		}
	}
	if got := fmt.Sprint(CountPieces(q), JudgedPieces(q), Sources(q), HasOverride(q)); got != "2 [2 3] [] false" {
		t.Errorf("parts: %s", got)
	}
	q.Evidence = q.Evidence[2:]
	for _, name := range []string{"oracle", "only:1"} {
		if _, err := Show(q, name, Settings{Frames: 4, Most: 32}); err == nil {
			t.Errorf("%s of nothing but context", name)
		}
	}
}

// TestContextLeavesRoomForClues: where names are seen has one picture when room
// is short, and none of its own when a clue shows the same.
func TestContextLeavesRoomForClues(t *testing.T) {
	context := func(q *schemas.Question, ref string) {
		q.Evidence = append(q.Evidence, schemas.Evidence{
			Kind: "media", Ref: videoID + ref, Role: schemas.RoleContext, Order: int32(len(q.Evidence) + 1), Modality: schemas.ModalityVideo,
		})
	}
	q := spans(2)
	context(q, "#t=0.00,1.50")
	context(q, "#t=60.00,70.00")
	for _, tc := range []struct {
		view string
		most int
		want string
	}{
		{Oracle, 32, "(2 0-1.5 x8) | (2 2-3.5 x8) | (2 60-70 x2)"},
		{Oracle, 8, "(2 0-1.5 x4) | (2 2-3.5 x3) | (2 60-70 x1)"},
		{"only:2", 32, "(2 2-3.5 x8) | (2 0-1.5 x2) | (2 60-70 x2)"},
		{"only:2", 8, "(2 2-3.5 x6) | (2 0-1.5 x1) | (2 60-70 x1)"},
	} {
		s, err := Show(q, tc.view, Settings{Frames: 8, Most: tc.most})
		if err != nil || told(s.Passages) != tc.want {
			t.Errorf("%s with room for %d shows %s, %v; want %s", tc.view, tc.most, told(s.Passages), err, tc.want)
		}
	}
}

// TestWhatOccursElsewhereGoesWithEveryPart: where clues show what happens in one
// video only, the other one is no part, is marked for a judge alone, and has half
// of the room.
func TestWhatOccursElsewhereGoesWithEveryPart(t *testing.T) {
	q := spans(2)
	for i := range 3 {
		q.Evidence = append(q.Evidence, schemas.Evidence{
			Kind: "media", Ref: fmt.Sprintf("%s#t=%d.00,%d.00", videoID, 10*i+10, 10*i+15), Role: schemas.RoleAbsence, SourceID: "other",
			Order: int32(i + 3), Modality: schemas.ModalityVideo, Caption: "pots are moved", MinimalCaption: "a few seconds of a video",
		})
	}
	for _, tc := range []struct {
		view string
		most int
		want string
	}{
		{Oracle, 32, "(2 0-1.5 x4) | (2 2-3.5 x4) | (2 10-15 x4) | (2 20-25 x4) | (2 30-35 x4)"},
		// One each before any has two: half of the room would leave one out.
		{Oracle, 5, "(2 0-1.5 x1) | (2 2-3.5 x1) | (2 10-15 x1) | (2 20-25 x1) | (2 30-35 x1)"},
		{"only:1", 5, "(2 0-1.5 x2) | (2 10-15 x1) | (2 20-25 x1) | (2 30-35 x1)"},
		{"only:1", 4, "(2 0-1.5 x1) | (2 10-15 x1) | (2 20-25 x1) | (2 30-35 x1)"},
		{Oracle, 4, "(2 0-1.5 x1) | (2 2-3.5 x1) | (2 10-15 x1) | [pots are moved] | (2 30-35 x1)"},
		{"only:1", 6, "(2 0-1.5 x3) | (2 10-15 x1) | (2 20-25 x1) | (2 30-35 x1)"},
		{"without:1", 6, "(2 2-3.5 x3) | (2 10-15 x1) | (2 20-25 x1) | (2 30-35 x1)"},
		{"only_source:other", 6, "(2 10-15 x2) | (2 20-25 x2) | (2 30-35 x2)"},
		{"single_frame", 6, "(2 2-3.5 x1)"},
	} {
		for _, judge := range []bool{true, false} {
			s, err := Show(q, tc.view, Settings{Frames: 4, Most: tc.most, Propose: judge})
			if err != nil {
				t.Fatal(err)
			}
			marked, absent := 0, 0
			for i := range s.Passages {
				p := &s.Passages[i]
				if p.Caption != "" {
					absent++
				}
				if p.Absence {
					marked++
				}
				if p.Picture != nil {
					p.Caption = ""
				}
			}
			if want := map[bool]int{true: absent}[judge]; told(s.Passages) != tc.want || marked != want {
				t.Errorf("%s, room for %d: %s, %d marked; want %s, %d", tc.view, tc.most, told(s.Passages), marked, tc.want, want)
			}
		}
	}
	if got := fmt.Sprint(AnswerIsAbsence(q), CountPieces(q), JudgedPieces(q), Sources(q)); got != "false 2 [1 2] [other]" {
		t.Errorf("parts: %s", got)
	}
	s, err := Show(q, "without_modality:video", Settings{Frames: 4, Most: 8, Propose: true})
	if err != nil || len(s.Passages) > 0 {
		t.Errorf("without pictures: %+v, %v", s.Passages, err)
	}
	if _, err := Show(q, "only:3", Settings{Frames: 4, Most: 8}); err == nil {
		t.Error("what occurs elsewhere is shown as a part")
	}
}
