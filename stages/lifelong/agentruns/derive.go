package agentruns

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/format"
	"github.com/memforge/memforge/stages/lifelong/oracle/agentoracle"
)

// Families lists the sources of runs except browser runs; ids of their tasks begin with
// these names.
func Families() []string {
	return []string{"alfred", "computer-agent-arena", "embodiedbench", "visualagentbench"}
}

// derivation recomputes questions, tasks and memory points of a family of runs from their
// steps.
func derivation(family string) pipeline.Derivation {
	return pipeline.Derivation{
		Version: agentoracle.Version, Writers: []string{"lifelong.runs"}, Reads: []string{schemas.NameSession, schemas.NameCheckpoint},
		Question: func(q schemas.Question, p pipeline.Premises) (pipeline.Derived[schemas.Question], error) {
			return deriveQuestion(family, q, p)
		},
		Task: func(t schemas.Task, p pipeline.Premises) (pipeline.Derived[schemas.Task], error) {
			return deriveTask(family, t, p)
		},
	}
}

// sessionsOfTask returns the sessions of a task in order. The task must be of the family.
func sessionsOfTask(family, task string, p pipeline.Premises) ([]schemas.Session, error) {
	if !strings.HasPrefix(task, family+"/") {
		return nil, fmt.Errorf("task %q is no run of %s", task, family)
	}
	all, err := pipeline.PremiseRecords[schemas.Session](p, schemas.NameSession)
	slices.SortFunc(all, func(a, b schemas.Session) int { return int(a.Order) - int(b.Order) })
	return all, err
}

// deriveQuestion replays the run of a question up to its checkpoint.
func deriveQuestion(family string, q schemas.Question, p pipeline.Premises) (pipeline.Derived[schemas.Question], error) {
	var out pipeline.Derived[schemas.Question]
	if len(q.Revisions) > 0 {
		return out, &pipeline.UnderivedError{Reason: "rewritten by a model"}
	}
	all, err := sessionsOfTask(family, q.TaskID, p)
	if err != nil {
		return out, err
	}
	end, err := p.LastSession(q.CheckpointID, len(all))
	if err != nil {
		return out, err
	}
	moves, err := agentoracle.Moves(q.Question, all, end)
	if err != nil {
		return out, err
	}
	out.Item, err = questionFromMoves(family, q, moves, all)
	out.Underivable = []string{"question_id", "split", "options.text"}
	return out, err
}

// questionFromMoves returns the question that follows from the moves of its thing.
func questionFromMoves(family string, q schemas.Question, moves []agentoracle.Fact, all []schemas.Session) (schemas.Question, error) {
	last := moves[len(moves)-1]
	right := "at the " + last.Value
	item := schemas.Question{
		QuestionID: q.QuestionID, Family: family, TaskID: q.TaskID, CheckpointID: q.CheckpointID, Type: TypePlace, Media: []string{},
		Question: q.Question, AnswerText: right, QuestionMCQ: q.Question, Split: q.Split,
		Labels: map[string]string{format.LabelAxis: "FR", schemas.LabelFact: q.TaskID + "/" + last.Subject()},
	}
	put := 0
	for i, m := range moves {
		e := schemas.Evidence{Kind: schemas.EvidenceTurn, Ref: m.Turn, SessionID: all[m.Session].SessionID, Modality: schemas.ModalityText, Role: schemas.RoleSuperseded, Order: int32(i + 1)}
		for _, t := range all[m.Session].Turns {
			if t.TurnID == m.Turn {
				e.Text = schemas.QuoteTurns(all[m.Session].Date, t)
			}
		}
		if m.Value != agentoracle.Held {
			put++
		}
		item.Evidence = append(item.Evidence, e)
	}
	item.Evidence[len(moves)-1].Role = schemas.RoleUpdate
	if put > 1 {
		item.Labels[format.LabelAxis] = "DU"
	}
	if len(q.Options) == 0 {
		return item, nil
	}
	options, err := optionsWithRoles(q, moves, right)
	if err == nil {
		item.SetOptions(options...)
	}
	return item, err
}

// optionsWithRoles returns the options of a question with their roles. Which places are
// offered depends on all runs of the build; but former places of the thing must come
// first, and no two options may be equal.
func optionsWithRoles(q schemas.Question, moves []agentoracle.Fact, right string) ([]schemas.Option, error) {
	var out []schemas.Option
	texts := map[string]bool{}
	for _, o := range q.Options {
		if !strings.HasPrefix(o.Text, "at the ") || texts[o.Text] {
			return nil, fmt.Errorf("option %q names no place, or one that another names", o.Text)
		}
		texts[o.Text] = true
		role := schemas.RoleDistractor
		if o.Text == right {
			role = schemas.RoleCorrect
		}
		out = append(out, schemas.Option{Text: o.Text, Role: role})
	}
	if !texts[right] {
		return nil, fmt.Errorf("no option says %q", right)
	}
	own := map[string]bool{right: true}
	for _, m := range moves {
		if at := "at the " + m.Value; m.Value != agentoracle.Held && len(own) < len(out) {
			if own[at] = true; !texts[at] {
				return nil, fmt.Errorf("no option says %q, where the thing was before", at)
			}
		}
	}
	return out, nil
}

// deriveTask lists the pictures of a run and reports memory points that do not follow
// from its steps.
func deriveTask(family string, t schemas.Task, p pipeline.Premises) (pipeline.Derived[schemas.Task], error) {
	all, err := sessionsOfTask(family, t.TaskID, p)
	if err == nil {
		err = checkPoints(all)
	}
	if err != nil {
		return pipeline.Derived[schemas.Task]{}, err
	}
	out := t
	out.Family, out.Media = family, schemas.ShownMedia(all)
	return pipeline.Derived[schemas.Task]{Item: out, Underivable: []string{"domain", "scenario", "summary", "source_records"}}, nil
}

// checkPoints compares the memory points of a run with the facts that its steps made
// true.
func checkPoints(all []schemas.Session) error {
	facts, live := agentoracle.Facts(all, len(all)-1), map[string]string{}
	for n, s := range all {
		for _, p := range s.Points {
			if len(facts) == 0 || facts[0].Session != n {
				return fmt.Errorf("point %s: no step makes it true", p.MemoryID)
			}
			if err := checkPoint(p, facts[0], live); err != nil {
				return fmt.Errorf("point %s: %w", p.MemoryID, err)
			}
			facts = facts[1:]
		}
		if len(facts) > 0 && facts[0].Session == n {
			return fmt.Errorf("no point says that %s is %s, which %s made true", facts[0].Subject(), facts[0].Value, facts[0].Turn)
		}
	}
	return nil
}

// checkPoint compares a point with a fact, given the live point of each subject, and
// makes it the live one.
func checkPoint(p schemas.MemoryPoint, f agentoracle.Fact, live map[string]string) error {
	old := []string{}
	if id := live[f.Subject()]; id != "" {
		old = append(old, id)
	}
	live[f.Subject()] = p.MemoryID
	switch {
	case p.Subject != f.Subject() || p.Attributes[f.Aspect] != f.Value || p.Attributes["thing"] != f.Thing:
		return fmt.Errorf("it says %s of %s, and the step %s made it %s of %s", p.Attributes, p.Subject, f.Turn, f.Value, f.Subject())
	case !strings.Contains(p.Content, f.Thing) || f.Value != agentoracle.Held && !strings.Contains(p.Content, f.Value):
		return fmt.Errorf("%q does not tell that %s is %s", p.Content, f.Subject(), f.Value)
	case !slices.Equal(p.EvidenceTurns, []string{f.Turn}):
		return fmt.Errorf("it rests on %s, and what it says happened in %s", p.EvidenceTurns, f.Turn)
	case p.IsUpdate != (len(old) > 0) || !slices.Equal(p.Supersedes, old) || p.IsInterference:
		return fmt.Errorf("it takes the place of %s, and %s held before", p.Supersedes, old)
	}
	return nil
}
