package format

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// maxFailures is how many failures are looked at (C.6).
const maxFailures = 600

const (
	taskDiagnose = "crosssource.diagnose"
	roleJudge    = "judge"
)

// Diagnosis says why answers failed (C.6, E.11).
func Diagnosis() score.Scorer {
	return score.Scorer{
		Name: "smmbench-diagnosis", Variants: []string{VariantPaper, VariantPrinted}, Answers: readLog,
		Help: `A line of the log is {"id": QUESTION, "prediction": ..., "items": [{"text": ..., "turn_ids": [...]}], "judge": {"label": ..., "reason": ..., "confidence": ...}}; several systems or runs may follow the id behind @. ` +
			"Of what failed, 600 are drawn. Where the label follows from the log it is given; else that of judge counts, and with --json those without one stand as requests to a judge.",
		Load: func(dir string) (score.QuestionSet, error) {
			b, err := loadExport(dir)
			return failureScorer{b}, err
		},
		Release: func(c release.Contents) (score.QuestionSet, error) {
			b, err := loadRelease(c)
			return failureScorer{b}, err
		},
	}
}

// logLine is what is known of an answer.
type logLine struct {
	ID         string            `json:"id"`
	Prediction *string           `json:"prediction"`
	Items      []score.Retrieved `json:"items"`
	Judge      *Verdict          `json:"judge"`
}

const maxLogLine = 16 << 20

// readLog reads lines by their ids. Each stays as it was written.
func readLog(r io.Reader) (map[string]string, error) {
	out := map[string]string{}
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 1<<16), maxLogLine)
	for n := 1; in.Scan(); n++ {
		if strings.TrimSpace(in.Text()) == "" {
			continue
		}
		l, err := parseLine(in.Text())
		if err != nil {
			return nil, fmt.Errorf("log: line %d: %w", n, err)
		}
		if _, twice := out[l.ID]; twice {
			return nil, fmt.Errorf("log: line %d: %q is there twice; put the system or run behind @", n, l.ID)
		}
		out[l.ID] = in.Text()
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("log: %w", err)
	}
	return out, nil
}

func parseLine(text string) (logLine, error) {
	var l logLine
	if err := json.Unmarshal([]byte(text), &l); err != nil {
		return l, err
	}
	if l.ID == "" || l.Prediction == nil {
		return l, fmt.Errorf("want an id and a prediction")
	}
	if l.Judge != nil {
		if err := l.Judge.check(); err != nil {
			return l, fmt.Errorf("judge of %s: %w", l.ID, err)
		}
	}
	return l, nil
}

// failureScorer is the benchmark whose failures are looked at.
type failureScorer struct{ answerScorer }

// IDs implements score.Asked. Of a log any part may be there.
func (d failureScorer) IDs() []string {
	out := make([]string, len(d.items))
	for n, i := range d.items {
		out[n] = i.id
	}
	return out
}

// Failure is a failed answer with its label, or with the request that asks a judge.
type Failure struct {
	ID      string   `json:"id"`
	Verdict *Verdict `json:"verdict,omitempty"`
	Stage   string   `json:"stage,omitempty"`
	// By is rule or judge.
	By      string   `json:"by,omitempty"`
	Request *Request `json:"request,omitempty"`
}

// Request is what a judge is asked, with the schema of its answer.
type Request struct {
	System string          `json:"system"`
	User   string          `json:"user"`
	Schema json.RawMessage `json:"schema"`
}

// Case is what the judge sees of a failure (E.11).
type Case struct {
	Question  string            `json:"question"`
	Task      string            `json:"task"`
	Options   map[string]string `json:"options"`
	Response  string            `json:"response"`
	Gold      string            `json:"gold"`
	Context   []string          `json:"context"`
	Reference []string          `json:"reference"`
}

// failedLine is a line of the log that is wrong.
type failedLine struct {
	logLine
	item
}

// failures are the wrong lines, drawn by their ids where there are too many.
func (d failureScorer) failures(log map[string]string, variant string) ([]failedLine, int, error) {
	byID := map[string]item{}
	for _, i := range d.items {
		byID[i.id] = i
	}
	var all []failedLine
	for id, text := range log {
		l, err := parseLine(text)
		if err != nil {
			return nil, 0, err
		}
		question, _, _ := strings.Cut(id, "@")
		i, known := byID[question]
		if known && !i.isRight(*l.Prediction, variant) {
			all = append(all, failedLine{l, i})
		}
	}
	place := func(f failedLine) string {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", seed, f.logLine.ID))
		return string(sum[:])
	}
	slices.SortFunc(all, func(a, b failedLine) int { return strings.Compare(place(a), place(b)) })
	found := len(all)
	all = all[:min(maxFailures, found)]
	slices.SortFunc(all, func(a, b failedLine) int { return cmp.Compare(a.logLine.ID, b.logLine.ID) })
	return all, found, nil
}

// turns are those that were retrieved, nil where the log does not say.
func (l logLine) turns() []string {
	if l.Items == nil {
		return nil
	}
	out := []string{}
	for _, i := range l.Items {
		out = append(out, i.TurnIDs...)
	}
	return out
}

// Score implements score.Asked.
func (d failureScorer) Score(log map[string]string, o score.Options) (score.Scores, error) {
	ask, err := model.NewJob[Case, Verdict](taskDiagnose)
	if err != nil {
		return nil, err
	}
	all, found, err := d.failures(log, o.Variant)
	if err != nil {
		return nil, err
	}
	out := diagnosisScores{Failed: found}
	for _, f := range all {
		one := Failure{ID: f.logLine.ID}
		if v, follows := f.labelFromLog(*f.Prediction, f.turns()); follows {
			one.Verdict, one.By = &v, "rule"
		} else if f.Judge != nil {
			one.Verdict, one.By = f.Judge, "judge"
		} else {
			r, err := ask.Render(roleJudge, f.judgeCase(), 0)
			if err != nil {
				return nil, err
			}
			one.Request = &Request{r.System, r.User, r.Schema}
			out.Open++
		}
		if one.Verdict != nil {
			one.Stage = StageOf(one.Verdict.Label)
		}
		out.Failures = append(out.Failures, one)
	}
	return out, nil
}

// judgeCase is the failure as a judge sees it.
func (f failedLine) judgeCase() Case {
	c := Case{Question: f.text, Task: f.task.label, Options: f.options, Response: *f.Prediction, Gold: f.gold, Context: []string{}, Reference: []string{}}
	if text := f.options[f.gold]; text != "" {
		c.Gold += ". " + text
	}
	for _, i := range f.Items {
		c.Context = append(c.Context, i.Text)
	}
	if f.task.label == schemas.TaskConflict {
		for _, p := range f.pieces {
			c.Reference = append(c.Reference, p.role+": "+p.text)
		}
	}
	return c
}

// diagnosisScores are the Scores of Diagnosis.
type diagnosisScores struct {
	Failed   int       `json:"failed"`
	Open     int       `json:"open"`
	Failures []Failure `json:"failures"`
}

// Warnings implements score.Scores.
func (d diagnosisScores) Warnings() (out []string) {
	if d.Failed > maxFailures {
		out = append(out, fmt.Sprintf("%d answers failed; %d of them were drawn", d.Failed, maxFailures))
	}
	if d.Open > 0 {
		out = append(out, fmt.Sprintf("%d failures have no label: ask a judge what --json gives as request, and put its answers into the log as judge", d.Open))
	}
	return out
}

// countLabelled is how many failures have a label, and the mean of the confidence.
func (d diagnosisScores) countLabelled(label string) (n, byRule int, confidence float64) {
	for _, f := range d.Failures {
		if f.Verdict == nil || f.Verdict.Label != label {
			continue
		}
		n++
		confidence += f.Verdict.Confidence
		if f.By == "rule" {
			byRule++
		}
	}
	if n == 0 {
		return 0, 0, math.NaN()
	}
	return n, byRule, confidence / float64(n)
}
