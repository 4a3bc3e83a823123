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
		Writers: []string{"lifelong.ask", "lifelong.sessions"}, Reads: []string{schemas.NameSession, namePicture, schemas.NameCheckpoint, nameStanding, extraction.Name, nameSimulation},
	}
}

// oraclePicture is an exhibit as the replay reads it.
func (x RenderedPicture) oraclePicture() oracle.Picture {
	out := oracle.Picture{Title: x.Title}
	for _, r := range x.Rows {
		out.Rows = append(out.Rows, [2]string{r.Name, r.Value})
	}
	return out
}

func sessionsOfTask(p pipeline.Premises) ([]schemas.Session, error) {
	all, err := pipeline.PremiseRecords[schemas.Session](p, schemas.NameSession)
	slices.SortFunc(all, func(a, b schemas.Session) int { return int(a.Order) - int(b.Order) })
	return all, err
}

// picturesOfTask is what the pictures of a task were noted to show.
func picturesOfTask(p pipeline.Premises) (map[string]oracle.Picture, error) {
	exhibits, err := pipeline.PremiseRecords[RenderedPicture](p, namePicture)
	out := map[string]oracle.Picture{}
	for _, x := range exhibits {
		if want := pictureID(x.MediaID); x.PictureID != want {
			return nil, fmt.Errorf("the exhibit of picture %s is called %s; want %s", x.MediaID, x.PictureID, want)
		}
		out[x.MediaID] = x.oraclePicture()
	}
	return out, err
}

// deriveQuestion replays a question that claims to be true by construction.
func deriveQuestion(q schemas.Question, p pipeline.Premises) (pipeline.Derived[schemas.Question], error) {
	var out pipeline.Derived[schemas.Question]
	if len(q.Revisions) > 0 {
		return out, &pipeline.UnderivedError{Reason: "rewritten by a model"}
	}
	all, err := sessionsOfTask(p)
	if err != nil {
		return out, err
	}
	pictures, err := picturesOfTask(p)
	if err != nil {
		return out, err
	}
	end, err := p.LastSession(q.CheckpointID, len(all))
	if err != nil {
		return out, err
	}
	again := oracle.New(all, pictures)
	r, err := again.Answer(q.Question, end)
	if err != nil {
		return out, err
	}
	if err := cmp.Or(checkStanding(q, r, all, end, p), again.CheckUntold(r, end)); err != nil {
		return out, err
	}
	item := again.Question(q, r, end)
	item.Split = schemas.DefaultSplit
	options, err := optionsWithRoles(q, r)
	if err != nil {
		return out, err
	}
	item.SetOptions(options...)
	return pipeline.Derived[schemas.Question]{Item: item, Underivable: []string{"question_id", "options.text"}}, nil
}

// optionsWithRoles are the options of a question with the roles that an answer gives them, each an
// answer that the sessions allow to offer. An open question has none.
func optionsWithRoles(q schemas.Question, r oracle.Result) ([]schemas.Option, error) {
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
	return out, r.CheckOptions(texts)
}

// checkStanding compares what a release says that a question rests on, which gates judge, with
// what follows from the sessions. A release need not have the table; of a task of which it
// has rows, it has one for each question that was not taken out.
func checkStanding(q schemas.Question, r oracle.Result, all []schemas.Session, end int, p pipeline.Premises) error {
	rows := p.Records[nameStanding]
	if len(rows) == 0 {
		return nil
	}
	want := Standing{StandingID: standingID(q.QuestionID), QuestionID: q.QuestionID, TaskID: q.TaskID, Type: r.Type, Last: int32(end), Answer: r.Right}
	for _, at := range r.Refs {
		s := all[at.Session]
		want.Pieces = append(want.Pieces, StandingPiece{Ref: s.Turns[at.Turn].TurnID, SessionID: s.SessionID, Order: s.Order})
	}
	want.addLines(q, r.Thing, r.Aspect, all)
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

// checkUntoldValues finds values that nobody tells, where rules wrote all that is said: what a model
// or real users bring up may be called like anything.
func checkUntoldValues(again *oracle.Task, p pipeline.Premises) error {
	for _, by := range []string{"lifelong.write", "lifelong.lives"} {
		if slices.Contains(p.Plugins, by) {
			return nil
		}
	}
	return again.CheckStrayValues()
}

// deriveTask lists the pictures that a task's sessions show, and finds points to remember
// that do not follow from what is said and shown in them.
func deriveTask(t schemas.Task, p pipeline.Premises) (pipeline.Derived[schemas.Task], error) {
	var none pipeline.Derived[schemas.Task]
	all, err := sessionsOfTask(p)
	if err != nil {
		return none, err
	}
	pictures, err := picturesOfTask(p)
	if err != nil {
		return none, err
	}
	again := oracle.New(all, pictures)
	if err := cmp.Or(again.CheckFrames(), again.CheckPoints(), again.CheckUnlearned(), again.CheckAgentSteps(), checkUntoldValues(again, p), checkAgainstSimulation(t, all, p), checkAskedOnce(t, p), checkCaptions(t, all, p)); err != nil {
		return none, err
	}
	rows, err := pipeline.PremiseRecords[extraction.Extraction](p, extraction.Name)
	if err != nil {
		return none, err
	}
	if len(rows) > 0 {
		if err := extraction.CheckRows(rows, all); err != nil {
			return none, err
		}
	}
	out := t
	domain := oracle.Domain(t.TaskID)
	out.Family, out.Domain, out.Scenario, out.Media = oracle.Family, domain, oracle.Scenario(domain), schemas.ShownMedia(all)
	out.SourceRecords = []string{strings.TrimPrefix(t.TaskID, family+"/")}
	out.Summary = oracle.Summary(all)
	return pipeline.Derived[schemas.Task]{Item: out}, nil
}
