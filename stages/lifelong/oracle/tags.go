package oracle

import "strings"

// tagRule is a rule for tags by what can be otherwise in it: the prefix, the letters of the
// name, the number, what joins them, and their order.
type tagRule [5]string

// tagAlternatives are the ways of each, and of the order the places of the first three.
func tagAlternatives() [5][]string {
	return [5][]string{
		strings.Split("KX|MV|QZ|RT|ZP|BW", "|"),
		strings.Split("the first three|the last three|the first two|the last two", "|"),
		strings.Split("the number|twice the number|the number plus 3|the number plus 8", "|"),
		strings.Split("-|/|:|_", "|"),
		strings.Split("012|021|102|120|201|210", "|"),
	}
}

// ofName is what follows on which letters a rule takes.
const ofName = " letters of the first word of the name in capitals"

// parse takes apart a rule that can be followed.
func (r *tagRule) parse(rule string) {
	pieces := strings.Split(joiners.Replace(rule), "|")
	for i := 0; i < len(pieces); i += 2 {
		letters, of := strings.CutSuffix(pieces[i], ofName)
		switch {
		case of:
			r[1], r[4] = letters, r[4]+"1"
		case strings.Contains(pieces[i], " "):
			r[2], r[4] = pieces[i], r[4]+"2"
		default:
			r[0], r[4] = pieces[i], r[4]+"0"
		}
	}
	r[3] = pieces[1]
}

// text is the rule as it can be followed.
func (r tagRule) text() string {
	parts := []string{r[0], r[1] + ofName, r[2]}
	var out []string
	for _, place := range r[4] {
		out = append(out, parts[place-'0'])
	}
	return strings.Join(out, "|"+r[3]+"|")
}

// tagOptions offers those of rules that are otherwise than the one taught in two ways at most.
func tagOptions(rule, name string, n int) optionCheck {
	var own tagRule
	own.parse(rule)
	near, all := map[string]bool{}, tagAlternatives()
	for i := range all {
		for j := i + 1; j < len(all); j++ {
			for _, one := range all[i] {
				for _, two := range all[j] {
					other := own
					other[i], other[j] = one, two
					if tag, err := applyTagRule(other.text(), name, n); err == nil {
						near[tag] = true
					}
				}
			}
		}
	}
	return optionCheck{kind: func(v string) bool { return near[v] }}
}
