package simulate

import (
	"slices"
	"strings"
)

// ThemesOf returns the themes whose things are among some words: what a thing is called, or
// the last word of names of such things.
func ThemesOf(words []string) (out []string) {
	for _, f := range fields() {
		if slices.Contains(words, f.thing) || slices.Contains(words, f.title) {
			out = append(out, f.theme)
		}
	}
	return out
}

// Interrogative returns how one asks for a value that is somebody, a place or a firm, by its last
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

// field is what a theme is about: things that are counted.
type field struct {
	theme, thing, title string
	// measure and other are two things that are counted of each.
	measure, other string
}

// Themes returns the topics of SMMBench E.4.
func Themes() []string {
	var out []string
	for _, f := range fields() {
		out = append(out, f.theme)
	}
	return out
}

func fieldOf(theme string) field {
	for _, f := range fields() {
		if f.theme == theme {
			return f
		}
	}
	return fields()[0]
}

func fields() []field {
	return []field{
		{"films", "cinema", "Cinema", "ticket count", "cancellation count"},
		{"science", "laboratory", "Lab", "sample count", "retest count"},
		{"politics", "ward", "Ward", "ballot count", "complaint count"},
		{"sports", "club", "Club", "win count", "injury count"},
		{"video games", "arcade", "Arcade", "visitor count", "repair count"},
		{"transportation", "ferry line", "Ferries", "passenger count", "delay count"},
		{"television", "studio", "Studio", "episode count", "reshoot count"},
		{"music", "choir", "Choir", "concert count", "absence count"},
		{"animals", "shelter", "Shelter", "adoption count", "return count"},
		{"history", "archive", "Archive", "letter count", "gap count"},
		{"literature", "bookshop", "Books", "novel count", "refund count"},
		{"architecture", "building site", "Site", "brick count", "defect count"},
		{"art and design", "gallery", "Gallery", "print count", "damage count"},
		{"fashion", "tailor shop", "Tailors", "coat count", "alteration count"},
		{"food", "bakery", "Bakery", "loaf count", "waste count"},
		{"health", "clinic", "Clinic", "visit count", "no-show count"},
		{"lifestyle", "gym", "Gym", "member count", "dropout count"},
		{"nature", "reserve", "Reserve", "bird count", "windfall count"},
		{"religion", "parish", "Parish", "guest count", "arrears count"},
		{"travel", "hostel", "Hostel", "night count", "refusal count"},
		{"business", "branch", "Branch", "contract count", "reminder count"},
		{"education", "school", "School", "prize count", "truancy count"},
		{"environment", "weir", "Weir", "fish count", "blockage count"},
		{"government", "office", "Office", "permit count", "appeal count"},
		{"economy", "market hall", "Market", "stall count", "vacancy count"},
		{"technology", "data centre", "Data", "job count", "failure count"},
	}
}
