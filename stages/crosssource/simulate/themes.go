package simulate

import (
	"slices"
	"strings"
)

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

// Interrogative is how one asks for a value that is somebody, a place or a firm, by its last
// word.
func Interrogative(value string) string {
	switch last := value[strings.LastIndex(value, " ")+1:]; {
	case slices.Contains(firmKinds(), last):
		return askFirm
	case slices.Contains(placeKinds(), last):
		return askPlace
	}
	return askPerson
}
