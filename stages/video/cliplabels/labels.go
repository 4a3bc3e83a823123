// Package cliplabels keeps the scene and action labels of one video's clips
// consistent (M3Eval C.2): clips are labelled in temporal order, and a label
// once given is used again instead of a new wording of it.
package cliplabels

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
)

// The attributes that clips are labelled with.
const (
	Scene  = "scene"
	Action = "action"
)

// maxWords and maxLength bound a label.
const (
	maxWords  = 6
	maxLength = 60
)

// Normalise returns the form in which labels are compared: lower case, without
// article, quotes or final punctuation, single spaces. It is empty when nothing
// is left.
func Normalise(s string) string {
	const signs = "-'&/"
	list := words.Rule{NoMarks: true, Digits: true, Signs: signs}.Words(s)
	for i, w := range list {
		list[i] = strings.Trim(w, signs)
	}
	list = slices.DeleteFunc(list, func(w string) bool { return w == "" })
	if len(list) > 1 && slices.Contains([]string{"a", "an", "the"}, list[0]) {
		list = list[1:]
	}
	return strings.Join(list, " ")
}

// List is the running list of one attribute's labels.
type List struct {
	names  []string
	closed bool
	use    schemas.LabelUse
}

// NewOpen starts a list that new labels may join.
func NewOpen() *List { return &List{} }

// NewClosed starts a list that labels must be taken from.
func NewClosed(vocabulary []string) *List {
	l := &List{closed: true}
	for _, v := range vocabulary {
		if v = Normalise(v); !slices.Contains(l.names, v) {
			l.names = append(l.names, v)
		}
	}
	return l
}

// Names lists the labels in the order they joined.
func (l *List) Names() []string { return slices.Clone(l.names) }

// IsClosed reports whether new labels are refused.
func (l *List) IsClosed() bool { return l.closed }

// Usage returns how the labels came about.
func (l *List) Usage() schemas.LabelUse { return l.use }

// AddKnown counts a label that is known by construction. Later clips may use it
// again.
func (l *List) AddKnown(label string) {
	l.use.Known++
	if !l.closed && !slices.Contains(l.names, label) {
		l.names = append(l.names, label)
	}
}

// Check reports what is wrong with a label as a model states it, in words that
// the model can act on.
func (l *List) Check(label string) error {
	n := Normalise(label)
	if err := checkName(n); err != nil {
		return fmt.Errorf("label %q: %w", label, err)
	}
	if l.closed && !slices.Contains(l.names, n) {
		return fmt.Errorf("label %q is not in the closed list; choose one of %s", label, strings.Join(l.names, ", "))
	}
	return nil
}

// Assign counts an accepted label for the next clip and returns its normal
// form. The list decides whether it is reused; reused is what the model says.
func (l *List) Assign(label string, reused bool) string {
	n := Normalise(label)
	known := slices.Contains(l.names, n)
	if known {
		l.use.Reused++
	} else {
		l.use.New++
		l.names = append(l.names, n)
	}
	if known != reused {
		l.use.Misstated++
	}
	return n
}

func checkName(n string) error {
	switch {
	case n == "":
		return fmt.Errorf("it has no word; give a short phrase")
	case len(strings.Fields(n)) > maxWords || len(n) > maxLength:
		return fmt.Errorf("it is longer than %d words or %d characters; give a short phrase", maxWords, maxLength)
	}
	return nil
}

// CheckVocabulary reports a closed list that cannot work.
func CheckVocabulary(attribute string, vocabulary []string) error {
	seen := map[string]string{}
	for _, v := range vocabulary {
		n := Normalise(v)
		if err := checkName(n); err != nil {
			return fmt.Errorf("%s label %q: %w", attribute, v, err)
		}
		if earlier, ok := seen[n]; ok {
			return fmt.Errorf("%s labels %q and %q are the same; leave one out", attribute, earlier, v)
		}
		seen[n] = v
	}
	if len(vocabulary) == 1 {
		return fmt.Errorf("%s has one label only, so all clips would match; give two or more", attribute)
	}
	return nil
}

// share of a section that an event must fill to be its action.
const share = 0.5

// KnownLabel returns the label of an attribute that is known by construction for a
// section of a video, or nothing: the video's own label, or for an action the
// one event that fills most of the section. start and end are seconds.
func KnownLabel(v schemas.Video, attribute string, start, end float64) string {
	if l := Normalise(v.Labels[attribute]); l != "" {
		return l
	}
	if attribute != Action || end <= start {
		return ""
	}
	label := ""
	for _, e := range v.Events {
		overlap := math.Min(end, e.End) - math.Max(start, e.Start)
		if overlap < share*(end-start) {
			continue
		}
		n := eventLabel(e)
		if label != "" && n != label {
			return "" // two at once: which one it is about is not known
		}
		label = n
	}
	return label
}

// eventLabel returns the activity of an event: what is shown, where an event
// only shows something, else its verb.
func eventLabel(e schemas.Event) string {
	if e.Kind == groundtruth.Shows {
		return Normalise(e.Object)
	}
	return Normalise(e.Kind)
}
