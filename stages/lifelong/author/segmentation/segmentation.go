// Package segmentation has a model refine where the sessions of a recorded run end (WorldMemArena
// C.3: sub-goals, key feedback, state changes). The rule of the source proposes ends; the
// model keeps them, leaves some out or adds others, at steps that are there. What it can't
// part stays as the rule has it.
package segmentation

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

// Names of the prompt, of the role that is asked, and of the schema of runs that are held
// whole by visual.dialogues.
const (
	job          = "lifelong.ends"
	role         = "author"
	nameDialogue = "visual.dialogue"
)

// Codes of runs that stay as they are. Nothing is lost by it, so they count as flagged.
const (
	// CodeBad is a run of which no answer can be used, CodePoints one whose sessions
	// state points, which name their turns.
	CodeBad    = "bad-ends"
	CodePoints = "points-before-ends"
)

// Config of the stage.
type Config struct {
	Window   int `json:"window" doc:"how many steps the author reads at once"`
	MaxSteps int `json:"most" doc:"most steps of a session"`
	Chars    int `json:"chars" doc:"most characters of each text of a step that it reads"`
	Attempts int `json:"attempts" doc:"how often ends are asked for, with the reasons against the earlier answers, before a run stays as it is"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() { *c = Config{Window: 40, MaxSteps: 20, Chars: 400, Attempts: 2} }

// agentRun is a task with its sessions in their order, as visual.dialogues gives it.
type agentRun struct {
	Task     schemas.Task      `json:"task"`
	Sessions []schemas.Session `json:"sessions"`
}

type stage struct {
	cfg Config
	job *model.Job[Input, Ends]
}

// Register adds the stage.
func Register(r *pipeline.Registry) {
	pipeline.AddStage(r, "lifelong.cut", "1", "have an author refine where the sessions of recorded runs end (WorldMemArena C.3)", newStage)
}

func newStage(c Config) (pipeline.Stage, error) {
	t, err := model.NewJob[Input, Ends](job)
	if err != nil {
		return nil, err
	}
	return &stage{c, t}, cmp.Or(pipeline.CheckRange("window", c.Window, 2, 1000), pipeline.CheckRange("most", c.MaxSteps, 1, c.Window), pipeline.CheckRange("chars", c.Chars, 1, 100_000), pipeline.CheckRange("attempts", c.Attempts, 1, 5))
}

// Spec implements pipeline.Stage.
func (s *stage) Spec() pipeline.Spec {
	ask := s.job.For(role)
	ask.Otherwise = "leave the stage out: sources end sessions by rule"
	return pipeline.Spec{Accepts: []string{nameDialogue}, Emits: []string{schemas.NameTask, schemas.NameSession}, Resource: pipeline.Model, Asks: []pipeline.Ask{ask}}
}

// Map gives the sessions of a run anew, and its task. What is no run goes on as it is.
func (s *stage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	r, err := pipeline.Decode[agentRun](in)
	if err != nil {
		return nil, err
	}
	all, why, err := s.segment(ctx, scope, r)
	if err != nil {
		return nil, fmt.Errorf("part run %s: %w", r.Task.TaskID, err)
	}
	if why != nil {
		why.Flagged = true
		scope.Reject(r.Task.TaskID, why)
	}
	var out pipeline.RecordBuilder
	out.Add(schemas.NameTask, r.Task.TaskID, r.Task)
	for _, one := range all {
		out.Add(schemas.NameSession, one.SessionID, one)
	}
	return out.Records()
}

func (s *stage) segment(ctx context.Context, scope *pipeline.Scope, r agentRun) ([]schemas.Session, *pipeline.Rejection, error) {
	for _, one := range r.Sessions {
		if one.Kind != schemas.KindTrajectory {
			return r.Sessions, nil, nil
		}
		if len(one.Points) > 0 {
			return r.Sessions, pipeline.Reject(CodePoints, "its sessions state points, which rest on their turns; refine ends before points are given"), nil
		}
	}
	steps := splitSteps(r.Sessions)
	w := &runWork{stage: s, scope: scope, steps: steps, goal: runGoal(r.Sessions)}
	ends, err := w.askForEnds(ctx)
	if why, ok := model.PermanentRejection(ctx, err); ok {
		return r.Sessions, pipeline.Reject(CodeBad, "%s", why.Reason), nil
	}
	if err != nil {
		return nil, nil, err
	}
	return joinSteps(r.Task.TaskID, r.Sessions, steps, ends), nil, nil
}

// step is an action of the agent with the turns before it, all of one session.
type step struct {
	session int
	turns   []schemas.Turn
	// last says that the rule ends a session with it.
	last bool
}

// splitSteps splits sessions into steps. A step ends with a turn of the agent; turns
// after the last one belong to the last step.
func splitSteps(all []schemas.Session) (out []step) {
	acts := func(t schemas.Turn) bool { return t.Role == schemas.TurnAgent }
	for n, s := range all {
		for i, t := range s.Turns {
			if i == 0 || acts(s.Turns[i-1]) && slices.ContainsFunc(s.Turns[i:], acts) {
				out = append(out, step{session: n})
			}
			at := &out[len(out)-1]
			at.turns, at.last = append(at.turns, t), i == len(s.Turns)-1
		}
	}
	return out
}

func runGoal(all []schemas.Session) string {
	for _, s := range all {
		for _, t := range s.Turns {
			if t.Role == schemas.TurnUser {
				return t.Text
			}
		}
	}
	return ""
}

// joinSteps returns the sessions that end with the given steps, from 0. Each inherits
// from the session of its first step.
func joinSteps(task string, all []schemas.Session, steps []step, ends []int) (out []schemas.Session) {
	from := 0
	for _, end := range ends {
		s := all[steps[from].session]
		s.SessionID, s.Order, s.Turns, s.Earlier = schemas.SessionIDOf(task, len(out)), int32(len(out)), nil, nil
		pictures := 0
		for _, of := range steps[from : end+1] {
			for _, t := range of.turns {
				t.Order, t.SessionID = int32(len(s.Turns)+1), s.SessionID
				t.TurnID, t.Attachments = schemas.TurnIDOf(s.SessionID, len(s.Turns)+1), slices.Clone(t.Attachments)
				for i := range t.Attachments {
					pictures++
					t.Attachments[i].AttachmentID = schemas.AttachmentIDOf(s.SessionID, pictures)
				}
				s.Turns = append(s.Turns, t)
			}
		}
		out, from = append(out, s), end+1
	}
	return out
}

// Input is all that the author is told.
type Input struct {
	Goal    string                       `json:"goal"`
	Steps   []Step                       `json:"steps"`
	Most    int                          `json:"most"`
	Final   bool                         `json:"final"`
	Refused []model.RejectedAnswer[Ends] `json:"refused"`
}

// Step is a step as it is told.
type Step struct {
	Number      int    `json:"number"`
	Said        string `json:"said,omitempty"`
	Observation string `json:"observation,omitempty"`
	Action      string `json:"action,omitempty"`
	Feedback    string `json:"feedback,omitempty"`
	RuleEnds    bool   `json:"rule_ends,omitempty"`
}

// Ends is an answer.
type Ends struct {
	Ends []End `json:"ends"`
}

// End is the last step of a session, by its number in the request.
type End struct {
	Step int    `json:"step"`
	Why  string `json:"why"`
}

// runWork segments one run.
type runWork struct {
	*stage
	scope *pipeline.Scope
	goal  string
	steps []step
}

// askForEnds asks for the ends of sessions, one window of steps after the other. Each
// window begins after the last end. Ends count from 0 and include the last step.
func (w *runWork) askForEnds(ctx context.Context) (out []int, err error) {
	for from := 0; from < len(w.steps); from = out[len(out)-1] + 1 {
		in := w.windowInput(from)
		got, refused, err := w.job.AskUntilUsable(ctx, w.scope, role, w.cfg.Attempts,
			func(r []model.RejectedAnswer[Ends]) Input {
				in.Refused = r
				return in
			},
			func(a model.Answer[Ends]) ([]string, error) { return checkEnds(in, a.Value.Ends), nil })
		if err != nil {
			return nil, fmt.Errorf("ask for the ends from step %d: %w", from+1, err)
		}
		if len(refused) > 0 {
			return nil, pipeline.Reject(CodeBad, "from step %d: %s (after %d attempts)", from+1, strings.Join(refused[len(refused)-1].Reasons, "; "), len(refused))
		}
		for _, e := range got.Value.Ends {
			out = append(out, from+e.Step-1)
		}
	}
	return out, nil
}

func (w *runWork) windowInput(from int) Input {
	to := min(len(w.steps), from+w.cfg.Window)
	in := Input{Goal: words.Shorten(w.goal, w.cfg.Chars), Most: w.cfg.MaxSteps, Final: to == len(w.steps)}
	for i, s := range w.steps[from:to] {
		one := Step{Number: i + 1, RuleEnds: s.last}
		var said []string
		for _, t := range s.turns {
			if t.Text != "" {
				said = append(said, t.Text)
			}
			if t.Role == schemas.TurnAgent {
				one.Observation, one.Action, one.Feedback = w.short(t.Observation), w.short(t.Action), w.short(t.Feedback)
			}
		}
		one.Said = w.short(strings.Join(said, "\n"))
		in.Steps = append(in.Steps, one)
	}
	return in
}

func (w *runWork) short(text string) string { return words.Shorten(text, w.cfg.Chars) }

func checkEnds(in Input, ends []End) (why []string) {
	last := 0
	for _, e := range ends {
		switch {
		case e.Step > len(in.Steps):
			return append(why, fmt.Sprintf("there is no step %d; the last is %d", e.Step, len(in.Steps)))
		case e.Step <= last:
			return append(why, fmt.Sprintf("step %d does not come behind step %d; give ends in ascending order, each once", e.Step, last))
		case e.Step-last > in.Most:
			why = append(why, fmt.Sprintf("the session of the steps %d to %d has %d steps; %d are the most", last+1, e.Step, e.Step-last, in.Most))
		}
		last = e.Step
	}
	if in.Final && last != len(in.Steps) {
		why = append(why, fmt.Sprintf("the run ends with step %d, which must be an end", len(in.Steps)))
	}
	if len(ends) == 0 {
		why = append(why, "there is no end")
	}
	return why
}

// What a step weighs when it is told, how many a session has, and what is asked again,
// for want of a measurement.
const (
	stepChars    = 600
	sessionSteps = 6
	endTokens    = 15
	againShare   = 0.25
	// How visual.dialogues counts what runs hold.
	volumeSessions = "visual.sessions"
)

// Forecast implements pipeline.Forecaster: each step is read once or twice, since windows
// begin behind the last end.
func (s *stage) Forecast(in pipeline.Volume) pipeline.Forecast {
	tasks, sessions := in[nameDialogue], in[volumeSessions]
	steps := sessions.Records * sessionSteps
	calls := max(tasks.Records, steps/max(1, float64(s.cfg.Window-s.cfg.MaxSteps/2)))
	if s.cfg.Attempts > 1 {
		calls *= 1 + againShare
	}
	shown := min(float64(s.cfg.Window), steps/max(1, tasks.Records))
	return pipeline.Forecast{
		Out:   pipeline.Volume{schemas.NameTask: tasks, schemas.NameSession: {Records: sessions.Records, Rough: true}},
		Calls: calls, TokensIn: calls * (s.job.PromptTokens() + model.TextTokens(shown*stepChars)), TokensOut: calls * endTokens * (1 + shown/sessionSteps),
	}
}
