package question

import "slices"

// colourSets asks for details in sets of four with the same four colours as
// options, each of which is right once. So no colour is right more often than
// another one that stands beside it, nor a longer word than a shorter. A set asks
// about both videos twice, or three times about one where it must. What is left
// over of limit, or finds no set, is not asked.
func colourSets(details [2][]detail, limit int) []draft {
	left := [2]int{limit, limit}
	var out []draft
	for {
		set := findColourSet(details, left)
		if set == nil {
			return out
		}
		for _, d := range set {
			var wrong []string
			for _, o := range set {
				if o.Answer != d.Answer {
					wrong = append(wrong, o.Answer)
				}
			}
			d.wrong = distractors(wrong)
			out = append(out, d.draft)
			n := d.videoIndex()
			left[n]--
			details[n] = slices.DeleteFunc(slices.Clone(details[n]), func(o detail) bool { return o.Question == d.Question })
		}
	}
}

// videoIndex is the index of the video that a detail is of.
func (d detail) videoIndex() int { return map[string]int{string(A): 0, string(B): 1}[d.Target] }

// compatible reports whether the colours of two details can stand beside each other in
// the options of both.
func (d detail) compatible(o detail) bool { return d.may[o.Answer] && o.may[d.Answer] }

// maxSearched bounds how many details of a video a set is looked for in.
const maxSearched = 12

// findColourSet finds four details that fit each other, the first ones if possible.
func findColourSet(details [2][]detail, left [2]int) []detail {
	for _, from := range [][2]int{{2, 2}, {1, 3}, {3, 1}} {
		if from[0] > left[0] || from[1] > left[1] {
			continue
		}
		if set := completeColourSet(nil, details, from); set != nil {
			return set
		}
	}
	return nil
}

// completeColourSet adds so many details of each video to a set; nil when none fit.
func completeColourSet(set []detail, details [2][]detail, from [2]int) []detail {
	side := 0
	if from[0] == 0 {
		side = 1
	}
	if from[side] == 0 {
		return set
	}
	from[side]--
	ds := details[side]
	for i, d := range ds[:min(len(ds), maxSearched)] {
		if slices.ContainsFunc(set, func(o detail) bool { return !o.compatible(d) }) {
			continue
		}
		rest := details
		rest[side] = ds[i+1:]
		if found := completeColourSet(append(slices.Clone(set), d), rest, from); found != nil {
			return found
		}
	}
	return nil
}
