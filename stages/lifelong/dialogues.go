package lifelong

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/format"
	"github.com/memforge/memforge/stages/lifelong/question"
)

// Codes of questions of dialogues that have no place at a checkpoint.
const (
	// CodeKind is a question of a kind that none of the eleven types is.
	CodeKind = "no-such-type"
	// CodeNothing is one that rests on nothing, CodePoint one that no memory point states.
	CodeNothing = "no-evidence"
	CodePoint   = "no-point"
	// CodeWhose is one without answer that asks of no person or of several, CodeTrap
	// one without a wrong answer that could be looked for.
	CodeWhose = "no-person"
	CodeTrap  = "no-trap"
)

// originOwn marks questions of somebody's own lives.
const originOwn = "own"

type dialoguesStage struct{ cfg CheckpointConfig }

func newDialogues(c CheckpointConfig) (pipeline.Stage, error) { return dialoguesStage{c}, c.check() }

// Spec declares what is given.
func (dialoguesStage) Spec() pipeline.Spec {
	return pipeline.Spec{
		Accepts: []string{schemas.NameSession, schemas.NameQuestion},
		Emits:   []string{schemas.NameSession, schemas.NameCheckpoint, schemas.NameQuestion, nameStanding},
	}
}

// axisOfKind maps a kind of LoCoMo's questions to a type (see docs/worldmemarena.md).
// WorldMemArena's are types already.
func axisOfKind(kind string) string {
	if slices.Contains(question.Types(), kind) {
		return kind
	}
	return map[string]string{"single_hop": question.FR, "multi_hop": question.FR, "temporal": question.TR, "open_domain": question.KR, "adversarial": question.MB}[kind]
}

// Fold implements pipeline.Fold. What was said in all conversations is held: LoCoMo has
// ten, of some hundred kilobytes.
func (d dialoguesStage) Fold(ctx context.Context, scope *pipeline.Scope, in pipeline.Collection, emit func(pipeline.Record) error) error {
	said, asked := map[string][]schemas.Session{}, map[string][]schemas.Question{}
	err := eachRecord(ctx, in, schemas.NameSession,
		func(s schemas.Session) { said[s.TaskID] = append(said[s.TaskID], s) },
		func(q schemas.Question) { asked[q.TaskID] = append(asked[q.TaskID], q) })
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(said)) {
		records, err := d.buildTask(scope, id, said[id], asked[id])
		if err != nil {
			return fmt.Errorf("dialogue %s: %w", id, err)
		}
		for _, r := range records {
			if err := emit(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// buildTask gives a conversation its checkpoints and assigns each question to the first
// one that covers its evidence. Unanswerable questions are asked at the last.
func (d dialoguesStage) buildTask(scope *pipeline.Scope, id string, all []schemas.Session, asked []schemas.Question) ([]pipeline.Record, error) {
	var out pipeline.RecordBuilder
	slices.SortFunc(all, func(a, b schemas.Session) int { return cmp.Compare(a.Order, b.Order) })
	var ids []string
	for _, s := range all {
		ids = append(ids, s.SessionID)
		out.Add(schemas.NameSession, s.SessionID, s)
	}
	ends := statedEnds(all, asked)
	if len(ends) == 0 {
		ends = d.cfg.checkpointEnds(len(all), 0)
	}
	for i, end := range ends {
		c := schemas.Checkpoint{CheckpointID: schemas.CheckpointIDOf(id, i), TaskID: id, Order: int32(i), Sessions: ids[:end+1]}
		out.Add(schemas.NameCheckpoint, c.CheckpointID, c)
	}
	for _, q := range asked {
		q, row, why := placeQuestion(q, all, ends)
		if why != nil {
			scope.Reject(q.QuestionID, why)
			continue
		}
		out.Add(schemas.NameQuestion, q.QuestionID, q)
		out.Add(nameStanding, row.StandingID, row)
	}
	return out.Records()
}

// statedEnds returns the last sessions of the checkpoints that questions name, and the last
// of all where they name any.
func statedEnds(all []schemas.Session, asked []schemas.Question) (out []int) {
	for i, s := range all {
		if slices.ContainsFunc(asked, func(q schemas.Question) bool {
			return q.Labels[schemas.LabelCheckpointSession] == path.Base(s.SessionID)
		}) {
			out = append(out, i)
		}
	}
	if n := len(out); n > 0 && out[n-1] < len(all)-1 {
		out = append(out, len(all)-1)
	}
	return out
}

// placeQuestion assigns a question to a checkpoint and a type, and returns its row for
// the gates.
func placeQuestion(q schemas.Question, all []schemas.Session, ends []int) (schemas.Question, Standing, *pipeline.Rejection) {
	row := Standing{StandingID: standingID(q.QuestionID), QuestionID: q.QuestionID, TaskID: q.TaskID, Type: axisOfKind(q.Type), Answer: q.AnswerText, Lines: []string{}}
	if row.Type == "" {
		return q, row, pipeline.Reject(CodeKind, "questions of kind %q are none of the eleven types", q.Type)
	}
	last := -1
	for _, e := range q.Evidence {
		at := slices.IndexFunc(all, func(s schemas.Session) bool { return s.SessionID == e.SessionID })
		if at < 0 {
			return q, row, pipeline.Reject(CodeNothing, "%s is of no session of the conversation", e.Ref)
		}
		last = max(last, at)
		row.Pieces = append(row.Pieces, StandingPiece{Ref: e.Ref, SessionID: e.SessionID, Order: sessionNumber(all[at])})
	}
	after := slices.IndexFunc(all, func(s schemas.Session) bool {
		return q.Labels[schemas.LabelCheckpointSession] != "" && path.Base(s.SessionID) == q.Labels[schemas.LabelCheckpointSession]
	})
	if last < 0 && (after < 0 || row.Type != question.MB) {
		return q, row, pipeline.Reject(CodeNothing, "it names nothing that its answer rests on")
	}
	at := slices.IndexFunc(ends, func(end int) bool { return end >= max(last, after) })
	if row.Type == question.MB && after < 0 {
		at = len(ends) - 1
	}
	row.Last, q.CheckpointID = sessionNumber(all[ends[at]]), schemas.CheckpointIDOf(q.TaskID, at)
	q.Labels = addLabels(q, row.Type, ends[at]-max(last, 0))
	delete(q.Labels, schemas.LabelCheckpointSession)
	switch {
	case after >= 0: // its file says when it is asked, and that nothing is said of it
		q.Type, q.Labels[labelOrigin] = questionType(row.Type), originOwn
	case row.Type == question.MB:
		return q, row, row.setBoundary(q, all)
	case !anyPointStates(q, all):
		return q, row, pipeline.Reject(CodePoint, "no memory point states anything of what its answer rests on")
	}
	return q, row, nil
}

func addLabels(q schemas.Question, axis string, distance int) map[string]string {
	out := map[string]string{
		format.LabelAxis: strings.ToUpper(axis), labelPieces: strconv.Itoa(len(q.Evidence)), labelDistance: strconv.Itoa(distance), labelDifficulty: rateDifficulty(len(q.Evidence), 0, distance),
	}
	maps.Copy(out, q.Labels)
	return out
}

func sessionNumber(s schemas.Session) int32 {
	for n := range int32(10_000) {
		if schemas.SessionIDOf(s.TaskID, int(n)) == s.SessionID {
			return n
		}
	}
	return -1
}

// anyPointStates reports whether a memory point shares a turn with the evidence of a
// question.
func anyPointStates(q schemas.Question, all []schemas.Session) bool {
	for _, s := range all {
		for _, p := range s.Points {
			for _, e := range q.Evidence {
				if (e.Role == schemas.RoleClue || e.Role == schemas.RoleUpdate) && slices.Contains(p.EvidenceTurns, e.Ref) {
					return true
				}
			}
		}
	}
	return false
}

// setBoundary fills what the gate boundary reads of an unanswerable question: the one
// person it asks about must never say the misleading answer. It also runs that check,
// since a row dropped by the gate would leave its question behind.
func (s *Standing) setBoundary(q schemas.Question, all []schemas.Session) *pipeline.Rejection {
	var people []string
	for _, one := range all {
		for _, who := range one.Participants {
			if !slices.Contains(people, who) && regexp.MustCompile(`\b`+regexp.QuoteMeta(who)+`\b`).MatchString(q.Question) {
				people = append(people, who)
			}
		}
	}
	if len(people) != 1 {
		return pipeline.Reject(CodeWhose, "it asks of %d of those who speak", len(people))
	}
	at := slices.IndexFunc(q.Options, func(o schemas.Option) bool { return o.Role == schemas.RoleDistractor })
	if at < 0 {
		return pipeline.Reject(CodeTrap, "no wrong answer is given that could be looked for in what is said")
	}
	s.Aspect = strings.TrimRight(q.Options[at].Text, ".")
	for _, one := range all {
		for _, t := range one.Turns {
			if t.Speaker == people[0] {
				s.Lines = append(s.Lines, t.Text)
			}
		}
	}
	if j := judgeBoundary(*s); j.Outcome != pipeline.Pass {
		return pipeline.Reject(j.Code, "%s", j.Reason)
	}
	return nil
}
