package describe

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// TestCardsTellTheirQuestions: the medium, the options with the right one marked, when
// the evidence is to be seen in which medium, or what it says.
func TestCardsTellTheirQuestions(t *testing.T) {
	long := strings.Repeat("ü", 700)
	rel := Release{
		Media: slices.Values([]schemas.Media{{MediaID: "m1", Kind: "image"}, {MediaID: "m3", Kind: "image"}, {MediaID: "m2", Kind: "video", Duration: 4, Frames: 100, Recipe: schemas.Recipe{Layout: "split", SwapFrames: []int64{1, 2}}}}),
		Questions: slices.Values([]schemas.Question{
			{
				QuestionID: "q/1", Family: "f", Type: "a", Question: "What?", Media: []string{"m1", "m2"}, AnswerKey: "B",
				Options:  []schemas.Option{{Key: "A", Text: "no"}, {Key: "B", Text: "yes"}},
				Evidence: []schemas.Evidence{{Ref: "m2#t=1.50,2.25", Role: "clue"}, {Ref: "m1", Role: "context"}, {Ref: "m1", Role: "context"}},
			},
			{
				QuestionID: "q2", Family: "f", Type: "b", Question: "Who?", AnswerText: "she",
				Evidence: []schemas.Evidence{{Ref: "t", Role: "clue", Text: long}, {Ref: "t", Role: "update", Caption: "A red cup."}, {Ref: "t", Role: "clue"}},
			},
			{QuestionID: "q4", Family: "f", Type: "c", Question: "When?", AnswerText: "then", Evidence: []schemas.Evidence{{Kind: schemas.EvidenceTurn, Ref: "t2", Role: "clue", Text: "it itself"}}},
		}),
		Cards: []Card{{question: figureID("q2")}, {question: figureID("q/1")}, {question: figureID("q4")}},
	}
	rel.MediaPath = func(m schemas.Media) string { return "media/" + m.MediaID }
	rel.Turns = slices.Values([]schemas.Turn{
		{TurnID: "t4", SessionID: "s", Order: 4, Role: "user", Text: "far away"},
		{TurnID: "t3", SessionID: "s", Order: 3, Role: "user", Text: "beside it"},
		{TurnID: "t2", SessionID: "s", Order: 2, Role: "user", Speaker: "Ann", Text: "it itself", Timestamp: "2026-03-01T09:30:00Z", Attachments: []schemas.Attachment{{MediaID: "m3"}}},
	})
	families, err := rel.gallery()
	if err != nil {
		t.Fatal(err)
	}
	if len(families) != 1 || families[0].Family != "f" || families[0].Questions != 3 {
		t.Fatalf("%+v", families)
	}
	picture := shownMedium{Path: "media/m3", Caption: "picture, 0 × 0"}
	for i, want := range []galleryCard{
		{Type: "b", Question: "Who?", Answer: "she", Evidence: []cardEvidence{{Text: "clue: " + long[:2*mostText] + "…"}, {Text: "update: A red cup."}, {Text: "clue: t"}}},
		{
			Type: "a", Question: "What?", About: "split, 4.0 s, left and right change places 2 times",
			Shown:   []shownMedium{{Path: "media/m1", Caption: "picture, 0 × 0"}, {Path: "media/m2#t=1.50,2.25", Caption: "split, 4.0 s, left and right change places 2 times", Video: true}},
			Options: []cardOption{{"A. no", false}, {"B. yes", true}}, Evidence: []cardEvidence{{"clue: 1.50 to 2.25 s (2 of 2)", "media/m2#t=1.50,2.25"}, {"context: the picture (1 of 2)", "media/m1"}},
		},
		{
			Type: "c", Question: "When?", Answer: "then",
			Talks: []talk{{Head: "s, 2026-03-01 09:30", Turns: []talkTurn{{Role: "clue", Who: "Ann", Text: "it itself", Pictures: []shownMedium{picture}}, {Who: "user", Text: "beside it"}}}},
		},
	} {
		got := families[0].Cards[i]
		want.ID = got.ID
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	rel.Cards = []Card{{question: figureID("q3")}}
	if _, err := rel.gallery(); err == nil {
		t.Error("a card of a question that is not there")
	}
}
