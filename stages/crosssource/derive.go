package crosssource

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/replay"
	"github.com/memforge/memforge/stages/crosssource/worlds"
)

// derivation works out again what questions of simulated worlds say, from the sources
// of a task and from what its pictures were noted to show.
func derivation() pipeline.Derivation {
	return pipeline.Derivation{
		Version: replay.Version, Question: deriveQuestion, Task: deriveTask,
		Writers: []string{"crosssource.ask", "crosssource.plan"}, Reads: []string{schemas.NameSession, nameExhibit, namePlacement},
	}
}

// readOf is a task as the replay reads it.
func readOf(p pipeline.Premises) (*replay.Task, error) {
	pictures := map[string]replay.Picture{}
	for _, r := range p.Records[nameExhibit] {
		x, err := pipeline.Decode[Exhibit](r)
		if err != nil {
			return nil, err
		}
		pictures[x.MediaID] = x.read()
	}
	sessions, err := sessionsIn(p)
	if err != nil {
		return nil, err
	}
	return replay.New(sessions, pictures)
}

// read is an exhibit as the replay reads it.
func (x Exhibit) read() replay.Picture {
	out := replay.Picture{Kind: x.Kind, Title: x.Title, Columns: x.Columns}
	for _, r := range x.Rows {
		out.Rows = append(out.Rows, r.Cells)
	}
	return out
}

func sessionsIn(p pipeline.Premises) ([]schemas.Session, error) {
	var out []schemas.Session
	for _, r := range p.Records[schemas.NameSession] {
		s, err := pipeline.Decode[schemas.Session](r)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// deriveQuestion replays a question that claims to be true by construction.
func deriveQuestion(q schemas.Question, p pipeline.Premises) (pipeline.Derived[schemas.Question], error) {
	var out pipeline.Derived[schemas.Question]
	switch {
	case len(q.Revisions) > 0:
		return out, &pipeline.UnderivedError{Reason: "rewritten by a model"}
	case q.Labels[labelDataset] != dataset:
		return out, &pipeline.UnderivedError{Reason: "from a data set"}
	}
	t, err := readOf(p)
	if err != nil {
		return out, err
	}
	r, err := t.Answer(q.Question, q.Tools)
	if err != nil {
		return out, err
	}
	item, err := follows(q, r, p)
	if err != nil {
		return out, err
	}
	free := []string{"explanation", "split", "options.text", "tools", "labels." + labelTwin}
	if item.Labels[labelArrangement] == concentrated { // the twin's task says it
		free = append(free, "labels."+labelSources)
	}
	return pipeline.Derived[schemas.Question]{Item: item, Free: free}, nil
}

// follows is a question with everything in it that a replay gives. Texts of wrong
// options are free, but each must be false.
func follows(q schemas.Question, r replay.Result, p pipeline.Premises) (schemas.Question, error) {
	arrangement := arrangementOf(p.Task.TaskID)
	if n := r.Sources(); arrangement == distributed && n < 2 || arrangement == concentrated && n != 1 {
		return q, fmt.Errorf("its evidence stands in %d sources, in a task that is %s", n, arrangement)
	}
	fact, err := holdPlacement(q, r, p, arrangement)
	if err != nil {
		return q, err
	}
	if r.Task == schemas.TaskFunctionCall {
		if err := holdTools(q.Tools); err != nil {
			return q, err
		}
	}
	t := p.Task
	out := schemas.Question{
		QuestionID: q.QuestionID, Family: family, TaskID: t.TaskID, Question: q.Question, Type: types()[r.Task], Split: q.Split, Explanation: q.Explanation,
		Evidence: r.Evidence, Media: []string{}, Basis: q.Basis, Tools: q.Tools, AnswerCall: r.Call,
	}
	for _, e := range r.Evidence {
		if e.Media != "" && !slices.Contains(out.Media, e.Media) {
			out.Media = append(out.Media, e.Media)
		}
	}
	out.Labels = labelsOf(q, r, t, arrangement, fact)
	if r.Task == schemas.TaskFunctionCall {
		return out, nil
	}
	var options []schemas.Option
	for _, o := range q.Options {
		role := schemas.RoleDistractor
		if o.Text == r.Right {
			role = schemas.RoleCorrect
		}
		options = append(options, schemas.Option{Text: o.Text, Role: role})
	}
	out.Offer(options...)
	return out, nil
}

// labelsOf are the labels that a replay gives. Whether there is a twin, another task
// tells; it is of the same fact.
func labelsOf(q schemas.Question, r replay.Result, t schemas.Task, arrangement, fact string) map[string]string {
	out := map[string]string{
		labelTask: r.Task, labelArrangement: arrangement, labelDataset: dataset, labelTheme: t.Scenario, labelSources: strconv.Itoa(r.Sources()),
		labelPieces: strconv.Itoa(len(r.Evidence)), labelInterval: fmt.Sprintf("%.1f", r.Interval()), schemas.LabelFact: fact,
	}
	if arrangement == concentrated {
		out[labelSources] = q.Labels[labelSources]
	}
	if q.Labels[labelTwin] != "" {
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

// deriveTask lists the pictures that a task's sources show.
func deriveTask(t schemas.Task, p pipeline.Premises) (pipeline.Derived[schemas.Task], error) {
	out := t
	sessions, err := sessionsIn(p)
	if err != nil {
		return pipeline.Derived[schemas.Task]{}, err
	}
	if err := holdCaptions(sessions, p); err != nil {
		return pipeline.Derived[schemas.Task]{}, err
	}
	out.Family, out.Domain, out.Media = family, domain, schemas.Shown(sessions)
	return pipeline.Derived[schemas.Task]{Item: out, Free: []string{"scenario", "summary", "source_records"}}, nil
}

// holdCaptions wants the captions of exhibits to say what their rows say and no more,
// for who judges whether captions give an answer away reads these.
func holdCaptions(sessions []schemas.Session, p pipeline.Premises) error {
	type said struct{ minimal, dense string }
	want := map[string]said{}
	for _, r := range p.Records[nameExhibit] {
		x, err := pipeline.Decode[Exhibit](r)
		if err != nil {
			return err
		}
		row := worlds.Exhibit{Kind: x.Kind, Title: x.Title, Columns: x.Columns, Rows: x.read().Rows}
		minimal, dense := captions(row)
		want[x.MediaID] = said{minimal, dense}
	}
	for _, s := range sessions {
		for _, t := range s.Turns {
			for _, a := range t.Attachments {
				if w, ok := want[a.MediaID]; ok && w != (said{a.MinimalCaption, a.Caption}) {
					return fmt.Errorf("turn %s has the captions %q and %q of a picture whose row says %q and %q", t.TurnID, a.MinimalCaption, a.Caption, w.minimal, w.dense)
				}
			}
		}
	}
	return nil
}
