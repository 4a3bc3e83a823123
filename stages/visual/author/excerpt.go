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

// Input fills the author's prompt.
type Input struct {
	// X and Y are the target cell.
	X string `json:"x"`
	Y string `json:"y"`
	// Scenario is the topic of the conversation, Profile what is known of the user.
	Scenario string         `json:"scenario"`
	Profile  []string       `json:"profile,omitempty"`
	Rounds   []RoundExcerpt `json:"rounds"`
	// LeftOut counts the rounds that are left out, Shown the pictures that are shown.
	LeftOut int `json:"left_out,omitempty"`
	Shown   int `json:"shown"`
	// Asked lists the existing questions of the cell.
	Asked   []string                      `json:"asked"`
	Refused []model.RejectedAnswer[Draft] `json:"refused"`
}

// RoundExcerpt is a round in the prompt.
type RoundExcerpt struct {
	Round    string           `json:"round"`
	Date     string           `json:"date,omitempty"`
	Lines    []string         `json:"lines"`
	Pictures []PictureExcerpt `json:"pictures,omitempty"`
}

// PictureExcerpt is a picture of a round: its number among those shown, or 0, and its
// description.
type PictureExcerpt struct {
	Number      int    `json:"number"`
	Description string `json:"description,omitempty"`
}

// buildExcerpt picks the part of the conversation for one question: a run of rounds
// with as many pictures as may be shown, and around it what else fits. Rounds after the
// run precede those before it, because they may change what the run shows.
func (w *dialogueWriter) buildExcerpt(rnd *rand.Rand, c gridCell) (Input, []pipeline.Digest) {
	run := w.pickRun(rnd)
	if c.y == schemas.ReasonEvolving && !w.fitsToEnd(run) {
		run = w.lastRun()
	}
	taken, size := map[int]bool{}, 0
	for _, i := range run {
		taken[i] = true
		size += roundSize(w.rounds[i])
	}
	for _, i := range surroundingRounds(run, len(w.rounds)) {
		if size+roundSize(w.rounds[i]) > w.cfg.Chars {
			break
		}
		taken[i] = true
		size += roundSize(w.rounds[i])
	}
	in := Input{X: c.x, Y: c.y, Scenario: cmp.Or(w.dialogue.Task.Scenario, w.dialogue.Task.Summary), Profile: w.profileLines(), Refused: []model.RejectedAnswer[Draft]{}}
	var images []pipeline.Digest
	for i, r := range w.rounds {
		if !taken[i] {
			in.LeftOut++
			continue
		}
		in.Rounds = append(in.Rounds, w.excerptRound(r, slices.Contains(run, i), &images))
	}
	in.Shown = len(images)
	return in, images
}

// fitsToEnd reports whether all rounds from a run to the end fit. Otherwise the author
// could not know what holds at the end.
func (w *dialogueWriter) fitsToEnd(run []int) bool {
	size := 0
	for _, r := range w.rounds[run[0]:] {
		size += roundSize(r)
	}
	return size <= w.cfg.Chars
}

// pickRun picks consecutive rounds with pictures at random, so that changes are likely
// to be seen before and after.
func (w *dialogueWriter) pickRun(rnd *rand.Rand) []int {
	from := rnd.IntN(len(w.pictureRounds) - len(w.lastRun()) + 1)
	return w.runFrom(from)
}

// lastRun returns the longest run that reaches the last round with a picture.
func (w *dialogueWriter) lastRun() []int {
	from := 0
	for from+len(w.runFrom(from)) < len(w.pictureRounds) {
		from++
	}
	return w.pictureRounds[from:]
}

// runFrom returns the run that begins at one of the rounds with pictures.
func (w *dialogueWriter) runFrom(from int) []int {
	n, pictures := 0, 0
	for _, i := range w.pictureRounds[from:] {
		more := len(w.rounds[i].Pictures())
		if n > 0 && pictures+more > w.cfg.Pictures {
			break
		}
		n, pictures = n+1, pictures+more
	}
	return w.pictureRounds[from : from+n]
}

// surroundingRounds returns the other rounds: those within a run, then those after it,
// then those before it, the nearest first.
func surroundingRounds(run []int, rounds int) []int {
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

// maxLineChars bounds one turn and one description.
const maxLineChars = 2000

func roundSize(r dialogue.Round) int {
	n := 40
	for _, t := range r.Turns {
		n += min(utf8.RuneCountInString(t.Text), maxLineChars)
	}
	for _, a := range r.Pictures() {
		n += min(utf8.RuneCountInString(a.Caption), maxLineChars) + 20
	}
	return n
}

func (w *dialogueWriter) excerptRound(r dialogue.Round, shown bool, images *[]pipeline.Digest) RoundExcerpt {
	out := RoundExcerpt{Round: r.ID, Date: r.Session.Date}
	for _, t := range r.Turns {
		out.Lines = append(out.Lines, truncate(t.Line()))
	}
	for _, a := range r.Pictures() {
		seen := PictureExcerpt{Description: truncate(a.Caption)}
		if shown && len(*images) < w.cfg.Pictures {
			*images = append(*images, pipeline.Digest(a.MediaID))
			seen.Number = len(*images)
		}
		out.Pictures = append(out.Pictures, seen)
	}
	return out
}

func truncate(s string) string {
	if r := []rune(s); len(r) > maxLineChars {
		return string(r[:maxLineChars]) + " [cut]"
	}
	return s
}

func (w *dialogueWriter) profileLines() []string {
	var out []string
	for _, s := range w.dialogue.Sessions {
		for _, t := range s.Turns {
			if s.Kind == schemas.KindProfile && len(out) < maxProfileLines {
				out = append(out, truncate(t.Text))
			}
		}
	}
	return out
}

const maxProfileLines = 40

// findRound returns a round of the prompt by its name.
func (w *dialogueWriter) findRound(in Input, name string) (dialogue.Round, error) {
	i := slices.IndexFunc(w.rounds, func(r dialogue.Round) bool { return r.ID == name })
	if i < 0 || !slices.ContainsFunc(in.Rounds, func(s RoundExcerpt) bool { return s.Round == name }) {
		return dialogue.Round{}, fmt.Errorf("clue_rounds names %q, which is none of the rounds you were told", name)
	}
	return w.rounds[i], nil
}
