package schemas

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxCallBytes bounds a call.
const maxCallBytes = 64 << 10

// CanonicalCall returns the canonical JSON of a tool call, {"name": …, "arguments":
// {…}}. Two calls are the same if theirs is (SMMBench 3.3, exact match after
// decoding). Keys are sorted; numbers are written by value: 1.50e1 is 15. Arguments may
// be a string of JSON, as some servers give them, and may be missing.
func CanonicalCall(s string) (string, error) {
	var call struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if len(s) > maxCallBytes {
		return "", fmt.Errorf("it has %d bytes; at most %d are read", len(s), maxCallBytes)
	}
	if err := decodeCall([]byte(s), &call); err != nil {
		return "", err
	}
	if call.Name == "" {
		return "", errors.New("it names no tool")
	}
	raw := []byte(call.Arguments)
	var text string
	if json.Unmarshal(raw, &text) == nil && text != "" {
		raw = []byte(text)
	}
	arguments := map[string]any{}
	if len(raw) > 0 {
		if err := decodeCall(raw, &arguments); err != nil {
			return "", fmt.Errorf("its arguments: %w", err)
		}
	}
	out, err := encodeCall(map[string]any{"name": call.Name, "arguments": normaliseNumbers(arguments)})
	return string(out), err
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
