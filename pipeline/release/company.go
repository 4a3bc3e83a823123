package release

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// companyFigure is how statistical-shortcuts states a figure: how, how often, of
// what, and chance.
var companyFigure = regexp.MustCompile(`^(.+): ([0-9]+\.[0-9]) % .*\bof ([0-9]+ facts) \(([^()]+)\), chance ([0-9]+\.[0-9]) %$`)

// companyNote says that questions must be put one by one, and what it is worth to
// see several.
func (t factsTable) companyNote() string {
	note := "Put each question alone, in a context of its own: never several about one pair, sequence or task, " +
		"and do not train on a part of them to test on the rest. Their words may answer each other."
	worst, most := "", 0.0
	for _, r := range t.Rows {
		for _, said := range strings.Split(r.Company, "; ") {
			m := companyFigure.FindStringSubmatch(said)
			if m == nil {
				continue
			}
			// The pattern leaves nothing that does not parse.
			right, _ := strconv.ParseFloat(m[2], 64)
			chance, _ := strconv.ParseFloat(m[5], 64)
			if right-chance > most {
				most = right - chance
				worst = fmt.Sprintf(" With nothing but the texts of the other questions in view, no medium and no answer about the same material, "+
					"the best way that was tried (%s) is right about %s %% of %s of the form %s; chance is %s %%.", m[1], m[2], m[3], m[4], m[5])
			}
		}
	}
	return note + worst
}
