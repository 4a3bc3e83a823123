package author

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

// Item is what the author is told of an item in every request.
type Item struct {
	Question string   `json:"question"`
	Answer   []string `json:"answer"`
	Pieces   []Piece  `json:"pieces"`
	// QuestionPictures are numbers of pictures that the question itself shows.
	QuestionPictures []int `json:"question_pictures,omitempty"`
}

// Piece is a unit that the answer rests on. Pictures are numbers, from 1, of the
// pictures that go with the request; 0 is one that is left out.
type Piece struct {
	Number   int    `json:"number"`
	Kind     string `json:"kind"`
	Title    string `json:"title,omitempty"`
	Text     string `json:"text,omitempty"`
	Caption  string `json:"caption,omitempty"`
	Pictures []int  `json:"pictures,omitempty"`
}

// itemInput is the item as the author is told it, and its pictures.
func (w *itemAuthor) itemInput() (Item, []pipeline.Digest) {
	out := Item{Question: w.item.Question.Question, Answer: answerTexts(w.item.Question), Pieces: []Piece{}}
	var shown []pipeline.Digest
	show := func(ids []string) (numbers []int) {
		for _, id := range ids {
			at := slices.Index(shown, pipeline.Digest(id))
			if at < 0 && len(shown) < w.cfg.Pictures {
				shown = append(shown, pipeline.Digest(id))
				at = len(shown) - 1
			}
			numbers = append(numbers, at+1)
		}
		return numbers
	}
	out.QuestionPictures = show(w.item.Question.QuestionMedia)
	needed := w.item.Needed()
	for i, u := range needed {
		p := Piece{Number: i + 1, Kind: u.Modality, Title: u.Title, Text: truncate(UnitText(u), w.cfg.Chars/len(needed)), Caption: truncate(u.Caption, w.cfg.Chars/len(needed))}
		p.Pictures = show(u.Pictures())
		out.Pieces = append(out.Pieces, p)
	}
	return out, shown
}

// UnitText are all that is written in a unit.
func UnitText(u schemas.EvidenceUnit) string {
	var lines []string
	if u.Text != "" {
		lines = append(lines, u.Text)
	}
	for _, r := range u.Rows {
		lines = append(lines, strings.Join(r, " | "))
	}
	for _, p := range u.Parts {
		if p.Text != "" {
			lines = append(lines, p.Text)
		}
	}
	return strings.Join(lines, "\n")
}

// answerTexts are what an answer says: the text of the right option, or the arguments of
// the call that are words.
func answerTexts(q schemas.Question) []string {
	if q.AnswerCall == "" {
		return []string{q.AnswerText}
	}
	var call struct {
		Name      string         `json:"name"`
		Arguments map[string]any `json:"arguments"`
	}
	if json.Unmarshal([]byte(q.AnswerCall), &call) != nil {
		return []string{q.AnswerCall}
	}
	out := []string{call.Name}
	for _, k := range slices.Sorted(maps.Keys(call.Arguments)) {
		out = append(out, fmt.Sprint(call.Arguments[k]))
	}
	return out
}

// truncate is the first n characters of a text.
func truncate(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n]) + "…"
	}
	return text
}

// lastRefusal says why the last of the answers that were refused cannot be used.
func lastRefusal[Out any](refused []model.RejectedAnswer[Out]) string {
	return fmt.Sprintf("%s (after %d attempts)", strings.Join(refused[len(refused)-1].Reasons, "; "), len(refused))
}

// rejectDeclined rejects where the author sees no way.
func rejectDeclined(by, why, what string) error {
	if why = strings.TrimSpace(why); why == "" {
		return nil
	}
	return pipeline.Reject(codeDeclined, "%s writes no %s: %s", by, what, why)
}

// refusals gathers what is wrong with an answer, in words its author can act on.
type refusals []string

func (r *refusals) add(format string, args ...any) { *r = append(*r, fmt.Sprintf(format, args...)) }
