package author

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"unicode/utf8"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/dialogue"
)

// Input is what the author is told.
type Input struct {
	// X and Y are the target.
	X string `json:"x"`
	Y string `json:"y"`
	// Scenario is what the conversation is about, Profile what is known of who speaks.
	Scenario string   `json:"scenario"`
	Profile  []string `json:"profile,omitempty"`
	Rounds   []Said   `json:"rounds"`
	// LeftOut rounds of the conversation are not told, Shown pictures are shown.
	LeftOut int `json:"left_out,omitempty"`
	Shown   int `json:"shown"`
	// Asked are the questions of the cell that exist already.
	Asked   []string               `json:"asked"`
	Refused []model.Refused[Draft] `json:"refused"`
}

// Said is a round as the author reads it.
type Said struct {
	Round    string   `json:"round"`
	Date     string   `json:"date,omitempty"`
	Lines    []string `json:"lines"`
	Pictures []Seen   `json:"pictures,omitempty"`
}

// Seen is a picture of a round: its number among those shown, 0 where it is not, and
// how it was described.
type Seen struct {
	Number      int    `json:"number"`
	Description string `json:"description,omitempty"`
}

// excerpt draws what of the conversation the author is shown for one question: a run of
// rounds with pictures, as many as may be shown, and around it what else fits. Rounds
// after the run come before those ahead of it, for they may change what the run shows.
func (w *writing) excerpt(rnd *rand.Rand, c cell) (Input, []pipeline.Digest) {
	run := w.run(rnd)
	if c.y == schemas.ReasonEvolving && !w.followed(run) {
		run = w.lastRun()
	}
	taken, size := map[int]bool{}, 0
	for _, i := range run {
		taken[i] = true
		size += sizeOf(w.rounds[i])
	}
	for _, i := range around(run, len(w.rounds)) {
		if size+sizeOf(w.rounds[i]) > w.cfg.Chars {
			break
		}
		taken[i] = true
		size += sizeOf(w.rounds[i])
	}
	in := Input{X: c.x, Y: c.y, Scenario: cmp.Or(w.dialogue.Task.Scenario, w.dialogue.Task.Summary), Profile: w.profile(), Refused: []model.Refused[Draft]{}}
	var images []pipeline.Digest
	for i, r := range w.rounds {
		if !taken[i] {
			in.LeftOut++
			continue
		}
		in.Rounds = append(in.Rounds, w.said(r, slices.Contains(run, i), &images))
	}
	in.Shown = len(images)
	return in, images
}

// followed reports that all rounds from a run to the end can be told: what holds in the
// end is not to be asked of who cannot know it.
func (w *writing) followed(run []int) bool {
	size := 0
	for _, r := range w.rounds[run[0]:] {
		size += sizeOf(r)
	}
	return size <= w.cfg.Chars
}

// run is a run of rounds with pictures that begins anywhere: of those that follow each
// other, so that what changes is likely to be seen before and after.
func (w *writing) run(rnd *rand.Rand) []int {
	from := rnd.IntN(len(w.pictured) - len(w.lastRun()) + 1)
	return w.runFrom(from)
}

// lastRun is the longest one that reaches the last round with a picture.
func (w *writing) lastRun() []int {
	from := 0
	for from+len(w.runFrom(from)) < len(w.pictured) {
		from++
	}
	return w.pictured[from:]
}

// runFrom is the run that begins at one of the rounds with pictures.
func (w *writing) runFrom(from int) []int {
	n, pictures := 0, 0
	for _, i := range w.pictured[from:] {
		more := len(w.rounds[i].Pictures())
		if n > 0 && pictures+more > w.cfg.Pictures {
			break
		}
		n, pictures = n+1, pictures+more
	}
	return w.pictured[from : from+n]
}

// around are the other rounds: those within a run, then those after it, then those
// ahead of it, the nearest first.
func around(run []int, rounds int) []int {
	var out []int
	first, last := run[0], run[len(run)-1]
	for i := first; i < rounds; i++ {
		if !slices.Contains(run, i) {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int {
		within := func(i int) int {
			if i < last {
				return 0
			}
			return 1
		}
		return cmp.Compare(within(a), within(b))
	})
	for i := first - 1; i >= 0; i-- {
		out = append(out, i)
	}
	return out
}

// mostLine bounds what one turn and one description take, in characters.
const mostLine = 2000

func sizeOf(r dialogue.Round) int {
	n := 40
	for _, t := range r.Turns {
		n += min(utf8.RuneCountInString(t.Text), mostLine)
	}
	for _, a := range r.Pictures() {
		n += min(utf8.RuneCountInString(a.Caption), mostLine) + 20
	}
	return n
}

func (w *writing) said(r dialogue.Round, shown bool, images *[]pipeline.Digest) Said {
	out := Said{Round: r.ID, Date: r.Session.Date}
	for _, t := range r.Turns {
		out.Lines = append(out.Lines, cut(t.Line()))
	}
	for _, a := range r.Pictures() {
		seen := Seen{Description: cut(a.Caption)}
		if shown && len(*images) < w.cfg.Pictures {
			*images = append(*images, pipeline.Digest(a.MediaID))
			seen.Number = len(*images)
		}
		out.Pictures = append(out.Pictures, seen)
	}
	return out
}

func cut(s string) string {
	if r := []rune(s); len(r) > mostLine {
		return string(r[:mostLine]) + " [cut]"
	}
	return s
}

// profile is what the profiles of a task say.
func (w *writing) profile() []string {
	var out []string
	for _, s := range w.dialogue.Sessions {
		for _, t := range s.Turns {
			if s.Kind == schemas.KindProfile && len(out) < mostProfile {
				out = append(out, cut(t.Text))
			}
		}
	}
	return out
}

// mostProfile bounds the lines of profiles.
const mostProfile = 40

// round finds one by its name among those that the author was told.
func (w *writing) round(in Input, name string) (dialogue.Round, error) {
	i := slices.IndexFunc(w.rounds, func(r dialogue.Round) bool { return r.ID == name })
	if i < 0 || !slices.ContainsFunc(in.Rounds, func(s Said) bool { return s.Round == name }) {
		return dialogue.Round{}, fmt.Errorf("clue_rounds names %q, which is none of the rounds you were told", name)
	}
	return w.rounds[i], nil
}
