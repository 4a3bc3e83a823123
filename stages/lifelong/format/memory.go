package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// maxHeld bounds a line of memories.jsonl: what is held after one session.
const maxHeld = 64 << 20

// Memory scores what a memory system held after each session (B.2).
func Memory() score.Scorer {
	return score.Scorer{
		Name: "worldmemarena-memory", Takes: takes(), Variants: []string{VariantPaper, VariantUpstream}, Answers: readMemories,
		Help: "Takes the memories.jsonl of memforge run, from a system that gives snapshots or changes. What needs a judge in the paper is decided by a rule: a memory says a point where it names its value and each part of its subject, or, of a point without these, where it holds its content or three quarters of its words. " +
			"upstream counts points alike in Recall, sessions that stored nothing as 0 in Corr, and pools over tasks.",
		Release: func(c release.Contents) (score.QuestionSet, error) {
			all, err := instances(c)
			if err == nil && !slices.ContainsFunc(all, func(i instance) bool { return len(i.goldSessions()) > 0 }) {
				err = fmt.Errorf("release %s has no memory points that a memory could be held against", c.Manifest.ID)
			}
			return memoryScorer{all}, err
		},
	}
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

// readMemories reads memories.jsonl by session and keeps each line as written.
func readMemories(r io.Reader) (map[string]string, error) {
	return benchformat.ReadLines(r, "memories", "session %q is there twice", maxHeld, func(line []byte) (string, string, error) {
		var h memoryState
		err := json.Unmarshal(line, &h)
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
// counts too.
func (s memoryScorer) IDs() (out []string) {
	for _, i := range s.instances {
		for _, one := range i.sessions {
			out = append(out, one.SessionID)
		}
	}
	return out
}

// Score implements score.Asked.
func (s memoryScorer) Score(answers map[string]string, o score.Options) (score.Scores, error) {
	out := figures{Variant: o.Variant, Judge: judgeRule}
	var none []string
	m := memoryScores{variant: o.Variant}
	for _, i := range s.instances {
		lines := map[string]memoryState{}
		for _, one := range i.sessions {
			line, given := answers[one.SessionID]
			if !given {
				none = append(none, one.SessionID)
				continue
			}
			var h memoryState
			if err := json.Unmarshal([]byte(line), &h); err != nil {
				return nil, fmt.Errorf("what was held after session %s: %w", one.SessionID, err)
			}
			lines[one.SessionID] = h
		}
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
	return out, nil
}

// memoryScores collects the scores of all tasks.
type memoryScores struct {
	variant                           string
	recall, weighted                  means
	correct, hallucinated, irrelevant means
	update, rejected                  means
	updated, both, outdated           int
	alike                             int
}

// addInstance adds a task, its sessions in order: a session without a report of changes
// is compared with the one before it.
func (m *memoryScores) addInstance(i instance, lines map[string]memoryState) {
	var recall, weighted, correct, hallu, irrel, update, rejected tally
	points := map[string]schemas.MemoryPoint{} // of the task, by id
	var before []memory
	for _, s := range i.sessions {
		for _, p := range s.Points {
			points[p.MemoryID] = p
		}
		h, known := lines[s.SessionID]
		if !known {
			continue
		}
		stored := h.storedTexts(before)
		h.Memories = h.apply(before)
		before = h.Memories
		m.addRecall(s, stored, &recall, &weighted)
		m.addPrecision(s, stored, &correct, &hallu, &irrel)
		for _, p := range s.Points {
			switch {
			case p.IsInterference:
				rejected.add(benchformat.BoolScore(!slices.ContainsFunc(h.Memories, func(h memory) bool { return tellsApart(h, p, points[p.Resembles]) })))
			case len(p.Supersedes) > 0:
				update.add(m.scoreUpdate(h.Memories, p, points))
			}
		}
	}
	for _, one := range []struct {
		to *means
		of tally
	}{{&m.recall, recall}, {&m.weighted, weighted}, {&m.correct, correct}, {&m.hallucinated, hallu}, {&m.irrelevant, irrel}, {&m.update, update}, {&m.rejected, rejected}} {
		one.to.per = append(one.to.per, one.of)
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

// addRecall adds a session's recall (eq. 1): the share of its points that something
// stored states. The weight is the importance. Where that is 0 it is 1: in the paper for
// that point, upstream only if all of the session are 0.
func (m *memoryScores) addRecall(s schemas.Session, stored []string, plain, weighted *tally) {
	var points []schemas.MemoryPoint
	all := 0.0
	for _, p := range s.Points {
		if !p.IsInterference {
			points, all = append(points, p), all+p.Importance
		}
	}
	if len(points) == 0 {
		return
	}
	var found, have, want float64
	for _, p := range points {
		weight := p.Importance
		if all == 0 || weight == 0 && m.variant == VariantPaper {
			weight = 1
		}
		want += weight
		if slices.ContainsFunc(stored, func(text string) bool { return textStates(text, p) }) {
			found, have = found+1, have+weight
		}
	}
	plain.add(found / float64(len(points)))
	weighted.add(have / want)
}

// Of a memory's words the session must have so many for the rule to take it as correct,
// or as partly right.
const (
	mostly = 0.75
	partly = 0.4
)

// addPrecision adds the shares of stored texts that are correct, partly right and made up
// (eq. 2).
func (m *memoryScores) addPrecision(s schemas.Session, stored []string, correct, hallu, irrel *tally) {
	if len(stored) == 0 {
		if m.variant == VariantUpstream {
			correct.add(0)
		}
		return
	}
	said := sessionText(s)
	var c, h, e float64
	for _, text := range stored {
		switch known := wordShare(normalise(text), said); {
		case known >= mostly:
			c++
		case known >= partly:
			h++
		default:
			e++
		}
	}
	n := float64(len(stored))
	correct.add(c / n)
	hallu.add(h / n)
	irrel.add(e / n)
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
		m.updated++
		return 1
	case fresh:
		m.both++
		return 0.5
	}
	m.outdated++
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

func (m *memoryScores) writeTo(out *figures) {
	if m.variant == VariantUpstream {
		out.add("Recall", m.recall)
		out.add("Recall, weighted", m.weighted)
	} else {
		out.add("Recall", m.weighted)
	}
	out.add("Corr", m.correct)
	out.add("Hallu", m.hallucinated)
	out.add("Irrel", m.irrelevant)
	out.add("Update", m.update)
	for _, part := range []struct {
		name string
		n    int
	}{{"updated", m.updated}, {"both", m.both}, {"outdated", m.outdated}} {
		if all := m.updated + m.both + m.outdated; all > 0 {
			out.Lines = append(out.Lines, figure{"Update, " + part.name, float64(part.n) / float64(all), all})
		}
	}
	out.add("IntRej", m.rejected)
}
