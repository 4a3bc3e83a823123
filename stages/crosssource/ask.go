package crosssource

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/author"
	"github.com/memforge/memforge/stages/crosssource/placement"
)

type askStage struct{}

func newAsk(struct{}) (pipeline.Stage, error) { return askStage{}, nil }

// Spec declares the questions.
func (askStage) Spec() pipeline.Spec {
	return pipeline.Spec{
		Accepts: []string{schemas.NameEvidenceItem, namePlacement}, Emits: []string{schemas.NameQuestion}, Types: slices.Sorted(maps.Values(types())),
	}
}

// Fold asks about every item whose evidence has its place. A twin is asked only
// together with the question that it is the twin of.
func (askStage) Fold(ctx context.Context, scope *pipeline.Scope, in pipeline.Collection, emit func(pipeline.Record) error) error {
	places, err := placementsByItem(ctx, in)
	if err != nil {
		return err
	}
	return eachRecord(ctx, in, schemas.NameEvidenceItem, func(item schemas.EvidenceItem) error {
		mine := places[item.ItemID]
		at := slices.IndexFunc(mine, func(p Placement) bool { return p.Arrangement == distributed })
		if len(mine) > 0 && at < 0 {
			scope.Reject(mine[0].QuestionID, pipeline.Reject("no-twin", "the question that it would be the twin of has no place"))
			return nil
		}
		for _, p := range mine {
			q := buildQuestion(item, p, len(mine) > 1)
			if strings.Contains(q.Question, subject) {
				scope.Reject(q.QuestionID, pipeline.Reject("no-referent", "it asks about %q, and several people tell its evidence", subject))
				continue
			}
			r, err := pipeline.NewRecord(schemas.NameQuestion, q.QuestionID, q)
			if err != nil {
				return err
			}
			if err := emit(r); err != nil {
				return err
			}
		}
		return nil
	})
}

func placementsByItem(ctx context.Context, in pipeline.Collection) (map[string][]Placement, error) {
	out := map[string][]Placement{}
	err := eachRecord(ctx, in, namePlacement, func(p Placement) error {
		out[p.ItemID] = append(out[p.ItemID], p)
		return nil
	})
	return out, err
}

func arrangementOfTask(task string) string {
	if strings.HasSuffix(task, "-"+concentrated) {
		return concentrated
	}
	return distributed
}

// answerTexts returns what a right answer says: the text of the option, or the arguments
// of the call.
func answerTexts(q schemas.Question) []string {
	if q.AnswerCall == "" {
		return []string{q.AnswerText}
	}
	out := []string{}
	plan, _ := schemas.ReadPlan(q.AnswerCall) // checked when the item was read
	for _, c := range slices.Concat(plan...) {
		for _, k := range slices.Sorted(maps.Keys(c.Arguments)) {
			out = append(out, fmt.Sprint(c.Arguments[k]))
		}
	}
	return out
}

func buildQuestion(item schemas.EvidenceItem, p Placement, twin bool) schemas.Question {
	q := item.Question
	q.QuestionID, q.Family, q.TaskID, q.Type, q.Split = p.QuestionID, family, p.TaskID, types()[item.Task], schemas.DefaultSplit
	q.Labels = map[string]string{
		labelTask: item.Task, labelArrangement: p.Arrangement, labelDataset: item.Dataset, schemas.LabelFact: item.ItemID,
		labelSources: strconv.Itoa(len(placementSessions(p))), labelPieces: strconv.Itoa(len(p.Pieces)), labelInterval: meanInterval(p),
	}
	for _, l := range []string{labelTheme, labelConflict, labelPreference, labelOrigin, labelReadings} {
		if v := item.Question.Labels[l]; v != "" {
			q.Labels[l] = v
		}
	}
	if twin {
		q.Labels[labelTwin] = item.ItemID
	}
	q.Media = []string{}
	var handles []string
	for i, piece := range p.citedPieces() {
		at := slices.IndexFunc(item.Units, func(u schemas.EvidenceUnit) bool { return u.UnitID == piece.UnitID })
		e := pieceEvidence(piece, item.Units[at], i)
		q.Evidence = append(q.Evidence, e)
		if e.Media != "" && !slices.Contains(q.Media, e.Media) {
			q.Media = append(q.Media, e.Media)
		}
		if piece.Handle != "" {
			handles = append(handles, piece.Handle)
		}
	}
	slices.Sort(handles) // not in order of time, which is another in the twin
	q.Question = prependHandles(handles, nameSubject(item.Question.Question, p))
	if len(q.Options) > 0 {
		q.SetOptions(q.Options...)
	}
	return q
}

// nameSubject names the person whom a question calls subject: the one who tells its
// evidence, if that is one.
func nameSubject(question string, p Placement) string {
	who := ""
	for _, piece := range p.Pieces {
		if piece.Speaker != "" && who != "" && piece.Speaker != who {
			return question
		}
		who = cmp.Or(who, piece.Speaker)
	}
	return strings.ReplaceAll(question, subject, cmp.Or(who, subject))
}

func placementSessions(p Placement) []string {
	var out []string
	for _, u := range p.Pieces {
		if !slices.Contains(out, u.SessionID) {
			out = append(out, u.SessionID)
		}
	}
	return out
}

// meanInterval returns the mean number of turns in the merged stream between neighbouring
// pieces.
func meanInterval(p Placement) string {
	if len(p.Pieces) < 2 {
		return "0.0"
	}
	first, last := p.Pieces[0].Turns[0].Position, p.Pieces[len(p.Pieces)-1].Turns[0].Position
	return fmt.Sprintf("%.1f", float64(last-first)/float64(len(p.Pieces)-1))
}

// identifyingPicture says that a question asks about what a card shows or a programme lists. These
// show what is meant; what is asked of it stands elsewhere.
var identifyingPicture = regexp.MustCompile(` on the card\b| entry of the programme `)

// prependHandles puts the names of pictures before a question: "According to Fig.
// 8dc8ab97, ...", or "See Fig. 8dc8ab97: ..." if a card or programme identifies the
// subject.
func prependHandles(handles []string, question string) string {
	if len(handles) == 0 {
		return question
	}
	list := handles[0]
	if n := len(handles); n > 1 {
		list = strings.Join(handles[:n-1], ", ") + " and " + handles[n-1]
	}
	word, _, _ := strings.Cut(question, " ")
	if slices.Contains(strings.Fields("What Which Who Whose Where When Why How In On At Of The Two Is Are Was Were Do Does Did File One If As Somebody Say To For"), word) {
		question = strings.ToLower(question[:1]) + question[1:]
	}
	if identifyingPicture.MatchString(question) {
		return "See " + list + ": " + question
	}
	return "According to " + list + ", " + question
}

func pieceEvidence(p PlacedPiece, u schemas.EvidenceUnit, n int) schemas.Evidence {
	out := schemas.Evidence{
		Kind: schemas.EvidenceTurn, Ref: p.Turns[0].TurnID, Role: p.Role, SessionID: p.SessionID, Order: int32(n + 1), Modality: schemas.ModalityText,
	}
	if u.Modality == schemas.ModalityTable {
		out.Modality = schemas.ModalityTable
	}
	turns := make([]schemas.Turn, len(p.Turns))
	for i, t := range p.Turns {
		turns[i] = schemas.Turn{Speaker: p.Speaker, Role: schemas.TurnEnvironment, Text: t.Text}
		if t.Media != "" && out.Media == "" {
			out.Media, out.Modality, out.Caption, out.TaskAwareCaption = t.Media, schemas.ModalityImage, u.Caption, u.Caption
			out.MinimalCaption = cmp.Or(u.Labels[placement.LabelMinimal], "a picture")
		}
	}
	out.Text = schemas.QuoteTurns("", turns...)
	return out
}

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

// unitEvidence returns a unit as evidence: its words with the first picture, then each
// further picture.
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

// takeWording copies the current wording of a question to its item; gates may have had it
// rewritten (question.revise).
func takeWording(item *schemas.EvidenceItem, q schemas.Question) {
	to := &item.Question // whose id stays the item's
	to.Question, to.QuestionMCQ, to.Options, to.Explanation, to.Revisions = q.Question, q.QuestionMCQ, q.Options, q.Explanation, q.Revisions
	to.AnswerKey, to.AnswerText, to.AnswerCall = q.AnswerKey, q.AnswerText, q.AnswerCall
}
