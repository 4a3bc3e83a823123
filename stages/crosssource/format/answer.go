package format

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/model/tool"
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

var (
	loneLetter = regexp.MustCompile(`^\(?([A-D])\)?[.:]?$`)
	bracketed  = regexp.MustCompile(`\(([A-D])\)`)
)

// Choice returns the letter that an answer is (E.7), or else the one letter that it has
// in brackets, as the published scorer finds it; empty where there is none, or several.
func Choice(answer string) string {
	if m := loneLetter.FindStringSubmatch(strings.TrimSpace(answer)); m != nil {
		return m[1]
	}
	chosen := ""
	for _, m := range bracketed.FindAllStringSubmatch(answer, -1) {
		if chosen != "" && m[1] != chosen {
			return ""
		}
		chosen = m[1]
	}
	return chosen
}

// plan is what an answer calls: steps in order, each with its calls in one form.
type plan [][]string

// defaults are the arguments that a tool takes where a call does not name them, by the
// tool's name, in lower case.
type defaults map[string]map[string]json.RawMessage

func (d defaults) add(tool string, values map[string]json.RawMessage) {
	lower := map[string]json.RawMessage{}
	for name, value := range values {
		lower[strings.ToLower(name)] = json.RawMessage(strings.ToLower(string(value)))
	}
	d[strings.ToLower(tool)] = lower
}

func defaultsOf(tools []schemas.Tool) defaults {
	out := defaults{}
	for _, t := range tools {
		out.add(t.Name, tool.Defaults(t))
	}
	return out
}

// parsePlan reads what an answer calls: one call, or the steps of the published answers.
// Calls come in the form in which they are compared: in lower case, with their tools'
// defaults; order of keys and the form of numbers do not count. Anything around the JSON is
// an error, for the paper decodes the answer as it is (C.1).
func (d defaults) parsePlan(answer, variant string) (out plan, err error) {
	answer = strings.TrimSpace(answer)
	if variant == VariantPrinted && !strings.HasPrefix(answer, "{") && !strings.HasPrefix(answer, "[") {
		printed, err := parsePrinted(answer)
		if err != nil {
			return nil, err
		}
		answer = string(printed)
	}
	canonical, err := schemas.CanonicalCall(answer)
	if err != nil {
		return nil, err
	}
	steps, err := schemas.ReadPlan(strings.ToLower(canonical))
	if err != nil {
		return nil, err
	}
	for _, s := range steps {
		calls := []string{}
		for _, c := range s {
			for name, value := range d[c.Name] {
				if _, given := c.Arguments[name]; !given {
					c.Arguments[name] = value
				}
			}
			text, err := json.Marshal(c)
			if err != nil {
				return nil, err
			}
			call, err := schemas.CanonicalCall(string(text))
			if err != nil {
				return nil, err
			}
			calls = append(calls, call)
		}
		out = append(out, calls)
	}
	return out, nil
}

// isHeldBy reports whether another plan has as many steps and, in each, every call of
// this one. Further calls do not count, as in the published scorer.
func (p plan) isHeldBy(other plan) bool {
	return slices.EqualFunc(p, other, func(want, got []string) bool {
		left := map[string]int{}
		for _, c := range got {
			left[c]++
		}
		for _, c := range want {
			if left[c]--; left[c] < 0 {
				return false
			}
		}
		return true
	})
}

var toolName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./-]*$`)

// parsePrinted reads NAME("k"="v", "n"=3).
func parsePrinted(s string) (json.RawMessage, error) {
	called, rest, found := strings.Cut(s, "(")
	if called = strings.TrimSpace(called); !found || !toolName.MatchString(called) {
		return nil, fmt.Errorf("it is no call as NAME(\"key\"=\"value\")")
	}
	arguments := map[string]json.RawMessage{}
	rest = strings.TrimSpace(rest)
	for more := !strings.HasPrefix(rest, ")"); more; {
		var key string
		var value json.RawMessage
		var err error
		if rest, err = decodeNext(rest, &key); err != nil {
			return nil, fmt.Errorf("a key: %w", err)
		}
		if rest, found = strings.CutPrefix(rest, "="); !found {
			return nil, fmt.Errorf("no = behind the key %q", key)
		}
		if rest, err = decodeNext(rest, &value); err != nil {
			return nil, fmt.Errorf("the value of %q: %w", key, err)
		}
		if _, twice := arguments[key]; twice {
			return nil, fmt.Errorf("the key %q is there twice", key)
		}
		arguments[key] = value
		if rest, more = strings.CutPrefix(rest, ","); more {
			rest = strings.TrimSpace(rest)
		}
	}
	if rest != ")" {
		return nil, fmt.Errorf("want ) at its end")
	}
	return json.Marshal(map[string]any{"name": called, "arguments": arguments})
}

// decodeNext decodes a JSON value and returns the rest of the text.
func decodeNext(s string, v any) (string, error) {
	dec := json.NewDecoder(strings.NewReader(s))
	if err := dec.Decode(v); err != nil {
		return "", err
	}
	return strings.TrimSpace(s[dec.InputOffset():]), nil
}

// check reports whether an answer is right, and whether it has the form that is asked
// for.
func (i item) check(answer, variant string) (right, valid bool) {
	if i.task.label != schemas.TaskFunctionCall {
		chosen := Choice(answer)
		return chosen == i.gold, chosen != ""
	}
	called, err := i.defaults.parsePlan(answer, variant)
	return err == nil && i.plan.isHeldBy(called), err == nil
}
