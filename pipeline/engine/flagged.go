package engine

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// Bounds of what a reviser reads of the answers that a gate got.
const (
	mostSaid      = 8
	mostSaidChars = 1000
)

// flagged is the record that a reviser reads.
func (u *unit) flagged(item pipeline.Record, j pipeline.Judgement) (pipeline.Record, error) {
	gate := u.task.Identity.Name
	return pipeline.NewRecord(schemas.NameFlagged, "flagged/"+gate+"/"+item.ID, schemas.Flagged{
		Item: item.ID, Schema: item.Schema, Record: item.Data,
		Gate: gate, Use: u.task.Identity.Use, Code: j.Code, Reason: j.Reason, Said: said(j.Probes),
	}, item.Blobs...)
}

// said are the answers of probes, in their order, the first of each view and
// role before any other: what a second order of the options or a second sample
// brought tells less.
func said(probes []schemas.Probe) []schemas.Said {
	type key struct{ view, role string }
	seen := map[key]bool{}
	var first, more []schemas.Said
	for _, p := range probes {
		s := schemas.Said{View: p.View, Role: p.Role, Answer: p.Answer, Mark: p.Mark, Response: cutText(p.Response, mostSaidChars)}
		if k := (key{p.View, p.Role}); !seen[k] {
			seen[k] = true
			first = append(first, s)
			continue
		}
		more = append(more, s)
	}
	all := append(first, more...)
	return all[:min(len(all), mostSaid)]
}

// cutText keeps the first n characters.
func cutText(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n]) + "..."
}
