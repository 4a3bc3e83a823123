package worlds

import "slices"

// ThemesOf are the themes whose things are among some words: what a thing is called, or
// the last word of names of such things.
func ThemesOf(words []string) (out []string) {
	for _, f := range fields() {
		if slices.Contains(words, f.thing) || slices.Contains(words, f.title) {
			out = append(out, f.theme)
		}
	}
	return out
}
