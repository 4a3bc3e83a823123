package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// maxHeld bounds a line of memories.jsonl: what is held after one session.
const maxHeld = 64 << 20

// Memory scores what a memory system held after each session (B.2).
func Memory() score.Scorer {
	return score.Scorer{
		Name: "worldmemarena-memory", Takes: takes(), Variants: []string{VariantPaper, VariantUpstream}, Answers: readMemories,
		Help: "Takes the memories.jsonl of memforge run, from a system that gives snapshots or changes. Values of the points of a session are right, false, stale or missing by what the memory says of their thing and aspect after it: another value of the aspect is false, and so is a name or number that no session said. A stored text with a false value is false. A point is found where a stored text names its value and each part of its subject, or, without these, holds its content or three quarters of its words. " +
			"Recall, Corr, Hallu, Irrel, Update and IntRej need a judge: lines {\"id\": ..., \"prediction\": ...} label a point (ID#judge: Covered or Missing; interference Rejected or Held), an update (ID#update#judge: Updated, Both or Outdated) and the n-th text that a session stored (SESSION#n#judge: Correct, Hallucination or Irrelevant). " +
			"upstream counts points alike in Recall, sessions that stored nothing as 0 in Corr, and pools over tasks.",
		Load:    func(dir string) (score.QuestionSet, error) { return newMemoryScorer(loadInstances(dir)) },
		Release: func(c release.Contents) (score.QuestionSet, error) { return newMemoryScorer(instances(c)) },
	}
}

func newMemoryScorer(all []instance, err error) (score.QuestionSet, error) {
	if err == nil && !slices.ContainsFunc(all, func(i instance) bool { return len(i.goldSessions()) > 0 }) {
		err = errors.New("no task has memory points that a memory could be held against")
	}
	return memoryScorer{all}, err
}

type memoryState struct {
	Session  string   `json:"session_id"`
	Changes  []change `json:"changes"`
	Memories []memory `json:"memories"`
}

type memory struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

type change struct {
	Op string `json:"op"`
	memory
}

// readMemories reads memories.jsonl by session and keeps each line as written. Labels of a
// judge may stand among them.
func readMemories(r io.Reader) (map[string]string, error) {
	return benchformat.ReadLines(r, "memories", "%q is there twice", maxHeld, func(line []byte) (string, string, error) {
		var h struct {
			memoryState
			ID         string `json:"id"`
			Prediction string `json:"prediction"`
		}
		err := json.Unmarshal(line, &h)
		if strings.HasSuffix(h.ID, score.JudgeSuffix) {
			return h.ID, h.Prediction, err
		}
		if err == nil && h.Session == "" {
			err = errors.New("its session has no id")
		}
		return h.Session, string(line), err
	})
}

type memoryScorer struct{ instances []instance }

func (i instance) goldSessions() []schemas.Session {
	return slices.DeleteFunc(slices.Clone(i.sessions), func(s schemas.Session) bool { return len(s.Points) == 0 })
}

// IDs implements score.Asked: every session, for what is held after one without points
// counts too, and what a judge may label.
func (s memoryScorer) IDs() (out []string) {
	for _, i := range s.instances {
		for _, one := range i.sessions {
			out = append(out, one.SessionID)
			for _, p := range one.Points {
				out = append(out, p.MemoryID+score.JudgeSuffix, p.MemoryID+updateSuffix+score.JudgeSuffix)
			}
		}
	}
	return out
}

// Score implements score.Asked.
func (s memoryScorer) Score(answers map[string]string, o score.Options) (score.Scores, error) {
	m := memoryScores{variant: o.Variant, labels: score.LabelsIn(answers), byAspect: valuesByAspect(s.instances)}
	out := figures{Variant: o.Variant, Judge: judgeOf(m.labels)}
	var none []string
	for _, i := range s.instances {
		lines, missing, err := i.memoryStates(answers)
		if err != nil {
			return nil, err
		}
		none = append(none, missing...)
		m.addInstance(i, lines)
	}
	if len(none) > 0 && !o.Incomplete {
		return nil, &score.MissingError{IDs: none}
	}
	if len(none) > 0 {
		out.warn("of %d sessions nothing is known, and they are in no figure", len(none))
	}
	if m.alike > 0 {
		out.warn("%d updates cannot be told by the rule from what they replace", m.alike)
	}
	m.writeTo(&out)
	return out, m.err
}

// memoryStates returns what was held after each session, and the sessions of which nothing is
// known.
func (i instance) memoryStates(answers map[string]string) (lines map[string]memoryState, none []string, err error) {
	lines = map[string]memoryState{}
	for _, one := range i.sessions {
		line, given := answers[one.SessionID]
		if !given {
			none = append(none, one.SessionID)
			continue
		}
		var h memoryState
		if err := json.Unmarshal([]byte(line), &h); err != nil {
			return nil, nil, fmt.Errorf("what was held after session %s: %w", one.SessionID, err)
		}
		lines[one.SessionID] = h
	}
	return lines, none, nil
}

// updateSuffix ends the id of an update behind that of its point.
const updateSuffix = "#update"

// memoryScores collects the scores of all tasks: what the rule finds, what a judge says, and
// values.
type memoryScores struct {
	variant      string
	labels       score.JudgeLabels
	rule, judged memoryMeans
	values       valueScores
	byAspect     map[string][]string
	alike        int
	err          error // of the first label that is none
}

// The figures of B.2.
type (
	memoryMeans struct {
		recall, weighted, correct, hallucinated, irrelevant, update, rejected means
		updated, both, outdated                                               int
	}
	memoryTallies struct {
		recall, weighted, correct, hallucinated, irrelevant, update, rejected tally
	}
)

func (m *memoryMeans) add(t memoryTallies) {
	for _, one := range []struct {
		to *means
		of tally
	}{{&m.recall, t.recall}, {&m.weighted, t.weighted}, {&m.correct, t.correct}, {&m.hallucinated, t.hallucinated}, {&m.irrelevant, t.irrelevant}, {&m.update, t.update}, {&m.rejected, t.rejected}} {
		one.to.per = append(one.to.per, one.of)
	}
}

// label returns how good a judge's label is, by the labels that there are.
func (m *memoryScores) label(id string, worth map[string]float64) (value float64, labelled bool) {
	label, labelled := m.labels[id]
	if !labelled {
		return 0, false
	}
	value, known := worth[label]
	if !known && m.err == nil {
		m.err = fmt.Errorf("the label of a judge for %s is %q; it has %s", id, label, strings.Join(slices.Sorted(maps.Keys(worth)), ", "))
	}
	return value, true
}

// addInstance adds a task, its sessions in order: a session without a report of changes
// is compared with the one before it.
func (m *memoryScores) addInstance(i instance, lines map[string]memoryState) {
	var rule, judged memoryTallies
	var values valueTallies
	state, said := newValueState(m.byAspect), statements{}
	var before []memory
	for _, s := range i.sessions {
		state.add(s)
		h, known := lines[s.SessionID]
		if !known {
			continue
		}
		stored := h.storedTexts(before)
		h.Memories = h.apply(before)
		before = h.Memories
		m.values.none += values.addSession(state, said, s, h.Memories, stored)
		m.addRecall(s, &rule, func(p schemas.MemoryPoint) (float64, bool) {
			return benchformat.BoolScore(slices.ContainsFunc(stored, func(text string) bool { return textStates(text, p) })), true
		})
		m.addRecall(s, &judged, func(p schemas.MemoryPoint) (float64, bool) {
			return m.label(p.MemoryID, map[string]float64{Covered: 1, Missing: 0})
		})
		m.addPrecision(s, stored, &judged)
		for _, p := range s.Points {
			switch {
			case p.IsInterference:
				rule.rejected.add(factOf(s, p), benchformat.BoolScore(!slices.ContainsFunc(h.Memories, func(h memory) bool { return tellsApart(h, p, state.points[p.Resembles]) })))
				if v, ok := m.label(p.MemoryID, map[string]float64{Rejected: 1, Held: 0}); ok {
					judged.rejected.add(factOf(s, p), v)
				}
			case len(p.Supersedes) > 0:
				v := m.scoreUpdate(h.Memories, p, state.points)
				rule.update.add(factOf(s, p), v)
				m.rule.count(v)
				if v, ok := m.label(p.MemoryID+updateSuffix, map[string]float64{Updated: 1, Both: 0.5, Outdated: 0}); ok {
					judged.update.add(factOf(s, p), v)
					m.judged.count(v)
				}
			}
		}
	}
	m.rule.add(rule)
	m.judged.add(judged)
	m.values.add(values)
}

// count counts an update by its score.
func (m *memoryMeans) count(score float64) {
	switch score {
	case 1:
		m.updated++
	case 0:
		m.outdated++
	default:
		m.both++
	}
}

// storedTexts returns the texts that a session added or changed: D_s.
func (h memoryState) storedTexts(before []memory) (out []string) {
	if len(h.Changes) > 0 {
		for _, c := range h.Changes {
			if c.Op == "add" || c.Op == "update" {
				out = append(out, c.Text)
			}
		}
		return out
	}
	for _, now := range h.Memories {
		if !slices.Contains(before, now) {
			out = append(out, now.Text)
		}
	}
	return out
}

// apply returns the memories after the session: the snapshot, or the changes applied to
// those before.
func (h memoryState) apply(before []memory) []memory {
	if len(h.Memories) > 0 || len(h.Changes) == 0 {
		return h.Memories
	}
	out := slices.Clone(before)
	for _, c := range h.Changes {
		if c.Op == "keep" {
			continue
		}
		out = slices.DeleteFunc(out, func(m memory) bool { return m.ID == c.ID })
		if c.Op == "add" || c.Op == "update" {
			out = append(out, c.memory)
		}
	}
	return out
}

// addRecall adds a session's recall (eq. 1): the share of its points that are found. The
// weight is the importance. Where that is 0 it is 1: in the paper for that point, upstream
// only if all of the session are 0.
func (m *memoryScores) addRecall(s schemas.Session, to *memoryTallies, found func(schemas.MemoryPoint) (value float64, known bool)) {
	all := 0.0
	for _, p := range s.Points {
		if !p.IsInterference {
			all += p.Importance
		}
	}
	var plain, weighted []agreement.Score
	for _, p := range s.Points {
		if p.IsInterference {
			continue
		}
		value, known := found(p)
		if !known {
			continue
		}
		weight := p.Importance
		if all == 0 || weight == 0 && m.variant == VariantPaper {
			weight = 1
		}
		plain = append(plain, agreement.Score{Cluster: factOf(s, p), Value: value, Weight: 1})
		weighted = append(weighted, agreement.Score{Cluster: factOf(s, p), Value: value, Weight: weight})
	}
	if slices.ContainsFunc(weighted, func(one agreement.Score) bool { return one.Weight > 0 }) {
		to.recall.addShare(plain)
		to.weighted.addShare(weighted)
	}
}

// factOf tells the facts of the points of a task apart.
func factOf(s schemas.Session, p schemas.MemoryPoint) string {
	return s.TaskID + "\n" + normalise(p.Content)
}

// addPrecision adds the shares of stored texts that a judge found correct, hallucinated and
// irrelevant (eq. 2).
func (m *memoryScores) addPrecision(s schemas.Session, stored []string, to *memoryTallies) {
	if len(stored) == 0 && m.variant == VariantUpstream && len(m.labels) > 0 {
		to.correct.add(s.SessionID, 0)
	}
	var labels [3][]agreement.Score
	for n, text := range stored {
		v, ok := m.label(fmt.Sprintf("%s#%d", s.SessionID, n+1), map[string]float64{Correct: 0, Hallucination: 1, Irrelevant: 2})
		if !ok {
			continue
		}
		for k := range labels {
			labels[k] = append(labels[k], agreement.Score{Cluster: text, Value: benchformat.BoolScore(v == float64(k)), Weight: 1})
		}
	}
	for k, to := range []*tally{&to.correct, &to.hallucinated, &to.irrelevant} {
		to.addShare(labels[k])
	}
}

// scoreUpdate scores an update (eq. 3): 1 if memories state only the new value, 0.5 for
// both, 0 otherwise.
func (m *memoryScores) scoreUpdate(now []memory, p schemas.MemoryPoint, points map[string]schemas.MemoryPoint) float64 {
	fresh, stale := false, false
	for _, id := range p.Supersedes {
		old, known := points[id]
		if known && textStates(old.Content, p) && textStates(p.Content, old) {
			m.alike++
		}
		for _, one := range now {
			kept := known && tellsApart(one, old, p)
			stale = stale || kept
			// what names the old beside the new ("X replaces Y") says the new
			fresh = fresh || !kept && textStates(one.Text, p)
		}
	}
	switch {
	case fresh && !stale:
		return 1
	case fresh:
		return 0.5
	}
	return 0
}

// tellsApart reports whether a memory states one point and not the similar other one.
func tellsApart(m memory, p, other schemas.MemoryPoint) bool {
	if !textStates(m.Text, p) || other.Content == "" || !textStates(m.Text, other) {
		return textStates(m.Text, p)
	}
	said := normalise(m.Text)
	return pointSymbols(p) == nil && wordShare(normalise(p.Content), said) > wordShare(normalise(other.Content), said)
}

// writeTo writes what a judge says under the names of the paper, and what the rule finds under
// others.
func (m *memoryScores) writeTo(out *figures) {
	if len(m.labels) > 0 {
		m.judged.writeTo(out, m.variant, [...]string{"Recall", "Corr", "Hallu", "Irrel", "Update", "IntRej"})
	} else {
		out.needsJudge("Recall", "Corr", "Hallu", "Irrel", "Update", "IntRej")
	}
	m.values.writeTo(out)
	m.rule.writeTo(out, m.variant, [...]string{"points found", "", "", "", "updates told", "interference not held"})
}

func (m *memoryMeans) writeTo(out *figures, variant string, names [6]string) {
	if variant == VariantUpstream {
		out.add(names[0], m.recall)
		out.add(names[0]+", weighted", m.weighted)
	} else {
		out.add(names[0], m.weighted)
	}
	out.add(names[1], m.correct)
	out.add(names[2], m.hallucinated)
	out.add(names[3], m.irrelevant)
	out.add(names[4], m.update)
	all := m.updated + m.both + m.outdated
	for _, part := range []struct {
		name string
		n    int
	}{{"updated", m.updated}, {"both", m.both}, {"outdated", m.outdated}} {
		if all > 0 {
			out.Lines = append(out.Lines, figure{Name: names[4] + ", " + part.name, Value: float64(part.n) / float64(all), Count: all})
		}
	}
	out.add(names[5], m.rejected)
}
