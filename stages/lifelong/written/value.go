package written

import (
	"regexp"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline/kit/words"
)

// kindForm says how a value of a kind is written.
func kindForm(kind string) string {
	switch kind {
	case Date:
		return "a date as 2026-03-02"
	case Hour:
		return "an hour as 07:35"
	case Money:
		return "an amount and a currency, as 18,640 euros"
	case Number:
		return "a number, with its unit if it has one, as 14 m2"
	}
	return "one name or phrase without a full stop"
}

var (
	moneyForm  = regexp.MustCompile(`^\d{1,3}(,\d{3})*(\.\d\d)? [a-z]+( [a-z]+)?$|^\d+(\.\d\d)? [a-z]+( [a-z]+)?$`)
	numberForm = regexp.MustCompile(`^\d[\d,.]*( ?[A-Za-z%][A-Za-z0-9 %/.]*)?$`)
)

// fitsKind reports whether a value has the form of its kind.
func fitsKind(kind, value string) bool {
	switch kind {
	case Date:
		_, err := time.Parse(time.DateOnly, value)
		return err == nil
	case Hour:
		return hourForm.MatchString(value)
	case Money:
		return moneyForm.MatchString(value)
	case Number:
		return numberForm.MatchString(value)
	}
	return value != "" && !strings.ContainsAny(value, ".;\n\"") && value == strings.TrimSpace(value)
}

// equalValues compares two values of a kind, without regard to case, signs, articles, and
// how numbers are written.
func equalValues(kind, a, b string) bool {
	if kind == Date || kind == Hour {
		return a == b
	}
	return words.Value(a) == words.Value(b)
}

// Display returns a value as options and memory points show it.
func Display(kind, value string) string {
	if kind == Date {
		if d, err := time.Parse(time.DateOnly, value); err == nil {
			return d.Format("2 January 2006")
		}
	}
	return value
}
