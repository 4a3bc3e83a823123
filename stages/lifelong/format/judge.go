package format

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/schemas"
)

// Labels that a judge gives a memory (B.2), and evidence (B.4).
const (
	Irrelevant = "Irrelevant"
	Covered    = "Covered"
	Missing    = "Missing"
	Rejected   = "Rejected"
	Held       = "Held"
	Updated    = "Updated"
	Both       = "Both"
	Outdated   = "Outdated"
)

// Cases implements score.Judged. An answer that names an option needs no judge.
func (b answerScorer) Cases(answers map[string]string) (out []score.Case, err error) {
	for _, i := range b.instances {
		for _, q := range i.questions {
			given, answered := answers[q.id]
			if !answered {
				continue
			}
			c := score.Case{
				IDs: []string{q.id}, Prompt: score.JudgeAnswer, Labels: []string{Correct, Hallucination, Omission},
				Question: q.text, Subjects: []string{q.words(given)}, Against: []string{q.answer},
			}
			for _, e := range q.evidence {
				c.Against = append(c.Against, e.content)
			}
			if _, named := q.chosen(given); named && q.key != "" {
				c.Known, c.Why = []string{labelByRule(q, given)}, "it names an option"
			}
			out = append(out, c)
		}
	}
	return out, nil
}

// Cases implements score.Judged: the first ten items are judged.
func (s retrievalScorer) Cases(answers map[string]string) (out []score.Case, err error) {
	for _, i := range s.instances {
		for _, q := range i.questions {
			answer, given := answers[q.id]
			if !given || len(q.evidence) == 0 {
				continue
			}
			var items []score.Retrieved
			if err := json.Unmarshal([]byte(answer), &items); err != nil {
				return nil, fmt.Errorf("what was retrieved for question %s is no JSON list of items: %w", q.id, err)
			}
			c := score.Case{IDs: []string{q.id}, Prompt: score.JudgeCoverage, Labels: []string{Covered, Missing}, Question: q.text, Share: true}
			for _, g := range q.judgedSet(i, items) {
				c.Subjects = append(c.Subjects, g.content)
			}
			for _, r := range items[:min(10, len(items))] {
				text := r.Text
				for _, turn := range r.TurnIDs {
					for _, name := range i.names.turnPictures[turn] {
						text += "\nimage_id: " + name
					}
				}
				c.Against = append(c.Against, text)
			}
			if len(items) == 0 {
				c.Known, c.Why = []string{"0"}, "nothing was retrieved"
			}
			out = append(out, c)
		}
	}
	return out, nil
}

// judgedSet returns the evidence that a judge looks for: of several sets the one of which most
// was retrieved.
func (q evalQuestion) judgedSet(i instance, retrieved []score.Retrieved) []goldPiece {
	if len(q.sets) == 0 {
		return q.evidence
	}
	items := make([]foundItem, len(retrieved))
	for n, r := range retrieved {
		items[n] = i.newFoundItem(r)
	}
	return slices.MaxFunc(q.sets, func(a, b []goldPiece) int { return cmp.Compare(recallAt(items, a, 10), recallAt(items, b, 10)) })
}

// Cases implements score.Judged: of each session its points, updates and interference, and the
// texts that it stored.
func (s memoryScorer) Cases(answers map[string]string) (out []score.Case, err error) {
	for _, i := range s.instances {
		points, before := map[string]schemas.MemoryPoint{}, []memory(nil)
		var facts []string
		for _, one := range i.sessions {
			for _, p := range one.Points {
				points[p.MemoryID] = p
				if !p.IsInterference {
					facts = append(facts, p.Content)
				}
			}
			line, given := answers[one.SessionID]
			if !given {
				continue
			}
			var h memoryState
			if err := json.Unmarshal([]byte(line), &h); err != nil {
				return nil, fmt.Errorf("what was held after session %s: %w", one.SessionID, err)
			}
			stored := h.storedTexts(before)
			h.Memories = h.apply(before)
			before = h.Memories
			for _, c := range sessionCases(one, points, slices.Clone(facts), stored, before) {
				out = append(out, c.Split()...)
			}
		}
	}
	return out, nil
}

// sessionCases returns the cases of one session that have subjects.
func sessionCases(s schemas.Session, points map[string]schemas.MemoryPoint, facts, stored []string, held []memory) []score.Case {
	memories := make([]string, len(held))
	for n, m := range held {
		memories[n] = m.Text
	}
	texts := score.Case{Prompt: score.JudgeStored, Labels: []string{Correct, Hallucination, Irrelevant}, Subjects: stored, Against: append(turnTexts(s), facts...)}
	for n := range stored {
		texts.IDs = append(texts.IDs, fmt.Sprintf("%s#%d", s.SessionID, n+1))
	}
	// of labels, the last is that of a memory that holds nothing
	covered := score.Case{Prompt: score.JudgeCoverage, Labels: []string{Covered, Missing}, Against: stored}
	updates := score.Case{Prompt: score.JudgeUpdate, Labels: []string{Updated, Both, Outdated}, Against: memories}
	interference := score.Case{Prompt: score.JudgeInterference, Labels: []string{Held, Rejected}, Against: memories}
	for _, p := range s.Points {
		if p.IsInterference {
			interference.IDs, interference.Subjects = append(interference.IDs, p.MemoryID), append(interference.Subjects, p.Content)
			continue
		}
		covered.IDs, covered.Subjects = append(covered.IDs, p.MemoryID), append(covered.Subjects, p.Content)
		if len(p.Supersedes) == 0 {
			continue
		}
		change := "now: " + p.Content
		for _, old := range p.Supersedes {
			change += "\nreplaces: " + points[old].Content
		}
		updates.IDs, updates.Subjects = append(updates.IDs, p.MemoryID+updateSuffix), append(updates.Subjects, change)
	}
	out := []score.Case{covered, updates, interference, texts}
	for n, c := range out {
		if len(c.Against) == 0 && len(c.IDs) > 0 {
			out[n].Known, out[n].Why = slices.Repeat(c.Labels[len(c.Labels)-1:], len(c.IDs)), "nothing is held"
		}
	}
	return slices.DeleteFunc(out, func(c score.Case) bool { return len(c.IDs) == 0 })
}

// turnTexts returns what is said and done in a session.
func turnTexts(s schemas.Session) (out []string) {
	for _, t := range s.Turns {
		parts := slices.DeleteFunc([]string{t.Text, t.Observation, t.Reasoning, t.Action, t.Feedback}, func(part string) bool { return part == "" })
		if len(parts) > 0 {
			out = append(out, strings.TrimPrefix(t.Speaker+": ", ": ")+strings.Join(parts, "\n"))
		}
	}
	return out
}
