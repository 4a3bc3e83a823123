// Package appearance puts measured visual facts into words: what the built-in model
// says of a section that it has measured and cannot see. Every sentence is true
// of the measurements; none needs the picture to be understood.
package appearance

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memforge/memforge/schemas"
)

// maxQuote bounds what is quoted of the captions of a section, in characters.
const maxQuote = 300

// Describe fills the six keys with what measurements and captions carry. Tools
// and props need eyes: that key stays empty.
func Describe(l *schemas.Appearance, captions []string) schemas.Description {
	d := schemas.Description{MainStoryline: quoteCaptions(captions)}
	if l == nil {
		return d
	}
	d.ShortTermActionState = MotionLabel(*l) + "; " + cutsText(l.Cuts)
	if l.MotionAt != "" && !IsStill(*l) {
		d.SpatialRelationBinding = "most of the movement is " + placesText(l.MotionAt)
	}
	d.FineVisualAttribute = pictureText(*l)
	d.TextSymbol = inscriptionPlaces(l.Text)
	return d
}

// mostCommon is the number of ninths from which they need no names.
const mostCommon = 6

func inscriptionPlaces(ninths []string) string {
	switch {
	case len(ninths) == 0:
		return ""
	case len(ninths) >= mostCommon:
		return "what looks like text in most of the picture"
	}
	return "what looks like text " + placesText(ninths...)
}

func placesText(ninths ...string) string {
	edges := slices.DeleteFunc(slices.Clone(ninths), func(n string) bool { return n == "centre" })
	switch {
	case len(edges) == 0:
		return "in the centre"
	case len(edges) < len(ninths):
		return "in the centre and at the " + joinWords(edges)
	}
	return "at the " + joinWords(edges)
}

func pictureText(l schemas.Appearance) string {
	s := brightnessWord(l.Brightness) + ", with " + contrastWord(l.Contrast) + " contrast"
	if len(l.Colours) > 0 {
		s = "mostly " + joinWords(l.Colours[:min(3, len(l.Colours))]) + "; " + s
	}
	return s
}

// SceneLabel returns a label for how a section looks: whether it is dark or
// bright, and its leading colours in alphabetical order, because which of two
// leads changes easily.
func SceneLabel(l schemas.Appearance) string {
	two := slices.Sorted(slices.Values(l.Colours[:min(2, len(l.Colours))]))
	return strings.TrimSpace(brightnessWord(l.Brightness) + " " + strings.Join(two, " and "))
}

// MotionLabel returns a label for how much moves in a section.
func MotionLabel(l schemas.Appearance) string {
	switch {
	case l.Motion < stillBelow:
		return "no movement"
	case l.Motion < slightBelow:
		return "slight movement"
	case l.Motion < strongFrom:
		return "moderate movement"
	}
	return "strong movement"
}

// IsStill reports whether nothing moves.
func IsStill(l schemas.Appearance) bool { return l.Motion < stillBelow }

// Classes of motion, by mean change of luma between samples.
const (
	stillBelow  = 0.004
	slightBelow = 0.02
	strongFrom  = 0.06
)

func brightnessWord(b float64) string {
	switch {
	case b < 0.25:
		return "dark"
	case b < 0.45:
		return "rather dark"
	case b < 0.65:
		return "rather bright"
	}
	return "bright"
}

func contrastWord(c float64) string {
	switch {
	case c < 0.12:
		return "low"
	case c < 0.24:
		return "medium"
	}
	return "strong"
}

func cutsText(cuts int32) string {
	if cuts == 0 {
		return "no cut"
	}
	return fmt.Sprintf("%d shots", cuts+1)
}

func joinWords(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

func quoteCaptions(captions []string) string {
	text := strings.Join(strings.Fields(strings.Join(captions, " ")), " ")
	if text == "" {
		return ""
	}
	if utf8.RuneCountInString(text) > maxQuote {
		text = strings.TrimSpace(string([]rune(text)[:maxQuote])) + " ..."
	}
	return `a caption says "` + text + `"`
}

// Summary describes a whole video from the measured appearance of its sections.
func Summary(sections []schemas.Description) string {
	var parts []string
	for i, d := range sections {
		text := d.FineVisualAttribute
		if d.MainStoryline != "" {
			text = d.MainStoryline
		}
		if text != "" && (len(parts) == 0 || !strings.HasSuffix(parts[len(parts)-1], text)) {
			parts = append(parts, fmt.Sprintf("Part %d: %s", i+1, text))
		}
	}
	s := fmt.Sprintf("Measured in %d parts, not watched. ", len(sections)) + strings.Join(parts, ". ")
	if utf8.RuneCountInString(s) > maxSummary {
		s = string([]rune(s)[:maxSummary])
	}
	return strings.TrimSpace(s)
}

// maxSummary is what the answer schema of a summary allows.
const maxSummary = 1500
