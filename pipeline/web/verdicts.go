package web

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/web/catalog"
	"github.com/memforge/memforge/schemas"
)

// Gate is a verdict with what models saw and said.
type Gate struct {
	// Class is that of the style sheet, Word the outcome in words, Tests what the gate is for.
	Gate, Class, Word    string
	Tests, Reason, Calls string
	Said                 []answerView
	// Grid has a row for each role if a gate asked several times. Saw is what all of them saw,
	// empty where that differs.
	Columns []string
	Grid    []gridRow
	Saw     string
}

// gridRow is what one role said about one view, by option order.
type gridRow struct {
	Role, Saw string
	Cells     []gridCell
}

type gridCell struct{ Answer, Mark string }

// answerView is one call of a model.
type answerView struct {
	Role, Model, Saw, Order string
	// Letter is what the model named, Answer the option that this was in the item's order.
	Letter, Answer, Why, Raw string
	Mark, Reason             string
}

// outcomeClasses are the classes of the style sheet for outcomes.
var outcomeClasses = map[string]string{
	schemas.Pass: "pass", schemas.Fail: "fail", schemas.Error: "fail",
	schemas.NotApplicable: "na", schemas.Insufficient: "open",
}

// outcomeWords returns an outcome as pages say it.
func outcomeWords(outcome string) string { return strings.ReplaceAll(outcome, "_", " ") }

// NewGates joins the verdicts of a question to their probes. Failed gates come first, then
// those that asked models.
func NewGates(q *schemas.Question, verdicts []catalog.Verdict) (out []Gate) {
	for _, v := range verdicts {
		g := Gate{
			Gate: v.Gate, Class: outcomeClasses[v.Outcome], Word: outcomeWords(v.Outcome),
			Tests: v.Of.Summary, Reason: v.Reason, Calls: callsText(v.Verdict),
		}
		for _, p := range v.Probes {
			g.Said = append(g.Said, newAnswer(q, p))
		}
		if len(g.Said) > 2 {
			g.addGrid(v.Probes)
		}
		out = append(out, g)
	}
	rank := func(g Gate) int {
		switch {
		case g.Class == "fail":
			return 0
		case g.Class == "open":
			return 1
		case len(g.Said) > 0:
			return 2
		case g.Class == "na":
			return 4
		}
		return 3
	}
	slices.SortStableFunc(out, func(a, b Gate) int { return cmp.Compare(rank(a), rank(b)) })
	return out
}

func callsText(v schemas.Verdict) string {
	switch {
	case v.CallsFull == 0 && v.CallsMade == 0:
		return ""
	case v.CallsMade == v.CallsFull:
		return plural(int64(v.CallsMade), "call") + ", all of the protocol."
	}
	return fmt.Sprintf("Settled by %s; the full protocol has %d.", plural(int64(v.CallsMade), "call"), v.CallsFull)
}

// addGrid lays the answers out: a row for each role and view, a column for each option
// order and sample.
func (g *Gate) addGrid(probes []schemas.Probe) {
	type column struct{ rotation, sample int32 }
	var columns []column
	samples := slices.ContainsFunc(probes, func(p schemas.Probe) bool { return p.Sample > 0 })
	for _, p := range probes {
		if c := (column{p.Rotation, p.Sample}); !slices.Contains(columns, c) {
			columns = append(columns, c)
		}
	}
	slices.SortFunc(columns, func(a, b column) int {
		return cmp.Or(cmp.Compare(a.rotation, b.rotation), cmp.Compare(a.sample, b.sample))
	})
	for _, c := range columns {
		name := fmt.Sprint(c.rotation)
		if samples {
			name += fmt.Sprintf(", sample %d", c.sample+1)
		}
		g.Columns = append(g.Columns, name)
	}
	for _, p := range probes {
		i := slices.IndexFunc(g.Grid, func(r gridRow) bool { return r.Role == p.Role && r.Saw == sawText(p) })
		if i < 0 {
			i = len(g.Grid)
			g.Grid = append(g.Grid, gridRow{Role: p.Role, Saw: sawText(p), Cells: make([]gridCell, len(columns))})
		}
		g.Grid[i].Cells[slices.Index(columns, column{p.Rotation, p.Sample})] = gridCell{cmp.Or(p.Answer, p.Mark), p.Mark}
	}
	if !slices.ContainsFunc(g.Grid, func(r gridRow) bool { return r.Saw != g.Grid[0].Saw }) {
		g.Saw = "All " + g.Grid[0].Saw + "."
	}
}

func newAnswer(q *schemas.Question, p schemas.Probe) answerView {
	a := answerView{Role: p.Role, Model: p.Model, Saw: sawText(p), Answer: p.Answer, Mark: p.Mark, Reason: p.Reason, Raw: p.Response}
	if p.Rotation > 0 {
		a.Order = fmt.Sprintf("order turned by %d", p.Rotation)
	}
	if at := slices.IndexFunc(q.Options, func(o schemas.Option) bool { return o.Key == p.Answer }); at >= 0 {
		a.Letter = schemas.Letter((at + int(p.Rotation)) % len(q.Options))
	}
	var said struct {
		Why string `json:"why"`
	}
	if json.Unmarshal([]byte(p.Response), &said) == nil && said.Why != "" {
		a.Why = said.Why
	}
	return a
}

// viewWords say what a view shows, see docs/gates.md.
var viewWords = map[string]string{
	"none": "nothing but the question", "text": "texts alone", "minimal_caption": "texts and minimal captions",
	"dense_caption": "texts and full captions", "task_aware_caption": "texts and task-aware captions",
	"caption_only": "captions alone", "oracle": "the evidence", "all_clues": "the evidence",
	"stale_only": "what came before the last update", "latest_only": "the updates alone",
	"single_frame": "one frame", "full": "all texts and media", "labelling": "question, answer and explanation",
	"only": "piece %s alone", "without": "all but piece %s", "only_source": "source %s alone", "without_modality": "all without %s",
}

func sawText(p schemas.Probe) string {
	name, argument, has := strings.Cut(p.View, ":")
	saw := cmp.Or(viewWords[name], "view "+showLine(p.View, 60))
	if has && strings.Contains(saw, "%s") {
		saw = fmt.Sprintf(saw, showLine(argument, 60))
	}
	switch {
	case p.Pictures == 0:
		return "saw " + saw
	case p.PicturesFull > p.Pictures:
		return fmt.Sprintf("saw %s, %d of %d pictures", saw, p.Pictures, p.PicturesFull)
	}
	return "saw " + saw + ", " + plural(int64(p.Pictures), "picture")
}

// countOutcomes sums verdicts up: "5 of 9 gates pass, 2 fail".
func countOutcomes(verdicts []catalog.Verdict) string {
	n := map[string]int{}
	for _, v := range verdicts {
		n[v.Outcome]++
	}
	out := fmt.Sprintf("%d of %s %s", n[schemas.Pass], plural(int64(len(verdicts)), "gate"), map[bool]string{true: "passes", false: "pass"}[len(verdicts) == 1])
	for _, o := range schemas.Outcomes()[1:] {
		if n[o] > 0 {
			out += fmt.Sprintf(", %d %s", n[o], outcomeWords(o))
		}
	}
	return out
}
