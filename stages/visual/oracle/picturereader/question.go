package picturereader

import (
	"strconv"
	"strings"

	"github.com/memforge/memforge/stages/visual/oracle"
)

// parsedQuestion is what a question wants.
type parsedQuestion struct {
	form, aspect string
	thing, when  string
	thing2       string // another thing, of a sum
	when2        string
}

// Forms of what is asked.
const (
	formValue   = "value"
	formCurrent = "current"
	formBefore  = "before"
	formSum     = "sum"
	formMatch   = "match"
	formOther   = "other" // known, and not undertaken
)

// parseQuestion finds what a question wants, by the words alone; false of one that is put in no
// known way. Of several readings the first counts: where another one is meant, no thing
// is called so and nothing is read.
func parseQuestion(question string) (parsedQuestion, bool) {
	all := oracle.Interpretations(question)
	if len(all) == 0 {
		return parsedQuestion{}, false
	}
	r := all[0]
	if r.Form == "first" || r.Form == formMatch && r.Thing == "" {
		return parsedQuestion{form: formOther}, true
	}
	return parsedQuestion{form: r.Form, aspect: r.Aspect, thing: r.Thing, when: r.When, thing2: r.Thing2, when2: r.When2}, true
}

// dateInName is the date in the name of a picture, as 2025-03-12.
func dateInName(when string) string {
	parts := strings.Fields(when[strings.LastIndex(when, " of ")+4:])
	months := []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
	for i, m := range months {
		if len(parts) == 3 && parts[1] == m {
			day, _ := strconv.Atoi(parts[0])
			return parts[2] + "-" + twoDigits(i+1) + "-" + twoDigits(day)
		}
	}
	return ""
}

func twoDigits(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}
