package benchmark

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
)

// Question is one question about a video as its benchmark asks it. A record
// keeps of it what is true of the video: the question and its right answer.
type Question struct {
	// Text is the question without options; Answer the text of the right one,
	// or empty.
	Text, Answer string
	// Spans are where the answer is seen, if the benchmark says so.
	Spans []annotation.Span
}

func (q Question) statement() string { return strings.TrimSpace(q.Text + " " + q.Answer) }

// Statements are the questions with their answers, each of them once.
func Statements(questions []Question) []string {
	var out []string
	seen := map[string]bool{}
	for _, q := range questions {
		if text := q.statement(); !seen[text] {
			seen[text] = true
			out = append(out, text)
		}
	}
	return out
}

// TimedCaptions are the questions that name a time, in order of time: the only timed
// texts of a video without captions.
func TimedCaptions(questions []Question) []schemas.Caption {
	var out []schemas.Caption
	for _, q := range questions {
		for _, s := range q.Spans {
			out = append(out, schemas.Caption{Start: s.Start, End: s.End, Text: q.statement()})
		}
	}
	slices.SortStableFunc(out, func(a, b schemas.Caption) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	return out
}
