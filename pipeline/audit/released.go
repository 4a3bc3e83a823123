package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// checkReleased holds the questions against the gates that let them out: what
// was released has passed, what has passed was released, and nothing twice. It is
// Unjudged where nothing differs and gates stand behind less than all of it.
func checkReleased(reg *pipeline.Registry, c release.Contents, gates []Gate) Part {
	p := newGatePaths(c)
	f := repeatedQuestions(c)
	for _, q := range c.Questions {
		if !p.reachesRelease(q.QuestionID, c.Manifest.From) {
			f.add("%s: it is released and no gate let it out", q.QuestionID)
		}
	}
	for _, m := range c.Media {
		for gate := range p.gates {
			if outcome, judged := p.outcomes[[2]string{gate, m.MediaID}]; judged && !p.passes(m.MediaID, gate) {
				f.add("%s: it is released, and gate %s gave it outcome %s", m.MediaID, gate, outcome)
			}
		}
	}
	for _, id := range p.unreleased(c) {
		f.add("%s: the last gate let it out and it is not released", id)
	}
	slices.Sort(f)
	out := part("questions released", f)
	b := p.countUnbacked(c, newStepGraph(reg, c).ungated())
	out.Checked, out.Unchecked = len(c.Questions)-b.none, b.none
	why := b.why()
	if again := func(g Gate) bool { return g.Verdicts > 0 && (g.State == Same || g.State == Differs) }; !slices.ContainsFunc(gates, again) {
		why = append(why, "no verdict is worked out again")
	}
	if out.Why = strings.Join(why, "; "); out.Why != "" && out.State == Same {
		out.State = Unjudged
	}
	return out
}

// unbacked counts the released questions that no gate stands behind.
type unbacked struct {
	none int
	// unjudged have no verdict of a gate that applies to them, past come from nodes
	// that no gate stands before.
	unjudged, past []string
	nodes          []string
}

// countUnbacked looks for the gate behind each released question. Those in ungated give
// what they give whatever gates say.
func (p gatePaths) countUnbacked(c release.Contents, ungated []string) unbacked {
	b := unbacked{nodes: ungated}
	gated := slices.DeleteFunc(slices.Clone(c.Manifest.From), func(node string) bool { return slices.Contains(ungated, node) })
	applied := map[string]bool{}
	for key, outcome := range p.outcomes {
		if outcome != schemas.NotApplicable {
			applied[key[1]] = true
		}
	}
	for _, q := range c.Questions {
		switch id := q.QuestionID; {
		case !applied[id]:
			b.unjudged = append(b.unjudged, id)
		case len(ungated) > 0 && !p.reachesRelease(id, gated):
			b.past = append(b.past, id)
		default:
			continue
		}
		b.none++
	}
	return b
}

func (b unbacked) why() (why []string) {
	if len(b.unjudged) > 0 {
		why = append(why, fmt.Sprintf("no gate judged %d of the questions: %s", len(b.unjudged), firstFew(b.unjudged)))
	}
	if len(b.past) > 0 {
		why = append(why, fmt.Sprintf("%d questions are of %s, which no gate stands before: what a gate found does not keep them back", len(b.past), strings.Join(b.nodes, ", ")))
	}
	return why
}

// someShown bounds how many items a reason names.
const someShown = 3

func firstFew(ids []string) string {
	if len(ids) <= someShown {
		return strings.Join(ids, ", ")
	}
	return strings.Join(ids[:someShown], ", ") + ", ..."
}

// repeatedQuestions lists the questions that ask the same as one before them: the same
// words and choice, in whatever order, about the same media, or in the same place
// of a task without any. What cites turns is asked of its task: the same pictures may be
// shown in others, as in two arrangements of one (SMMBench 4.3).
func repeatedQuestions(c release.Contents) (f findings) {
	seen := map[string]string{}
	for _, q := range c.Questions {
		about := q.Media
		turns := slices.ContainsFunc(q.Evidence, func(e schemas.Evidence) bool { return e.Kind == schemas.EvidenceTurn })
		if len(about) == 0 || turns {
			about = append(slices.Clone(about), q.TaskID)
		}
		var options []string
		for _, o := range q.Options {
			options = append(options, o.Text)
		}
		slices.Sort(options)
		key := fmt.Sprintf("%q %q %q %q", q.CheckpointID, q.Question, about, options)
		if first, again := seen[key]; again {
			f.add("%s: it asks what %s asks, of the same", q.QuestionID, first)
			continue
		}
		seen[key] = q.QuestionID
	}
	return f
}
