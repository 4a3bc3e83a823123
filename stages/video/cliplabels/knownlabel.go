package cliplabels

import (
	"math"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
)

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

// eventLabel is the activity of an event: what is shown, where an event only
// shows something, else its verb.
func eventLabel(e schemas.Event) string {
	if e.Kind == groundtruth.Shows {
		return Normalise(e.Object)
	}
	return Normalise(e.Kind)
}
