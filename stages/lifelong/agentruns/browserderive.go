package agentruns

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/oracle/agentoracle"
)

// browserFamily is that of the source whose runs are browsed.
const browserFamily = "webvoyager"

// browserDerivation works out again what questions and points of runs in browsers say.
func browserDerivation() pipeline.Derivation {
	return pipeline.Derivation{
		Version: agentoracle.Version, Writers: []string{"lifelong.browsing"}, Reads: []string{schemas.NameSession, schemas.NameCheckpoint},
		Question: deriveBrowserQuestion, Task: deriveBrowserTask,
	}
}

func deriveBrowserQuestion(q schemas.Question, p pipeline.Premises) (out pipeline.Derived[schemas.Question], err error) {
	all, err := sessionsOfTask(browserFamily, q.TaskID, p)
	if err != nil {
		return out, err
	}
	if len(q.Revisions) > 0 {
		return out, &pipeline.UnderivedError{Reason: "rewritten by a model"}
	}
	if end, err := p.LastSession(q.CheckpointID, len(all)); err != nil || end != len(all)-1 {
		return out, fmt.Errorf("it is asked after session %d of %d: %v", end, len(all), err)
	}
	right, acts, err := agentoracle.AnswerBrowser(q.Question, all)
	if err != nil {
		return out, err
	}
	item := agentoracle.BrowserQuestion(q, right, acts, all)
	options, err := assignRoles(q.Options, right)
	if err != nil {
		return out, err
	}
	item.SetOptions(options...)
	return pipeline.Derived[schemas.Question]{Item: item, Underivable: []string{"question_id", "split", "options.text"}}, nil
}

// assignRoles are options with the roles that they have where one text is right. Which wrong ones
// are offered follows from the run and is not worked out; that none stands twice is.
func assignRoles(stated []schemas.Option, right string) (out []schemas.Option, err error) {
	seen := map[string]bool{}
	for _, o := range stated {
		role := schemas.RoleDistractor
		if o.Text == right {
			role = schemas.RoleCorrect
		}
		if seen[o.Text] {
			return nil, fmt.Errorf("two options say %q", o.Text)
		}
		seen[o.Text] = true
		out = append(out, schemas.Option{Text: o.Text, Role: role})
	}
	if !seen[right] {
		return nil, fmt.Errorf("no option says %q", right)
	}
	return out, nil
}

// deriveBrowserTask finds points that are not what the steps of a run did.
func deriveBrowserTask(t schemas.Task, p pipeline.Premises) (out pipeline.Derived[schemas.Task], err error) {
	all, err := sessionsOfTask(browserFamily, t.TaskID, p)
	if err != nil {
		return out, err
	}
	acts, live := agentoracle.BrowserActions(all), map[string]string{}
	for _, s := range all {
		for _, point := range s.Points {
			if len(acts) == 0 {
				return out, fmt.Errorf("point %s: no step did it", point.MemoryID)
			}
			a := acts[0]
			acts = acts[1:]
			var old []string
			if live[a.Aspect] != "" {
				old = []string{live[a.Aspect]}
			}
			live[a.Aspect] = point.MemoryID
			says := fmt.Sprintf("At step %d the agent %s %q.", a.Step, a.Aspect, a.Value)
			if point.Content != says || point.Attributes[a.Aspect] != a.Value || point.Attributes["step"] != strconv.Itoa(a.Step) ||
				!slices.Equal(point.EvidenceTurns, []string{a.Turn}) || !slices.Equal(point.Supersedes, old) || point.IsUpdate != (len(old) > 0) || point.IsInterference {
				return out, fmt.Errorf("point %s is %+v, and its step says %s", point.MemoryID, point, says)
			}
		}
	}
	if len(acts) > 0 {
		return out, fmt.Errorf("no point says what step %d did", acts[0].Step)
	}
	out.Item, out.Underivable = t, []string{"domain", "scenario", "summary", "source_records"}
	out.Item.Family, out.Item.Media = browserFamily, schemas.ShownMedia(all)
	return out, nil
}
