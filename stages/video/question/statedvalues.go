package question

import (
	"slices"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
)

// VideoNames is how questions name each side; a side that cannot be named has none.
func VideoNames(s Scene) map[Side]string {
	out := map[Side]string{}
	for _, q := range s.askers(nil) {
		out[q.side] = q.name
	}
	return out
}

// AbsentValues lists what an item puts forward that neither video shows: the lure that
// it asks about, and options that are of neither. That colours which it offers
// are of neither follows from what the videos do show.
func AbsentValues(s Scene, it Item) []string {
	var out []string
	if it.Lure != "" {
		out = append(out, it.Lure)
	}
	if it.Type != schemas.TypeInterference && it.Type != schemas.TypeContentRetention {
		return out
	}
	for _, o := range it.Options {
		shown := groundtruth.Mentions(s.Pair.A.Events, o.Text) || groundtruth.Mentions(s.Pair.B.Events, o.Text)
		if o.Role != schemas.RoleCorrect && !shown && !slices.Contains(groundtruth.Colours(), o.Text) {
			out = append(out, o.Text)
		}
	}
	return out
}
