package revise

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

const maxBasis = 16 << 20

// basisOf reads what a question was written from; nil where it names nothing.
func basisOf(ctx context.Context, scope *pipeline.Scope, q schemas.Question) (*schemas.Basis, error) {
	if q.Basis == "" {
		return nil, nil
	}
	r, err := scope.OpenBlob(ctx, pipeline.Digest(q.Basis))
	if err != nil {
		return nil, fmt.Errorf("open what %s was written from: %w", q.QuestionID, err)
	}
	defer r.Close()
	raw, err := io.ReadAll(io.LimitReader(r, maxBasis+1))
	if err != nil {
		return nil, fmt.Errorf("read what %s was written from: %w", q.QuestionID, err)
	}
	var b schemas.Basis
	if err := json.Unmarshal(raw, &b); err != nil || len(raw) > maxBasis {
		return nil, pipeline.Reject("bad-basis", "what it was written from (blob %s, %d bytes) cannot be read: %v; build the question again", q.Basis, len(raw), err)
	}
	return &b, nil
}

// addBasis adds what a question was written from, at most so many characters: of
// parts that it does not rest on, the last are left out first.
func (in *Input) addBasis(b *schemas.Basis, chars int) {
	if b == nil {
		return
	}
	in.Opening = b.Opening
	size := 0
	for _, s := range b.Sources {
		for _, p := range s.Parts {
			size += partSize(p)
		}
	}
	in.Told = make([]schemas.BasisSource, len(b.Sources))
	for i, s := range b.Sources {
		in.Told[i] = schemas.BasisSource{Role: s.Role, Name: s.Name, Parts: append([]schemas.BasisPart{}, s.Parts...)}
	}
	for _, cited := range []bool{false, true} {
		for size > chars {
			from, at := in.lastPart(cited)
			if from < 0 {
				break
			}
			parts := in.Told[from].Parts
			size -= partSize(parts[at])
			in.Told[from].Parts = append(parts[:at], parts[at+1:]...)
			in.LeftOut++
		}
	}
}

// lastPart finds the last part that is cited, or not, of the source with most parts.
func (in *Input) lastPart(cited bool) (from, at int) {
	from, most := -1, 0
	for i, s := range in.Told {
		for j, p := range s.Parts {
			if p.Cited == cited && (len(s.Parts) > most || i == from) {
				from, at, most = i, j, len(s.Parts)
			}
		}
	}
	return from, at
}

// partSize is about how many characters a part takes.
func partSize(p schemas.BasisPart) int {
	n := 60
	for k, t := range p.Told {
		n += len(k) + len(t) + 8
	}
	return n
}
