package engine

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// Bounds of what a reviser reads of the answers that a gate got.
const (
	maxAnswers     = 8
	maxAnswerChars = 1000
)

// flaggedRecord is the record that a reviser reads.
func (u *unitRun) flaggedRecord(item pipeline.Record, j pipeline.Judgement) (pipeline.Record, error) {
	gate := u.task.Identity.Name
	return pipeline.NewRecord(schemas.NameFlagged, "flagged/"+gate+"/"+item.ID, schemas.Flagged{
		Item: item.ID, Schema: item.Schema, Record: item.Data,
		Gate: gate, Use: u.task.Identity.Use, Code: j.Code, Reason: j.Reason, Answers: answers(j.Probes),
	}, item.Blobs...)
}

// answers are the answers of probes, in their order, the first of each view and
// role before any other: what a second order of the options or a second sample
// brought tells less.
func answers(probes []schemas.Probe) []schemas.ModelAnswer {
	type key struct{ view, role string }
	seen := map[key]bool{}
	var first, more []schemas.ModelAnswer
	for _, p := range probes {
		s := schemas.ModelAnswer{View: p.View, Role: p.Role, Answer: p.Answer, Mark: p.Mark, Response: cutText(p.Response, maxAnswerChars)}
		if k := (key{p.View, p.Role}); !seen[k] {
			seen[k] = true
			first = append(first, s)
			continue
		}
		more = append(more, s)
	}
	all := append(first, more...)
	return all[:min(len(all), maxAnswers)]
}

// cutText keeps the first n characters.
func cutText(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n]) + "..."
}
