package review

import (
	"fmt"
	"iter"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// SampleMark is what a release that is marked reviewed states of one draw.
type SampleMark struct {
	// Step is the stage that took it.
	Step string `json:"node"`
	pipeline.ReviewSample
	// Items could be drawn, Drawn were. Decisions are about these, Beside about others:
	// what gates flagged, or what an earlier draw had.
	Items     int `json:"items"`
	Drawn     int `json:"drawn"`
	Decisions int `json:"decisions"`
	Others    int `json:"beside"`
	// Rows is the digest of the draw's rows of tables draws and reviews, in their order,
	// one canonical JSON a line.
	Rows pipeline.Digest `json:"rows"`
}

// Tables is what the tables of a release say of draws. Rows are in the order of their
// tables.
type Tables struct {
	Drawn   iter.Seq[schemas.Sampled]
	Reviews iter.Seq[schemas.Review]
	// Released gives the records of a schema that are released.
	Released func(schema string) iter.Seq[Entry]
}

// sampleTables is what they say of one draw.
type sampleTables struct {
	*Population
	rows map[string]schemas.Sampled
	said map[string][]schemas.Review
	mark SampleMark
	// lines are the rows as JSON, others what draws of the name have of other schemas.
	lines  []byte
	others map[string]bool
}

// readSample reads a draw and works out its mark.
func (s Tables) readSample(node string, d pipeline.ReviewSample) (*sampleTables, error) {
	out := &sampleTables{
		Population: NewPopulation(d), rows: map[string]schemas.Sampled{}, said: map[string][]schemas.Review{},
		mark: SampleMark{Step: node, ReviewSample: d}, others: map[string]bool{},
	}
	for r := range s.Drawn {
		if err := out.drawn(r); err != nil {
			return nil, err
		}
	}
	for r := range s.Reviews {
		if err := out.review(r); err != nil {
			return nil, err
		}
	}
	out.mark.Rows = pipeline.DigestOf(out.lines)
	return out, nil
}

// drawn takes in a row of table draws.
func (s *sampleTables) drawn(r schemas.Sampled) error {
	switch {
	case r.Sample != s.Name:
		return nil
	case r.Schema != s.Schema:
		s.others[r.Item] = true
		return nil
	}
	if s.mark.Items++; r.Selected {
		s.mark.Drawn++
	}
	s.rows[r.Item] = r
	s.Add(r)
	return s.line(r)
}

// review takes in a row of table reviews.
func (s *sampleTables) review(r schemas.Review) error {
	if r.Sample != s.Name || s.others[r.Item] {
		return nil
	}
	s.said[r.Item] = append(s.said[r.Item], r)
	if s.rows[r.Item].Selected {
		s.mark.Decisions++
	} else {
		s.mark.Others++
	}
	return s.line(r)
}

func (s *sampleTables) line(v any) error {
	b, err := pipeline.Canonical(v)
	s.lines = append(append(s.lines, b...), '\n')
	return err
}

// Mark works out what a release states of a draw that the node took.
func (s Tables) Mark(node string, d pipeline.ReviewSample) (SampleMark, error) {
	out, err := s.readSample(node, d)
	if err != nil {
		return SampleMark{}, fmt.Errorf("draw %s: %w", d.Name, err)
	}
	return out.mark, nil
}

// Check lists what is wrong with a mark: that it is not what the tables give, that the
// draw is another than follows, that something drawn is undecided, and that something is
// released that could not be drawn or is other than people decided.
func (s Tables) Check(m SampleMark) ([]string, error) {
	if err := CheckSample(m.ReviewSample); err != nil || m.Annotators < 1 {
		return []string{fmt.Sprintf("draw %q of %d annotators is none: %v", m.Name, m.Annotators, err)}, nil
	}
	of, err := s.readSample(m.Step, m.ReviewSample)
	if err != nil {
		return nil, err
	}
	var out []string
	add := func(format string, args ...any) {
		out = append(out, fmt.Sprintf("draw %q: ", m.Name)+fmt.Sprintf(format, args...))
	}
	if w := of.mark; w.Items != m.Items || w.Drawn != m.Drawn || w.Decisions != m.Decisions || w.Others != m.Others || w.Rows != m.Rows {
		add("the manifest says %s, the tables give %s", m.summary(), w.summary())
	}
	drawn := of.Population.Drawn()
	for r := range s.Drawn {
		if r.Sample == m.Name && r.Schema == m.Schema && r.Selected != drawn[r.Unit] {
			add("%s: drawn is %t, and %t follows from the draw", r.Item, r.Selected, drawn[r.Unit])
		}
	}
	outcomes := map[string]Outcome{}
	for _, o := range of.Outcomes(of.said) {
		if why := o.WhyOpen(m.Annotators); why != "" {
			add("%s %s: %d decided, %d must, and more than half of them alike", o.Items[0], why, o.Of, m.Annotators)
		}
		for _, id := range o.Items {
			outcomes[id] = o
		}
	}
	for e := range s.Released(m.Schema) {
		if why := of.released(e, outcomes[e.ID]); why != "" {
			add("%s: %s", e.ID, why)
		}
	}
	return out, nil
}

func (m SampleMark) summary() string {
	return fmt.Sprintf("%d of %d drawn, %d decisions and %d beside, rows %.12s", m.Drawn, m.Items, m.Decisions, m.Others, m.Rows)
}

// released says what is wrong with a released item.
func (s *sampleTables) released(e Entry, o Outcome) string {
	r, known := s.rows[e.ID]
	label := ""
	if o.Decision == schemas.DecisionRelabel {
		label = o.Label[0]
	}
	switch stratum := e.Stratum(s.ReviewSample); {
	case !known:
		return "it is released, and the draw was not taken from it"
	case o.Decision == schemas.DecisionReject:
		return "it is released, and people rejected it"
	case label != "" && e.Values[label] != o.Label[1]:
		return fmt.Sprintf("%s is %q, and people decided on %q", label, e.Values[label], o.Label[1])
	case label != schemas.LabelMirror && e.Unit() != r.Unit:
		return fmt.Sprintf("it is one with %q, and was drawn as one with %q", e.Unit(), r.Unit)
	default:
		for i, key := range s.By {
			if key != label && (i >= len(r.Stratum) || stratum[i] != r.Stratum[i]) {
				return fmt.Sprintf("its %s is %q, and it was drawn from %q", key, stratum[i], strings.Join(r.Stratum, ", "))
			}
		}
	}
	return ""
}

// Sampled leaves out decisions about what could be drawn and was not: who looks at what
// gates flagged looks at no sample, and agreement about it is another.
func (s Tables) Sampled() (out []schemas.Review) {
	beside := map[[2]string]bool{}
	for r := range s.Drawn {
		if !r.Selected {
			beside[[2]string{r.Sample, r.Item}] = true
		}
	}
	for r := range s.Reviews {
		if !beside[[2]string{r.Sample, r.Item}] {
			out = append(out, r)
		}
	}
	return out
}
