package view

import (
	"cmp"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// shortestRest is the least length of a span that is shown as rest, in seconds.
const shortestRest = 0.5

// restOf shows what the evidence of a question leaves out: texts that lead to wrong answers, and
// the spans between those of its pieces in each video of which it cites a part.
func restOf(q *schemas.Question) (out []Passage) {
	for _, p := range distractorTexts(q) {
		p.Rest = true
		out = append(out, p)
	}
	list := neededPieces(q)
	for _, id := range q.Media {
		var cited []Picture
		whole := false
		for _, p := range list {
			if picture := p.picture(); picture != nil && picture.Media == id && p.modality() == schemas.ModalityVideo && !p.isContext() {
				cited = append(cited, *picture)
				whole = whole || picture.From == 0 && picture.To == 0
			}
		}
		if len(cited) == 0 || whole {
			continue
		}
		slices.SortFunc(cited, func(a, b Picture) int { return cmp.Compare(a.From, b.From) })
		at := 0.0
		for _, c := range cited {
			if c.From-at >= shortestRest {
				out = append(out, restSpan(id, at, c.From))
			}
			if c.To == 0 {
				at = 0
				break // to the end
			}
			at = max(at, c.To)
		}
		if at > 0 {
			out = append(out, restSpan(id, at, 0))
		}
	}
	return out
}

func restSpan(media string, from, to float64) Passage {
	p := piece{Evidence: schemas.Evidence{Modality: schemas.ModalityVideo}}
	out := Passage{Picture: &Picture{Media: media, From: from, To: to, MayBeEmpty: to == 0}, Rest: true}
	p.Ref = media + "#t=" + formatSeconds(from)
	if to > 0 {
		p.Ref += "," + formatSeconds(to)
	}
	out.Span = p.span()
	return out
}
