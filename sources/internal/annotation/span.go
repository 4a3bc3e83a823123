package annotation

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Span is a stretch of a video in seconds; Start <= End.
type Span struct{ Start, End float64 }

// maxClock bounds a time, in seconds: no video is longer than four days.
const maxClock = 100 * 3600

// ParseClock reads SS, MM:SS or HH:MM:SS, each with an optional fraction
// behind a dot or a comma, and returns seconds. Minutes may exceed 59 where
// they come first (75:10).
func ParseClock(s string) (float64, error) {
	parts := strings.Split(strings.TrimSpace(s), ":")
	if len(parts) > 3 {
		return 0, fmt.Errorf("time %q: want HH:MM:SS", Truncate(s))
	}
	total := 0.0
	for i, p := range parts {
		n, ok := clockPart(p, i == len(parts)-1)
		if !ok || i > 0 && n >= 60 {
			return 0, fmt.Errorf("time %q: want HH:MM:SS", Truncate(s))
		}
		total = total*60 + n
	}
	if total > maxClock {
		return 0, fmt.Errorf("time %q: later than any video lasts", Truncate(s))
	}
	return math.Round(total*1000) / 1000, nil
}

func clockPart(p string, last bool) (float64, bool) {
	p = strings.TrimSpace(p)
	whole, fraction, fractional := strings.Cut(strings.Replace(p, ",", ".", 1), ".")
	if !digits(whole) || fractional && (!last || !digits(fraction)) {
		return 0, false
	}
	if fractional {
		whole += "." + fraction
	}
	n, err := strconv.ParseFloat(whole, 64)
	return n, err == nil
}

func digits(s string) bool {
	return s != "" && len(s) <= 9 && strings.Trim(s, "0123456789") == ""
}

// ParseSpans reads "12:05-12:40", "00:10:00 - 00:14:30", several of them
// separated by commas, semicolons or line breaks, and single times, which are
// spans of no length. Dashes may be typographic. Empty text, "None" and "N/A"
// are no span.
func ParseSpans(s string) ([]Span, error) {
	level := strings.NewReplacer("–", "-", "—", "-", "−", "-", "~", "-", " to ", "-", ";", ",", "\n", ",", "\r", "")
	var out []Span
	for part := range strings.SplitSeq(level.Replace(s), ",") {
		part = strings.TrimSpace(part)
		if part == "" || slices.Contains([]string{"none", "null", "n/a"}, strings.ToLower(part)) {
			continue
		}
		from, to, two := strings.Cut(part, "-")
		start, err := ParseClock(from)
		if err != nil {
			return nil, err
		}
		end := start
		if two {
			if end, err = ParseClock(to); err != nil {
				return nil, err
			}
		}
		if end < start {
			return nil, fmt.Errorf("time span %q: it ends before it begins", Truncate(part))
		}
		out = append(out, Span{start, end})
	}
	return out, nil
}
