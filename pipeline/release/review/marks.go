package review

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// CodeReviewedOut is the code of what is dropped because people rejected it.
const CodeReviewedOut = "reviewed-out"

// DecisionCheck is what came of holding what was dropped and released against decisions.
type DecisionCheck struct {
	// Wrong lists what does not follow from them.
	Wrong []string
	// Outcomes are what a majority decided, by item and schema, whether or not as many
	// decided as had to; nil where no draw was taken.
	Outcomes map[[2]string]Outcome
	// Decisions are about what a draw was taken from, Beside counts the others. Untaken
	// are draws that some reviews name and no step took, sorted.
	Decisions, Others int
	UnknownSamples    []string
}

// Removals is what a release says of the records that people could decide about.
type Removals struct {
	// Dropped has the reasons of what is said to have gone as people decided, by id, Lost
	// whatever else is said to be lost.
	Dropped map[string]string
	Lost    map[string]bool
	// Last says that nothing comes behind what settles.
	Last bool
}

// CheckDecisions works out what people dropped, and holds what became of records against it. How
// many had to decide stands in marks; without one, as many as did where it took effect.
func (s Tables) CheckDecisions(marks []SampleMark, f Removals) (DecisionCheck, error) {
	var out DecisionCheck
	draws, items := map[[2]string]bool{}, map[string]bool{}
	for r := range s.Drawn {
		draws[[2]string{r.Sample, r.Schema}], items[r.Item] = true, true
	}
	out.countDecisions(s, draws)
	if len(draws) == 0 {
		return out, nil
	}
	out.Outcomes = map[[2]string]Outcome{}
	plain := true // decisions name records by their ids
	for _, d := range slices.SortedFunc(maps.Keys(draws), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		plain = plain && schemas.ReleasedSchema(d[1])
		of, err := s.readSample("", pipeline.ReviewSample{Name: d[0], Schema: d[1], Share: 1, Annotators: 1})
		if err != nil {
			return out, err
		}
		out.checkSample(s, of, marks, f)
	}
	for _, id := range slices.Sorted(maps.Keys(f.Dropped)) {
		if plain && !items[id] {
			out.addWrong("%s: it was dropped as people decided, and no draw was taken from it", id)
		}
	}
	return out, nil
}

func (o *DecisionCheck) addWrong(format string, args ...any) {
	o.Wrong = append(o.Wrong, fmt.Sprintf(format, args...))
}

// countDecisions counts decisions about records that could be sampled, and the others.
func (o *DecisionCheck) countDecisions(s Tables, draws map[[2]string]bool) {
	taken, known := map[string]bool{}, map[[2]string]bool{}
	for d := range draws {
		taken[d[0]] = true
	}
	for r := range s.Drawn {
		known[[2]string{r.Sample, r.Item}] = true
	}
	untaken := map[string]bool{}
	for r := range s.Reviews {
		if err := Check(r); err != nil {
			o.addWrong("%s, decision of %s: %v", r.Item, r.Annotator, err)
		}
		switch {
		case known[[2]string{r.Sample, r.Item}]:
			o.Decisions++
		case taken[r.Sample]:
			o.Others++
		default:
			untaken[r.Sample] = true
			o.Others++
		}
	}
	o.UnknownSamples = slices.Sorted(maps.Keys(untaken))
}

// checkSample compares what was dropped and released of one sample with the decisions;
// of settles whatever anyone decided.
func (o *DecisionCheck) checkSample(s Tables, of *sampleTables, marks []SampleMark, f Removals) {
	outcomes := of.Outcomes(of.said)
	annotators := annotatorsOf(marks, of.ReviewSample, outcomes, f.Dropped)
	gone := map[string]bool{}
	for _, out := range outcomes {
		for _, id := range out.Items {
			gone[id] = f.Last && of.Schema == schemas.NameQuestion
			o.checkDropped(id, out, f, out.settledBy(annotators))
			if out.Decision != "" {
				o.Outcomes[[2]string{id, of.Schema}] = out
			}
		}
	}
	for e := range s.Released(of.Schema) {
		gone[e.ID] = false
		if _, dropped := f.Dropped[e.ID]; dropped {
			o.addWrong("%s: it is released, and was dropped as people decided", e.ID)
		}
		out := o.Outcomes[[2]string{e.ID, of.Schema}]
		settled := out.settledBy(annotators) && f.Last
		if out.Decision == schemas.DecisionRelabel && settled && e.Values[out.Label[0]] != out.Label[1] {
			o.addWrong("%s: %s is %q, and people decided on %q", e.ID, out.Label[0], e.Values[out.Label[0]], out.Label[1])
		}
	}
	for _, id := range slices.Sorted(maps.Keys(gone)) {
		if _, dropped := f.Dropped[id]; gone[id] && !dropped && !f.Lost[id] {
			o.addWrong("%s: people could decide about it, and it is neither released nor rejected", id)
		}
	}
}

// checkDropped compares whether an item was dropped with what people decided about it;
// settled says that enough people decided.
func (o *DecisionCheck) checkDropped(id string, out Outcome, f Removals, settled bool) {
	reason, gone := f.Dropped[id]
	switch want := out.DropReason(id); {
	case gone && out.Decision != schemas.DecisionReject:
		o.addWrong("%s: it was dropped as people decided, and of %d who decided no majority rejected it", id, out.Of)
	case gone && reason != want:
		o.addWrong("%s: it was dropped because %q, and %q follows", id, reason, want)
	case !gone && settled && out.Decision == schemas.DecisionReject:
		o.addWrong("%s: it was not dropped, and people rejected it: %s", id, want)
	}
}

// annotatorsOf returns how many people had to decide: as a mark says, or no more than
// decided where something was dropped; 0 where nothing tells.
func annotatorsOf(marks []SampleMark, d pipeline.ReviewSample, outcomes []Outcome, dropped map[string]string) (n int) {
	i := slices.IndexFunc(marks, func(m SampleMark) bool { return m.Name == d.Name && m.Schema == d.Schema })
	if i >= 0 {
		return marks[i].Annotators
	}
	for _, o := range outcomes {
		gone := slices.ContainsFunc(o.Items, func(id string) bool { _, gone := dropped[id]; return gone })
		if gone && o.Keeper == "" && o.Decision == schemas.DecisionReject && (n == 0 || o.Of < n) {
			n = o.Of
		}
	}
	return n
}

// DropReason is the reason why an item of a rejected unit is dropped.
func (o Outcome) DropReason(item string) string {
	if o.Seen != item {
		return strings.Join([]string{"with its copy", o.Seen + ":", o.Reason()}, " ")
	}
	return o.Reason()
}

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

// sampleTables is what the tables say of one sample.
type sampleTables struct {
	*Population
	rows map[string]schemas.Sampled
	said map[string][]schemas.Review
	mark SampleMark
	// lines are the rows as JSON, others what draws of the name have of other schemas.
	lines  []byte
	others map[string]bool
}

// readSample reads a sample and works out its mark.
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

// drawn adds a row of table draws.
func (s *sampleTables) drawn(r schemas.Sampled) error {
	switch {
	case r.Sample != s.Name:
		return nil
	case r.Schema != s.Schema:
		s.others[r.Item] = true
		return nil
	}
	s.Keeper = r.Keeper
	if s.mark.Items++; r.Selected {
		s.mark.Drawn++
	}
	s.rows[r.Item] = r
	s.Add(r)
	return s.line(r)
}

// review adds a row of table reviews.
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
		if r.Sample == m.Name && r.Schema == m.Schema && r.Keeper != m.Keeper {
			add("%s: the keeper is %q, the manifest says %q", r.Item, r.Keeper, m.Keeper)
		}
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
	case label == "" && !slices.Equal(e.shares(), r.Shares):
		return fmt.Sprintf("it shares %q, and was drawn as one that shares %q", e.shares(), r.Shares)
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
// gates flagged looks at no sample, and agreement about it is another. The keeper's are left
// out too: who settles knows what the others said.
func (s Tables) Sampled() (out []schemas.Review) {
	beside, keepers := map[[2]string]bool{}, map[[2]string]bool{}
	for r := range s.Drawn {
		keepers[[2]string{r.Sample, r.Keeper}] = true
		if !r.Selected {
			beside[[2]string{r.Sample, r.Item}] = true
		}
	}
	for r := range s.Reviews {
		if !beside[[2]string{r.Sample, r.Item}] && !keepers[[2]string{r.Sample, r.Annotator}] {
			out = append(out, r)
		}
	}
	return out
}
