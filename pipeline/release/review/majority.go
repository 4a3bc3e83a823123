package review

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// A Majority is what follows from the decisions about one item.
type Majority struct {
	// Decision is that of more than half of the annotators; empty while it is open.
	Decision string
	// Label is the key and value of a relabel, Notes what those wrote who decided so.
	Label [2]string
	Notes []string
	// For of Of annotators decided so.
	For, Of int
	// Keeper is who settled it, empty where the annotators did.
	Keeper string
}

// FindMajority follows the keeper's decision if there is one, else the decision, and for a
// relabel the label, that more than half of the annotators gave, if as many as asked for
// decided at all.
func FindMajority(decisions []schemas.Review, annotators int, keeper string) Majority {
	i := slices.IndexFunc(decisions, func(r schemas.Review) bool { return keeper != "" && r.Annotator == keeper })
	if i >= 0 {
		out := FindMajority(decisions[i:i+1], 1, "")
		out.Of, out.Keeper = len(decisions), keeper
		return out
	}
	out := Majority{Of: len(decisions)}
	if len(decisions) < annotators {
		return out
	}
	counts := map[string]int{}
	for _, r := range decisions {
		counts[Verdict(r)]++
	}
	for v, n := range counts {
		if 2*n <= len(decisions) {
			continue
		}
		decision, label, _ := strings.Cut(v, " ")
		key, value, _ := strings.Cut(label, "=")
		out.Decision, out.For, out.Label = decision, n, [2]string{key, value}
		for _, r := range decisions {
			if Verdict(r) == v && r.Note != "" && !slices.Contains(out.Notes, r.Note) {
				out.Notes = append(out.Notes, r.Note)
			}
		}
	}
	return out
}

// Verdict is what annotators may agree on: a decision and, of a relabel, its label.
func Verdict(r schemas.Review) string {
	if r.Decision != schemas.DecisionRelabel {
		return r.Decision
	}
	return r.Decision + " " + r.Label
}

// Reason states a settlement.
func (s Majority) Reason() string {
	why := fmt.Sprintf("%d of %d annotators decided so", s.For, s.Of)
	if s.Keeper != "" {
		why = s.Keeper + ", who settles disputes, decided so"
	}
	if len(s.Notes) > 0 {
		why += ": " + strings.Join(s.Notes, "; ")
	}
	return why
}

// Relabel is a record with another value of a label or, where it has none at all, of
// a column that is a text.
func Relabel(rec pipeline.Record, label [2]string) (pipeline.Record, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(rec.Data, &fields); err != nil {
		return rec, fmt.Errorf("record %s %q: %w", rec.Schema, rec.ID, err)
	}
	var old string
	labels := map[string]string{}
	switch value := fields["labels"]; {
	case value != nil && json.Unmarshal(value, &labels) == nil:
		if labels == nil {
			labels = map[string]string{}
		}
		labels[label[0]] = label[1]
		set, err := pipeline.Canonical(labels)
		if err != nil {
			return rec, err
		}
		fields["labels"] = set
	case value == nil && !strings.HasSuffix(label[0], "_id") && json.Unmarshal(fields[label[0]], &old) == nil:
		set, err := pipeline.Canonical(label[1])
		if err != nil {
			return rec, err
		}
		fields[label[0]] = set
	default:
		return rec, fmt.Errorf("people decided on %s=%s for the %s %s, which has neither labels nor a text %s; reject it, or correct the decision", label[0], label[1], rec.Schema, rec.ID, label[0])
	}
	return pipeline.NewRecord(rec.Schema, rec.ID, fields, rec.Blobs...)
}

// UndecidedError says that people have not decided about all that was drawn.
type UndecidedError struct {
	Draw string
	// Missing have too few decisions, Disputed as many as asked for and no majority.
	Missing, Disputed []string
	Drawn             int
}

func (e *UndecidedError) Error() string {
	open := slices.Concat(e.Missing, e.Disputed)
	return fmt.Sprintf("draw %q: of %d drawn %d lack decisions and %d are disputed (%s); list them with `memforge sample --open`, add decisions to the files of the source reviews, or set undecided: keep",
		e.Draw, e.Drawn, len(e.Missing), len(e.Disputed), strings.Join(open[:min(3, len(open))], ", "))
}
