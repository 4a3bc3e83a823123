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

// derivation recomputes questions and tasks of the family from the sessions of a task and
// the data of its pictures.
func derivation() pipeline.Derivation {
	return pipeline.Derivation{
		Version: oracle.Version, Question: deriveQuestion, Task: deriveTask,
		Settle:  settle,
		Writers: []string{"lifelong.ask", "lifelong.sessions", "lifelong.assemble"}, Reads: []string{schemas.NameSession, namePicture, schemas.NameCheckpoint, nameStanding, extraction.Name, nameSimulation, namePlanRow},
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
	if len(p.Records[namePlanRow]) > 0 {
		return deriveWrittenQuestion(q, p)
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
	r, err := again.Answer(q.Question, end, optionTexts(q)...)
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

func optionTexts(q schemas.Question) (out []string) {
	for _, o := range q.Options {
		out = append(out, o.Text)
	}
	return out
}

// optionsWithRoles returns the options of a question with their roles, after checking
// that each may be offered. An open question has none.
func optionsWithRoles(q schemas.Question, r oracle.Result) ([]schemas.Option, error) {
	var out []schemas.Option
	for _, o := range q.Options {
		role := schemas.RoleDistractor
		if o.Text == r.Right {
			role = schemas.RoleCorrect
		}
		out = append(out, schemas.Option{Text: o.Text, Role: role})
	}
	if len(out) == 0 {
		return nil, nil
	}
	return out, r.CheckOptions(optionTexts(q))
}

// checkStanding compares a question's row of lifelong_standings with what follows from
// the sessions. A release may lack the table; if it has rows of a task, each question
// that was not removed needs one.
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

// checkUntoldValues reports values that no statement tells. It applies only where rules
// wrote all words: models and real users may name anything.
func checkUntoldValues(again *oracle.Task, p pipeline.Premises) error {
	for _, by := range []string{"lifelong.write", "lifelong.lives"} {
		if slices.Contains(p.Plugins, by) {
			return nil
		}
	}
	return again.CheckStrayValues()
}

// deriveTask lists the pictures of a task's sessions and checks everything else that
// follows from what they say and show.
func deriveTask(t schemas.Task, p pipeline.Premises) (pipeline.Derived[schemas.Task], error) {
	if len(p.Records[namePlanRow]) > 0 {
		return deriveWrittenTask(t, p)
	}
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

// checkAgainstSimulation compares the sessions of a task with the simulation it was made
// from, if a gate judged that and the release has it: frames, memory points and pictures.
// Words may differ, since an author may have written them after the gate.
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

// sessionFrame returns a session without its words and the ids of its pictures, which
// exist only once they are drawn.
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

// checkAskedOnce checks that no two questions of a task ask for the same fact, that they
// are numbered in the order of checkpoints, and that drawn pictures have the licence of
// simulated data.
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

// checkCaptions compares the captions in sessions with the rows of their pictures. A
// caption may omit the values; the simulation, where a gate judged it, and the points
// decide that.
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

var number = regexp.MustCompile(`^\d{4,}$`)
