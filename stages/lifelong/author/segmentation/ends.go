package segmentation

import (
	"context"
	"fmt"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

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

// runWork is that on one run.
type runWork struct {
	*stage
	scope *pipeline.Scope
	goal  string
	steps []step
}

// askForEnds asks for the ends of a run, a window of steps after the other: each begins behind
// the last end that was given. They are counted from 0, and the last step is one.
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
			return nil, pipeline.Reject(CodeBad, "from step %d: %s (after %d attempts)", from+1, joinReasons(refused), len(refused))
		}
		for _, e := range got.Value.Ends {
			out = append(out, from+e.Step-1)
		}
	}
	return out, nil
}

// windowInput is what is asked about the steps from a place.
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

// checkEnds says what is wrong with the ends of a window.
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
