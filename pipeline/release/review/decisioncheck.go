package review

import (
	"fmt"
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
	// are draws that some name and nobody took, sorted.
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

// countDecisions tells decisions about what was drawn from from others.
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

// checkSample holds what was dropped and released of one draw against the decisions. of settles
// whatever anybody decided.
func (o *DecisionCheck) checkSample(s Tables, of *sampleTables, marks []SampleMark, f Removals) {
	outcomes := of.Outcomes(of.said)
	annotators := annotatorsOf(marks, of.ReviewSample, outcomes, f.Dropped)
	gone := map[string]bool{}
	for _, out := range outcomes {
		for _, id := range out.Items {
			gone[id] = f.Last && of.Schema == schemas.NameQuestion
			o.checkDropped(id, out, f, annotators > 0 && out.Of >= annotators)
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
		settled := annotators > 0 && out.Of >= annotators && f.Last
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

// checkDropped holds whether an item was dropped against what people decided about it. settled
// says that as many decided as had to.
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

// annotatorsOf is how many had to decide: as a mark says, or no more than did where
// something was dropped; 0 where nobody can tell.
func annotatorsOf(marks []SampleMark, d pipeline.ReviewSample, outcomes []Outcome, dropped map[string]string) (n int) {
	i := slices.IndexFunc(marks, func(m SampleMark) bool { return m.Name == d.Name && m.Schema == d.Schema })
	if i >= 0 {
		return marks[i].Annotators
	}
	for _, o := range outcomes {
		gone := slices.ContainsFunc(o.Items, func(id string) bool { _, gone := dropped[id]; return gone })
		if gone && o.Decision == schemas.DecisionReject && (n == 0 || o.Of < n) {
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
