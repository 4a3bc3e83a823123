package author

import (
	"context"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// neighbours is how many parts that are not gold stay before and after one that is.
const neighbours = 1

// cutDocuments makes files of documents: one around each part that the answer rests on, with
// its neighbours. What lies between two is left out, and so is a picture beside a
// gold one, so that a file shows one picture at most.
func (w *itemAuthor) cutDocuments(context.Context) error {
	var out []schemas.EvidenceUnit
	for _, u := range w.item.Units {
		if u.Modality != schemas.ModalityDocument || u.Role == schemas.RoleDistractor {
			out = append(out, u)
			continue
		}
		out = append(out, splitDocument(u)...)
	}
	w.item.Units = out
	return nil
}

// splitDocument cuts a document. One without gold parts stays whole.
func splitDocument(u schemas.EvidenceUnit) (out []schemas.EvidenceUnit) {
	from := 0 // the first part that is in no file yet
	for i, p := range u.Parts {
		if !p.Gold {
			continue
		}
		end := i + 1
		for end < len(u.Parts) && end <= i+neighbours && !u.Parts[end].Gold {
			end++
		}
		file := u
		file.Labels, file.Parts = clone(u.Labels), partsAround(u.Parts[max(from, i-neighbours):end], p)
		if len(out) > 0 { // the first keeps the id, by which others may revise it
			file.UnitID, file.Revises = "", nil
		}
		out, from = append(out, file), end
	}
	if len(out) == 0 {
		return []schemas.EvidenceUnit{u}
	}
	return out
}

// partsAround are the parts about a gold one: no other picture, and no second gold one.
func partsAround(parts []schemas.UnitPart, gold schemas.UnitPart) []schemas.UnitPart {
	return slices.DeleteFunc(slices.Clone(parts), func(p schemas.UnitPart) bool {
		return p != gold && (p.Gold || p.Media != "")
	})
}

func clone(m map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range m {
		out[k] = v
	}
	return out
}
