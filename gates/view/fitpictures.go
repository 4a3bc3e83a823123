package view

import "slices"

// fitPictures says how many pictures every passage shows, and how many it would be with
// room for all: one of an image, Frames of a span, Whole of a whole video. With
// less room context has one, and every passage has one in turn until the room is
// used; with less than one each, passages evenly spaced have one and the others
// none. Where something is said not to occur in some passages, or the answer does not rest on them, these have half of
// the room, and one each where all passages can have one: neither half of the answer
// may crowd out the other, and what no picture is of cannot be looked through.
func fitPictures(list []Passage, t Settings) (out []Passage, full int) {
	var at, wanted []int
	var absent []bool
	for i, p := range list {
		if p.Picture == nil {
			continue
		}
		n := wantedPictures(p, t)
		at, wanted, absent, full = append(at, i), append(wanted, n), append(absent, p.Absence || p.Rest), full+n
	}
	if full > t.Most {
		for k, i := range at {
			if list[i].context {
				wanted[k] = min(wanted[k], 1)
			}
		}
	}
	out = slices.Clone(list)
	for k, n := range shareWithAbsent(wanted, absent, t.Most) {
		p := &out[at[k]]
		if n == 0 {
			p.Picture, p.Span, p.context = nil, "", false
			continue
		}
		picture := *p.Picture
		picture.Frames = n
		p.Picture = &picture
	}
	return slices.DeleteFunc(out, Passage.empty), full
}

// shareWithAbsent gives the absent ones what the others leave, half of the room at least, and one
// each where that is possible.
func shareWithAbsent(wanted []int, absent []bool, most int) []int {
	var sides [2][]int
	total := 0
	for i, n := range wanted {
		if absent[i] {
			sides[1], total = append(sides[1], n), total+n
		} else {
			sides[0] = append(sides[0], n)
		}
	}
	kept := min(total, most/2)
	if len(wanted) <= most {
		kept = max(kept, len(sides[1]))
	}
	sides[0] = shareOut(sides[0], most-kept)
	for _, n := range sides[0] {
		most -= n
	}
	sides[1] = shareOut(sides[1], most)
	out := make([]int, len(wanted))
	for i := range out {
		side := 0
		if absent[i] {
			side = 1
		}
		out[i], sides[side] = sides[side][0], sides[side][1:]
	}
	return out
}

// withoutRepeats leaves out context that another passage shows as well: the pictures of a
// clue also show what its video is called by.
func withoutRepeats(list []Passage) []Passage {
	return slices.DeleteFunc(slices.Clone(list), func(p Passage) bool {
		return p.context && p.Picture != nil && p.Text == "" && p.Caption == "" && slices.ContainsFunc(list, func(o Passage) bool {
			return !o.context && o.Picture != nil && o.Span == p.Span &&
				o.Picture.Media == p.Picture.Media && o.Picture.From == p.Picture.From && o.Picture.To == p.Picture.To
		})
	})
}

func wantedPictures(p Passage, t Settings) int {
	switch {
	case p.Picture.Frames > 0:
		return p.Picture.Frames
	case p.Span == wholeVideo:
		return max(t.Whole, t.Frames)
	}
	return t.Frames
}

// shareOut gives out at most most, no more than is wanted anywhere.
func shareOut(wanted []int, most int) []int {
	out, left := make([]int, len(wanted)), max(most, 0)
	if n := len(wanted); n > left {
		for i := range left {
			out[(2*i+1)*n/(2*left)] = 1
		}
		return out
	}
	for given := true; given && left > 0; {
		given = false
		for i := range wanted {
			if out[i] < wanted[i] && left > 0 {
				out[i], left, given = out[i]+1, left-1, true
			}
		}
	}
	return out
}
