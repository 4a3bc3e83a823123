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

// DeriveTask returns t with every column as it follows from the media that it
// lists and the questions about it, and the names of the columns that do not
// follow. The cases are those of its media, in order.
func DeriveTask(t schemas.Task, cases []Case, about []schemas.Question) (schemas.Task, []string, error) {
	out := schemas.Task{TaskID: t.TaskID, Family: family}
	worlds, err := readMedia(cases)
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
	if err := checkAsked(about, out.Media); err != nil {
		return t, nil, err
	}
	first := worlds[0]
	out.Scenario = first.layout
	categories := first.videos[first.domainVideo()].labelValues(schemas.AttributeCategory)
	if len(categories) > 1 {
		return t, nil, fmt.Errorf("its videos have the categories %q", categories)
	}
	out.Domain = strings.Join(categories, "")
	var free []string
	if out.Summary, free, err = deriveSummary(t.Summary, worlds, about); err != nil {
		return t, nil, err
	}
	if first.layout == layoutSplit && allAmong(out.SourceRecords, t.SourceRecords) && len(out.SourceRecords) < len(t.SourceRecords) {
		out.SourceRecords, free = t.SourceRecords, append(free, "source_records") // the end of the longer video is not shown
	}
	return out, free, nil
}

// deriveSummary returns the summary of a task as it follows; more than that,
// about media that were excluded or about what was measured, is taken as
// stated.
func deriveSummary(stated string, worlds []*composition, about []schemas.Question) (out string, free []string, err error) {
	plain, measured, err := splitMeasured(stated, about)
	if err != nil {
		return "", nil, err
	}
	if out = summaryText(worlds); out != plain && summaryCovers(plain, out) {
		out, free = plain, append(free, "summary")
	}
	if measured != "" {
		free = append(free, "summary, what was measured")
	}
	return out + measured, free, nil
}

func readMedia(cases []Case) ([]*composition, error) {
	if len(cases) == 0 {
		return nil, fmt.Errorf("none of its media is in the release")
	}
	var worlds []*composition
	seen := map[string]bool{}
	for _, c := range cases {
		w, err := c.composition()
		if err != nil {
			return nil, fmt.Errorf("medium %.12s: %w", c.Media.MediaID, err)
		}
		if seen[c.Media.MediaID] || len(worlds) > 0 && !w.sameVideos(worlds[0]) {
			return nil, fmt.Errorf("medium %.12s shows other videos than the first, or is listed twice", c.Media.MediaID)
		}
		seen[c.Media.MediaID] = true
		worlds = append(worlds, w)
	}
	return worlds, nil
}

func checkAsked(about []schemas.Question, media []string) error {
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

// splitMeasured splits a summary at what was measured, which must agree with
// the label of the questions.
func splitMeasured(summary string, about []schemas.Question) (plain, measured string, err error) {
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

func (w *composition) domainVideo() string {
	if w.layout == layoutNBack {
		return w.names[0]
	}
	return "A"
}

// sameVideos reports whether two media show the same videos in one layout, from
// the same files.
func (w *composition) sameVideos(o *composition) bool {
	if w.layout != o.layout || len(w.videos) != len(o.videos) || !maps.Equal(w.files, o.files) {
		return false
	}
	for id, f := range w.videos {
		g, both := o.videos[id]
		if !both {
			return false
		}
		a, b := f.originalFiles(), g.originalFiles()
		if !slices.Equal(a, b) || f.stretches[0].from != g.stretches[0].from {
			return false
		}
	}
	return true
}

// originalFiles returns those of a video, in order, each once where it goes on.
func (f *video) originalFiles() []string {
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

func summaryText(worlds []*composition) string {
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
	return concatSummary(claims)
}

func concatSummary(claims []string) string {
	plain := strings.Join(claims, " and ")
	if plain != "" {
		plain = ", " + plain
	}
	return "Two similar videos one after the other" + plain + "."
}

// summaryCovers reports whether a summary says all that another does and more:
// a gate may have excluded media that it mentions.
func summaryCovers(more, less string) bool {
	for _, claims := range [][]string{{claimsBoth}, {claimsRepeat}, {claimsBoth, claimsRepeat}} {
		if more == concatSummary(claims) {
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
