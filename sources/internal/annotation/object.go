// Package annotation reads what the annotation files of public video datasets
// are written in: JSON objects whose keys may differ by case only, JSON lines,
// clock times, time spans and SubRip subtitles. The bytes are taken for
// hostile; what differs harmlessly between files (byte order mark, line ends,
// numbers as text) is levelled out here.
package annotation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/memforge/memforge/pipeline/kit/words"
)

// MaxBytes is the largest annotation file that is read.
const MaxBytes = 256 << 20

// Object is a JSON object with its keys exactly as written. Go's own decoding
// into a struct takes video_id and VIDEO_ID for one key.
type Object map[string]json.RawMessage

// Prepare checks that a text file is UTF-8 of a bearable size and removes its
// byte order mark.
func Prepare(b []byte) ([]byte, error) {
	if len(b) > MaxBytes {
		return nil, fmt.Errorf("%d bytes, more than %d", len(b), MaxBytes)
	}
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(b) {
		return nil, errors.New("it is not UTF-8")
	}
	return b, nil
}

// ParseObject decodes one object and nothing after it. A key that occurs twice
// is an error: which of the two is meant cannot be known.
func ParseObject(b []byte) (Object, error) {
	out := Object{}
	err := pairs(b, func(p Pair) error {
		if _, twice := out[p.Key]; twice {
			return fmt.Errorf("key %q occurs twice", Truncate(p.Key))
		}
		out[p.Key] = p.Value
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func pairs(b []byte, visit func(Pair) error) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return errorOr(err, "want a JSON object")
	}
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return errorOr(err, "")
		}
		p := Pair{Key: tok.(string)} // the decoder takes nothing else for a key
		if err := dec.Decode(&p.Value); err != nil {
			return errorOr(err, "")
		}
		if err := visit(p); err != nil {
			return err
		}
	}
	return endOfText(dec)
}

// Pair is a key of an object with its value.
type Pair struct {
	Key   string
	Value json.RawMessage
}

// ParsePairs decodes one object whose order says something, keys that occur twice
// among them, and nothing after it.
func ParsePairs(b []byte) (out []Pair, err error) {
	err = pairs(b, func(p Pair) error { out = append(out, p); return nil })
	return out, err
}

// ParseList decodes one list and nothing after it.
func ParseList(b []byte) ([]json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('[') {
		return nil, errorOr(err, "want a JSON list")
	}
	var out []json.RawMessage
	for dec.More() {
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, errorOr(err, "")
		}
		out = append(out, value)
	}
	return out, endOfText(dec)
}

func endOfText(dec *json.Decoder) error {
	if _, err := dec.Token(); err != nil {
		return errorOr(err, "")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("data after the JSON value")
	}
	return nil
}

func errorOr(err error, otherwise string) error {
	if err == nil {
		return errors.New(otherwise)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the JSON is cut off")
	}
	return fmt.Errorf("not JSON: %w", err)
}

// Text returns a text or, as written, a number; absent and null are empty.
// Spaces around it are removed.
func (o Object) Text(key string) (string, error) {
	s, ok := scalar(o[key])
	if !ok {
		return "", fmt.Errorf("key %q: want text, have %s", key, Truncate(string(o[key])))
	}
	return s, nil
}

// Field is a key and where its text goes.
type Field struct {
	Key  string
	Into *string
}

// Fill reads texts in their order; the error is that of the first key with none.
func (o Object) Fill(fields ...Field) (err error) {
	for _, f := range fields {
		if *f.Into, err = o.Text(f.Key); err != nil {
			return err
		}
	}
	return nil
}

// Texts returns a list of texts or numbers; a single one is a list of one.
func (o Object) Texts(key string) ([]string, error) {
	raw := o[key]
	if s, ok := scalar(raw); ok {
		if s == "" {
			return nil, nil
		}
		return []string{s}, nil
	}
	items, err := ParseList(raw)
	if err != nil {
		return nil, fmt.Errorf("key %q: want a list of texts, have %s", key, Truncate(string(raw)))
	}
	var out []string
	for _, item := range items {
		s, ok := scalar(item)
		if !ok {
			return nil, fmt.Errorf("key %q: want a list of texts, have %s", key, Truncate(string(raw)))
		}
		out = append(out, s)
	}
	return out, nil
}

// Number returns a number, also one written as text; absent and null are 0.
func (o Object) Number(key string) (float64, error) {
	s, err := o.Text(key)
	if err != nil || s == "" {
		return 0, err
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || n-n != 0 { // not finite
		return 0, fmt.Errorf("key %q: want a number, have %q", key, Truncate(s))
	}
	return n, nil
}

// Object returns a nested object; absent and null are empty.
func (o Object) Object(key string) (Object, error) {
	if absent(o[key]) {
		return Object{}, nil
	}
	inner, err := ParseObject(o[key])
	if err != nil {
		return nil, fmt.Errorf("key %q: %w", key, err)
	}
	return inner, nil
}

// Objects returns a list of objects; absent and null are empty.
func (o Object) Objects(key string) ([]Object, error) {
	if absent(o[key]) {
		return nil, nil
	}
	items, err := ParseList(o[key])
	if err != nil {
		return nil, fmt.Errorf("key %q: %w", key, err)
	}
	out := make([]Object, len(items))
	for i, item := range items {
		if out[i], err = ParseObject(item); err != nil {
			return nil, fmt.Errorf("key %q: item %d: %w", key, i, err)
		}
	}
	return out, nil
}

func absent(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

func scalar(raw json.RawMessage) (string, bool) {
	if absent(raw) {
		return "", true
	}
	switch raw[0] {
	case '"':
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return "", false
		}
		return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")), true
	case '{', '[', 't', 'f':
		return "", false
	}
	return string(raw), true
}

// Line is one line of a JSON-lines file.
type Line struct {
	Number int
	Text   []byte
}

// Lines splits a prepared text; blank lines are left out, and so is the
// carriage return of CRLF.
func Lines(b []byte) []Line {
	var out []Line
	number := 0
	for text := range bytes.Lines(b) {
		number++
		if text = bytes.TrimSpace(text); len(text) > 0 {
			out = append(out, Line{number, text})
		}
	}
	return out
}

// Truncate keeps hostile text out of messages at full length.
func Truncate(s string) string { return words.ShortenBytes(s, 80) }

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
