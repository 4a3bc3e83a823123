package crosssource

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/author"
	"github.com/memforge/memforge/stages/crosssource/placement"
)

type itemQuestionStage struct{}

func newPose(struct{}) (pipeline.Stage, error) { return itemQuestionStage{}, nil }

// Spec declares the questions.
func (itemQuestionStage) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameEvidenceItem}, Emits: []string{schemas.NameQuestion}, Types: slices.Sorted(maps.Values(types()))}
}

// Map asks the question of an item on its units, each a piece of evidence, and cites the
// texts that lead to wrong answers, as the question will that is asked of its sources. What
// the gates of SMMBench B.3 find of it, they find of the item: it is one record for one, so
// losses are counted by data set.
func (itemQuestionStage) Map(_ context.Context, _ *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	item, err := pipeline.Decode[schemas.EvidenceItem](in)
	if err != nil {
		return nil, err
	}
	if item.ContentMissing() {
		return nil, pipeline.Reject("no-content", "the content of a unit, or the question, is not here; add the files that the source names, or leave the item out")
	}
	q := itemQuestion(item)
	r, err := pipeline.NewRecord(schemas.NameQuestion, q.QuestionID, q, in.Blobs...)
	if err != nil {
		return nil, err
	}
	return []pipeline.Record{r}, nil
}

// itemQuestion is the question of an item before its evidence has a place.
func itemQuestion(item schemas.EvidenceItem) schemas.Question {
	q := item.Question
	q.QuestionID, q.Family, q.Type, q.Split, q.Media = item.ItemID+"/Q", family, types()[item.Task], schemas.DefaultSplit, []string{}
	q.Labels = maps.Clone(item.Question.Labels)
	if q.Labels == nil {
		q.Labels = map[string]string{}
	}
	q.Labels[labelTask], q.Labels[labelDataset], q.Labels[schemas.LabelFact] = item.Task, item.Dataset, item.ItemID
	for _, u := range item.Units {
		if u.Role == schemas.RoleDistractor && !isMisleading(u) {
			continue
		}
		for _, e := range unitEvidence(u) {
			e.Order, e.SourceID = int32(len(q.Evidence)+1), item.SourceID
			q.Evidence = append(q.Evidence, e)
			if e.Media != "" && !slices.Contains(q.Media, e.Media) {
				q.Media = append(q.Media, e.Media)
			}
		}
	}
	return q
}

// unitEvidence is a unit as evidence: its words with its first picture, and a further piece
// for each further picture.
func unitEvidence(u schemas.EvidenceUnit) []schemas.Evidence {
	first := schemas.Evidence{Kind: schemas.EvidenceText, Ref: u.UnitID, Role: u.Role, Modality: schemas.ModalityText, Text: author.UnitText(u)}
	if u.Modality == schemas.ModalityTable {
		first.Modality = schemas.ModalityTable
	}
	out := []schemas.Evidence{first}
	for i, id := range u.Pictures() {
		e := schemas.Evidence{Kind: schemas.EvidenceMedia, Ref: id, Role: u.Role, Media: id, Modality: schemas.ModalityImage, MinimalCaption: cmp.Or(u.Labels[placement.LabelMinimal], schemas.BareCaption)}
		if at := slices.IndexFunc(u.Parts, func(p schemas.UnitPart) bool { return p.Media == id }); at >= 0 {
			e.Caption = u.Parts[at].Caption
		} else {
			e.Caption = u.Caption
		}
		if i == 0 {
			e.Text, out = first.Text, nil
		}
		out = append(out, e)
	}
	return out
}

type keepStage struct{}

func newKeep(struct{}) (pipeline.Stage, error) { return keepStage{}, nil }

// Spec declares the items, and the pictures that they show.
func (keepStage) Spec() pipeline.Spec {
	return pipeline.Spec{
		Accepts: []string{schemas.NameQuestion, schemas.NameEvidenceItem, schemas.NameProfile},
		Emits:   []string{schemas.NameEvidenceItem, schemas.NameProfile, schemas.NameMedia},
	}
}

// Fold gives the items whose questions are there, which crosssource.pose asked and
// gates let pass, and all people. Its memory is that of the questions that passed.
func (keepStage) Fold(ctx context.Context, scope *pipeline.Scope, in pipeline.Collection, emit func(pipeline.Record) error) error {
	passed := map[string]schemas.Question{}
	err := eachRecord(ctx, in, schemas.NameQuestion, func(q schemas.Question) error {
		item := q.Labels[schemas.LabelFact]
		if _, there := passed[item]; !there {
			passed[item] = q
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = eachRecord(ctx, in, schemas.NameProfile, func(p schemas.Profile) error {
		var out pipeline.RecordBuilder
		out.Add(schemas.NameProfile, p.ProfileID, p)
		return emitRecord(out, emit)
	})
	if err != nil {
		return err
	}
	shown := map[string]bool{}
	return eachRecord(ctx, in, schemas.NameEvidenceItem, func(item schemas.EvidenceItem) error {
		q, ok := passed[item.ItemID]
		if !ok {
			return nil
		}
		takeWording(&item, q)
		var out pipeline.RecordBuilder
		var blobs []pipeline.Digest
		for _, m := range item.Media {
			blobs = append(blobs, pipeline.Digest(m.MediaID))
			if !shown[m.MediaID] {
				shown[m.MediaID] = true
				out.Add(schemas.NameMedia, m.MediaID, m, pipeline.Digest(m.MediaID))
			}
		}
		out.Add(schemas.NameEvidenceItem, item.ItemID, item, blobs...)
		return emitRecord(out, emit)
	})
}

// takeWording gives an item the words that its question has now: gates may have had it
// rewritten (question.revise).
func takeWording(item *schemas.EvidenceItem, q schemas.Question) {
	to := &item.Question // whose id stays the item's
	to.Question, to.QuestionMCQ, to.Options, to.Explanation, to.Revisions = q.Question, q.QuestionMCQ, q.Options, q.Explanation, q.Revisions
	to.AnswerKey, to.AnswerText, to.AnswerCall = q.AnswerKey, q.AnswerText, q.AnswerCall
}
