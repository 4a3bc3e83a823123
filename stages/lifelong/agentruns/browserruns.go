package agentruns

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/format"
	"github.com/memforge/memforge/stages/lifelong/oracle/agentoracle"
)

// Types of the questions about runs in browsers: what was typed last, and at which step
// something was typed or chosen.
const (
	TypeText = "lifelong_run_text"
	TypeStep = "lifelong_run_step"
)

// BrowserAction is what a step in a browser did, as far as its action and its screen state it.
type BrowserAction struct {
	Session int
	Turn    string
	// Step is the number of the step in its run, from 1.
	Step int
	// Verb is typed, chose or answered; Value the text, or what the mark is called.
	Verb, Value string
}

// Subject returns what the deed is about: the last of each verb holds.
func (d BrowserAction) Subject() string {
	return "run/last " + map[string]string{"typed": "text", "chose": "choice", "answered": "answer"}[d.Verb]
}

// Content says the deed in words.
func (d BrowserAction) Content() string {
	return fmt.Sprintf("At step %d the agent %s %q.", d.Step, d.Verb, d.Value)
}

var (
	typing   = regexp.MustCompile(`^Type \[?\d+\]?;\s*(\S.*?)\s*$`)
	clicking = regexp.MustCompile(`^Click \[?(\d+)\]?`)
	closing  = regexp.MustCompile(`^ANSWER;\s*(\S.*?)\s*$`)
	listed   = regexp.MustCompile(`\[(\d+)\]: (?:<\w+> )?"([^"]{2,80})"`)
)

// BrowserActions returns what the steps of a run did, in order. A click on a mark whose name the
// screen does not list states nothing.
func BrowserActions(task []schemas.Session) (out []BrowserAction) {
	step := 0
	for n, s := range task {
		for _, t := range s.Turns {
			if t.Role != schemas.TurnAgent {
				continue
			}
			step++
			d := BrowserAction{Session: n, Turn: t.TurnID, Step: step}
			if m := typing.FindStringSubmatch(t.Action); m != nil {
				d.Verb, d.Value = "typed", m[1]
			} else if m := closing.FindStringSubmatch(t.Action); m != nil {
				d.Verb, d.Value = "answered", m[1]
			} else if m := clicking.FindStringSubmatch(t.Action); m != nil {
				d.Verb, d.Value = "chose", markLabel(t.Observation, m[1])
			}
			if d.Value != "" && !strings.Contains(d.Value, "\n") {
				out = append(out, d)
			}
		}
	}
	return out
}

func markLabel(screen, number string) string {
	for _, m := range listed.FindAllStringSubmatch(screen, -1) {
		if m[1] == number {
			return m[2]
		}
	}
	return ""
}

type browserStage struct{}

func newBrowserStage(Config) (pipeline.Stage, error) { return browserStage{}, nil }

// Spec implements pipeline.Stage.
func (browserStage) Spec() pipeline.Spec { return runsStage{}.Spec() }

// Forecast implements pipeline.Forecaster.
func (browserStage) Forecast(in pipeline.Volume) pipeline.Forecast { return runsStage{}.Forecast(in) }

// Fold implements pipeline.Fold, a run at a time.
func (browserStage) Fold(ctx context.Context, scope *pipeline.Scope, in pipeline.Collection, emit func(pipeline.Record) error) error {
	return eachTask(ctx, in, func(task []schemas.Session) error {
		id, deeds := task[0].TaskID, BrowserActions(task)
		if len(deeds) == 0 {
			scope.Reject(id, pipeline.Reject(CodeNothing, "no action of its %d sessions says what was typed, chosen or answered", len(task)))
		}
		addActionPoints(task, deeds)
		check := schemas.Checkpoint{CheckpointID: schemas.CheckpointIDOf(id, 0), TaskID: id}
		var out pipeline.RecordBuilder
		for _, s := range task {
			check.Sessions = append(check.Sessions, s.SessionID)
			out.Add(schemas.NameSession, s.SessionID, s.DeriveFields(task))
		}
		asked := browserAsker{scope, task, deeds, check.CheckpointID}.questions()
		if len(asked) > 0 {
			out.Add(schemas.NameCheckpoint, check.CheckpointID, check)
		}
		for _, q := range asked {
			out.Add(schemas.NameQuestion, q.QuestionID, q)
		}
		records, err := out.Records()
		for _, r := range records {
			if err == nil {
				err = emit(r)
			}
		}
		return err
	}, emit)
}

// addActionPoints adds a memory point for each action. A later action with the same verb
// supersedes it.
func addActionPoints(task []schemas.Session, deeds []BrowserAction) {
	last := map[string]string{}
	for _, d := range deeds {
		s := &task[d.Session]
		p := schemas.MemoryPoint{
			MemoryID: schemas.PointIDOf(s.SessionID, len(s.Points)+1), SessionID: s.SessionID, Content: d.Content(), Type: "state", Importance: 1, Subject: d.Subject(),
			Attributes: map[string]string{d.Verb: d.Value, "step": strconv.Itoa(d.Step)}, Modality: schemas.ModalityText, EvidenceTurns: []string{d.Turn},
		}
		if old := last[p.Subject]; old != "" {
			p.IsUpdate, p.UpdateType, p.Supersedes = true, schemas.UpdateRevise, []string{old}
		}
		last[p.Subject] = p.MemoryID
		s.Points = append(s.Points, p)
	}
}

type browserAsker struct {
	scope      *pipeline.Scope
	task       []schemas.Session
	actions    []BrowserAction
	checkpoint string
}

func (b browserAsker) questions() (out []schemas.Question) {
	var typed []BrowserAction
	for _, d := range b.actions {
		if d.Verb == "typed" {
			typed = append(typed, d)
		}
	}
	if len(typed) > 0 {
		q := b.question(1, TypeText, "Which text did the agent type last?", typed[len(typed)-1].Value, typed...)
		out = b.addWithOptions(out, q, b.wrongTexts(typed))
	}
	for _, d := range b.actions {
		twice := slices.ContainsFunc(b.actions, func(o BrowserAction) bool { return o.Turn != d.Turn && o.Verb == d.Verb && o.Value == d.Value })
		if d.Verb == "answered" || twice {
			continue
		}
		verb := map[string]string{"typed": "type", "chose": "choose"}[d.Verb]
		q := b.question(len(out)+1, TypeStep, fmt.Sprintf("At which step did the agent %s %q?", verb, d.Value), fmt.Sprintf("step %d", d.Step), d)
		out = b.addWithOptions(out, q, b.wrongSteps(q.QuestionID))
	}
	return out
}

// question returns a question whose evidence is the given actions. The last one holds.
func (b browserAsker) question(n int, kind, text, right string, rests ...BrowserAction) schemas.Question {
	id := b.task[0].TaskID
	q := schemas.Question{
		QuestionID: fmt.Sprintf("%s/Q%04d", id, n), Family: taskFamily(b.task), TaskID: id, CheckpointID: b.checkpoint, Type: kind, Media: []string{}, Question: text, AnswerText: right,
		QuestionMCQ: text, Split: schemas.DefaultSplit, Labels: map[string]string{format.LabelAxis: "FR", schemas.LabelFact: id + "/" + text}, Options: []schemas.Option{},
	}
	switch {
	case kind == TypeStep:
		q.Labels[format.LabelAxis] = "TR"
	case len(rests) > 1:
		q.Labels[format.LabelAxis] = "DU"
	}
	for i, d := range rests {
		e := stepEvidence(b.task[d.Session], d.Turn)
		e.Order, e.Role = int32(i+1), schemas.RoleSuperseded
		if i == len(rests)-1 {
			e.Role = schemas.RoleUpdate
		}
		if len(rests) == 1 {
			e.Role = schemas.RoleClue
		}
		q.Evidence = append(q.Evidence, e)
		if e.Media != "" && !slices.Contains(q.Media, e.Media) {
			q.Media = append(q.Media, e.Media)
		}
	}
	return q
}

// wrongTexts returns wrong answers from the same run: texts typed before, choices, then
// labels of marks on its screens.
func (b browserAsker) wrongTexts(typed []BrowserAction) (out []string) {
	for _, d := range slices.Concat(typed, b.actions) {
		if d.Verb != "answered" {
			out = append(out, d.Value)
		}
	}
	for _, s := range b.task {
		for _, t := range s.Turns {
			for _, m := range listed.FindAllStringSubmatch(t.Observation, -1) {
				out = append(out, m[2])
			}
		}
	}
	return out
}

func (b browserAsker) wrongSteps(question string) (out []string) {
	n := 0
	for _, s := range b.task {
		for _, t := range s.Turns {
			if t.Role == schemas.TurnAgent {
				n++
			}
		}
	}
	for _, i := range b.scope.Rand("steps", question).Perm(n) {
		out = append(out, fmt.Sprintf("step %d", i+1))
	}
	return out
}

// CodeFew is the code of questions that the run has too few other answers to.
const CodeFew = "too-few-answers"

// addWithOptions adds a question with options, or rejects it if the run offers fewer than
// three other answers.
func (b browserAsker) addWithOptions(to []schemas.Question, q schemas.Question, wrong []string) []schemas.Question {
	options := []schemas.Option{{Text: q.AnswerText, Role: schemas.RoleCorrect}}
	for _, w := range wrong {
		same := slices.ContainsFunc(options, func(o schemas.Option) bool { return strings.EqualFold(o.Text, w) })
		if !same && len(options) < 4 {
			options = append(options, schemas.Option{Text: w, Role: schemas.RoleDistractor})
		}
	}
	if len(options) < 4 {
		b.scope.Reject(q.TaskID, pipeline.Reject(CodeFew, "%s: the run has %d other answers, and options take 3", q.Question, len(options)-1))
		return to
	}
	rnd := b.scope.Rand("options", q.QuestionID)
	rnd.Shuffle(len(options), func(i, j int) { options[i], options[j] = options[j], options[i] })
	q.SetOptions(options...)
	return append(to, q)
}

// browserFamily is the source whose runs take place in a browser.
const browserFamily = "webvoyager"

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

// assignRoles returns options with their roles, given the right text. Which wrong options
// are offered depends on the run and is not checked; duplicates are.
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

// deriveBrowserTask reports memory points that do not follow from the steps of the run.
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
