package scoring

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// Number is a number of clips or a lag as a row gives it: 3, 3.0, "3" or true.
type Number struct {
	// Text is the value as Python's str gives it, empty where there is none.
	Text string
	// exact is the value of a whole number, whatever its form; truncated is what
	// Python's int makes of it, which also takes 2.7 for 2.
	exact, truncated *int
}

// WholeNumber is a Number given in digits.
func WholeNumber(n int) Number { return Number{strconv.Itoa(n), &n, &n} }

// toInt is the number by the rules of a variant, nil where it is none.
func (n Number) toInt(v Variant) *int {
	if v == Upstream {
		return n.truncated
	}
	return n.exact
}

// breakdownKey is the number as the breakdown of a variant names it: M3Eval prints what
// stands in the row, so that 3.0 and 3 are two keys there.
func (n Number) breakdownKey(v Variant) (string, bool) {
	if v == Upstream {
		return n.Text, n.Text != ""
	}
	if n.exact == nil {
		return "", false
	}
	return strconv.Itoa(*n.exact), true
}

// parseNumber reads a value of a row.
func parseNumber(r object, key string) Number {
	n := Number{Text: fieldText(r, key)}
	switch v := r[key].(type) {
	case bool:
		one := map[bool]int{true: 1, false: 0}[v]
		n.exact, n.truncated = &one, &one
	case string:
		if i, err := strconv.Atoi(stripSpace(v)); err == nil {
			n.exact, n.truncated = &i, &i
		}
	case json.Number:
		f, err := v.Float64()
		if err != nil || math.Abs(f) > 1e9 {
			return n
		}
		i := int(math.Trunc(f))
		n.truncated = &i
		if f == math.Trunc(f) {
			n.exact = &i
		}
	}
	return n
}

// numberText is a JSON number as Python's str gives it: 3.0 stays 3.0.
func numberText(v json.Number) string {
	f, err := v.Float64()
	if err != nil || !strings.ContainsAny(v.String(), ".eE") {
		return v.String()
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// falsy reports a value that Python takes for none.
func falsy(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case json.Number:
		f, err := v.Float64()
		return err == nil && f == 0
	}
	return false
}
