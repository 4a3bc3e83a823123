package annotation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ParseLooseList reads a list that is written as a text: in JSON, as Python prints a list, or
// with bare items in brackets, as in [a, b]. It returns false where the text is none.
func ParseLooseList(s string) ([]string, bool) {
	s = strings.TrimSpace(s)
	if len(s) < 2 || s[0] != '[' || s[len(s)-1] != ']' {
		return nil, false
	}
	if list, err := (Object{"": json.RawMessage(s)}).Texts(""); err == nil {
		return list, true
	}
	inner := strings.TrimSpace(s[1 : len(s)-1])
	if list, ok := pythonItems(inner); ok {
		return list, true
	}
	var out []string
	for item := range strings.SplitSeq(inner, ",") {
		out = append(out, strings.TrimSpace(item))
	}
	return out, true
}

// pythonItems reads what stands between the brackets of a Python list of texts,
// numbers and names.
func pythonItems(s string) (out []string, ok bool) {
	for s != "" {
		var item string
		if s[0] == '\'' || s[0] == '"' {
			if item, s, ok = pythonText(s); !ok {
				return nil, false
			}
		} else {
			n := strings.IndexByte(s, ',')
			if n < 0 {
				n = len(s)
			}
			if item, s = strings.TrimSpace(s[:n]), s[n:]; item == "" || strings.ContainsAny(item, "[](){}") {
				return nil, false
			}
		}
		out = append(out, item)
		s = strings.TrimSpace(s)
		if s == "" {
			return out, true
		}
		if s[0] != ',' {
			return nil, false
		}
		s = strings.TrimSpace(s[1:])
	}
	return out, true
}

// pythonText reads a text in quotes and returns what follows it.
func pythonText(s string) (text, rest string, ok bool) {
	quote := s[0]
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == quote:
			return b.String(), s[i+1:], true
		case c == '\\' && i+1 < len(s):
			i++
			switch s[i] {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			default:
				b.WriteByte(s[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

// LooseList returns a list of texts or numbers, a single one as a list of one, and a list
// that is written as a text; raw is what was written where it was one text.
func (o Object) LooseList(key string) (list []string, raw string, err error) {
	if text, ok := scalar(o[key]); ok {
		if list, ok := ParseLooseList(text); ok {
			return list, text, nil
		}
		if text == "" {
			return nil, "", nil
		}
		return []string{text}, text, nil
	}
	list, err = o.Texts(key)
	return list, "", err
}

// ErrSpellings says that a value is there under two spellings of its key, and differs.
var ErrSpellings = errors.New("two spellings of one key hold different values")

// SpellingOf returns which of several spellings of a key is there; the first, where none is.
func (o Object) SpellingOf(keys ...string) (string, error) {
	found := ""
	for _, k := range keys {
		switch {
		case absent(o[k]):
		case found == "":
			found = k
		case !bytes.Equal(o[found], o[k]):
			return "", fmt.Errorf("keys %q and %q: %w", found, k, ErrSpellings)
		}
	}
	if found == "" {
		return keys[0], nil
	}
	return found, nil
}

// Choice returns which of the names a value is: a name in any case, or, where the file
// stores labels of classes, its place among them from 0. Absent and null are empty.
func (o Object) Choice(key string, names ...string) (string, error) {
	s, err := o.Text(key)
	if err != nil || s == "" {
		return "", err
	}
	if i := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, s) }); i >= 0 {
		return names[i], nil
	}
	if i, err := strconv.Atoi(s); err == nil && i >= 0 && i < len(names) {
		return names[i], nil
	}
	return "", fmt.Errorf("key %q: %s is none of %q, nor the number of one", key, Truncate(s), names)
}
