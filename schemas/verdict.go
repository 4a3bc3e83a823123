package schemas

import "cmp"

// Outcomes of a verdict. NotApplicable: the gate does not judge items of this kind.
// Insufficient: it does, but the item or the collection has too little data. Error: the
// judgement failed.
const (
	Pass          = "pass"
	Fail          = "fail"
	Error         = "error"
	NotApplicable = "not_applicable"
	Insufficient  = "insufficient"
)

// Outcomes lists the outcomes that a verdict can have.
func Outcomes() []string { return []string{Pass, Fail, Error, NotApplicable, Insufficient} }

// Judged reports whether the gate came to a judgement.
func Judged(outcome string) bool { return outcome == Pass || outcome == Fail }

// ClusterReason separates the reason of a question that passes statistical-shortcuts
// from the result for a solver who also reads the other questions of its cluster, which
// flags nothing.
const ClusterReason = "; with the other questions of the cluster in view, "

// Verdict is one row of the verdicts table: one item under one gate.
type Verdict struct {
	Item    string `json:"item"`
	Gate    string `json:"gate"`
	Outcome string `json:"outcome" holds:"in=pass|fail|error|not_applicable|insufficient"`
	Reason  string `json:"reason,omitempty"`
	// CallsMade and CallsFull count model calls; both are 0 for structural gates.
	CallsMade int32 `json:"calls_made" holds:"min=0"`
	CallsFull int32 `json:"calls_full" holds:"min=0"`
	// ItemDigest identifies what was judged: the item's row, with its evidence.
	ItemDigest string `json:"item_digest"`
}

// Marks of a probe.
const (
	MarkRight  = "right"
	MarkWrong  = "wrong"
	MarkFailed = "failed" // no usable answer: neither right nor wrong
)

// Probe is one row of the probes table: one call of a gate to a model about one item
// under one view of its evidence. A gate's verdict follows from its probes alone.
type Probe struct {
	Item string `json:"item"`
	Gate string `json:"gate"`
	// View is what the solver saw: none, text, oracle, only:2, without:1, ...
	// ViewDigest is the digest of exactly that.
	View       string `json:"view"`
	ViewDigest string `json:"view_digest"`
	// Pictures is the largest number of pictures in the view, PicturesFull that without
	// a limit of the models; they differ if the view was fitted.
	Pictures     int32 `json:"pictures" holds:"min=0"`
	PicturesFull int32 `json:"pictures_full" holds:"min=0"`
	// Role of the call, and the model behind it.
	Role  string `json:"role"`
	Model string `json:"model"`
	// Rotation counts the places by which the options were rotated, Sample independent
	// samples; both from 0.
	Rotation int32 `json:"rotation" holds:"min=0"`
	Sample   int32 `json:"run" holds:"min=0"`
	// Response is the raw answer, Answer what was parsed from it, in the item's own
	// option keys.
	Response string `json:"response"`
	Answer   string `json:"answer,omitempty"`
	Mark     string `json:"mark" holds:"in=right|wrong|failed"`
	// Reason of a failed probe.
	Reason       string `json:"reason,omitempty"`
	InputTokens  int64  `json:"input_tokens" holds:"min=0,max=1099511627776"`
	OutputTokens int64  `json:"output_tokens" holds:"min=0,max=1099511627776"`
}

// CompareProbes orders the probes of one gate as in their table.
func CompareProbes(a, b Probe) int {
	return cmp.Or(cmp.Compare(a.Item, b.Item), cmp.Compare(a.View, b.View), cmp.Compare(a.Role, b.Role),
		cmp.Compare(a.Rotation, b.Rotation), cmp.Compare(a.Sample, b.Sample))
}

// Probes are the calls of a gate about one item, in order. They are rows of the probes
// table, and one record: they are written, read and removed together.
type Probes struct {
	Probes []Probe `json:"probes"`
}

// FlaggedQuestion is one row of the flagged table: a question as gates judged it that
// is not, or not in this form, in the questions table. The verdicts of a gate can be
// recomputed only over all that it judged.
type FlaggedQuestion struct {
	Question
	// Version counts the forms of the question that gates judged, from 0 in the order
	// of the plan; the released one is not among them.
	Version int32 `json:"version"`
	// JudgedBy names the gates that judged this form, sorted.
	JudgedBy []string `json:"judged_by"`
}

// FlaggedRecord is one row of the flagged_records table: like FlaggedQuestion, for any
// other record.
type FlaggedRecord struct {
	Item    string `json:"item"`
	Version int32  `json:"version"`
	Schema  string `json:"schema"`
	// Record is the record's data, canonical JSON.
	Record   string   `json:"record"`
	JudgedBy []string `json:"judged_by"`
}
