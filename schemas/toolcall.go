package schemas

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// maxCallBytes bounds a call.
const maxCallBytes = 64 << 10

// ToolCall is a call of a plan.
type ToolCall struct {
	Arguments map[string]any `json:"arguments"`
	Name      string         `json:"name"`
}

// CanonicalCall returns the canonical JSON of a tool call, {"name": …, "arguments":
// {…}}, or of a plan of several, [{"calls": […], "step": 1}, …]. Two are the same if
// theirs is (SMMBench 3.3, exact match after decoding). Keys are sorted, and so are the
// calls of a step; steps are numbered from 1; numbers are written by value: 1.50e1 is 15.
func CanonicalCall(s string) (string, error) {
	plan, err := ReadPlan(s)
	if err != nil {
		return "", err
	}
	return CanonicalPlan(plan)
}

// CanonicalPlan returns the canonical JSON of steps, as CanonicalCall.
func CanonicalPlan(plan [][]ToolCall) (string, error) {
	for _, calls := range plan {
		slices.SortFunc(calls, compareCalls)
	}
	if len(plan) == 1 && len(plan[0]) == 1 {
		out, err := encodeCall(plan[0][0])
		return string(out), err
	}
	out, err := encodeCall(numberSteps(plan))
	return string(out), err
}

// PublishedPlan returns a call or a plan as a list of steps, also where it is one call.
func PublishedPlan(s string) ([]byte, error) {
	plan, err := ReadPlan(s)
	if err != nil {
		return nil, err
	}
	return encodeCall(numberSteps(plan))
}

type planStep struct {
	Calls []ToolCall `json:"calls"`
	Step  int        `json:"step"`
}

func numberSteps(plan [][]ToolCall) []planStep {
	out := make([]planStep, len(plan))
	for i, calls := range plan {
		out[i] = planStep{append([]ToolCall{}, calls...), i + 1}
	}
	return out
}

// ReadPlan returns the steps of a call or of a plan, [{"step": 1, "calls": […]}, …]. Numbers
// of steps do not count, and a step may be empty. Arguments may be a string of JSON, as some servers give them, and may be missing.
func ReadPlan(s string) ([][]ToolCall, error) {
	if len(s) > maxCallBytes {
		return nil, fmt.Errorf("it has %d bytes; at most %d are read", len(s), maxCallBytes)
	}
	if !strings.HasPrefix(strings.TrimSpace(s), "[") {
		call, err := readCall([]byte(s))
		if err != nil {
			return nil, err
		}
		return [][]ToolCall{{call}}, nil
	}
	var steps []struct {
		Step  any               `json:"step"`
		Calls []json.RawMessage `json:"calls"`
	}
	if err := decodeCall([]byte(s), &steps); err != nil {
		return nil, fmt.Errorf("its steps: %w", err)
	}
	if len(steps) == 0 {
		return nil, errors.New("it has no step")
	}
	out := make([][]ToolCall, len(steps))
	for i, step := range steps {
		for _, raw := range step.Calls {
			call, err := readCall(raw)
			if err != nil {
				return nil, fmt.Errorf("step %d: %w", i+1, err)
			}
			out[i] = append(out[i], call)
		}
	}
	return out, nil
}

func compareCalls(a, b ToolCall) int {
	left, _ := encodeCall(a)
	right, _ := encodeCall(b)
	return bytes.Compare(left, right)
}

func readCall(text []byte) (ToolCall, error) {
	var call struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := decodeCall(text, &call); err != nil {
		return ToolCall{}, err
	}
	if call.Name == "" {
		return ToolCall{}, errors.New("it names no tool")
	}
	raw := []byte(call.Arguments)
	var inner string
	if json.Unmarshal(raw, &inner) == nil && inner != "" {
		raw = []byte(inner)
	}
	arguments := map[string]any{}
	if len(raw) > 0 {
		if err := decodeCall(raw, &arguments); err != nil {
			return ToolCall{}, fmt.Errorf("its arguments: %w", err)
		}
	}
	if arguments == nil { // null
		arguments = map[string]any{}
	}
	normaliseNumbers(arguments)
	return ToolCall{arguments, call.Name}, nil
}

func decodeCall(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("it is no JSON object of a call: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the JSON object")
	}
	return nil
}

func encodeCall(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

func normaliseNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		return json.Number(normaliseNumber(string(v)))
	case []any:
		for i := range v {
			v[i] = normaliseNumbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = normaliseNumbers(v[k])
		}
	}
	return v
}

// maxDigits bounds the numbers that are written without an exponent.
const maxDigits = 64

// normaliseNumber writes a JSON number by its value: digits without zeros at their
// ends, and a power of ten.
func normaliseNumber(s string) string {
	digits, negative := strings.CutPrefix(s, "-")
	digits, exponent, _ := strings.Cut(strings.ToLower(digits), "e")
	power, err := strconv.Atoi(exponent)
	if exponent != "" && err != nil {
		return s
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	power -= len(fraction)
	digits = strings.TrimLeft(whole+fraction, "0")
	for strings.HasSuffix(digits, "0") {
		digits, power = digits[:len(digits)-1], power+1
	}
	switch {
	case digits == "":
		return "0"
	case power >= 0 && len(digits)+power <= maxDigits:
		digits += strings.Repeat("0", power)
	default:
		digits += "e" + strconv.Itoa(power)
	}
	if negative {
		return "-" + digits
	}
	return digits
}
