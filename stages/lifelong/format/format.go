// Package format lays releases out as WorldMemArena's loader reads them, and
// scores memory systems as it does (B): what they answer, what they retrieve, and what
// they hold. Of a release it reads sessions,
// memory points, checkpoints and questions; any release that has questions can be
// scored for answers, and one with sessions for retrieval. Where the paper and the code
// that came with it differ, both are offered as variants (Variants).
package format

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/score/textmatch"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// Register adds the export and the scorers.
func Register(r *pipeline.Registry) {
	export.Add(r, Format())
	score.Add(r, Answers())
	score.Add(r, Retrieval())
	score.Add(r, Memory())
}

// takes says which questions of a release are of the benchmark: those of lives and runs,
// and others with an answer in words.
func takes() benchformat.Selector {
	return benchformat.Selector{Families: []string{"lifelong"}, Fits: func(q schemas.Question) string {
		if q.AnswerText == "" {
			return "they have no answer in words"
		}
		return ""
	}}
}

// Labels of a question that are read, where it has them.
const (
	// LabelAxis is the short name of its type, one of Axes or a further one.
	LabelAxis = "axis"
	// LabelPoints are the ids of the memory points that its answer rests on, parted by
	// spaces. Without it they follow from the turns and pictures that it cites.
	LabelPoints = "points"
)

// Variants: figures as the paper defines them, or as its code computes them.
const (
	VariantPaper    = "paper"
	VariantUpstream = "upstream"
)

// Axis is one of the types of question.
type Axis struct{ Short, Name, Group string }

// Axes returns the eleven types (table 4), in its order. The paper's section 4.4 speaks of
// twelve and names eleven.
func Axes() []Axis {
	return []Axis{
		{"FR", "Fact Recall", "Basic"},
		{"DU", "Dynamic Update", "Robustness"},
		{AxisBoundary, "Memory Boundary", "Robustness"},
		{"MC", "Memory Conflict", "Robustness"},
		{"TR", "Temporal Reasoning", "Reasoning"},
		{"KR", "Knowledge Reasoning", "Reasoning"},
		{"TTL", "Test-Time Learning", "Reasoning"},
		{"VFR", "Visual Fact Recall", "Multimodal"},
		{"VS", "Visual Search", "Multimodal"},
		{"VU", "Visual Update", "Multimodal"},
		{"CMR", "Cross-modal Reasoning", "Multimodal"},
	}
}

// AxisBoundary is the type whose answer is that nothing was said of it.
const AxisBoundary = "MB"

// Unmentioned is the answer to a question of AxisBoundary.
const Unmentioned = "Not mentioned in memory."

// instance is a task with its questions. Means are taken over instances.
type instance struct {
	task      string
	sessions  []schemas.Session
	questions []evalQuestion
}

// evalQuestion is a question with the evidence that it needs.
type evalQuestion struct {
	id, axis, text, answer string
	evidence               []goldPiece
	options                []schemas.Option
}

// words returns the text of an answer; a letter stands for its option.
func (a evalQuestion) words(answer string) string {
	for _, o := range a.options {
		if strings.TrimSpace(answer) == o.Key {
			return o.Text
		}
	}
	return answer
}

// goldPiece is a memory point or, if no point states the evidence, a turn.
type goldPiece struct{ id, session, content string }

// instances returns the tasks of a release that have questions, sorted by id.
func instances(c release.Contents) ([]instance, error) {
	var sessions []schemas.Session
	if hasTable(c, "sessions") {
		var err error
		if sessions, err = release.DecodeTable[schemas.Session](c, "sessions"); err != nil {
			return nil, err
		}
	}
	return groupInstances(c.Questions, sessions), nil
}

func hasTable(c release.Contents, table string) bool {
	return slices.ContainsFunc(c.Manifest.Tables, func(t manifest.TableInfo) bool { return t.Name == table })
}

func groupInstances(questions []schemas.Question, sessions []schemas.Session) []instance {
	byTask := map[string]*instance{}
	for _, q := range questions {
		if byTask[q.TaskID] == nil {
			byTask[q.TaskID] = &instance{task: q.TaskID}
		}
	}
	for _, s := range sessions {
		if i := byTask[s.TaskID]; i != nil {
			i.sessions = append(i.sessions, s)
		}
	}
	out := make([]instance, 0, len(byTask))
	for _, i := range byTask {
		slices.SortFunc(i.sessions, func(a, b schemas.Session) int { return cmp.Compare(a.Order, b.Order) })
		out = append(out, *i)
	}
	slices.SortFunc(out, func(a, b instance) int { return strings.Compare(a.task, b.task) })
	at := map[string]int{}
	for n, i := range out {
		at[i.task] = n
	}
	for _, q := range questions {
		i := &out[at[q.TaskID]]
		i.questions = append(i.questions, evalQuestion{
			q.QuestionID, cmp.Or(q.Labels[LabelAxis], q.Type), q.Question, q.AnswerText, goldEvidence(q, i.sessions), q.Options,
		})
	}
	return out
}

// goldEvidence returns the points that a question names, or else those whose turns or
// pictures it cites. A citation without a point is evidence itself.
func goldEvidence(q schemas.Question, task []schemas.Session) (out []goldPiece) {
	named, points := strings.Fields(q.Labels[LabelPoints]), map[string]goldPiece{}
	stated := map[string][]goldPiece{}
	for _, s := range task {
		for _, p := range s.Points {
			if p.IsInterference {
				continue
			}
			g := goldPiece{p.MemoryID, s.SessionID, p.Content}
			points[p.MemoryID] = g
			for _, ref := range slices.Concat(p.EvidenceTurns, p.EvidenceMedia) {
				stated[ref] = append(stated[ref], g)
			}
		}
	}
	if len(named) > 0 {
		for _, id := range named {
			out = append(out, cmp.Or(points[id], goldPiece{id: id}))
		}
		return out
	}
	for _, e := range q.Evidence {
		if e.Role != schemas.RoleClue && e.Role != schemas.RoleUpdate {
			continue
		}
		found := slices.Concat(stated[e.Ref], stated[e.Media])
		if len(found) == 0 {
			found = []goldPiece{{e.Ref, e.SessionID, e.Text}}
		}
		for _, g := range found {
			if !slices.Contains(out, g) {
				out = append(out, g)
			}
		}
	}
	return out
}

type tally struct{ sum, n float64 }

func (t *tally) add(v float64) { t.sum, t.n = t.sum+v, t.n+1 }

// means collects a figure over instances.
type means struct{ per []tally }

// value returns the figure and the number of items. The paper weighs instances equally;
// its code pools items (E1.4).
func (m means) value(variant string) (value float64, n int) {
	all, instances := tally{}, tally{}
	for _, t := range m.per {
		if t.n > 0 {
			instances.add(t.sum / t.n)
			all.sum, all.n = all.sum+t.sum, all.n+t.n
		}
	}
	by := instances
	if variant == VariantUpstream {
		by = all
	}
	if by.n == 0 {
		return 0, 0
	}
	return by.sum / by.n, int(all.n)
}

type figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	// Count is how many items the value is over.
	Count int `json:"count"`
}

// figures are Scores made of lines.
type figures struct {
	Variant string `json:"variant"`
	// Judge says who decided what no rule of the paper decides.
	Judge  string   `json:"judge"`
	Lines  []figure `json:"figures"`
	warned []string
}

// add appends a figure unless it has no items.
func (f *figures) add(name string, m means) {
	if value, n := m.value(f.Variant); n > 0 {
		f.Lines = append(f.Lines, figure{name, value, n})
	}
}

func (f *figures) warn(format string, args ...any) {
	f.warned = append(f.warned, fmt.Sprintf(format, args...))
}

// Warnings implements score.Scores.
func (f figures) Warnings() []string { return f.warned }

// Print implements score.Scores.
func (f figures) Print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	safetext.Fprintf(w, "variant\t%s\t\njudge\t%s\t\n", f.Variant, f.Judge)
	for _, l := range f.Lines {
		safetext.Fprintf(w, "%s\t%.4f\tof %d\n", l.Name, l.Value, l.Count)
	}
	return w.Flush()
}

// nearly is the share of the words of a gold text that another one must have to say the
// same (B.4). A text that differs from the gold in one word of four passes: updates
// should differ from what they replace in more than one.
const nearly = 0.75

// textSays reports whether a text contains the gold, or nearly all of its words.
func textSays(said, gold string) bool {
	said, gold = normalise(said), normalise(gold)
	return gold != "" && (strings.Contains(said, gold) || wordShare(gold, said) >= nearly)
}

// pointSymbols returns what a text must name to state a point: its value and the parts of
// its subject. It is nil for points without both.
func pointSymbols(p schemas.MemoryPoint) []string {
	value := p.Attributes["value"]
	if value == "" || p.Subject == "" {
		return nil
	}
	return append(strings.Split(p.Subject, "/"), value)
}

// textStates reports whether a text states a point: by its symbols, or else by the words
// of its content.
func textStates(said string, p schemas.MemoryPoint) bool {
	named := pointSymbols(p)
	if named == nil {
		return textSays(said, p.Content)
	}
	said = normalise(said)
	for _, symbol := range named {
		if words := normalise(symbol); words != "" && !containsWords(said, words) {
			return false
		}
	}
	return true
}

// wordShare returns the share of the words of one text that occur in the other, with
// multiplicity.
func wordShare(of, in string) float64 {
	words := strings.Fields(of)
	if len(words) == 0 {
		return 0
	}
	has := map[string]int{}
	for _, w := range strings.Fields(in) {
		has[w]++
	}
	found := 0
	for _, w := range words {
		if has[w] > 0 {
			has[w]--
			found++
		}
	}
	return float64(found) / float64(len(words))
}

// matches is the soft match of B.4: an id of the retrieved item contains the id of the
// evidence (ignoring case), the sessions are equal, or the texts agree.
func matches(r score.Retrieved, g goldPiece) bool {
	if g.id != "" {
		for _, id := range append([]string{r.ID}, r.TurnIDs...) {
			if strings.Contains(strings.ToLower(id), strings.ToLower(g.id)) {
				return true
			}
		}
	}
	return g.session != "" && r.SessionID == g.session || textSays(r.Text, g.content)
}

func normalise(s string) string { return textmatch.WorldMemArena(s) }

// sessionText returns the words of turns, steps and captions.
func sessionText(s schemas.Session) string {
	var b strings.Builder
	for _, t := range s.Turns {
		for _, part := range []string{t.Speaker, t.Text, t.Observation, t.Reasoning, t.Action, t.Feedback} {
			b.WriteString(part + " ")
		}
		for _, a := range t.Attachments {
			b.WriteString(a.Caption + " ")
		}
	}
	return normalise(b.String())
}
