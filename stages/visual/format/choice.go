package format

import (
	"regexp"
	"strings"
)

// Whose rules answers are scored by, where they differ (MemEye's paper and its code).
const (
	VariantPaper    = "paper"
	VariantUpstream = "upstream"
)

var (
	letterOnly     = regexp.MustCompile(`^\(?([A-D])\)?[.:]?$`)
	letterAnywhere = regexp.MustCompile(`\b([A-D])\b`)
)

// ParseChoice is the letter that an answer names, empty where it names none. The paper
// has models reply with the letter only (C.3), so no other answer is one; the code
// takes the first letter that stands alone once all are upper case, so that "a cat"
// is A.
func ParseChoice(answer, variant string) string {
	answer = strings.TrimSpace(answer)
	if variant == VariantPaper {
		if m := letterOnly.FindStringSubmatch(answer); m != nil {
			return m[1]
		}
		return ""
	}
	if m := letterAnywhere.FindStringSubmatch(strings.ToUpper(answer)); m != nil {
		return m[1]
	}
	return ""
}

// roundJudgeScore rounds a judge's score. The paper has five steps (C.3), the code three.
func roundJudgeScore(score float64, variant string) float64 {
	steps := 4.0
	if variant == VariantUpstream {
		steps = 2
	}
	return float64(int(score*steps+0.5)) / steps
}
