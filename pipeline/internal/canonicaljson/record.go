package canonicaljson

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Records are encoded and decoded more often than anything else, and nearly all of
// them are spelt in one way: so these read and write that spelling without reflection.
// What is spelt otherwise is left to encoding/json, with the same bytes as outcome.

const beforeBlobs = `,"blobs":["`

// EncodeRecord encodes the parts of a record as json.Marshal does. It reports false for
// what is not spelt in the usual way.
func EncodeRecord[D ~string](id, schema string, data []byte, blobs []D) ([]byte, bool) {
	if !isPlain(id) || !isPlain(schema) {
		return nil, false
	}
	const frame = len(`{"id":"","schema":"","data":,"blobs":[]}`)
	b := bytes.NewBuffer(make([]byte, 0, frame+len(id)+len(schema)+len(data)+len(blobs)*(64+len(`"",`))))
	b.WriteString(`{"id":"` + id + `","schema":"` + schema + `","data":`)
	if err := json.Compact(b, data); err != nil {
		return nil, false
	}
	before := beforeBlobs
	for _, d := range blobs {
		if !isPlain(d) {
			return nil, false
		}
		b.WriteString(before)
		b.WriteString(string(d))
		before = `","`
	}
	if len(blobs) > 0 {
		b.WriteString(`"]`)
	}
	b.WriteByte('}')
	return b.Bytes(), true
}

// DecodeRecord is the inverse of EncodeRecord. What it returns shares no memory with b.
func DecodeRecord[D ~string](b []byte) (id, schema string, data []byte, blobs []D, ok bool) {
	first, rest, ok := cutPlain(bytes.TrimPrefix(b, []byte(`{"id":"`)), `","schema":"`)
	if !ok || !bytes.HasPrefix(b, []byte(`{"id":"`)) {
		return "", "", nil, nil, false
	}
	second, rest, ok := cutPlain(rest, `","data":`)
	if !ok || !bytes.HasSuffix(rest, []byte("}")) {
		return "", "", nil, nil, false
	}
	rest = rest[:len(rest)-1]
	if at := bytes.LastIndex(rest, []byte(beforeBlobs)); at >= 0 && bytes.HasSuffix(rest, []byte(`"]`)) && json.Valid(rest[:at]) {
		for _, d := range bytes.Split(rest[at+len(beforeBlobs):len(rest)-len(`"]`)], []byte(`","`)) {
			if !isPlain(d) {
				return "", "", nil, nil, false
			}
			blobs = append(blobs, D(d))
		}
		rest = rest[:at]
	} else if !json.Valid(rest) {
		return "", "", nil, nil, false
	}
	if rest[0] <= ' ' || rest[len(rest)-1] <= ' ' {
		return "", "", nil, nil, false // space that is no part of the data
	}
	return string(first), string(second), bytes.Clone(rest), blobs, true
}

// cutPlain cuts a text that needs no escapes from what follows it.
func cutPlain(b []byte, after string) (text, rest []byte, ok bool) {
	n := bytes.IndexByte(b, '"')
	if n < 0 || !isPlain(b[:n]) {
		return nil, nil, false
	}
	rest, ok = bytes.CutPrefix(b[n:], []byte(after))
	return b[:n], rest, ok
}

// isPlain reports whether JSON spells a text as it is.
func isPlain[S ~string | ~[]byte](s S) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
