package runner

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/schemas"
)

// View says what a system is told before a question: the whole history in some form, or
// the part of the question's evidence that a view of package view shows.
type View struct {
	Name string `json:"name"`
	// Evidence is a view of package view; empty for the whole history.
	Evidence string `json:"evidence,omitempty"`
	// Pictures shows pictures and videos. Captions are the level of captions: empty for
	// the system's own, see Options.
	Pictures bool   `json:"pictures"`
	Captions string `json:"captions"`
}

func views() []View {
	return []View{
		{"all", "", true, ""},
		{"text", "", false, CaptionsNone},
		{"captions-minimal", "", false, CaptionsMinimal},
		{"captions-dense", "", false, CaptionsDense},
		{"captions-task-aware", "", false, CaptionsTaskAware},
		{"none", view.None, false, CaptionsNone},
		{"oracle", view.Oracle, true, ""},
		{"oracle-text", view.Text, false, CaptionsNone},
		{"oracle-captions-minimal", view.MinimalCaption, false, CaptionsMinimal},
		{"oracle-captions-dense", view.DenseCaption, false, CaptionsDense},
		{"oracle-captions-task-aware", view.TaskAwareCaption, false, CaptionsTaskAware},
		{"latest", view.LatestOnly, true, ""},
		{"stale", view.StaleOnly, true, ""},
		{"one-source", view.OnlySource, true, ""},
	}
}

// Views names the views, that of the whole history first.
func Views() []string {
	var names []string
	for _, v := range views() {
		names = append(names, v.Name)
	}
	return names
}

// ViewNamed returns a view; no name is that of the whole history.
func ViewNamed(name string) (View, error) {
	all := views()
	at := slices.IndexFunc(all, func(v View) bool { return v.Name == name })
	switch {
	case name == "":
		return all[0], nil
	case at < 0:
		return View{}, fmt.Errorf("there is no view %q; there are %s", name, strings.Join(Views(), ", "))
	}
	return all[at], nil
}

// LeftOut is a question that is not asked, since its family has not what the view shows.
type LeftOut struct {
	ID   string `json:"id"`
	Code string `json:"code"`
	// Reason says what is missing.
	Reason string `json:"reason"`
}

// show returns what a view of the evidence shows of a question. A system that takes no
// pictures gets dense captions in their place. Where no evidence is a picture, forms without
// pictures hide nothing.
func (v View) show(q schemas.Question, takes string) (view.Shown, error) {
	name := v.Evidence
	if v.Pictures && takes == "" {
		q = withCaptions(q)
	}
	if name == view.OnlySource {
		source := view.MainSource(&q)
		if source == "" {
			return view.Shown{}, &view.MissingError{Code: "one-source", Reason: "its evidence is from a single source, so that is all of it"}
		}
		name += ":" + source
	}
	settings := view.Settings{Frames: spanFrames, Whole: wholeFrames, Most: wholeFrames}
	shown, err := view.Show(&q, name, settings)
	var missing *view.MissingError
	if errors.As(err, &missing) && missing.Code == "no-picture" {
		return view.Show(&q, view.Oracle, settings)
	}
	return shown, err
}

// withCaptions puts captions in the place of the pictures of evidence that have one.
func withCaptions(q schemas.Question) schemas.Question {
	q.Evidence = slices.Clone(q.Evidence)
	for i := range q.Evidence {
		e := &q.Evidence[i]
		if (e.Media != "" || e.Kind == schemas.EvidenceMedia) && e.Caption != "" {
			e.Text = strings.TrimSpace(e.Text + " [" + e.Caption + "]")
			e.Kind, e.Media, e.Ref = schemas.EvidenceText, "", ""
		}
	}
	return q
}

// leaveOut says why a question of a task cannot be asked under the view, or nothing.
func (m messages) leaveOut(q schemas.Question, t task) (code, reason string, err error) {
	if m.view.Evidence == "" {
		code, reason = m.leaveOutHistory(q, t)
		return code, reason, nil
	}
	shown, err := m.view.show(q, m.pictures)
	var missing *view.MissingError
	switch {
	case errors.As(err, &missing):
		return missing.Code, missing.Reason, nil
	case err == nil && m.pictures == "" && shown.MaxPictures() > 0:
		return "no-pictures-taken", "its evidence has pictures and the system takes none; a view with captions shows them in words", nil
	}
	return "", "", err
}

// leaveOutHistory leaves out what a form of the whole history shows nothing of.
func (m messages) leaveOutHistory(q schemas.Question, t task) (code, reason string) {
	if m.view.Pictures {
		return "", ""
	}
	if !slices.ContainsFunc(t.steps, func(s step) bool { return m.tells(s.turn) }) {
		return "no-text", fmt.Sprintf("the history of task %s has neither text nor captions for the view %s", t.id, m.view.Name)
	}
	if m.captions == CaptionsNone {
		return "", ""
	}
	kind := map[string]string{CaptionsMinimal: view.MinimalCaption, CaptionsDense: view.DenseCaption, CaptionsTaskAware: view.TaskAwareCaption}[m.captions]
	var missing *view.MissingError
	if _, err := view.Show(&q, kind, view.Settings{}); errors.As(err, &missing) && missing.Code == "no-caption" {
		return missing.Code, missing.Reason
	}
	return "", ""
}

// tells reports a turn with words under the view.
func (m messages) tells(t *schemas.Turn) bool {
	return t.Text+t.Observation+t.Reasoning+t.Action+t.Feedback != "" ||
		slices.ContainsFunc(t.Attachments, func(a schemas.Attachment) bool { return m.caption(a) != "" })
}
