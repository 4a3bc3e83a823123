package format

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

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

// labels are all of them with their stages, in the paper's order.
func labels() []struct{ label, stage string } {
	return []struct{ label, stage string }{
		{DistributedMissing, StageAccess}, {UpdatedMissing, StageAccess}, {ConflictMisused, StageUtilization},
		{PreferenceError, StageUtilization}, {ExecutionError, StageAction}, {CompositionError, StageUtilization},
	}
}

// StageOf is the stage of a label, empty for what is none.
func StageOf(label string) string {
	for _, l := range labels() {
		if l.label == label {
			return l.stage
		}
	}
	return ""
}

// Verdict is the label of a failure.
type Verdict struct {
	Label      string  `json:"label"`
	Reason     string  `json:"reason"`
	Confidence float64 `json:"confidence"`
}

// check says what is wrong with what a judge said.
func (v Verdict) check() error {
	if StageOf(v.Label) == "" {
		return fmt.Errorf("the label %q is none of the six", v.Label)
	}
	if !(v.Confidence >= 0 && v.Confidence <= 1) || strings.TrimSpace(v.Reason) == "" {
		return fmt.Errorf("confidence %v, reason %q; want 0 to 1, and a sentence", v.Confidence, v.Reason)
	}
	return nil
}

// labelFromLog is the label of a failure where it follows from the log alone: from what was
// retrieved and what was answered. The second value is false where it does not. The order
// is that of the paper's principles (E.11): what is missing comes first.
func (i item) labelFromLog(prediction string, retrieved []string) (Verdict, bool) {
	if retrieved == nil {
		return Verdict{}, false // nobody says what the model had before it
	}
	had := func(p piece) bool { return slices.Contains(retrieved, p.turn) }
	var missing []string
	updates := true
	for _, p := range i.neededPieces() {
		if !had(p) {
			missing = append(missing, p.turn)
			updates = updates && p.role == schemas.RoleUpdate
		}
	}
	switch {
	case len(missing) > 0 && updates:
		return certainVerdict(UpdatedMissing, "Of what the answer takes only the newest is missing: %s.", strings.Join(missing, ", ")), true
	case len(missing) > 0:
		return certainVerdict(DistributedMissing, "Not retrieved: %s.", strings.Join(missing, ", ")), true
	case i.task.label == schemas.TaskFunctionCall:
		return certainVerdict(ExecutionError, "All evidence was retrieved, and the call is another one or none."), true
	case i.task.label == schemas.TaskPreference && i.implicit && Choice(prediction) != "":
		return certainVerdict(PreferenceError, "All choices that tell the preference were retrieved, and another option was taken."), true
	case i.isMisused(prediction, had):
		return certainVerdict(ConflictMisused, "The option that was taken says what an overridden piece says, and both sides were retrieved."), true
	}
	return Verdict{}, false
}

func certainVerdict(label, reason string, args ...any) Verdict {
	return Verdict{label, fmt.Sprintf(reason, args...), 1}
}

// isMisused reports whether the option that was taken stands, word for word, in a piece
// that holds no more and in none that holds.
func (i item) isMisused(prediction string, had func(piece) bool) bool {
	chosen := strings.ToLower(i.options[Choice(prediction)])
	if i.task.label != schemas.TaskConflict || chosen == "" {
		return false
	}
	old, holds := false, false
	for _, p := range i.pieces {
		if !containsWhole(p.text, chosen) {
			continue
		}
		if p.role == schemas.RoleSuperseded {
			old = old || had(p)
		} else {
			holds = true
		}
	}
	return old && !holds
}

// containsWhole reports whether a text holds some words, not within others.
func containsWhole(text, words string) bool {
	text = strings.ToLower(text)
	for from := 0; ; {
		at := strings.Index(text[from:], words)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(words)
		if !isInsideWord(text, at-1) && !isInsideWord(text, end) {
			return true
		}
		from = at + 1
	}
}

func isInsideWord(s string, at int) bool {
	if at < 0 || at >= len(s) {
		return false
	}
	c := s[at]
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 0x80
}
