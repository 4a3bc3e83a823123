package format

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// Whose reading of calls counts, where it matters.
const (
	VariantPaper   = "paper"   // JSON, as C.1 says
	VariantPrinted = "printed" // also NAME("k"="v"), as table 13 prints calls
)

// Refusal is what a model is told to say where it cannot answer (E.7). It is wrong, and
// counted.
const Refusal = "No, I can not answer this question based on the available information"

// Refuses reports whether an answer is the refusal.
func Refuses(answer string) bool {
	return strings.EqualFold(strings.Trim(strings.TrimSpace(answer), ".\"'"), Refusal)
}

var loneLetter = regexp.MustCompile(`^\(?([A-D])\)?[.:]?$`)

// Choice returns the letter that an answer is, with or without brackets; empty where it is
// none, or anything else (E.7).
func Choice(answer string) string {
	if m := loneLetter.FindStringSubmatch(strings.TrimSpace(answer)); m != nil {
		return m[1]
	}
	return ""
}

// Call returns the canonical form of a call that an answer is. Order of keys and the form of
// numbers do not count; anything around the JSON does, for the paper decodes the answer
// as it is (C.1).
func Call(answer, variant string) (string, error) {
	answer = strings.TrimSpace(answer)
	canonical, err := schemas.CanonicalCall(answer)
	if err == nil || variant != VariantPrinted || strings.HasPrefix(answer, "{") {
		return canonical, err
	}
	asJSON, err := parsePrinted(answer)
	if err != nil {
		return "", err
	}
	return schemas.CanonicalCall(asJSON)
}

var toolName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./-]*$`)

// parsePrinted reads NAME("k"="v", "n"=3).
func parsePrinted(s string) (string, error) {
	called, rest, found := strings.Cut(s, "(")
	if called = strings.TrimSpace(called); !found || !toolName.MatchString(called) {
		return "", fmt.Errorf("it is no call as NAME(\"key\"=\"value\")")
	}
	arguments := map[string]json.RawMessage{}
	rest = strings.TrimSpace(rest)
	for more := !strings.HasPrefix(rest, ")"); more; {
		var key string
		var value json.RawMessage
		var err error
		if rest, err = decodeNext(rest, &key); err != nil {
			return "", fmt.Errorf("a key: %w", err)
		}
		if rest, found = strings.CutPrefix(rest, "="); !found {
			return "", fmt.Errorf("no = behind the key %q", key)
		}
		if rest, err = decodeNext(rest, &value); err != nil {
			return "", fmt.Errorf("the value of %q: %w", key, err)
		}
		if _, twice := arguments[key]; twice {
			return "", fmt.Errorf("the key %q is there twice", key)
		}
		arguments[key] = value
		if rest, more = strings.CutPrefix(rest, ","); more {
			rest = strings.TrimSpace(rest)
		}
	}
	if rest != ")" {
		return "", fmt.Errorf("want ) at its end")
	}
	b, err := json.Marshal(map[string]any{"name": called, "arguments": arguments})
	return string(b), err
}

// decodeNext decodes a JSON value and returns the rest of the text.
func decodeNext(s string, v any) (string, error) {
	dec := json.NewDecoder(strings.NewReader(s))
	if err := dec.Decode(v); err != nil {
		return "", err
	}
	return strings.TrimSpace(s[dec.InputOffset():]), nil
}

func (i item) isRight(answer, variant string) bool {
	if i.task.label != schemas.TaskFunctionCall {
		return Choice(answer) == i.gold
	}
	call, err := Call(answer, variant)
	return err == nil && call == i.gold
}
