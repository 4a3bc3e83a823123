package format

import (
	"fmt"
	"slices"
	"strings"
)

// readQuestion checks one question and reads it.
func (r *layoutReader) readQuestion(n int, q parsedQA, rounds map[string]int, open bool) Item {
	where := q.ID
	if where == "" {
		where = fmt.Sprintf("question %d", n+1)
	}
	out := Item{ID: q.ID, Question: q.Question, Answer: q.Answer, Clues: q.Clues}
	if strings.TrimSpace(q.Question) == "" || strings.TrimSpace(q.Answer) == "" {
		r.addFault(CodeFile, where, "it has no words, or no answer")
	}
	if len(q.Point) != 2 || len(q.Point[0]) != 1 || len(q.Point[1]) != 1 || !oneOf(q.Point[0][0], "X1", "X2", "X3", "X4") || !oneOf(q.Point[1][0], "Y1", "Y2", "Y3") {
		r.addFault(CodePoint, where, "its point is %q; want one of X1 to X4 and one of Y1 to Y3", q.Point)
	} else {
		out.X, out.Y = q.Point[0][0], q.Point[1][0]
	}
	r.checkClues(where, q, rounds)
	base := map[string]string{}
	for _, p := range q.Images {
		r.checkPicture(where, p, base)
	}
	if len(q.Images) > 0 && strings.TrimSpace(q.Caption) == "" {
		r.addFault(CodeCaption, where, "its own picture has no caption")
	}
	switch {
	case open && len(q.Options) > 0:
		r.addFault(CodeOptions, where, "an open question with options is scored as a choice")
	case !open:
		out.Rotations = r.readRotations(where, q)
	}
	return out
}

func oneOf(s string, list ...string) bool { return slices.Contains(list, s) }

// checkClues must be rounds of the dialogue, in its order, and their sessions those named.
func (r *layoutReader) checkClues(where string, q parsedQA, rounds map[string]int) {
	if len(q.Clues) == 0 {
		r.addFault(CodeClue, where, "it names no round that it rests on")
	}
	sessions := map[string]bool{}
	last := -1
	for _, c := range q.Clues {
		at, known := rounds[c]
		if !known || at <= last {
			r.addFault(CodeClue, where, "the clue %s is in no session, or not after the one before it", c)
			continue
		}
		last = at
		s, _, _ := strings.Cut(c, ":")
		sessions[s] = true
	}
	for _, s := range q.Sessions {
		if !sessions[s] {
			r.addFault(CodeClue, where, "session %s has none of its clues", s)
		}
		delete(sessions, s)
	}
	if len(sessions) > 0 {
		r.addFault(CodeClue, where, "it has clues in %d sessions that it does not name", len(sessions))
	}
}

// readRotations must be four orders of four texts, with the right one at A, B, C and D in
// turn, and the question's own answer that of the last.
func (r *layoutReader) readRotations(where string, q parsedQA) []Rotation {
	if len(q.Options) != 4 {
		r.addFault(CodeOptions, where, "it has %d rotations; want 4", len(q.Options))
		return nil
	}
	var out []Rotation
	for i, o := range q.Options {
		texts := map[string]string{}
		for key, text := range o {
			if key != "answer" {
				texts[key] = text
			}
		}
		out = append(out, Rotation{Texts: texts, Right: o["answer"]})
		if want := string(rune('A' + i)); o["answer"] != want {
			r.addFault(CodeOptions, where, "rotation %d is right at %q; want %s", i+1, o["answer"], want)
		}
		if texts["A"] == "" || texts["B"] == "" || texts["C"] == "" || texts["D"] == "" || len(texts) != 4 {
			r.addFault(CodeOptions, where, "rotation %d has not just the letters A to D, each with a text", i+1)
			return nil
		}
	}
	r.checkSameTexts(where, out)
	if q.Answer != out[3].Right {
		r.addFault(CodeOptions, where, "its own answer is %q; MemEye compares it with the choice of the last rotation, %s", q.Answer, out[3].Right)
	}
	return out
}

func (r *layoutReader) checkSameTexts(where string, all []Rotation) {
	right := all[0].Texts[all[0].Right]
	first := sortedTexts(all[0])
	if len(slices.Compact(slices.Clone(first))) != 4 {
		r.addFault(CodeOptions, where, "two options say the same: %q", first)
	}
	for i, x := range all {
		if got := x.Texts[x.Right]; got != right {
			r.addFault(CodeOptions, where, "rotation %d has %q as right, the first %q", i+1, got, right)
		}
		if !slices.Equal(sortedTexts(x), first) {
			r.addFault(CodeOptions, where, "rotation %d has other texts than the first", i+1)
		}
	}
}

func sortedTexts(x Rotation) []string {
	var out []string
	for _, key := range []string{"A", "B", "C", "D"} {
		out = append(out, strings.ToLower(strings.TrimSpace(x.Texts[key])))
	}
	slices.Sort(out)
	return out
}

// checkOpenForms checks that each choice file has an open one with the same questions, and
// that the open answer is the right option.
func (r *layoutReader) checkOpenForms() {
	by := map[string]Task{}
	for _, t := range r.tasks {
		by[t.Name] = t
	}
	for _, t := range r.tasks {
		r.where = "dialog/" + t.Name + ".json"
		if t.Open {
			if _, ok := by[strings.TrimSuffix(t.Name, "_Open")]; !ok {
				r.addFault(CodeOpenForm, "", "there is no choice form of it")
			}
			continue
		}
		open, ok := by[t.Name+"_Open"]
		if !ok || len(open.Items) != len(t.Items) {
			r.addFault(CodeOpenForm, "", "its open form is missing, or has another number of questions")
			continue
		}
		for i, q := range t.Items {
			o := open.Items[i]
			if q.ID != o.ID || q.X != o.X || q.Y != o.Y || !slices.Equal(q.Clues, o.Clues) || len(q.Rotations) == 4 && q.Rotations[0].Texts["A"] != o.Answer {
				r.addFault(CodeOpenForm, q.ID, "the open form asks something else, or has another answer")
			}
		}
	}
}
