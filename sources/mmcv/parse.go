package mmcv

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/benchmark"
	"github.com/memforge/memforge/sources/internal/evidence"
)

// kind is a modality as MMCV lists it and as MultiModalQA keeps it.
type kind struct{ key, modality, file string }

// kinds are in the order in which units stand.
func kinds() []kind {
	return []kind{
		{"text_evidence", schemas.ModalityText, "dataset/MMQA_texts.jsonl.gz"},
		{"image_evidence", schemas.ModalityImage, "dataset/MMQA_images.jsonl.gz"},
		{"table_evidence", schemas.ModalityTable, "dataset/MMQA_tables.jsonl.gz"},
	}
}

// ref names a piece of MultiModalQA.
type ref struct{ modality, id string }

func (r ref) String() string { return Pieces + ":" + r.modality + ":" + r.id }

// claim is an entry of a file.
type claim struct {
	id, hops, text, context string
	supported               bool
	refs                    []ref
	notes                   []schemas.Note
}

// Options of every claim.
const (
	supported = "It is supported."
	refuted   = "It is refuted."
)

// parse reads the n-th entry, from 0, of a file. Entries have no id of their own.
func parse(o annotation.Object, file string, n int) (claim, *pipeline.Rejection) {
	c := claim{hops: strings.TrimSuffix(path.Base(file), ".json")}
	c.id = fmt.Sprintf("%s:%d", c.hops, n)
	var label string
	err := o.Fill(annotation.Field{Key: "claim", Into: &c.text}, annotation.Field{Key: "wiki_context", Into: &c.context}, annotation.Field{Key: "label", Into: &label})
	if err != nil {
		return c, pipeline.Reject(benchmark.CodeBadRow, "%v", err)
	}
	switch {
	case c.text == "":
		return c, pipeline.Reject(schemas.CodeNoQuestion, "it has no claim")
	case label != "SUPPORT" && label != "REFUTE":
		return c, pipeline.Reject(evidence.CodeLabel, "label %q: want SUPPORT or REFUTE; what a number would stand for was never stated", annotation.Truncate(label))
	}
	c.supported = label == "SUPPORT"
	for _, k := range kinds() {
		if err := c.addPieces(o, k); err != nil {
			return c, pipeline.Reject(benchmark.CodeBadRow, "%v", err)
		}
	}
	if len(c.refs) == 0 {
		return c, pipeline.Reject(schemas.CodeNoUnits, "it rests on no evidence")
	}
	return c, nil
}

// addPieces adds the pieces of a kind, each once.
func (c *claim) addPieces(o annotation.Object, k kind) error {
	ids, _, err := o.LooseList(k.key)
	if err != nil {
		return err
	}
	again := 0
	for _, id := range ids {
		r := ref{k.modality, id}
		switch {
		case id == "":
			return errors.New(k.key + " holds an empty id")
		case slices.Contains(c.refs, r):
			again++
		default:
			c.refs = append(c.refs, r)
		}
	}
	if again > 0 {
		c.notes = append(c.notes, schemas.Note{Code: evidence.NoteDuplicate, Text: fmt.Sprintf("%s names pieces again that it has named, %d times", k.key, again)})
	}
	return nil
}

// modalities names the modalities of the evidence.
func (c claim) modalities() string {
	var out []string
	for _, r := range c.refs {
		if !slices.Contains(out, r.modality) {
			out = append(out, r.modality)
		}
	}
	return strings.Join(out, "+")
}

// item is the claim with the pieces that are there.
func (c claim) item(pieces pieceUnits, offer func(q *schemas.Question, upstream, right string, wrong ...string)) schemas.EvidenceItem {
	item := schemas.EvidenceItem{UpstreamID: c.id, Task: schemas.TaskMultiHop, Notes: c.notes, Question: schemas.Question{
		Question: "What does the evidence say of this claim? " + c.text, Type: "claim_verification",
		Labels: map[string]string{"hops": c.hops, "mix": c.modalities(), "pieces": fmt.Sprint(len(c.refs))},
	}}
	right, wrong := supported, refuted
	if !c.supported {
		right, wrong = refuted, supported
	}
	offer(&item.Question, c.id, right, wrong)
	missing := map[string]int{}
	for _, r := range c.refs {
		u, here := pieces[r]
		if !here {
			u = schemas.EvidenceUnit{State: schemas.UnitMissing, Ref: r.String()}
		}
		if u.State != "" {
			missing[r.modality]++
		}
		u.UpstreamID, u.Dataset, u.Modality, u.Role = r.id, Pieces, r.modality, schemas.RoleClue
		item.Units = append(item.Units, u)
	}
	if c.context != "" {
		item.Units = append(item.Units, schemas.EvidenceUnit{Modality: schemas.ModalityText, Text: c.context, Role: schemas.RoleContext})
	}
	if len(missing) > 0 {
		item.Notes = append(item.Notes, schemas.Note{Code: evidence.NoteMissing, Text: fmt.Sprintf(
			"MultiModalQA would have to bring %d texts, %d pictures and %d tables", missing[schemas.ModalityText], missing[schemas.ModalityImage], missing[schemas.ModalityTable])})
	}
	return item
}
