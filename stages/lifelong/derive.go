package lifelong

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/author/extraction"
	"github.com/memforge/memforge/stages/lifelong/oracle"
)

// derivation works out again what questions and tasks of the family say, from the
// sessions of a task and from what its pictures were noted to show.
func derivation() pipeline.Derivation {
	return pipeline.Derivation{
		Version: oracle.Version, Question: deriveQuestion, Task: deriveTask,
		Writers: []string{"lifelong.ask", "lifelong.sessions"}, Reads: []string{schemas.NameSession, nameExhibit, schemas.NameCheckpoint, nameStanding, extraction.Name, nameLife},
	}
}

// read is an exhibit as the replay reads it.
func (x Exhibit) read() oracle.Picture {
	out := oracle.Picture{Title: x.Title}
	for _, r := range x.Rows {
		out.Rows = append(out.Rows, [2]string{r.Name, r.Value})
	}
	return out
}

func sessionsIn(p pipeline.Premises) ([]schemas.Session, error) {
	all, err := pipeline.Among[schemas.Session](p, schemas.NameSession)
	slices.SortFunc(all, func(a, b schemas.Session) int { return int(a.Order) - int(b.Order) })
	return all, err
}

// picturesIn is what the pictures of a task were noted to show.
func picturesIn(p pipeline.Premises) (map[string]oracle.Picture, error) {
	exhibits, err := pipeline.Among[Exhibit](p, nameExhibit)
	out := map[string]oracle.Picture{}
	for _, x := range exhibits {
		if want := exhibitID(x.MediaID); x.ExhibitID != want {
			return nil, fmt.Errorf("the exhibit of picture %s is called %s; want %s", x.MediaID, x.ExhibitID, want)
		}
		out[x.MediaID] = x.read()
	}
	return out, err
}

// deriveQuestion replays a question that claims to be true by construction.
func deriveQuestion(q schemas.Question, p pipeline.Premises) (pipeline.Derived[schemas.Question], error) {
	var out pipeline.Derived[schemas.Question]
	if len(q.Revisions) > 0 {
		return out, &pipeline.UnderivedError{Reason: "rewritten by a model"}
	}
	all, err := sessionsIn(p)
	if err != nil {
		return out, err
	}
	pictures, err := picturesIn(p)
	if err != nil {
		return out, err
	}
	end, err := p.Through(q.CheckpointID, len(all))
	if err != nil {
		return out, err
	}
	again := oracle.New(all, pictures)
	r, err := again.Answer(q.Question, end)
	if err != nil {
		return out, err
	}
	if err := cmp.Or(stands(q, r, all, end, p), again.Untold(r, end)); err != nil {
		return out, err
	}
	item := again.Item(q, r, end)
	item.Split = schemas.DefaultSplit
	options, err := offered(q, r)
	if err != nil {
		return out, err
	}
	item.Offer(options...)
	return pipeline.Derived[schemas.Question]{Item: item, Free: []string{"question_id", "options.text"}}, nil
}

// offered are the options of a question with the roles that an answer gives them, each an
// answer that the sessions allow to offer. An open question has none.
func offered(q schemas.Question, r oracle.Result) ([]schemas.Option, error) {
	var out []schemas.Option
	var texts []string
	for _, o := range q.Options {
		role := schemas.RoleDistractor
		if o.Text == r.Right {
			role = schemas.RoleCorrect
		}
		out, texts = append(out, schemas.Option{Text: o.Text, Role: role}), append(texts, o.Text)
	}
	if len(texts) == 0 {
		return nil, nil
	}
	return out, r.Offered(texts)
}

// stands compares what a release says that a question rests on, which gates judge, with
// what follows from the sessions. A release need not have the table; of a task of which it
// has rows, it has one for each question that was not taken out.
func stands(q schemas.Question, r oracle.Result, all []schemas.Session, end int, p pipeline.Premises) error {
	rows := p.Records[nameStanding]
	if len(rows) == 0 {
		return nil
	}
	want := Standing{StandingID: standingID(q.QuestionID), QuestionID: q.QuestionID, TaskID: q.TaskID, Type: r.Type, Last: int32(end), Answer: r.Right}
	for _, at := range r.Refs {
		s := all[at.Session]
		want.Pieces = append(want.Pieces, StandingPiece{Ref: s.Turns[at.Turn].TurnID, SessionID: s.SessionID, Order: s.Order})
	}
	want.rest(q, r.Thing, r.Aspect, all)
	at := slices.IndexFunc(rows, func(r pipeline.Record) bool { return r.ID == want.StandingID })
	if at < 0 && p.Flagged {
		return nil
	}
	if at < 0 {
		return fmt.Errorf("table %s has rows of its task and none of %s", tableStanding, q.QuestionID)
	}
	got, err := pipeline.Decode[Standing](rows[at])
	if err != nil {
		return err
	}
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		return fmt.Errorf("row %s of table %s is not what follows from the sessions: %+v, where %+v does", got.StandingID, tableStanding, got, want)
	}
	return nil
}

// holdWords finds values that nobody tells, where rules wrote all that is said: what a model
// or real users bring up may be called like anything.
func holdWords(again *oracle.Task, p pipeline.Premises) error {
	for _, by := range []string{"lifelong.write", "lifelong.lives"} {
		if slices.Contains(p.Plugins, by) {
			return nil
		}
	}
	return again.Strange()
}

// deriveTask lists the pictures that a task's sessions show, and finds points to remember
// that do not follow from what is said and shown in them.
func deriveTask(t schemas.Task, p pipeline.Premises) (pipeline.Derived[schemas.Task], error) {
	var none pipeline.Derived[schemas.Task]
	all, err := sessionsIn(p)
	if err != nil {
		return none, err
	}
	pictures, err := picturesIn(p)
	if err != nil {
		return none, err
	}
	again := oracle.New(all, pictures)
	if err := cmp.Or(again.Framed(), again.Remembered(), again.Aside(), again.Acted(), holdWords(again, p), holdLife(t, all, p), holdOnce(t, p), holdCaptions(t, all, p)); err != nil {
		return none, err
	}
	rows, err := pipeline.Among[extraction.Extraction](p, extraction.Name)
	if err != nil {
		return none, err
	}
	if len(rows) > 0 {
		if err := extraction.Recount(rows, all); err != nil {
			return none, err
		}
	}
	out := t
	domain := oracle.Domain(t.TaskID)
	out.Family, out.Domain, out.Scenario, out.Media = oracle.Family, domain, oracle.Scenario(domain), schemas.Shown(all)
	out.SourceRecords = []string{strings.TrimPrefix(t.TaskID, family+"/")}
	out.Summary = oracle.Summary(all)
	return pipeline.Derived[schemas.Task]{Item: out}, nil
}
