package oracle

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/memforge/memforge/schemas"
)

// solveTrial derives an N-Back question: whether the labels of two clips are
// the same.
func (w *composition) solveTrial(q schemas.Question) (schemas.Question, []string, error) {
	t, err := parseTrial(q.Question)
	if err != nil {
		return q, nil, err
	}
	if t.k != len(w.names) {
		return q, nil, fmt.Errorf("%q: the recipe has %d clips", q.Question, len(w.names))
	}
	values := make([]string, t.k)
	for i := range values {
		if values[i], err = w.clipAt(i).clipLabel(t.attribute, w.fps); err != nil {
			return q, nil, fmt.Errorf("%q: clip %d: %w", q.Question, i+1, err)
		}
	}
	at, last := t.k-1-t.n, t.k-1
	out := newQuestion(q, q.Media[0])
	out.Question, out.Type = t.String(), schemas.TypeNBack
	out.Options = []schemas.Option{{Key: "A", Text: "Yes", Role: schemas.RoleDistractor}, {Key: "B", Text: "No", Role: schemas.RoleDistractor}}
	right := &out.Options[1]
	if values[at] == values[last] {
		right = &out.Options[0]
	}
	right.Role = schemas.RoleCorrect
	out.AnswerKey, out.AnswerText, out.QuestionMCQ = right.Key, right.Text, withOptions(out.Question, out.Options)
	out.Explanation = fmt.Sprintf("Clip %d shows the %s %q, clip %d the %s %q.", at+1, t.attribute, values[at], last+1, t.attribute, values[last])
	var shown []evidenceSpan
	for _, i := range []int{at, last} {
		shown = append(shown, evidenceSpan{w.clipAt(i).shownSpan(w.fps), schemas.RoleClue, w.clipAt(i).singleSource()})
	}
	out.Evidence = orderEvidence(shown, out.Media[0], q.Evidence)
	out.Setting = w.setting().format(q.Setting)
	free := w.deriveTrialLabels(&out, t, values, q)
	return out, free, nil
}

func (w *composition) clipAt(i int) *video { return w.videos[w.names[i]] }

func (f *video) shownSpan(fps float64) span {
	first, last := f.showings[0], f.showings[len(f.showings)-1]
	return span{float64(first.at) / fps, float64(last.at+last.to-last.from) / fps, first.region}
}

// clipLabel returns the one value of an attribute that the tables state of
// exactly the frames of the clip.
func (f *video) clipLabel(attribute string, fps float64) (string, error) {
	var values []string
	for _, l := range f.labels {
		whole := l.From == 0 && l.To == 0
		fits := slices.ContainsFunc(f.stretches, func(s stretch) bool {
			return s.original == l.Original && (whole && s.from == 0 || almostEqual(l.From, float64(s.from)/fps) && almostEqual(l.To, float64(s.to)/fps))
		})
		if l.Attribute == attribute && fits && !slices.Contains(values, l.Value) {
			values = append(values, l.Value)
		}
	}
	if len(values) != 1 {
		return "", fmt.Errorf("it has the %s labels %q, want one", attribute, values)
	}
	return values[0], nil
}

// deriveTrialLabels sets the labels and ids of an N-Back question. Which
// sequence it belongs to follows only from the id of its task.
func (w *composition) deriveTrialLabels(out *schemas.Question, t trialWording, values []string, q schemas.Question) (free []string) {
	at, last := t.k-1-t.n, t.k-1
	sequence := q.Labels["sequence"]
	out.TaskID = contentID("task", contentID("trial", sequence, strconv.Itoa(t.k)))
	out.QuestionID = contentID("q", out.TaskID, schemas.TypeNBack, strconv.Itoa(t.n))
	out.Labels = map[string]string{
		"n_value": strconv.Itoa(t.n), "clip_count": strconv.Itoa(t.k), "attribute": t.attribute, "sequence": sequence,
		"match_kind": "none", "lure": lureDistance(values, at), "frames": strconv.FormatInt(w.frames, 10),
	}
	free = append(free, "labels.sequence")
	if values[at] == values[last] {
		out.Labels["match_kind"] = "different-clip"
		if slices.Equal(w.clipAt(at).footageNames(), w.clipAt(last).footageNames()) {
			out.Labels["match_kind"] = "same-clip"
		}
	}
	if first := w.clipAt(0).footageNames(); len(first) == 1 {
		out.Labels["first_clip"] = contentID("clip", first[0])
	} else {
		out.Labels["first_clip"] = q.Labels["first_clip"]
		free = append(free, "labels.first_clip")
	}
	parts, whole := []string{t.attribute, strconv.Itoa(t.n)}, true
	for i := range values {
		shown := w.clipAt(i).footageNames()
		parts, whole = append(parts, shown...), whole && len(shown) == 1
	}
	out.Labels[schemas.LabelFact] = contentID("fact", parts...)
	if !whole {
		out.Labels[schemas.LabelFact] = q.Labels[schemas.LabelFact]
		free = append(free, "labels."+schemas.LabelFact)
	}
	return append(free, copyMeasured(out, q)...)
}

func (f *video) footageNames() []string {
	var out []string
	for _, s := range f.stretches {
		out = append(out, fmt.Sprintf("%s[%d,%d)", s.source, s.from, s.to))
	}
	return out
}

// lureDistance returns whether the last label stands beside the place asked
// about, or elsewhere before.
func lureDistance(values []string, at int) string {
	found, last := "none", len(values)-1
	for i, v := range values[:last] {
		if i == at || v != values[last] {
			continue
		}
		if i == at-1 || i == at+1 {
			return "near"
		}
		found = "far"
	}
	return found
}
