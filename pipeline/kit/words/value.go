package words

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Value returns what a text says as an answer, whatever its spelling: numbers in digits,
// dates as year, month and day, units by their sign, nouns in the singular, and no articles
// or stops. Two answers with one value are one answer.
func Value(text string) string {
	text = thousands.ReplaceAllString(strings.ToLower(text), "$1$2")
	text = decimals.ReplaceAllString(negative.ReplaceAllString(text, "${1}minus $2"), "${1}point$2")
	text = money.ReplaceAllString(text, "$2$1")
	for _, sign := range []string{"%", "$", "€", "£", "°"} {
		text = strings.ReplaceAll(text, sign, " "+unitNames[sign]+" ")
	}
	list := joinNumbers(quantities.FindAllString(text, -1))
	for i, w := range list {
		if (w == "a" || w == "an") && i+1 < len(list) && unitNames[list[i+1]] != "" {
			list[i] = "1" // a week
		}
	}
	list = slices.DeleteFunc(list, func(w string) bool { return w == "a" || w == "an" || w == "the" })
	if date := dateOf(list); date != "" {
		return date
	}
	for i, w := range list {
		if list[i] = unitNames[w]; list[i] == "" {
			list[i] = singular(w)
		}
	}
	return strings.ReplaceAll(strings.Join(list, " "), "per cent", "percent")
}

var (
	thousands  = regexp.MustCompile(`(\d),(\d{3}\b)`)
	decimals   = regexp.MustCompile(`(\d)\.(\d)`)
	money      = regexp.MustCompile(`([$€£])\s*(\d+(?:point\d+)?)`)
	negative   = regexp.MustCompile(`(^|\s)[-−](\d)`)
	ordinals   = regexp.MustCompile(`^(\d{1,2})(?:st|nd|rd|th)$`)
	quantities = regexp.MustCompile(`\d+point\d+|\d+(?:st|nd|rd|th)\b|\d+|[\pL\pM]+`)
)

var numberNames = map[string]int{
	"zero": 0, "none": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
	"thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
	"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

// joinNumbers writes number words in digits: twenty three is 23.
func joinNumbers(list []string) []string {
	var out []string
	tens := false
	for _, w := range list {
		n, ok := numberNames[w]
		switch {
		case ok && tens && n > 0 && n < 10:
			before, _ := strconv.Atoi(out[len(out)-1])
			out[len(out)-1] = strconv.Itoa(before + n)
		case ok:
			out = append(out, strconv.Itoa(n))
		default:
			if m := strings.TrimLeft(w, "0"); m != "" && w[0] == '0' {
				w = m
			}
			out = append(out, w)
		}
		tens = ok && n >= 20
	}
	return out
}

// unitNames has one name for each spelling of a unit.
var unitNames = func() map[string]string {
	out := map[string]string{}
	for _, line := range []string{
		"km kilometre kilometer", "m metre meter", "cm centimetre centimeter", "mm millimetre millimeter", "kg kilogram kilo", "g gram", "l litre liter", "ml millilitre milliliter",
		"second sec s", "minute min", "hour hr h", "day", "week", "month", "year yr", "percent %", "dollar $ usd", "euro € eur", "pound £ gbp lb", "degree °", "inch", "foot feet ft", "mile mi", "kcal", "bpm",
	} {
		list := strings.Fields(line)
		for _, w := range list {
			out[w], out[w+"s"] = list[0], list[0]
		}
	}
	out["inches"] = "inch"
	return out
}()

var monthNames = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}

// dateOf returns the date that words are, such as 7 May 2023 or May 7th, or "".
func dateOf(list []string) string {
	day, month, year := 0, 0, ""
	var numbers []string
	for _, w := range list {
		at := slices.IndexFunc(monthNames, func(m string) bool { return m == w || len(w) == 3 && strings.HasPrefix(m, w) })
		if m := ordinals.FindStringSubmatch(w); m != nil {
			w = m[1]
		}
		n, err := strconv.Atoi(w)
		switch {
		case w == "of" || w == "on" || w == "in":
		case at >= 0 && month == 0:
			month = at + 1
		case err == nil && len(w) == 4 && year == "":
			year = w
			numbers = append(numbers, w)
		case err == nil && n > 0 && n <= 31:
			if day == 0 {
				day = n
			}
			numbers = append(numbers, w)
		default:
			return ""
		}
	}
	if month == 0 && len(numbers) == 3 && numbers[0] == year { // 2023-05-07
		m, _ := strconv.Atoi(numbers[1])
		d, _ := strconv.Atoi(numbers[2])
		return fmt.Sprintf("%s-%02d-%02d", year, m, d)
	}
	if month == 0 || len(numbers) > 2 || len(numbers) == 0 {
		return ""
	}
	return fmt.Sprintf("%s-%02d-%02d", year, month, day)
}

// singular returns a noun without a regular plural.
func singular(w string) string {
	switch {
	case len(w) < 4 || !strings.HasSuffix(w, "s") || strings.HasSuffix(w, "ss") || strings.HasSuffix(w, "us") || strings.HasSuffix(w, "is"):
		return w
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "xes") || strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes") || strings.HasSuffix(w, "sses"):
		return w[:len(w)-2]
	}
	return w[:len(w)-1]
}
