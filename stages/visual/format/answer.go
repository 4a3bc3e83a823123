package format

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
)

// Scoring rules where MemEye's paper and code differ.
const (
	VariantPaper    = "paper"
	VariantUpstream = "upstream"
)

var letterOnly = regexp.MustCompile(`^\(?([A-D])\)?[.:]?$`)

// ParseChoice returns the letter of an answer, or "". The paper has models reply with
// the letter only (C.3). The code takes the first letter that stands alone after
// conversion to upper case, so that "a cat" is A.
func ParseChoice(answer, variant string) string {
	if variant == VariantUpstream {
		return firstLoneLetter(answer, letters)
	}
	if m := letterOnly.FindStringSubmatch(strings.TrimSpace(answer)); m != nil {
		return m[1]
	}
	return ""
}

// firstLoneLetter returns the first word of a text that is one of the keys.
func firstLoneLetter(text, keys string) string {
	for _, word := range strings.FieldsFunc(cases.Upper(language.Und).String(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_' }) {
		if len(word) == 1 && strings.Contains(keys, word) {
			return word
		}
	}
	return ""
}

// scorePatterns find the score in a judge's reply that is no valid JSON, the better one
// first.
var scorePatterns = []*regexp.Regexp{regexp.MustCompile(`"score"\s*:\s*([0-9.]+)`), regexp.MustCompile(`[Ss]core\s*:\s*([0-9.]+)`)}

// longestReply bounds the bytes of a judge's reply that are read.
const longestReply = 16 << 10

// parseJudgeReply returns the score of a judge: a number, or the score of the first JSON
// object in its reply that has one, or what stands behind "score:".
func parseJudgeReply(reply string) (float64, bool) {
	reply = reply[:min(len(reply), longestReply)]
	if score, err := strconv.ParseFloat(strings.TrimSpace(reply), 64); err == nil {
		return score, true
	}
	for at := range reply {
		var object map[string]any
		if reply[at] != '{' || json.NewDecoder(strings.NewReader(reply[at:])).Decode(&object) != nil {
			continue
		}
		switch score := object["score"].(type) {
		case bool:
			return benchformat.BoolScore(score), true
		case float64:
			return score, true
		case string:
			if score, err := strconv.ParseFloat(strings.TrimSpace(score), 64); err == nil {
				return score, true
			}
		}
	}
	for _, p := range scorePatterns {
		if m := p.FindStringSubmatch(reply); m != nil {
			if score, err := strconv.ParseFloat(m[1], 64); err == nil {
				return score, true
			}
		}
	}
	return 0, false
}

// roundJudgeScore rounds a judge's score to the five steps of the paper (C.3) or the
// three of the code. The paper has no score outside 0 to 1, the code takes the nearest.
func roundJudgeScore(score float64, variant string) (float64, bool) {
	steps := 4.0
	if variant == VariantUpstream {
		steps, score = 2, min(max(score, 0), 1)
	}
	return math.Floor(score*steps+0.5) / steps, score >= 0 && score <= 1
}
