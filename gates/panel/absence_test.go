package panel

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// dark is below this brightness.
const dark = 60

// albums is a question whose gold is that only the second of two albums has a
// dark picture: shades are those of the clue and of the pictures of the first.
func (b *bench) albums(id string, clue uint8, first ...uint8) schemas.Question {
	q := schemas.Question{
		QuestionID: id, Family: "test", TaskID: "t", Type: schemas.TypeSourceMemory, Split: "test", Labels: map[string]string{},
		Question: "In which of the two albums is a picture dark?", AnswerKey: "b", AnswerText: "only in the second album",
	}
	for i, text := range []string{"only in the first album", q.AnswerText, "in both albums", "in neither album"} {
		q.Options = append(q.Options, schemas.Option{Key: string(rune('a' + i)), Text: text, Role: schemas.RoleDistractor})
	}
	q.Options[1].Role = schemas.RoleCorrect
	add := func(role, text string, shade uint8) {
		q.Evidence = append(q.Evidence, schemas.Evidence{
			Kind: "media", Ref: b.png(shade), Role: role, SourceID: text, Order: int32(len(q.Evidence) + 1),
			Modality: schemas.ModalityImage, Text: text, MinimalCaption: "a picture",
		})
	}
	for i, shade := range first {
		if i == 1 {
			add(schemas.RoleClue, "Of the second album.", clue)
		}
		add(schemas.RoleAbsence, "Of the first album.", shade)
	}
	return q
}

// looker judges and answers from nothing but what the request shows: which
// pictures are dark, and of which album they are said to be. What it was shown
// no picture of, it does not know.
func looker(t *testing.T, asked *[]shownTo) func(testkit.ChatRequest) testkit.ChatReply {
	return func(a testkit.ChatRequest) testkit.ChatReply {
		s, err := read(a)
		if err != nil {
			t.Error(err)
		}
		*asked = append(*asked, s)
		bright := shades(t, a.Images)
		seen, found := map[string]bool{}, map[string]bool{}
		for _, p := range s.passages {
			for _, n := range p.Pictures {
				seen[p.Text] = true
				found[p.Text] = found[p.Text] || bright[n-1] < dark
			}
		}
		first, second := "Of the first album.", "Of the second album."
		follows := found[second] && seen[first] && !found[first]
		word := map[bool]string{true: answerYes, false: answerNo}
		switch {
		case strings.HasSuffix(a.Task, "contradiction"):
			return testkit.ReplyJSON(contradictionResponse{Why: "So it looks.", Contradicted: word[found[first]]})
		case s.proposed != "":
			return testkit.ReplyJSON(supportResponse{Why: "So it looks.", Supported: word[follows]})
		}
		for _, o := range s.options {
			if follows && o.Text == "only in the second album" {
				return testkit.ReplyJSON(answerResponse{Why: "So it looks.", Answer: o.Letter})
			}
		}
		return testkit.ReplyJSON(answerResponse{Why: "It does not follow.", Answer: answerUnknown})
	}
}

// TestOnlyInOne: that something is in one thing only is judged by clues of the
// one and by what the other shows.
func TestOnlyInOne(t *testing.T) {
	b := newBench(t)
	var asked []shownTo
	b.ask(looker(t, &asked))
	sound := b.albums("sound", 10, 200, 210, 220)
	unseen := b.albums("unseen", 10, 200, 210, 220)
	unseen.Evidence = slices.DeleteFunc(unseen.Evidence, func(e schemas.Evidence) bool { return e.Role == schemas.RoleAbsence })
	for _, tc := range []struct {
		item         schemas.Question
		gate, want   string
		passages     int
		marked, full int
	}{
		{sound, "correctness", "", 4, 3, 3},
		{b.albums("in both", 10, 200, 210, 20), "correctness", "not-established", 4, 3, 3},
		{b.albums("in neither", 190, 200, 210, 220), "correctness", "not-established", 4, 3, 3},
		{unseen, "correctness", "not-established", 1, 0, 3},
		// Who answers is not told what says that something is absent.
		{sound, "oracle", "", 4, 0, 8},
		{b.albums("in both", 10, 200, 210, 20), "oracle", "unsolved", 4, 0, 8},
		// The other album is no piece of the answer, and yet a source of it.
		{sound, "evidence-necessity", "one-piece", 0, 0, 0},
		{sound, "source-necessity", "", 1, -1, 6},
		{sound, "answerable-alone", "one-piece", 0, 0, 0},
	} {
		asked = nil
		got := b.judge(tc.gate, "", tc.item)
		if got.code() != tc.want || tc.want == "" && got.Outcome != schemas.Pass || int(got.CallsFull) != tc.full {
			t.Errorf("%s of %s: %s %q, %d calls in full; want %q, %d", tc.gate, tc.item.QuestionID, got.Outcome, got.Reason, got.CallsFull, tc.want, tc.full)
		}
		for _, s := range asked {
			marked := 0
			for _, p := range s.passages {
				if p.Absence {
					marked++
				}
			}
			if tc.marked >= 0 && (len(s.passages) != tc.passages || marked != tc.marked) {
				t.Errorf("%s of %s: %d passages, %d of them marked; want %d, %d", tc.gate, tc.item.QuestionID, len(s.passages), marked, tc.passages, tc.marked)
			}
		}
	}
	if view.AnswerIsAbsence(&sound) {
		t.Error("it occurs somewhere")
	}
}

// TestOnlyInOneFits: with little room the clue keeps its picture, and the other
// half of the answer has as many.
func TestOnlyInOneFits(t *testing.T) {
	b := newBench(t)
	var asked []shownTo
	b.ask(looker(t, &asked))
	q := b.albums("many", 10, 200, 201, 202, 203, 204, 205, 206, 207, 208)
	got := b.judge("correctness", `{"frames": 8, "whole": 32, "max_pictures": 4}`, q)
	if got.Outcome != schemas.Pass || got.probes[0].Pictures != 4 || got.probes[0].PicturesFull != 10 {
		t.Errorf("%s %s, %+v", got.Outcome, got.Reason, got.probes)
	}
}

// TestGuesserLooksElsewhere: the built-in judge says no when a description of the
// other video has what is asked about.
func TestGuesserLooksElsewhere(t *testing.T) {
	for told, want := range map[string]string{"A pot is filled.": schemas.Pass, "A red cup is broken.": schemas.Fail} {
		b := newBench(t)
		q := edited("q", func(q *schemas.Question) {
			q.Question, q.AnswerText = "In which is a red cup broken?", "only in Rye"
			q.Options = []schemas.Option{{Key: "c", Text: "only in Rye"}, {Key: "a", Text: "only in Leek"}, {Key: "b", Text: "both"}}
			q.Evidence[0].Text = "Only in Rye a red cup is broken."
			q.Evidence[1].Role, q.Evidence[1].Text = schemas.RoleAbsence, told
		})
		if got := b.judge("correctness", "", q); got.Outcome != want {
			t.Errorf("%q: %s %s", told, got.Outcome, got.Reason)
		}
	}
}
