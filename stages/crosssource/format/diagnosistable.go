package format

import (
	"encoding/json"
	"io"
	"text/tabwriter"

	"github.com/memforge/memforge/pipeline/kit/safetext"
)

// share is a label's or stage's part of the failures that have one.
type share struct {
	Name   string  `json:"name"`
	Stage  string  `json:"stage,omitempty"`
	Count  int     `json:"count"`
	ByRule int     `json:"by_rule"`
	Share  float64 `json:"share"`
	// Confidence is the mean of those of the verdicts.
	Confidence float64 `json:"confidence,omitempty"`
}

// shares are those of the labels, then of the stages.
func (d diagnosisScores) shares() []share {
	var byLabel []share
	total := max(len(d.Failures)-d.Open, 1)
	stages := []share{{Name: StageAccess}, {Name: StageUtilization}, {Name: StageAction}}
	for _, l := range labels() {
		n, byRule, confidence := d.countLabelled(l.label)
		one := share{Name: l.label, Stage: l.stage, Count: n, ByRule: byRule, Share: float64(n) / float64(total)}
		if n > 0 {
			one.Confidence = confidence
		}
		byLabel = append(byLabel, one)
		for i := range stages {
			if stages[i].Name == l.stage {
				stages[i].Count, stages[i].ByRule = stages[i].Count+n, stages[i].ByRule+byRule
				stages[i].Share = float64(stages[i].Count) / float64(total)
			}
		}
	}
	return append(byLabel, stages...)
}

// Print implements score.Scores.
func (d diagnosisScores) Print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	safetext.Fprintf(w, "\tfailures\tshare\tby rule\tconfidence\n")
	for _, s := range d.shares() {
		confidence := "-"
		if s.Confidence > 0 {
			confidence = safetext.Sprintf("%.2f", s.Confidence)
		}
		safetext.Fprintf(w, "%s\t%d\t%.1f %%\t%d\t%s\n", s.Name, s.Count, 100*s.Share, s.ByRule, confidence)
	}
	safetext.Fprintf(w, "without a label\t%d\n", d.Open)
	return w.Flush()
}

// MarshalJSON implements score.Scores.
func (d diagnosisScores) MarshalJSON() ([]byte, error) {
	type plainDiagnosis diagnosisScores
	return json.Marshal(struct {
		plainDiagnosis
		Shares []share `json:"shares"`
	}{plainDiagnosis(d), d.shares()})
}
