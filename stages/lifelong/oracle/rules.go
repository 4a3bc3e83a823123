package oracle

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/schemas"
)

func (t *Task) taughtRule(kind string, upto int) (statement, error) {
	rules := t.filter(func(s statement) bool { return s.session <= upto && s.kind == kind })
	if len(rules) != 1 {
		return statement{}, fmt.Errorf("the rule was taught %d times", len(rules))
	}
	return rules[0], nil
}

// tellsOfThing reports whether a task mentions a thing. A task that only teaches a rule
// fits any thing.
func (t *Task) tellsOfThing(thing string) bool {
	none := true
	for _, s := range slices.Concat(t.statements, t.pictures) {
		if s.thing == thing {
			return true
		}
		none = none && s.thing == ""
	}
	return none
}

func (t *Task) answerTag(of map[string]string, upto int) (Result, error) {
	rule, err := t.taughtRule("tag", upto)
	if err != nil {
		return Result{}, err
	}
	words := strings.Fields(of["T"])
	n, err := strconv.Atoi(of["V"])
	if err != nil || len(words) < 2 || len(words[1]) < 3 {
		return Result{}, fmt.Errorf("%q with %q has no name of three letters or no number", of["T"], of["V"])
	}
	if n < 10 || n > 99 || !t.tellsOfThing(of["T"]) {
		return Result{}, fmt.Errorf("%q with %d is nothing that the task tells of, or has no number of two digits", of["T"], n)
	}
	name := strings.ToUpper(words[1])
	tag, err := applyTagRule(rule.value, name, n)
	if err != nil {
		return Result{}, err
	}
	return Result{Type: "ttl", Right: tag, Refs: []Ref{rule.ref(schemas.RoleClue)}, Fact: "tag/" + of["T"] + "/" + of["V"], isOffered: tagOptions(rule.value, name, n)}, nil
}

// joiners are what a rule for tags calls what stands between parts.
var joiners = strings.NewReplacer(", a dash, ", "|-|", ", a dash and ", "|-|", ", a slash, ", "|/|", ", a slash and ", "|/|", ", a colon, ", "|:|", ", a colon and ", "|:|",
	", an underscore, ", "|_|", ", an underscore and ", "|_|")

// applyTagRule writes a tag by a taught rule, part by part.
func applyTagRule(rule, name string, n int) (string, error) {
	var out strings.Builder
	pieces := strings.Split(joiners.Replace(rule), "|")
	for i, piece := range pieces {
		length := map[string]int{"two": 2, "three": 3}
		switch words := strings.Fields(piece); {
		case i%2 == 1, len(words) == 1:
			out.WriteString(piece)
		case piece == "the number":
			out.WriteString(strconv.Itoa(n))
		case piece == "twice the number":
			out.WriteString(strconv.Itoa(n + n))
		case len(words) == 4 && strings.HasPrefix(piece, "the number plus "):
			more, err := strconv.Atoi(words[3])
			if err != nil {
				return "", fmt.Errorf("%q adds no number: %w", piece, err)
			}
			out.WriteString(strconv.Itoa(n + more))
		case strings.HasSuffix(piece, ofName) && words[1] == "first" && length[words[2]] > 0:
			out.WriteString(name[:length[words[2]]])
		case strings.HasSuffix(piece, ofName) && words[1] == "last" && length[words[2]] > 0:
			out.WriteString(name[len(name)-length[words[2]]:])
		default:
			return "", fmt.Errorf("the rule %q has a part %q that nobody can follow", rule, piece)
		}
	}
	if len(pieces) != 5 {
		return "", fmt.Errorf("the rule %q has %d parts and joiners, want 5", rule, len(pieces))
	}
	return out.String(), nil
}

func (t *Task) answerHours(of map[string]string, upto int) (Result, error) {
	rule, err := t.taughtRule("hours", upto)
	if err != nil {
		return Result{}, err
	}
	n, err1 := strconv.Atoi(of["V"])
	step, err2 := strconv.Atoi(rule.value)
	more, err3 := strconv.Atoi(rule.also)
	if err1 != nil || err2 != nil || err3 != nil || step < 1 {
		return Result{}, fmt.Errorf("%s hours by steps of %s and %s more are no numbers", of["V"], rule.value, rule.also)
	}
	if n < 10 || n > 99 || n%step == 0 {
		return Result{}, fmt.Errorf("%d hours of work are none that the rule of %d tells apart: want two digits, and no multiple", n, step)
	}
	hours := func(step, more int) string { return strconv.Itoa((n+step-1)/step*step + more) }
	mistaken := optionCheck{kind: func(v string) bool { // by another rule
		for step := 3; step < 8; step++ {
			for more := 1; more < 5; more++ {
				if hours(step, more) == v {
					return true
				}
			}
		}
		return false
	}}
	return Result{Type: "ttl", Right: hours(step, more), Refs: []Ref{rule.ref(schemas.RoleClue)}, Fact: "hours/" + of["V"], isOffered: mistaken}, nil
}

// tagRule is a rule for tags by what can be otherwise in it: the prefix, the letters of the
// name, the number, what joins them, and their order.
type tagRule [5]string

// tagAlternatives returns the variants of each feature; those of the order are places of
// the first three.
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

func (r tagRule) text() string {
	parts := []string{r[0], r[1] + ofName, r[2]}
	var out []string
	for _, place := range r[4] {
		out = append(out, parts[place-'0'])
	}
	return strings.Join(out, "|"+r[3]+"|")
}

// tagOptions allows tags by rules that differ from the taught one in at most two
// features.
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
