package engine

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// SchemaMemory is the schema of the record that remembers a step's run.
const SchemaMemory = "memforge.memory"

// Summary is what a step's run amounts to: the row of the record counts.
type Summary struct {
	In    int `json:"in"`
	Units int `json:"units"`
	// Reused counts units found in the store. It is how this run went, not
	// what the step did, so it is never remembered.
	Reused int `json:"-"`
	// Out is the records given. What a gate says of items (verdicts, probes,
	// items handed on to be rewritten) is not counted.
	Out int `json:"out"`
	// Lost items were rejected by a source or stage, Flagged ones by a gate.
	Lost    int `json:"lost"`
	Flagged int `json:"flagged"`
	// Revised are those of the flagged that were handed on to be rewritten.
	Revised int `json:"revised"`
	// Transient losses make the run one not to remember.
	Transient int `json:"-"`
	// Waiting are those of the transient losses that answers are still to come for.
	Waiting int `json:"-"`
	// Reasons counts rejections by code.
	Reasons map[string]int `json:"reasons,omitempty"`
	// Verdicts are what a gate's verdicts amount to; nil for what is no gate and
	// while the gate is not complete.
	Verdicts *VerdictCounts `json:"verdicts,omitempty"`
	// Outputs is the digest of all outputs: equal outputs, equal digest.
	Outputs pipeline.Digest `json:"outputs"`
}

func (s *Summary) count(u pipeline.Unit) {
	s.Units++
	for _, r := range u.Out {
		switch r.Schema {
		case schemas.NameVerdict, schemas.NameProbes:
		case schemas.NameFlagged:
			s.Revised++
		default:
			s.Out++
		}
	}
	for _, r := range u.Rejections {
		if s.Reasons == nil {
			s.Reasons = map[string]int{}
		}
		s.Reasons[r.Code]++
		if r.Transient {
			s.Transient++
		}
		if r.Waiting {
			s.Waiting++
		}
		if r.Flagged {
			s.Flagged++
		} else {
			s.Lost++
		}
	}
}

// LossShare returns the share of items the step lost, 0 to 1. A source's items are
// the records it gave and those it lost. Items about which a model gave no usable answer do
// not count: its answers are recorded, so each further run would end in the same way.
func (s Summary) LossShare(kind pipeline.Kind) float64 {
	of := s.In
	if kind == pipeline.KindSource {
		of = s.Out + s.Lost
	}
	lost := s.Lost
	if s.Verdicts != nil {
		lost -= s.Verdicts.Unanswered
	}
	if of == 0 || lost <= 0 {
		return 0
	}
	return float64(lost) / float64(of)
}

// ReasonCodes lists the codes of Reasons, sorted.
func (s Summary) ReasonCodes() []string { return slices.Sorted(maps.Keys(s.Reasons)) }

// Memory is the record that remembers a whole run of a step, so that a rebuild
// without changes looks at steps and not at records.
type Memory struct {
	Summary Summary `json:"summary"`
	// Units is the blob with the step's units.
	Units pipeline.Digest `json:"units"`
	// Unit is the key of the unit of a step that is one.
	Unit pipeline.Key `json:"unit,omitempty"`
}

// VerdictCounts are what a gate's verdicts amount to: how many have each outcome, and
// why items have no judgement.
type VerdictCounts struct {
	Outcomes map[string]int `json:"outcomes"`
	// NotApplicable and Insufficient count the codes of these outcomes.
	NotApplicable map[string]int `json:"not_applicable,omitempty"`
	Insufficient  map[string]int `json:"insufficient,omitempty"`
	// Unanswered counts the items about which a model gave no usable answer.
	Unanswered int `json:"unanswered,omitempty"`
}

// Add counts a verdict.
func (v *VerdictCounts) Add(of schemas.Verdict) {
	if v.Outcomes == nil {
		v.Outcomes = map[string]int{}
	}
	v.Outcomes[of.Outcome]++
	switch of.Outcome {
	case schemas.NotApplicable:
		v.NotApplicable = countCode(v.NotApplicable, of.Reason)
	case schemas.Insufficient:
		v.Insufficient = countCode(v.Insufficient, of.Reason)
	case schemas.Error:
		if pipeline.ReasonCode(of.Reason) == pipeline.CodeUnanswered {
			v.Unanswered++
		}
	}
}

// addTimes adds n times another count.
func (v *VerdictCounts) addTimes(o *VerdictCounts, n int) {
	v.Unanswered += n * o.Unanswered
	for _, of := range []struct {
		to   *map[string]int
		from map[string]int
	}{{&v.Outcomes, o.Outcomes}, {&v.NotApplicable, o.NotApplicable}, {&v.Insufficient, o.Insufficient}} {
		for code, k := range of.from {
			if *of.to == nil {
				*of.to = map[string]int{}
			}
			if (*of.to)[code] += n * k; (*of.to)[code] == 0 {
				delete(*of.to, code)
			}
		}
	}
}

func countCode(codes map[string]int, reason string) map[string]int {
	if codes == nil {
		codes = map[string]int{}
	}
	codes[pipeline.ReasonCode(reason)]++
	return codes
}

// Judged returns how many items passed or failed.
func (v *VerdictCounts) Judged() int { return v.Outcomes[schemas.Pass] + v.Outcomes[schemas.Fail] }

// Total returns how many verdicts there are.
func (v *VerdictCounts) Total() int {
	n := 0
	for _, k := range v.Outcomes {
		n += k
	}
	return n
}

// Unjudged tells how many items have no judgement and the main reason: empty when
// all have one.
func (v *VerdictCounts) Unjudged() string {
	var parts []string
	for _, of := range []struct {
		what  string
		codes map[string]int
	}{{"not applicable", v.NotApplicable}, {"with too little data", v.Insufficient}} {
		if code, most, all := mainCode(of.codes); all > 0 {
			parts = append(parts, fmt.Sprintf("%d %s (mainly %s=%d)", all, of.what, code, most))
		}
	}
	return strings.Join(parts, ", ")
}

func mainCode(codes map[string]int) (code string, most, all int) {
	for _, c := range slices.Sorted(maps.Keys(codes)) {
		all += codes[c]
		if codes[c] > most {
			code, most = c, codes[c]
		}
	}
	return code, most, all
}

// Check says whether a gate left more without a judgement than most allows: the
// share, from 0 to 1, of the items that it applies to. Without most, and with any
// below 1, a gate that had items and judged none of them is wrong. The error is
// an *UnjudgedError.
func (v *VerdictCounts) Check(gate string, most *float64) error {
	total, judged := v.Total(), v.Judged()
	if total == 0 || most != nil && *most >= 1 {
		return nil
	}
	short := v.Outcomes[schemas.Insufficient]
	applies := total - v.Outcomes[schemas.NotApplicable]
	if judged > 0 && (most == nil || float64(short) <= *most*float64(applies)) {
		return nil
	}
	return &UnjudgedError{Gate: gate, Verdicts: *v, Most: most}
}

// UnjudgedError says that a gate judged nothing, or less than its max_insufficient
// asks for.
type UnjudgedError struct {
	Gate     string
	Verdicts VerdictCounts
	Most     *float64
}

func (e *UnjudgedError) Error() string {
	v := &e.Verdicts
	why := strings.Join(slices.Concat(formatCodes("not applicable", v.NotApplicable), formatCodes("too little data", v.Insufficient)), "; ")
	const advice = "give it items that it can judge, take the gate out"
	if v.Judged() == 0 {
		return fmt.Sprintf("gate %s judged none of its %d items (%s): %s, or let it judge nothing with gates.%s.max_insufficient: 1 (what was built is kept)",
			e.Gate, v.Total(), why, advice, e.Gate)
	}
	applies := v.Total() - v.Outcomes[schemas.NotApplicable]
	return fmt.Sprintf("gate %s could not judge %d of the %d items that it applies to, more than gates.%s.max_insufficient %g (%s): %s, or raise max_insufficient (what was built is kept)",
		e.Gate, v.Outcomes[schemas.Insufficient], applies, e.Gate, *e.Most, why, advice)
}

// formatCodes tells counted codes as "what: code=n code=n".
func formatCodes(what string, codes map[string]int) []string {
	if len(codes) == 0 {
		return nil
	}
	text := what + ":"
	for _, c := range slices.Sorted(maps.Keys(codes)) {
		text += fmt.Sprintf(" %s=%d", c, codes[c])
	}
	return []string{text}
}

// CountVerdicts counts the verdicts among the outputs of a gate's units.
func CountVerdicts(ctx context.Context, st pipeline.Store, units iter.Seq2[pipeline.Unit, error]) (*VerdictCounts, error) {
	const batch = 512
	refs, out := make([]pipeline.Ref, 0, batch), &VerdictCounts{Outcomes: map[string]int{}}
	for u, err := range units {
		if err != nil {
			return nil, err
		}
		for _, r := range u.Out {
			if r.Schema != schemas.NameVerdict {
				continue
			}
			if refs = append(refs, r); len(refs) < batch {
				continue
			}
			if err := out.read(ctx, st, refs); err != nil {
				return nil, err
			}
			refs = refs[:0]
		}
	}
	return out, out.read(ctx, st, refs)
}

func (v *VerdictCounts) read(ctx context.Context, st pipeline.Store, refs []pipeline.Ref) error {
	if len(refs) == 0 {
		return nil
	}
	recs, err := loadRefs(ctx, st, refs)
	if err != nil {
		return fmt.Errorf("count verdicts: %w", err)
	}
	for _, r := range recs {
		of, err := pipeline.Decode[schemas.Verdict](r)
		if err != nil {
			return fmt.Errorf("count verdicts: %w", err)
		}
		v.Add(of)
	}
	return nil
}
