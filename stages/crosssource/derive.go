package crosssource

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/oracle"
	"github.com/memforge/memforge/stages/crosssource/simulate"
)

// derivation recomputes questions about simulated worlds from the sources of a task and
// the data of its pictures.
func derivation() pipeline.Derivation {
	return pipeline.Derivation{
		Version: oracle.Version, Question: deriveQuestion, Settle: settleQuestion, Task: deriveTask,
		Writers: []string{"crosssource.ask", "crosssource.plan", datasetKept}, Reads: []string{schemas.NameSession, namePicture, namePlacement, nameEnvironment}, RelatedTask: otherArrangement, Prepare: readTask,
	}
}

// taskPremises is what the records of a task come to, for all its questions.
type taskPremises struct {
	task       *oracle.Task
	sessions   []schemas.Session
	exhibits   []RenderedPicture
	placements []Placement
	kept       *keptEnvironment // nil where none is written
}

func readTask(p pipeline.Premises) (any, error) {
	var out taskPremises
	var err, err2, err3 error
	out.exhibits, err = pipeline.PremiseRecords[RenderedPicture](p, namePicture)
	out.sessions, err2 = pipeline.PremiseRecords[schemas.Session](p, schemas.NameSession)
	out.placements, err3 = pipeline.PremiseRecords[Placement](p, namePlacement)
	if err := cmp.Or(err, err2, err3); err != nil {
		return nil, err
	}
	pictures := map[string]oracle.Picture{}
	for _, x := range out.exhibits {
		pictures[x.MediaID] = x.oraclePicture()
	}
	if out.kept, err = readKept(p, out.sessions, out.exhibits); err != nil || out.kept != nil {
		return out, err
	}
	out.task, err = oracle.New(out.sessions, pictures)
	return out, err
}

func (x RenderedPicture) oraclePicture() oracle.Picture {
	out := oracle.Picture{Kind: x.Kind, Title: x.Title, Columns: x.Columns}
	for _, r := range x.Rows {
		out.Rows = append(out.Rows, r.Cells)
	}
	return out
}

// deriveQuestion replays a question that claims to be true by construction.
func deriveQuestion(q schemas.Question, p pipeline.Premises) (pipeline.Derived[schemas.Question], error) {
	var out pipeline.Derived[schemas.Question]
	switch {
	case len(q.Revisions) > 0:
		return out, &pipeline.UnderivedError{Reason: "rewritten by a model"}
	case q.Labels[labelDataset] == datasetKept && p.Prepared.(taskPremises).kept != nil:
		item, err := p.Prepared.(taskPremises).kept.question(q)
		return pipeline.Derived[schemas.Question]{Item: item}, err
	case q.Labels[labelDataset] != dataset:
		return out, cmp.Or(checkDataset(q, p), error(&pipeline.UnderivedError{Reason: "from a data set"}))
	}
	r, err := p.Prepared.(taskPremises).task.Answer(q.Question, q.Tools)
	if err != nil {
		return out, err
	}
	item, err := questionFromResult(q, r, p)
	if err != nil {
		return out, err
	}
	free := []string{"explanation", "options.text", "tools"}
	if item.Labels[labelTwin] != "" && twinQuestion(item, p) == nil { // no other item tells of it
		free = append(free, "labels."+labelTwin)
	}
	return pipeline.Derived[schemas.Question]{Item: item, Underivable: free}, nil
}

// settleQuestion answers a question about a simulated world from pieces of its evidence.
func settleQuestion(q schemas.Question, pieces []schemas.Evidence) (string, error) {
	if q.Labels[labelDataset] != dataset {
		return "", &pipeline.UnderivedError{Reason: "from a data set"}
	}
	return oracle.Settle(q, pieces)
}

// questionFromResult returns the question that follows from a result. Texts of wrong
// options are free, but each must be false.
func questionFromResult(q schemas.Question, r oracle.Result, p pipeline.Premises) (schemas.Question, error) {
	arrangement := arrangementOfTask(p.Task.TaskID)
	if n := r.Sources(); arrangement == distributed && n < 2 || arrangement == concentrated && n != 1 {
		return q, fmt.Errorf("its evidence stands in %d sources, in a task that is %s", n, arrangement)
	}
	fact, err := itemOfQuestion(q, p.Task.TaskID)
	if err != nil {
		return q, err
	}
	cites, err := p.Prepared.(taskPremises).task.EvidenceWithMisleading(r, misleadingRefs(q))
	if err := cmp.Or(err, checkInterrogative(q, r), checkPlacementRow(q, r, cites, p, arrangement, fact), checkTwin(cites, twinQuestion(q, p)), checkOffered(q, r), checkSameOptions(q, twinQuestion(q, p))); err != nil {
		return q, err
	}
	if r.Task == schemas.TaskFunctionCall {
		if err := checkTools(q.Tools, p.Prepared.(taskPremises).task.Desks()); err != nil {
			return q, err
		}
	}
	t := p.Task
	out := schemas.Question{
		QuestionID: q.QuestionID, Family: family, TaskID: t.TaskID, Question: q.Question, Type: types()[r.Task], Split: schemas.DefaultSplit, Explanation: q.Explanation,
		Evidence: cites, Media: []string{}, Basis: q.Basis, Tools: q.Tools, AnswerCall: r.Call,
	}
	for _, e := range r.Evidence {
		if e.Media != "" && !slices.Contains(out.Media, e.Media) {
			out.Media = append(out.Media, e.Media)
		}
	}
	out.Labels = resultLabels(q, r, p, arrangement, fact)
	if r.Task != schemas.TaskFunctionCall {
		out.SetOptions(optionsWithRoles(q.Options, r.Right)...)
	}
	return out, nil
}

func optionsWithRoles(options []schemas.Option, right string) (out []schemas.Option) {
	for _, o := range options {
		role := schemas.RoleDistractor
		if o.Text == right {
			role = schemas.RoleCorrect
		}
		out = append(out, schemas.Option{Text: o.Text, Role: role})
	}
	return out
}

// checkDataset checks that a question labelled with a data set comes from a source of the
// build and does not have the id of a simulated one. Gold of data sets cannot be
// recomputed, so a forger could otherwise escape by relabelling.
func checkDataset(q schemas.Question, p pipeline.Premises) error {
	if of := q.Labels[labelDataset]; !slices.Contains(p.Plugins, of) {
		return fmt.Errorf("it is said to be of the data set %q, which no source of the build reads", of)
	}
	if item, err := itemOfQuestion(q, p.Task.TaskID); err == nil {
		return fmt.Errorf("it is said to be of the data set %q, and its id is that of %s", q.Labels[labelDataset], item)
	}
	return nil
}

// misleadingRefs returns the turns that a question cites as misleading.
func misleadingRefs(q schemas.Question) (out []string) {
	for _, e := range q.Evidence {
		if e.Role == schemas.RoleDistractor {
			out = append(out, e.Ref)
		}
	}
	return out
}

// resultLabels returns the labels that follow from a result. The other question proves a
// twin; if it was lost, the label stays as it is.
func resultLabels(q schemas.Question, r oracle.Result, p pipeline.Premises, arrangement, fact string) map[string]string {
	t := p.Task
	out := map[string]string{
		labelTask: r.Task, labelArrangement: arrangement, labelDataset: dataset, labelTheme: t.Scenario, labelSources: strconv.Itoa(r.Sources()),
		labelPieces: strconv.Itoa(len(r.Evidence)), labelInterval: fmt.Sprintf("%.1f", r.Interval()), schemas.LabelFact: fact,
	}
	if arrangement == concentrated || q.Labels[labelTwin] != "" || twinQuestion(q, p) != nil {
		out[labelTwin] = fact
	}
	switch r.Task {
	case schemas.TaskConflict:
		out[labelConflict] = r.Variant
	case schemas.TaskPreference:
		out[labelPreference] = r.Variant
	}
	return out
}

func otherArrangement(task string) string {
	if of, is := strings.CutSuffix(task, "-"+concentrated); is {
		return of
	}
	return task + "-" + concentrated
}

// twinQuestion returns the same question in the other arrangement, or nil.
func twinQuestion(q schemas.Question, p pipeline.Premises) *schemas.Question {
	fact, err := itemOfQuestion(q, p.Task.TaskID)
	id := questionID(otherArrangement(p.Task.TaskID), fact)
	at := slices.IndexFunc(p.Related, func(o schemas.Question) bool { return o.QuestionID == id })
	if err != nil || at < 0 {
		return nil
	}
	return &p.Related[at]
}

// checkOffered checks that every option is a comparable value in the sources, and that
// the outdated value is among them.
func checkOffered(q schemas.Question, r oracle.Result) error {
	seen := map[string]bool{}
	for _, o := range q.Options {
		if seen[o.Text] {
			return fmt.Errorf("it has the option %q twice", o.Text)
		}
		seen[o.Text] = true
		if !slices.Contains(r.Offered, o.Text) {
			return fmt.Errorf("its option %q is none that the sources tell of the like of %q", o.Text, r.Right)
		}
	}
	if r.Outdated != "" && !seen[r.Outdated] {
		return fmt.Errorf("%q, which the sources say and which does not hold, is none of its options", r.Outdated)
	}
	return nil
}

func deriveTask(t schemas.Task, p pipeline.Premises) (pipeline.Derived[schemas.Task], error) {
	out := t
	has := p.Prepared.(taskPremises)
	if err := checkCaptions(has); err != nil {
		return pipeline.Derived[schemas.Task]{}, err
	}
	if has.kept != nil {
		return pipeline.Derived[schemas.Task]{Item: has.kept.taskRow()}, nil
	}
	out.Family, out.Domain, out.Media = family, domain, schemas.ShownMedia(has.sessions)
	free := []string{"summary", "source_records"}
	theme, err := themeOfWorld(p)
	if err != nil {
		return pipeline.Derived[schemas.Task]{}, err
	}
	if isSimulated(p) {
		if err := cmp.Or(checkSources(has.sessions, p), checkPlainSources(t, has.sessions, p)); err != nil {
			return pipeline.Derived[schemas.Task]{}, err
		}
		out.SourceRecords, free = []string{batchOfTask(t.TaskID)}, free[:1]
	}
	if out.Scenario = theme; theme == "" {
		out.Scenario, free = t.Scenario, append(free, "scenario")
	}
	return pipeline.Derived[schemas.Task]{Item: out, Underivable: free}, nil
}

func isSimulated(p pipeline.Premises) bool {
	return slices.ContainsFunc(p.Questions, func(q schemas.Question) bool { return q.Labels[labelDataset] == dataset })
}

// themeOfWorld returns the theme of a simulated world, by the things that its sources
// mention, or "".
func themeOfWorld(p pipeline.Premises) (string, error) {
	if !isSimulated(p) {
		return "", nil
	}
	themes := simulate.ThemesOf(p.Prepared.(taskPremises).task.Things())
	if len(themes) > 1 {
		return "", fmt.Errorf("its sources speak of things of the themes %q", themes)
	}
	return strings.ReplaceAll(strings.Join(themes, ""), " ", "_"), nil
}

// checkCaptions compares types and captions of pictures with their rows, since gates read
// them to see whether captions reveal an answer.
func checkCaptions(has taskPremises) error {
	type said struct{ sort, minimal, dense, full string }
	want := map[string]said{}
	for _, x := range has.exhibits {
		row := simulate.Picture{Kind: x.Kind, Title: x.Title, Columns: x.Columns, Rows: x.oraclePicture().Rows}
		if x.Kind == simulate.Page && !slices.Equal(x.Columns, []string{"paragraph"}) {
			return fmt.Errorf("the row of the page %s has the columns %q", x.MediaID, x.Columns)
		}
		minimal, dense := captions(row)
		want[x.MediaID] = said{pictureType(x.Kind), minimal, dense, dense}
	}
	for _, s := range has.sessions {
		for _, t := range s.Turns {
			for _, a := range t.Attachments {
				have := said{a.Type, a.MinimalCaption, a.Caption, a.TaskAwareCaption}
				if w, ok := want[a.MediaID]; ok && have != w {
					return fmt.Errorf("turn %s has type and captions %q of a picture whose row says %q", t.TurnID, have, w)
				}
			}
		}
	}
	return nil
}
