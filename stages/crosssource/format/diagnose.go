package format

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// maxFailures is how many failures are looked at (C.6).
const maxFailures = 600

// Diagnosis says why answers failed (C.6, E.11).
func Diagnosis() score.Scorer {
	return score.Reading(score.Scorer{
		Name: "smmbench-diagnosis", Takes: takes(), Variants: []string{VariantPaper, VariantPrinted}, Answers: readLog, ReadRun: readRunLog,
		Help: `Takes the answers.jsonl of memforge run, with the retrieved.jsonl beside it, or a log. A line of the log is {"id": QUESTION, "prediction": ..., "items": [{"text": ..., "turn_ids": [...]}], "judge": {"label": ..., "reason": ..., "confidence": ...}}; several systems or runs may follow the id behind @. ` +
			"Of what failed, 600 are drawn. Where the label follows from the log it is given; else that of judge counts, in the log or from --judge.",
	}, loadExport, loadRelease, func(all items) score.QuestionSet { return failureScorer{all} })
}

// logLine is what is known of an answer.
type logLine struct {
	ID         string            `json:"id"`
	Prediction *string           `json:"prediction"`
	Items      []score.Retrieved `json:"items"`
	Judge      *Verdict          `json:"judge"`
}

const maxLogLine = 16 << 20

// readLog reads the lines of a log by id and keeps them as written.
func readLog(r io.Reader) (map[string]string, error) {
	return benchformat.ReadLines(r, "log", "%q is there twice; put the system or run behind @", maxLogLine, func(line []byte) (string, string, error) {
		l, err := parseLine(string(line))
		if err == nil && strings.HasSuffix(l.ID, score.JudgeSuffix) {
			return l.ID, *l.Prediction, nil
		}
		return l.ID, string(line), err
	})
}

// readRunLog reads a log; to lines that do not say what was retrieved it adds the items of
// retrieved.jsonl beside it.
func readRunLog(file string) (map[string]string, error) {
	log, err := score.ReadFile(file, readLog)
	if err != nil {
		return nil, err
	}
	found, err := score.ReadFile(filepath.Join(filepath.Dir(file), "retrieved.jsonl"), func(r io.Reader) (map[string]string, error) {
		var bad error
		out, err := score.ReadRetrieved(r, func(items []score.Retrieved) string {
			text, err := json.Marshal(append([]score.Retrieved{}, items...))
			bad = errors.Join(bad, err)
			return string(text)
		})
		return out, errors.Join(err, bad)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return log, nil
	} else if err != nil {
		return nil, fmt.Errorf("retrieved.jsonl: %w", err)
	}
	for id, text := range log {
		items, retrieved := found[id]
		if !retrieved || strings.HasSuffix(id, score.JudgeSuffix) {
			continue
		}
		l, err := parseLine(text)
		if err == nil && l.Items == nil {
			if err = json.Unmarshal([]byte(items), &l.Items); err == nil {
				var whole []byte
				whole, err = json.Marshal(l)
				log[id] = string(whole)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return log, nil
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

// failureScorer labels failures. Of a log any part may be there.
type failureScorer struct{ items }

// Failure is a failed answer with its label, if it has one.
type Failure struct {
	ID      string   `json:"id"`
	Verdict *Verdict `json:"verdict,omitempty"`
	Stage   string   `json:"stage,omitempty"`
	// By is rule or judge.
	By string `json:"by,omitempty"`
}

// failedLine is a line of the log that is wrong.
type failedLine struct {
	logLine
	item
}

// failures returns the wrong lines, picked by their ids if there are too many.
func (d failureScorer) failures(log map[string]string, variant string) ([]failedLine, int, error) {
	byID := map[string]item{}
	for _, i := range d.items {
		byID[i.ID] = i
	}
	var all []failedLine
	for id, text := range log {
		if strings.HasSuffix(id, score.JudgeSuffix) {
			continue
		}
		l, err := parseLine(text)
		if err != nil {
			return nil, 0, err
		}
		question, _, _ := strings.Cut(id, "@")
		i, known := byID[question]
		if !known {
			continue
		}
		if right, _ := i.check(*l.Prediction, variant); !right {
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

// turns returns those that were retrieved, nil where the log does not say.
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

// Score implements score.QuestionSet.
func (d failureScorer) Score(log map[string]string, o score.Options) (score.Scores, error) {
	all, found, err := d.failures(log, o.Variant)
	if err != nil {
		return nil, err
	}
	out, labels := diagnosisScores{Failed: found}, score.LabelsIn(log)
	for _, f := range all {
		one := Failure{ID: f.logLine.ID}
		if v, follows := f.labelFromLog(*f.Prediction, f.turns()); follows {
			one.Verdict, one.By = &v, "rule"
		} else if label := labels[f.logLine.ID]; label != "" {
			one.Verdict, one.By = &Verdict{Label: label}, "judge"
		} else if f.Judge != nil {
			one.Verdict, one.By = f.Judge, "judge"
		} else {
			out.Open++
		}
		if one.Verdict != nil {
			if one.Stage = StageOf(one.Verdict.Label); one.Stage == "" {
				return nil, fmt.Errorf("the label of a judge for %s is %q and none of the six", one.ID, one.Verdict.Label)
			}
		}
		out.Failures = append(out.Failures, one)
	}
	return out, nil
}

// Cases implements score.Judged: failures that neither the log nor a judge in it explains.
func (d failureScorer) Cases(log map[string]string) (out []score.Case, err error) {
	all, _, err := d.failures(log, VariantPaper)
	for _, f := range all {
		if _, follows := f.labelFromLog(*f.Prediction, f.turns()); !follows && f.Judge == nil {
			out = append(out, f.judgeCase())
		}
	}
	return out, err
}

// judgeCase returns what a judge sees of a failure (E.11).
func (f failedLine) judgeCase() score.Case {
	c := score.Case{IDs: []string{f.logLine.ID}, Prompt: score.JudgeDiagnosis, Labels: labels(), Question: f.Question + "\ntask: " + f.task.label, Subjects: []string{*f.Prediction}}
	for _, key := range slices.Sorted(maps.Keys(f.Options)) {
		c.Question += "\n" + key + ". " + f.Options[key]
	}
	right := "right answer: " + f.gold
	if text := f.Options[f.gold]; text != "" {
		right += ". " + text
	}
	c.Against = []string{right}
	for _, i := range f.Items {
		c.Against = append(c.Against, "context: "+i.Text)
	}
	if f.task.label == schemas.TaskConflict {
		for _, p := range f.Evidence {
			c.Against = append(c.Against, p.Role+": "+p.Text)
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
		out = append(out, fmt.Sprintf("%d failures have no label: have a judge label them with --judge", d.Open))
	}
	return out
}

// lines returns the line of each label, then of each stage: how many of the failures with
// a label have it, and the mean confidence of those that say one.
func (d diagnosisScores) lines() []tables.Line {
	var out []tables.Line
	add := func(name string, in func(Verdict) bool) {
		n, byRule, sure, confidence := 0, 0, 0, 0.0
		for _, f := range d.Failures {
			if f.Verdict != nil && in(*f.Verdict) {
				n++
				if f.Verdict.Confidence > 0 {
					sure, confidence = sure+1, confidence+f.Verdict.Confidence
				}
				byRule += int(benchformat.BoolScore(f.By == "rule"))
			}
		}
		l := tables.Line{Slice: name, Figures: map[string]tables.Figure{
			"failures": tables.Count(n), "by rule": tables.Count(byRule), "share": tables.Exactly(float64(n)/float64(max(len(d.Failures)-d.Open, 1)), len(d.Failures)-d.Open),
		}}
		if sure > 0 {
			l.Figures["confidence"] = tables.Exactly(confidence/float64(sure), sure)
		}
		out = append(out, l)
	}
	for _, label := range labels() {
		add(label, func(v Verdict) bool { return v.Label == label })
	}
	for _, stage := range []string{StageAccess, StageUtilization, StageAction} {
		add(stage, func(v Verdict) bool { return StageOf(v.Label) == stage })
	}
	return out
}

// Measures implements tables.Measured: how many answers failed, and which share of those with
// a label has each label and stage. Intervals resample facts.
func (d diagnosisScores) Measures(factOf map[string]string, seed uint64) []tables.Measure {
	out := []tables.Measure{{Column: "failures", Figure: tables.Count(d.Failed)}, {Column: "without a label", Figure: tables.Count(d.Open)}}
	add := func(name string, of func(Failure) string) {
		var marks []agreement.Score
		for _, f := range d.Failures {
			if question, _, _ := strings.Cut(f.ID, "@"); f.Verdict != nil {
				marks = append(marks, agreement.Score{Cluster: factOf[question], Value: benchformat.BoolScore(of(f) == name)})
			}
		}
		if share, ok := tables.Mean(marks, seed); ok {
			out = append(out, tables.Measure{Column: name, Figure: share})
		} else {
			out = append(out, tables.Measure{Column: name, Missing: "no failure has a label"})
		}
	}
	for _, stage := range []string{StageAccess, StageUtilization, StageAction} {
		add(stage, func(f Failure) string { return f.Stage })
	}
	for _, label := range labels() {
		add(label, func(f Failure) string { return f.Verdict.Label })
	}
	return out
}

// Print implements score.Scores.
func (d diagnosisScores) Print(out io.Writer) error {
	err := tables.PrintLines(out, d.lines(), []string{"failures", "share", "by rule", "confidence"})
	safetext.Fprintf(out, "without a label: %d\n", d.Open)
	return err
}

// MarshalJSON implements score.Scores.
func (d diagnosisScores) MarshalJSON() ([]byte, error) {
	type plainDiagnosis diagnosisScores
	return json.Marshal(struct {
		plainDiagnosis
		Lines []tables.Line `json:"lines"`
	}{plainDiagnosis(d), d.lines()})
}

// Labels of failures (C.6), as a judge has to spell them.
const (
	DistributedMissing = "Distributed Evidence Missing"
	UpdatedMissing     = "Updated Evidence Missing"
	ConflictMisused    = "Outdated or Conflicting Evidence Misused"
	PreferenceError    = "Preference Inference Error"
	ExecutionError     = "Function Execution Error"
	CompositionError   = "Cross-Source Composition Error"
)

// Stages of failures (C.6): what was needed was not found, not used rightly, or not
// turned into the right call.
const (
	StageAccess      = "Access"
	StageUtilization = "Utilization"
	StageAction      = "Action"
)

// labels lists the labels in the paper's order.
func labels() []string {
	return []string{DistributedMissing, UpdatedMissing, ConflictMisused, PreferenceError, ExecutionError, CompositionError}
}

// StageOf returns the stage of a label, empty for what is none.
func StageOf(label string) string {
	switch label {
	case DistributedMissing, UpdatedMissing:
		return StageAccess
	case ConflictMisused, PreferenceError, CompositionError:
		return StageUtilization
	case ExecutionError:
		return StageAction
	}
	return ""
}

// Verdict is the label of a failure.
type Verdict struct {
	Label      string  `json:"label"`
	Reason     string  `json:"reason,omitempty"`
	Confidence float64 `json:"confidence,omitempty"` // 0: not said
}

func (v Verdict) check() error {
	if StageOf(v.Label) == "" {
		return fmt.Errorf("the label %q is none of the six", v.Label)
	}
	if !(v.Confidence >= 0 && v.Confidence <= 1) || strings.TrimSpace(v.Reason) == "" {
		return fmt.Errorf("confidence %v, reason %q; want 0 to 1, and a sentence", v.Confidence, v.Reason)
	}
	return nil
}

// labelFromLog returns the label that follows from the log alone: from what was retrieved
// and answered. It is false if none does. The order is that of the paper's principles
// (E.11): missing evidence comes first.
func (i item) labelFromLog(prediction string, retrieved []string) (Verdict, bool) {
	if retrieved == nil {
		return Verdict{}, false // the log does not say what the model had before it
	}
	had := func(p Evidence) bool { return slices.Contains(retrieved, p.Turn) }
	var missing []string
	updates := true
	for n, set := range i.sufficient() { // that of which least is missing
		lacks := slices.DeleteFunc(slices.Clone(set), func(p Evidence) bool { return p.Role == schemas.RoleSuperseded || had(p) })
		if n > 0 && len(lacks) >= len(missing) {
			continue
		}
		missing, updates = nil, true
		for _, p := range lacks {
			missing = append(missing, p.Turn)
			updates = updates && p.Role == schemas.RoleUpdate
		}
	}
	switch {
	case len(missing) > 0 && updates:
		return certainVerdict(UpdatedMissing, "Of what the answer takes only the newest is missing: %s.", strings.Join(missing, ", ")), true
	case len(missing) > 0:
		return certainVerdict(DistributedMissing, "Not retrieved: %s.", strings.Join(missing, ", ")), true
	case i.task.label == schemas.TaskFunctionCall:
		return certainVerdict(ExecutionError, "All evidence was retrieved, and the call is another one or none."), true
	case i.task.label == schemas.TaskPreference && i.Preference == "implicit" && Choice(prediction) != "":
		return certainVerdict(PreferenceError, "All choices that tell the preference were retrieved, and another option was taken."), true
	case i.isMisused(prediction, had):
		return certainVerdict(ConflictMisused, "The option that was taken says what an overridden piece says, and both sides were retrieved."), true
	}
	return Verdict{}, false
}

func certainVerdict(label, reason string, args ...any) Verdict {
	return Verdict{label, fmt.Sprintf(reason, args...), 1}
}

// isMisused reports whether the chosen option occurs, word for word, in an outdated piece
// and in no current one.
func (i item) isMisused(prediction string, had func(Evidence) bool) bool {
	chosen := words.Folded(i.Options[Choice(prediction)])
	if i.task.label != schemas.TaskConflict || chosen == "" {
		return false
	}
	old, holds := false, false
	for _, p := range i.Evidence {
		if !strings.Contains(" "+words.Folded(p.Text)+" ", " "+chosen+" ") {
			continue
		}
		if p.Role == schemas.RoleSuperseded {
			old = old || had(p)
		} else {
			holds = true
		}
	}
	return old && !holds
}
