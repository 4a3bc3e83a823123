package format

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/schemas"
)

// What a method was shown in a run: the second part of a run's name.
const (
	setVisual    = "visual"     // pictures
	setDense     = "dense"      // dense captions in their place
	setTaskAware = "task-aware" // captions that tell all that is asked about (D.2)
	setNone      = "none"       // neither (D.3)
	setMinimal   = "minimal"    // what kind of picture each is
	setLatest    = "latest"     // of the clues the latest alone, with its picture (D.5)
	setStale     = "stale"      // the earlier ones alone (D.5)
)

// settingByView are the settings by the view under which a gate shows the same.
func settingByView() map[string]string {
	return map[string]string{
		view.Oracle: setVisual, view.AllClues: setVisual, view.DenseCaption: setDense, view.TaskAwareCaption: setTaskAware,
		view.Text: setNone, view.MinimalCaption: setMinimal, view.LatestOnly: setLatest, view.StaleOnly: setStale,
	}
}

// oracleMethod is the method that is given the rounds of the clues instead of finding them,
// and how the names of further such methods begin.
const oracleMethod = "oracle"

func isOracle(method string) bool {
	return method == oracleMethod || strings.HasPrefix(method, oracleMethod+"-")
}

// methodRun is a log of answers: how a method did on each subject.
type methodRun struct {
	method, setting string
	marks           []marks
	answers         map[string]string // nil of runs that gates made
}

// checkRun says what is wrong with the name of a run.
func checkRun(name string) string {
	settings := []string{setVisual, setDense, setTaskAware, setNone, setMinimal, setLatest, setStale}
	method, setting, _ := splitRunName(name)
	if method == "" || !slices.Contains(settings, setting) {
		return fmt.Sprintf("want METHOD.SETTING with one of %s as setting", strings.Join(settings, ", "))
	}
	return ""
}

// splitRunName parts the name of a run at its last dot.
func splitRunName(name string) (method, setting string, ok bool) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return "", "", false
	}
	return name[:i], name[i+1:], true
}

// subject is a question as tables see it.
type subject struct {
	scoredQuestion
	question schemas.Question
	scenario string
}

// study holds runs over the questions of a release beside each other.
type study struct {
	tables.Inputs
	tasks    []layoutTask
	subjects []subject
	runs     []methodRun
	notes    []string
}

func newStudy(in tables.Inputs) (*study, error) {
	tasks, err := layoutTasks(in.Contents)
	if err != nil {
		return nil, err
	}
	s := &study{Inputs: in, tasks: tasks}
	for _, t := range tasks {
		for _, q := range t.questions {
			s.subjects = append(s.subjects, subject{newScoredQuestion(t.name, q), q.Question, t.scenario})
		}
	}
	for _, r := range in.Runs {
		if err := s.addRun(r); err != nil {
			return nil, fmt.Errorf("run %s: %w", r.Name, err)
		}
	}
	s.addGateRuns()
	return s, nil
}

// addRun adds a log.
func (s *study) addRun(r tables.Run) error {
	var b bench
	for _, q := range s.subjects {
		b.items = append(b.items, q.scoredQuestion)
	}
	got, err := b.markAnswers(r.Answers, score.Options{Variant: s.Variant, Incomplete: s.Incomplete})
	if err != nil {
		return err
	}
	method, setting, _ := splitRunName(r.Name)
	s.runs = append(s.runs, methodRun{method, setting, got.marks, r.Answers})
	return nil
}

// addGateRuns adds what the release's gates asked: runs of the models behind them, which
// were given the clues, in choice form. A gate that stopped where its verdict was
// settled is left out: which calls it made depends on the answers.
func (s *study) addGateRuns() {
	partial, skipped := map[string]bool{}, map[string]bool{}
	for _, v := range s.Contents.Verdicts {
		partial[v.Gate] = partial[v.Gate] || v.CallsMade < v.CallsFull
	}
	at := map[string]int{}
	for i, q := range s.subjects {
		at[q.id] = i
	}
	given := map[gateCall][2]float64{}
	var order []gateCall
	for _, p := range s.Contents.Probes {
		setting := settingByView()[p.View]
		i, known := at[p.Item]
		if setting == "" || !known || !choiceMade(s.subjects[i].question, p) {
			continue
		}
		if skipped[p.Gate] = partial[p.Gate]; partial[p.Gate] {
			continue
		}
		c := gateCall{oracleMethod + "-" + p.Model, setting, i, p.Rotation}
		if _, there := given[c]; !there {
			order = append(order, c)
		}
		given[c] = [2]float64{given[c][0] + benchformat.BoolScore(p.Mark == schemas.MarkRight), given[c][1] + 1}
	}
	for _, c := range order {
		s.gateRun(c.method, c.setting).marks[c.subject].addRotation(given[c][0] / given[c][1])
	}
	for _, g := range s.Contents.Manifest.Gates {
		if skipped[g.Name] {
			s.notes = append(s.notes, fmt.Sprintf("gate %s stopped where its verdict was settled, so its calls are a selection and stand in no table; build with full_protocol: true", g.Name))
		}
	}
}

// gateCall is what a model was asked once or several times.
type gateCall struct {
	method, setting string
	subject         int
	rotation        int32
}

// gateRun is the run of a method in a setting that gates made.
func (s *study) gateRun(method, setting string) *methodRun {
	own := func(r methodRun) bool { return r.method == method && r.setting == setting && r.answers == nil }
	if !slices.ContainsFunc(s.runs, own) {
		s.runs = append(s.runs, methodRun{method: method, setting: setting, marks: emptyMarks(s.subjects)})
	}
	return &s.runs[slices.IndexFunc(s.runs, own)]
}

// choiceMade reports whether a call was to choose an option, and one was chosen.
func choiceMade(q schemas.Question, p schemas.Probe) bool {
	return slices.ContainsFunc(q.Options, func(o schemas.Option) bool { return o.Key == p.Answer })
}

func emptyMarks(subjects []subject) []marks {
	out := make([]marks, len(subjects))
	for i, q := range subjects {
		out[i] = marks{scoredQuestion: q.scoredQuestion, em: math.NaN()}
	}
	return out
}

// addRotation adds a rotation of which only is known how often it was right.
func (m *marks) addRotation(right float64) {
	if math.IsNaN(m.em) {
		m.em = 0
	}
	m.em = (m.em*float64(m.probed) + right) / float64(m.probed+1)
	m.probed++
}

// the first run of a method in a setting.
func (s *study) findRun(method, setting string) (methodRun, bool) {
	i := slices.IndexFunc(s.runs, func(r methodRun) bool { return r.method == method && r.setting == setting })
	if i < 0 {
		return methodRun{}, false
	}
	return s.runs[i], true
}

// methodsWith are those that have a run in each of the settings, sorted.
func (s *study) methodsWith(given func(method string) bool, settings ...string) (out []string) {
	for _, r := range s.runs {
		has := func(setting string) bool { _, ok := s.findRun(r.method, setting); return ok }
		if given(r.method) && !slices.Contains(out, r.method) && !slices.ContainsFunc(settings, func(s string) bool { return !has(s) }) {
			out = append(out, r.method)
		}
	}
	slices.Sort(out)
	return out
}

func isMethod(method string) bool { return !isOracle(method) }
