package question

import (
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
)

// TitleSeconds is how long a video is shown from its beginning for its title to
// be read.
const TitleSeconds = 2

// nameMoments are where that which videos are called by can be seen: the beginning of
// one with a title, what one shows first, or also last, of the others.
func (s Scene) nameMoments() []Moment {
	var out []Moment
	for _, v := range []struct {
		side Side
		view videoView
	}{{A, newView(s.Pair.A, s.A)}, {B, newView(s.Pair.B, s.B)}} {
		if v.view.title != "" {
			out = append(out, TitleMoment(v.side))
			continue
		}
		shown := v.view.events(groundtruth.Shows)
		if len(shown) == 0 {
			continue
		}
		out = append(out, Moment{Side: v.side, Event: shown[0]})
		if strings.Contains(s.Style.Identify, "{last}") && len(shown) > 1 {
			out = append(out, Moment{Side: v.side, Event: shown[len(shown)-1]})
		}
	}
	return out
}

// TitleMoment is where the title of a video can be read.
func TitleMoment(side Side) Moment {
	return Moment{Side: side, Event: schemas.Event{End: TitleSeconds}}
}
