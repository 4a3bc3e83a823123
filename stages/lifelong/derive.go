package lifelong

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
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

// optionsWithRoles returns the options of a question with the roles that an answer gives them, each an
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

// checkAgainstSimulation wants the sessions of a task to be those of the life that it was made from,
// where a gate judged that and the release has it: their frame, what they give to
// remember, and what their pictures show. Words may be other ones, for an author may have
// written them after the gate.
func checkAgainstSimulation(t schemas.Task, all []schemas.Session, p pipeline.Premises) error {
	lives, err := pipeline.PremiseRecords[Simulation](p, nameSimulation)
	if err != nil || len(lives) == 0 {
		return err
	}
	exhibits, err := pipeline.PremiseRecords[RenderedPicture](p, namePicture)
	if err != nil {
		return err
	}
	for _, l := range lives {
		if l.Disclosed == nil {
			return fmt.Errorf("life %s, which a gate judged, tells nothing", l.ID)
		}
		if err = compareWithDisclosure(all, exhibits, *l.Disclosed); err == nil {
			return nil
		}
	}
	return fmt.Errorf("in no form that a gate judged is life %s what its sessions tell; in the last one %w", t.TaskID, err)
}

// compareWithDisclosure says where released sessions and pictures are not those that a life tells.
func compareWithDisclosure(all []schemas.Session, exhibits []RenderedPicture, told Disclosure) error {
	if len(all) != len(told.Sessions) {
		return fmt.Errorf("it has %d sessions, and %d are released", len(told.Sessions), len(all))
	}
	for i, s := range told.Sessions {
		if got, want := sessionFrame(all[i]), sessionFrame(s); got != want {
			return fmt.Errorf("session %s is %s, and %s is released", s.SessionID, want, got)
		}
	}
	want, got := pictureContents(told.Pictures), pictureContents(exhibits)
	if !slices.Equal(got, want) {
		return fmt.Errorf("its pictures show %q, and those released %q", want, got)
	}
	return nil
}

// sessionFrame returns a session without its words and the names of its pictures, which a life that
// is not drawn has not.
func sessionFrame(s schemas.Session) string {
	s.Points, s.Earlier = slices.Clone(s.Points), nil
	for i := range s.Points {
		s.Points[i].EvidenceMedia = make([]string, len(s.Points[i].EvidenceMedia))
	}
	turns := s.Turns
	s.Turns = make([]schemas.Turn, len(turns))
	for i, t := range turns {
		s.Turns[i] = schemas.Turn{TurnID: t.TurnID, SessionID: t.SessionID, Order: t.Order, Role: t.Role}
	}
	return fmt.Sprintf("%+v", s)
}

func pictureContents(of []RenderedPicture) []string {
	seen := map[string]bool{}
	for _, x := range of {
		seen[fmt.Sprintf("%s %q %q", x.Kind, x.Title, x.Rows)] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// checkAskedOnce wants no two questions of a task to ask for the same, for what was asked is not
// asked again unless its answer has changed, and these to be numbered in the order of their
// checkpoints. Pictures that were drawn have the licence of what is simulated.
func checkAskedOnce(t schemas.Task, p pipeline.Premises) error {
	asked, last := map[string]string{}, ""
	all := slices.SortedFunc(slices.Values(p.Questions), func(a, b schemas.Question) int {
		return cmp.Or(len(a.QuestionID)-len(b.QuestionID), strings.Compare(a.QuestionID, b.QuestionID))
	})
	for _, q := range all {
		fact := q.Labels[schemas.LabelFact]
		if of := asked[fact]; of != "" {
			return fmt.Errorf("questions %s and %s ask for the same fact", of, q.QuestionID)
		}
		if n, of := strings.CutPrefix(q.QuestionID, t.TaskID+"/Q"); !of || !number.MatchString(n) || q.CheckpointID < last {
			return fmt.Errorf("question %s of %s is not numbered as those of its task are, or after one of the later %s", q.QuestionID, q.CheckpointID, last)
		}
		asked[fact], last = q.QuestionID, q.CheckpointID
	}
	for _, m := range p.Media {
		if len(m.Recipe.Segments) == 0 && (m.License != license || m.Caption != "") {
			return fmt.Errorf("picture %s was drawn for the task, and has the licence %q and the caption %q; what is simulated has %s and none", m.MediaID, m.License, m.Caption, license)
		}
	}
	return nil
}

// checkCaptions wants pictures to be called in sessions what their rows say: whether a caption
// may leave out the values the life says, where a gate judged it, and the points.
func checkCaptions(t schemas.Task, all []schemas.Session, p pipeline.Premises) error {
	exhibits, err := pipeline.PremiseRecords[RenderedPicture](p, namePicture)
	said := map[string]captions{}
	for _, x := range exhibits {
		said[x.MediaID] = buildCaptions(x, oracle.Domain(t.TaskID))
	}
	for _, s := range all {
		for _, turn := range s.Turns {
			for _, a := range turn.Attachments {
				want, known := said[a.MediaID]
				have := captions{a.Type, a.MinimalCaption, want.bare, a.TaskAwareCaption}
				if known && (have != want || a.Caption != want.bare && a.Caption != want.full) {
					return fmt.Errorf("turn %s says of a picture %q and %q; its row says %q", turn.TurnID, have, a.Caption, want)
				}
			}
		}
	}
	return err
}

// number is how questions of a task are numbered.
var number = regexp.MustCompile(`^\d{4,}$`)
