package audit

import (
	"errors"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// TestItemTellsWhatAReleaseSays of questions, tasks, media and what was dropped.
func TestItemTellsWhatAReleaseSays(t *testing.T) {
	c := release.Contents{
		Questions: []schemas.Question{{
			QuestionID: "q", Type: "what", Family: "video", Split: "test", TaskID: "t", Media: []string{"m"}, QuestionMCQ: "What?\nA. this\x1b[31m\nB. that",
			AnswerKey: "B", AnswerText: "that", Explanation: "It is.", Evidence: []schemas.Evidence{{Role: "clue", Ref: "m#t=1,2"}},
		}},
		Tasks:      []schemas.Task{{TaskID: "t", Scenario: "split-screen", SourceRecords: []string{"films"}, Summary: "Two films."}},
		Media:      []schemas.Media{{MediaID: "m", Kind: "video", Duration: 4, Recipe: schemas.Recipe{Segments: []schemas.Segment{{Original: "o", SourceID: "films", From: 5, To: 9}}}}},
		Flagged:    []schemas.FlaggedQuestion{{Question: schemas.Question{QuestionID: "q", QuestionMCQ: "Wat?"}, JudgedBy: []string{"roles"}}},
		Rejections: []schemas.Rejection{{ID: "gone", Stage: "pair", Reason: "alone: it has no partner"}},
		Verdicts:   []schemas.Verdict{{Item: "q", Gate: "blind", Outcome: "pass", Reason: "unsolved"}, {Item: "q", Gate: "roles", Outcome: "pass"}, {Item: "other", Gate: "roles", Outcome: "fail"}},
		Probes:     []schemas.Probe{{Item: "q", Gate: "blind", Model: "big-1", Role: "panel_a", View: "none", Rotation: 1, Answer: "A", Mark: "wrong"}, {Item: "other", Gate: "blind"}},
		Files:      map[string]string{"m": "media/videos/m.mp4"},
	}
	for id, want := range map[string]string{
		"q": `question q, what of family video, split test
  What? A. this [31m B. that
  answer: B that
  because: It is.
  clue m#t=1,2
  task t, split-screen, of films: Two films.
  video media/videos/m.mp4, 4.0 s
    from frame 0: frames 5 to 9 of o, source films
an earlier form (0), judged by roles: Wat?
gate blind: pass, unsolved
  asked big-1 (panel_a) with view none, rotation 1, run 0: A, wrong
gate roles: pass`,
		"t":    "task t, split-screen, of films: Two films.",
		"m":    "video media/videos/m.mp4, 4.0 s\n  from frame 0: frames 5 to 9 of o, source films",
		"gone": "dropped by pair: alone: it has no partner",
	} {
		got, err := DescribeItem(c, id)
		if err != nil || strings.Join(got, "\n") != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", id, err, strings.Join(got, "\n"), want)
		}
	}
	if _, err := DescribeItem(c, "nothing"); !errors.Is(err, ErrNoItem) || !strings.Contains(err.Error(), "explain nothing") {
		t.Errorf("of what is not there: %v", err)
	}
}
