package media

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/memforge/memforge/schemas"
)

const (
	regionFull  = "full"
	regionLeft  = "left"
	regionRight = "right"
)

// piece is frames [from, to) of a normalised video, shown from output frame at on.
type piece struct {
	source       string
	from, to, at int64
	normalised   NormalisedVideo
}

func (p piece) end() int64 { return p.at + p.to - p.from }

// sound returns the file with what is heard of a piece, "" for silence.
func (p piece) sound() string {
	if p.normalised.HasAudio {
		return p.normalised.Audio
	}
	return ""
}

// parsedRecipe is a parsed recipe: either one row of pieces that fill the
// picture, or a row for each half.
type parsedRecipe struct {
	rows   [][]piece
	swaps  []int64
	frames int64
}

// parseRecipe checks that a recipe's segments follow each other without a gap.
// The error is a judgement on the recipe.
func parseRecipe(r schemas.Recipe) (parsedRecipe, error) {
	byRegion := map[string][]piece{}
	for n, s := range r.Segments {
		if s.Region != regionFull && s.Region != regionLeft && s.Region != regionRight {
			return parsedRecipe{}, newMismatch("segment %d is shown in the region %q", n, s.Region)
		}
		row := byRegion[s.Region]
		at := int64(0)
		if len(row) > 0 {
			at = row[len(row)-1].end()
		}
		if s.From < 0 || s.To <= s.From || s.At != at {
			return parsedRecipe{}, newMismatch("segment %d shows frames %d to %d from output frame %d on, want at least one frame from %d on", n, s.From, s.To, s.At, at)
		}
		byRegion[s.Region] = append(row, piece{source: s.Source, from: s.From, to: s.To, at: s.At})
	}
	c := parsedRecipe{swaps: r.SwapFrames}
	full, left, right := byRegion[regionFull], byRegion[regionLeft], byRegion[regionRight]
	switch {
	case len(full) > 0 && len(left)+len(right) == 0 && len(r.SwapFrames) == 0:
		c.rows = [][]piece{full}
	case len(full) == 0 && len(left) > 0 && len(right) > 0:
		c.rows = [][]piece{left, right}
	default:
		return parsedRecipe{}, newMismatch("%d segments fill the picture, %d the left and %d the right half, with %d swaps: no layout is like that", len(full), len(left), len(right), len(r.SwapFrames))
	}
	c.frames = rowLength(c.rows[0])
	if last := rowLength(c.rows[len(c.rows)-1]); last != c.frames {
		return parsedRecipe{}, newMismatch("the left half has %d frames, the right one %d", c.frames, last)
	}
	return c, c.checkSwaps()
}

func rowLength(row []piece) int64 { return row[len(row)-1].end() }

func (c parsedRecipe) checkSwaps() error {
	before := int64(0)
	for _, f := range c.swaps {
		if f <= before || f >= c.frames {
			return newMismatch("a swap at frame %d, after one at %d and in %d frames", f, before, c.frames)
		}
		before = f
	}
	return nil
}

func (c parsedRecipe) split() bool { return len(c.rows) == 2 }

func (c parsedRecipe) swapped(frame int64) bool {
	before, _ := slices.BinarySearch(c.swaps, frame+1)
	return before%2 == 1
}

func (c parsedRecipe) findFiles(find func(media string) (NormalisedVideo, error)) error {
	for _, row := range c.rows {
		for n := range row {
			m, err := find(row[n].source)
			if err != nil {
				return fmt.Errorf("normalised video %s: %w", row[n].source, err)
			}
			if m.Video, err = filepath.Abs(m.Video); err != nil {
				return fmt.Errorf("normalised video %s: %w", row[n].source, err)
			}
			row[n].normalised = m
		}
	}
	return nil
}

func (c parsedRecipe) hasAudio() bool {
	return slices.ContainsFunc(slices.Concat(c.rows...), func(p piece) bool { return p.normalised.HasAudio })
}

func (c parsedRecipe) clips() []Clip {
	var list []Clip
	for _, p := range c.rows[0] {
		list = append(list, Clip{Video: p.normalised.Video, Audio: p.sound(), From: p.from, To: p.to})
	}
	return list
}

// boundaries returns the output frames at which something begins: pieces and
// swaps, sorted, frame 0 among them.
func (c parsedRecipe) boundaries() []int64 {
	list := slices.Clone(c.swaps)
	for _, p := range slices.Concat(c.rows...) {
		list = append(list, p.at)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func pieceAt(row []piece, frame int64) piece {
	n, _ := slices.BinarySearchFunc(row, frame, func(p piece, f int64) int { return cmp.Compare(p.end(), f+1) })
	return row[n]
}
