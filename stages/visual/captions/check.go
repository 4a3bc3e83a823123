package captions

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memforge/memforge/pipeline/kit/answercues"
)

const (
	minMinimalWords, maxMinimalWords     = 2, 6
	minDenseChars, maxDenseChars         = 80, 2500
	minTaskAwareChars, maxTaskAwareChars = 160, 5000
)

var (
	// pictureKindWords finds the kind of picture.
	pictureKindWords = regexp.MustCompile(`\b(photo|photograph|snapshot|selfie|picture|image|screenshot|screen|drawing|sketch|painting|illustration|map|plan|diagram|chart|graph|table|poster|sign|page|document|letter|form|receipt|ticket|card|panel|comic|cartoon|board|frame|scan|slide|view|shot)s?\b`)
	// revealingWords finds what a minimal caption must not say: colours, numbers,
	// places in the picture, materials, times of day and year, appearance of people,
	// and actions.
	revealingWords = regexp.MustCompile(`\b(red|blue|green|yellow|orange|purple|violet|pink|brown|black|white|grey|gray|beige|golden|silver|turquoise|teal|navy|dark|bright|colou?rful|` +
		`one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|several|many|some|few|both|pair|row|group|crowd|` +
		`left|right|top|bottom|above|below|behind|beside|next|between|under|` +
		`wooden|metal|glass|plastic|leather|marble|brick|stone|striped|dotted|` +
		`morning|evening|night|sunset|sunrise|summer|winter|spring|autumn|snowy|sunny|rainy|cloudy|` +
		`man|woman|boy|girl|men|women|child|children|baby|old|young|new|broken|open|closed|empty|full|` +
		`with|showing|shows|containing|where|while|who|which|wearing|holding|reading|says|titled|labell?ed|named|called)\b`)
	// pictureReference finds mentions of the picture itself.
	pictureReference = regexp.MustCompile(`(?i)^(the|this) (image|picture|photo|photograph) (shows|depicts|is)\b`)
)

// Check returns what is wrong with a caption of a kind, as feedback for its author. It
// sees words, not the picture.
func Check(kind, caption string) []string {
	var why []string
	say := func(format string, args ...any) { why = append(why, fmt.Sprintf(format, args...)) }
	caption = strings.TrimSpace(caption)
	if answercues.HasControl(caption) {
		say("the caption must be one paragraph of plain text")
	}
	switch kind {
	case Minimal:
		checkMinimal(caption, say)
	case Dense:
		checkLong(caption, minDenseChars, maxDenseChars, say)
	case TaskAware:
		checkLong(caption, minTaskAwareChars, maxTaskAwareChars, say)
	}
	return why
}

func checkMinimal(caption string, say func(string, ...any)) {
	if n := len(answercues.Words(caption)); n < minMinimalWords || n > maxMinimalWords {
		say("the caption has %d words; use %d to %d", n, minMinimalWords, maxMinimalWords)
	}
	if !pictureKindWords.MatchString(caption) {
		say("the caption does not say of what kind the picture is, such as a photo, a screenshot or a page")
	}
	if strings.ContainsFunc(caption, unicode.IsDigit) || strings.ContainsAny(caption, `"“”«»:;,.!?()`) {
		say("the caption holds a number or marks; write a few plain words")
	}
	if strings.ContainsFunc(caption, unicode.IsUpper) {
		say("the caption has a capital letter; it must hold no name")
	}
	if m := revealingWords.FindString(caption); m != "" {
		say("the caption says %q, which tells what the picture shows; say only of what kind it is", m)
	}
}

func checkLong(caption string, fewest, most int, say func(string, ...any)) {
	if n := utf8.RuneCountInString(caption); n < fewest || n > most {
		say("the caption has %d characters; write %d to %d", n, fewest, most)
	}
	if m := pictureReference.FindString(caption); m != "" {
		say("the caption begins with %q; tell what is there", m)
	}
}
