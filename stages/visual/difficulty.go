package visual

import (
	"slices"
	"strconv"

	"github.com/memforge/memforge/stages/visual/question"
	"github.com/memforge/memforge/stages/visual/simulate"
)

// Labels of what makes a question hard, as numbers: two releases of one configuration
// with other seeds are compared by them.
const (
	// labelAlike counts the other things in the pictures of the evidence that tell
	// the same aspect.
	labelAlike = "alike"
	// labelDistance is how many sessions follow the one with the last evidence.
	labelDistance = "distance"
	// labelDistractors counts the pictures of the conversation that are no evidence.
	labelDistractors = "distractors"
	// labelUpdates is how often what is asked about changes in the pictures.
	labelUpdates = "updates"
)

// difficultyLabels is what makes a draft hard.
func difficultyLabels(d question.Draft, l simulate.Simulation) map[string]string {
	var scenes []int
	for _, c := range d.Clues {
		if !slices.Contains(scenes, c.Scene) {
			scenes = append(scenes, c.Scene)
		}
	}
	alike := -len(scenes)
	for _, at := range scenes {
		for _, t := range l.Scenes[at].NamedThings() {
			if slices.Contains(t.Tells, d.Aspect) {
				alike++
			}
		}
	}
	last := 0
	for i, s := range l.Sessions {
		for _, r := range s.Rounds {
			if slices.Contains(scenes, r.Scene) {
				last = i
			}
		}
	}
	return map[string]string{
		labelAlike: strconv.Itoa(alike), labelDistance: strconv.Itoa(len(l.Sessions) - 1 - last),
		labelDistractors: strconv.Itoa(len(l.Scenes) - len(scenes)), labelUpdates: strconv.Itoa(d.Updates),
	}
}
