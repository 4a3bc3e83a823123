package oracle

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// Task gives t with every column as it follows from the media that it lists and
// the questions about it, and what follows from nothing. The cases are those of
// its media, in order.
func Task(t schemas.Task, cases []Case, about []schemas.Question) (schemas.Task, []string, error) {
	out := schemas.Task{TaskID: t.TaskID, Family: family}
	worlds, err := together(cases)
	if err != nil {
		return t, nil, err
	}
	for _, c := range cases {
		out.Media = append(out.Media, c.Media.MediaID)
		for _, s := range c.Media.Recipe.Segments {
			if !slices.Contains(out.SourceRecords, s.SourceID) && s.SourceID != "" {
				out.SourceRecords = append(out.SourceRecords, s.SourceID)
			}
		}
	}
	slices.Sort(out.SourceRecords)
	if err := asks(about, out.Media); err != nil {
		return t, nil, err
	}
	first := worlds[0]
	out.Scenario = first.layout
	categories := first.films[first.leader()].valuesOf(schemas.AttributeCategory)
	if len(categories) > 1 {
		return t, nil, fmt.Errorf("its videos have the categories %q", categories)
	}
	out.Domain = strings.Join(categories, "")
	var free []string
	if out.Summary, free, err = summarised(t.Summary, worlds, about); err != nil {
		return t, nil, err
	}
	if first.layout == layoutSplit && among(out.SourceRecords, t.SourceRecords) && len(out.SourceRecords) < len(t.SourceRecords) {
		out.SourceRecords, free = t.SourceRecords, append(free, "source_records") // the end of the longer video is not shown
	}
	return out, free, nil
}

// summarised is the summary of a task as it follows; more than that, of media
// that were withheld or of what was measured, is taken as it is stated.
func summarised(stated string, worlds []*world, about []schemas.Question) (out string, free []string, err error) {
	said, apart, err := measuredPart(stated, about)
	if err != nil {
		return "", nil, err
	}
	if out = summary(worlds); out != said && summaryTells(said, out) {
		out, free = said, append(free, "summary")
	}
	if apart != "" {
		free = append(free, "summary, what was measured")
	}
	return out + apart, free, nil
}

// together reads the media of a task, which show the same films, each once.
func together(cases []Case) ([]*world, error) {
	if len(cases) == 0 {
		return nil, fmt.Errorf("none of its media is in the release")
	}
	var worlds []*world
	seen := map[string]bool{}
	for _, c := range cases {
		w, err := c.world()
		if err != nil {
			return nil, fmt.Errorf("medium %.12s: %w", c.Media.MediaID, err)
		}
		if seen[c.Media.MediaID] || len(worlds) > 0 && !w.alike(worlds[0]) {
			return nil, fmt.Errorf("medium %.12s shows other videos than the first, or is listed twice", c.Media.MediaID)
		}
		seen[c.Media.MediaID] = true
		worlds = append(worlds, w)
	}
	return worlds, nil
}

// asks checks that there are questions, and that they are about media of the
// task.
func asks(about []schemas.Question, media []string) error {
	if len(about) == 0 {
		return fmt.Errorf("no question is about it")
	}
	for _, q := range about {
		for _, id := range q.Media {
			if !slices.Contains(media, id) {
				return fmt.Errorf("question %s is about a medium that it does not list", q.QuestionID)
			}
		}
	}
	return nil
}

// apartForm is what a summary says of how far two films can be told apart.
var apartForm = regexp.MustCompile(`^ Single frames tell the two apart in ([0-9]{1,3}) % \[([0-9]{1,3}), ([0-9]{1,3})\] \([0-9]+ frames in [0-9]+ blocks; [^.\n]+(?:\.[0-9][^.\n]*)?\)\.$`)

// measuredPart takes a summary apart at what was measured, which must be what the
// questions have as a label.
func measuredPart(summary string, about []schemas.Question) (said, apart string, err error) {
	at := strings.Index(summary, " Single frames")
	label := about[0].Labels[schemas.LabelSeparability]
	for _, q := range about {
		if v := q.Labels[schemas.LabelSeparability]; v != label {
			return "", "", fmt.Errorf("its questions have the separabilities %q and %q", label, v)
		}
	}
	if at < 0 {
		if label != "" {
			return "", "", fmt.Errorf("its questions have the separability %q and its summary says nothing of it", label)
		}
		return summary, "", nil
	}
	m := apartForm.FindStringSubmatch(summary[at:])
	if m == nil {
		return "", "", fmt.Errorf("its summary says %q", summary[at:])
	}
	percent, _ := strconv.Atoi(m[1])
	share, err := strconv.ParseFloat(label, 64)
	if err != nil || math.Abs(float64(percent)-100*share) > 1+instant {
		return "", "", fmt.Errorf("its summary tells the two apart in %d %%, its questions have the separability %q", percent, label)
	}
	return summary[:at], summary[at:], nil
}

// leader is the film whose category is the task's domain.
func (w *world) leader() string {
	if w.layout == layoutNBack {
		return w.names[0]
	}
	return "A"
}

// alike reports whether two media show the same films in one layout, from the
// same files.
func (w *world) alike(o *world) bool {
	if w.layout != o.layout || len(w.films) != len(o.films) || !maps.Equal(w.files, o.files) {
		return false
	}
	for id, f := range w.films {
		g, both := o.films[id]
		if !both {
			return false
		}
		a, b := f.originals(), g.originals()
		if !slices.Equal(a, b) || f.stretches[0].from != g.stretches[0].from {
			return false
		}
	}
	return true
}

// originals are those of a film, in order, each once where it goes on.
func (f *film) originals() []string {
	var out []string
	for _, s := range f.stretches {
		out = append(out, s.original)
	}
	return slices.Compact(out)
}

// Claims of the summary of concatenated videos.
const (
	claimsBoth   = "in both orders"
	claimsRepeat = "with one of them repeated"
)

// summary is what a task is in a sentence.
func summary(worlds []*world) string {
	w := worlds[0]
	switch w.layout {
	case layoutSplit:
		return "Two similar videos side by side, with and without exchange of sides."
	case layoutInterleaved:
		return fmt.Sprintf("Two similar videos in %d segments each, which alternate.", len(w.turns)/2)
	case layoutNBack:
		return fmt.Sprintf("%d clips one after the other.", len(w.names))
	}
	var orders, claims []string
	for _, o := range worlds {
		orders = append(orders, o.order())
	}
	if slices.Contains(orders, "AB") && slices.Contains(orders, "BA") {
		claims = append(claims, claimsBoth)
	}
	if slices.ContainsFunc(orders, func(o string) bool { return len(o) > 2 }) {
		claims = append(claims, claimsRepeat)
	}
	return concatenated(claims)
}

func concatenated(claims []string) string {
	said := strings.Join(claims, " and ")
	if said != "" {
		said = ", " + said
	}
	return "Two similar videos one after the other" + said + "."
}

// summaryTells reports whether a summary says all that another does and more: a
// gate may have withheld media that it speaks of.
func summaryTells(more, less string) bool {
	for _, claims := range [][]string{{claimsBoth}, {claimsRepeat}, {claimsBoth, claimsRepeat}} {
		if more == concatenated(claims) {
			for _, c := range []string{claimsBoth, claimsRepeat} {
				if strings.Contains(less, c) && !slices.Contains(claims, c) {
					return false
				}
			}
			return strings.HasPrefix(less, "Two similar videos one after the other")
		}
	}
	return false
}
