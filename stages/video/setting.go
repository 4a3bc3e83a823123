package video

import (
	"fmt"
	"strings"

	"github.com/memforge/memforge/schemas"
	ask "github.com/memforge/memforge/stages/video/question"
	"github.com/memforge/memforge/stages/video/timeline"
)

// maxRuns is how many runs of one video a setting lists.
const maxRuns = 50

// settingText says how long a composed video is and how it is laid out: what whoever
// sees pieces of it needs to place them. Which of the two videos is which it does
// not say: "the one" is whichever begins first, or on the left.
func settingText(c schemas.Composition, lines map[ask.Side]timeline.Line) string {
	a, b := lines[ask.A], lines[ask.B]
	out := durationText(a.Total())
	if c.Media.Recipe.Layout == schemas.LayoutSplit {
		return out + " " + swapsText(a.Swaps())
	}
	if b.StartsBefore(a) {
		a, b = b, a
	}
	return out + " It plays two videos: the one " + runsText(a.Runs()) + "; the other " + runsText(b.Runs()) + "."
}

func durationText(total float64) string {
	return fmt.Sprintf("The whole video lasts %.2f s, so its second half begins at %.2f s.", total, total/2)
}

// swapsText says when the halves of the picture are exchanged.
func swapsText(swaps []float64) string {
	const halves = "Its picture shows two videos at once, the one in the left half and the other in the right half"
	if len(swaps) == 0 {
		return halves + ", all the time."
	}
	return halves + " at first; they change sides at " + joinTimes(swaps) + " s."
}

// runsText lists the runs of one video.
func runsText(runs []timeline.Span) string {
	if len(runs) > maxRuns {
		return fmt.Sprintf("in %d pieces, the first of them from %s", len(runs), spanText(runs[0]))
	}
	told := make([]string, len(runs))
	for i, r := range runs {
		told[i] = spanText(r)
	}
	return "from " + strings.Join(told, ", from ")
}

func spanText(s timeline.Span) string { return fmt.Sprintf("%.2f s to %.2f s", s.Start, s.End) }

func joinTimes(seconds []float64) string {
	told := make([]string, len(seconds))
	for i, t := range seconds {
		told[i] = fmt.Sprintf("%.2f", t)
	}
	return strings.Join(told, ", ")
}
