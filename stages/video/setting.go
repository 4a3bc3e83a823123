package video

import (
	"fmt"
	"strings"

	"github.com/memforge/memforge/schemas"
	ask "github.com/memforge/memforge/stages/video/question"
	"github.com/memforge/memforge/stages/video/timeline"
)

// mostRuns is how many runs of one video a setting lists.
const mostRuns = 50

// setting says how long a composed video is and how it is laid out: what whoever
// sees pieces of it needs to place them. Which of the two videos is which it does
// not say: "the one" is whichever begins first, or on the left.
func setting(c schemas.Composition, lines map[ask.Side]timeline.Line) string {
	a, b := lines[ask.A], lines[ask.B]
	out := lasting(a.Total())
	if c.Media.Recipe.Layout == schemas.LayoutSplit {
		return out + " " + sides(a.Swaps())
	}
	if b.Leads(a) {
		a, b = b, a
	}
	return out + " It plays two videos: the one " + when(a.Runs()) + "; the other " + when(b.Runs()) + "."
}

func lasting(total float64) string {
	return fmt.Sprintf("The whole video lasts %.2f s, so its second half begins at %.2f s.", total, total/2)
}

// sides says when the halves of the picture are exchanged.
func sides(swaps []float64) string {
	const halves = "Its picture shows two videos at once, the one in the left half and the other in the right half"
	if len(swaps) == 0 {
		return halves + ", all the time."
	}
	return halves + " at first; they change sides at " + times(swaps) + " s."
}

// when lists the runs of one video.
func when(runs []timeline.Span) string {
	if len(runs) > mostRuns {
		return fmt.Sprintf("in %d pieces, the first of them from %s", len(runs), between(runs[0]))
	}
	told := make([]string, len(runs))
	for i, r := range runs {
		told[i] = between(r)
	}
	return "from " + strings.Join(told, ", from ")
}

func between(s timeline.Span) string { return fmt.Sprintf("%.2f s to %.2f s", s.Start, s.End) }

func times(seconds []float64) string {
	told := make([]string, len(seconds))
	for i, t := range seconds {
		told[i] = fmt.Sprintf("%.2f", t)
	}
	return strings.Join(told, ", ")
}
