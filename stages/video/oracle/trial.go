package oracle

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/memforge/memforge/schemas"
)

// trial works out an N-Back question: whether the labels of two clips are the
// same.
func (w *world) trial(q schemas.Question) (schemas.Question, []string, error) {
	t, err := readTrial(q.Question)
	if err != nil {
		return q, nil, err
	}
	if t.k != len(w.names) {
		return q, nil, fmt.Errorf("%q: the recipe has %d clips", q.Question, len(w.names))
	}
	values := make([]string, t.k)
	for i := range values {
		if values[i], err = w.clip(i).only(t.attribute, w.fps); err != nil {
			return q, nil, fmt.Errorf("%q: clip %d: %w", q.Question, i+1, err)
		}
	}
	at, last := t.k-1-t.n, t.k-1
	out := blank(q, q.Media[0])
	out.Question, out.Type = t.String(), schemas.TypeNBack
	out.Options = []schemas.Option{{Key: "A", Text: "Yes", Role: schemas.RoleDistractor}, {Key: "B", Text: "No", Role: schemas.RoleDistractor}}
	right := &out.Options[1]
	if values[at] == values[last] {
		right = &out.Options[0]
	}
	right.Role = schemas.RoleCorrect
	out.AnswerKey, out.AnswerText, out.QuestionMCQ = right.Key, right.Text, withOptions(out.Question, out.Options)
	out.Explanation = fmt.Sprintf("Clip %d shows the %s %q, clip %d the %s %q.", at+1, t.attribute, values[at], last+1, t.attribute, values[last])
	var shown []proof
	for _, i := range []int{at, last} {
		shown = append(shown, proof{w.clip(i).extent(w.fps), schemas.RoleClue, w.clip(i).source()})
	}
	out.Evidence = inOrder(shown, out.Media[0], q.Evidence)
	out.Setting = w.setting().as(q.Setting)
	free := w.labelTrial(&out, t, values, q)
	return out, free, nil
}

func (w *world) clip(i int) *film { return w.films[w.names[i]] }

// extent is when a clip is shown.
func (f *film) extent(fps float64) span {
	first, last := f.showings[0], f.showings[len(f.showings)-1]
	return span{float64(first.at) / fps, float64(last.at+last.to-last.from) / fps, first.region}
}

// only is the one value of an attribute that the tables state of just the frames
// of the clip.
func (f *film) only(attribute string, fps float64) (string, error) {
	var values []string
	for _, l := range f.labels {
		whole := l.From == 0 && l.To == 0
		fits := slices.ContainsFunc(f.stretches, func(s stretch) bool {
			return s.original == l.Original && (whole && s.from == 0 || near(l.From, float64(s.from)/fps) && near(l.To, float64(s.to)/fps))
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

// labelTrial gives the labels and ids of an N-Back question. Which sequence it
// is of follows from nothing but the id of its task.
func (w *world) labelTrial(out *schemas.Question, t trial, values []string, q schemas.Question) (free []string) {
	at, last := t.k-1-t.n, t.k-1
	sequence := q.Labels["sequence"]
	out.TaskID = nameOf("task", nameOf("trial", sequence, strconv.Itoa(t.k)))
	out.QuestionID = nameOf("q", out.TaskID, schemas.TypeNBack, strconv.Itoa(t.n))
	out.Labels = map[string]string{
		"n_value": strconv.Itoa(t.n), "clip_count": strconv.Itoa(t.k), "attribute": t.attribute, "sequence": sequence,
		"match_kind": "none", "lure": lureOf(values, at), "frames": strconv.FormatInt(w.frames, 10),
	}
	free = append(free, "labels.sequence")
	if values[at] == values[last] {
		out.Labels["match_kind"] = "different-clip"
		if slices.Equal(w.clip(at).footage(), w.clip(last).footage()) {
			out.Labels["match_kind"] = "same-clip"
		}
	}
	if first := w.clip(0).footage(); len(first) == 1 {
		out.Labels["first_clip"] = nameOf("clip", first[0])
	} else {
		out.Labels["first_clip"] = q.Labels["first_clip"]
		free = append(free, "labels.first_clip")
	}
	parts, whole := []string{t.attribute, strconv.Itoa(t.n)}, true
	for i := range values {
		shown := w.clip(i).footage()
		parts, whole = append(parts, shown...), whole && len(shown) == 1
	}
	out.Labels[schemas.LabelFact] = nameOf("fact", parts...)
	if !whole {
		out.Labels[schemas.LabelFact] = q.Labels[schemas.LabelFact]
		free = append(free, "labels."+schemas.LabelFact)
	}
	return append(free, measured(out, q)...)
}

// footage names the frames that a film shows.
func (f *film) footage() []string {
	var out []string
	for _, s := range f.stretches {
		out = append(out, fmt.Sprintf("%s[%d,%d)", s.source, s.from, s.to))
	}
	return out
}

// lureOf says whether the last label stands beside the place asked about, or
// elsewhere before.
func lureOf(values []string, at int) string {
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
