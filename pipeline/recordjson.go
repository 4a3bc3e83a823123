package pipeline

import (
	"bytes"
	"unicode/utf8"
)

// Records are encoded and decoded more often than anything else, and nearly all of
// them are spelt in one way: so these read and write that spelling in one pass. What
// is spelt otherwise goes through encoding/json, with the same bytes as outcome.

// encodePlain encodes a record whose id and schema need no escapes and whose data is
// compact JSON.
func (r Record) encodePlain() ([]byte, bool) {
	if end, ok := skipValue(r.Data, 0, 0); !ok || end != len(r.Data) || !plainText(r.ID) || !plainText(r.Schema) {
		return nil, false
	}
	const frame = len(`{"id":"","schema":"","data":,"blobs":[]}`)
	b := make([]byte, 0, frame+len(r.ID)+len(r.Schema)+len(r.Data)+len(r.Blobs)*(64+len(`"",`)))
	b = append(append(b, `{"id":"`...), r.ID...)
	b = append(append(b, `","schema":"`...), r.Schema...)
	b = append(append(b, `","data":`...), r.Data...)
	for i, d := range r.Blobs {
		if !plainText(string(d)) {
			return nil, false
		}
		if i == 0 {
			b = append(b, `,"blobs":["`...)
		} else {
			b = append(b, `,"`...)
		}
		b = append(append(b, d...), '"')
	}
	if len(r.Blobs) > 0 {
		b = append(b, ']')
	}
	return append(b, '}'), true
}

// decodePlain is the inverse of encodePlain. The record shares no memory with b.
func decodePlain(b []byte) (r Record, ok bool) {
	rest, ok := bytes.CutPrefix(b, []byte(`{"id":"`))
	if !ok {
		return Record{}, false
	}
	id, rest, ok := cutText(rest, `","schema":"`)
	if !ok {
		return Record{}, false
	}
	schema, rest, ok := cutText(rest, `","data":`)
	if !ok {
		return Record{}, false
	}
	end, ok := skipValue(rest, 0, 0)
	if !ok {
		return Record{}, false
	}
	blobs, ok := blobsPlain(rest[end:])
	if !ok {
		return Record{}, false
	}
	return Record{ID: string(id), Schema: string(schema), Data: bytes.Clone(rest[:end]), Blobs: blobs}, true
}

// cutText cuts a text that needs no escapes from what follows it.
func cutText(b []byte, after string) (text, rest []byte, ok bool) {
	n := bytes.IndexByte(b, '"')
	if n < 0 || !plainText(b[:n]) {
		return nil, nil, false
	}
	rest, ok = bytes.CutPrefix(b[n:], []byte(after))
	return b[:n], rest, ok
}

// blobsPlain reads the end of a record.
func blobsPlain(b []byte) (blobs []Digest, ok bool) {
	if string(b) == "}" {
		return nil, true
	}
	b, ok = bytes.CutPrefix(b, []byte(`,"blobs":["`))
	for ok {
		text, rest, more := cutText(b, `","`)
		if !more {
			text, rest, ok = cutText(b, `"]}`)
			return append(blobs, Digest(text)), ok && len(rest) == 0
		}
		blobs, b = append(blobs, Digest(text)), rest
	}
	return nil, false
}

// plainText reports whether JSON spells a text as it is.
func plainText[T string | []byte](s T) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// deepest is how far skipValue follows nested values.
const deepest = 64

// skipValue gives the end of the JSON value at b[at:]. It is not ok unless the value
// is valid and has no space between its parts.
func skipValue(b []byte, at, depth int) (end int, ok bool) {
	if at >= len(b) || depth > deepest {
		return 0, false
	}
	switch c := b[at]; {
	case c == '"':
		return skipText(b, at)
	case c == '{':
		return skipParts(b, at, depth, '}')
	case c == '[':
		return skipParts(b, at, depth, ']')
	case c == '-' || c >= '0' && c <= '9':
		return skipNumber(b, at)
	}
	for _, word := range []string{"true", "false"} {
		if bytes.HasPrefix(b[at:], []byte(word)) {
			return at + len(word), true
		}
	}
	return skipNull(b, at, depth)
}

// skipNull skips a null within a value. Alone it is left to encoding/json.
func skipNull(b []byte, at, depth int) (end int, ok bool) {
	return at + len("null"), depth > 0 && bytes.HasPrefix(b[at:], []byte("null"))
}

// skipParts skips an object or a list.
func skipParts(b []byte, at, depth int, closing byte) (end int, ok bool) {
	at++
	if at < len(b) && b[at] == closing {
		return at + 1, true
	}
	for {
		if closing == '}' {
			if at, ok = skipText(b, at); !ok || at >= len(b) || b[at] != ':' {
				return 0, false
			}
			at++
		}
		if at, ok = skipValue(b, at, depth+1); !ok || at >= len(b) {
			return 0, false
		}
		switch b[at] {
		case closing:
			return at + 1, true
		case ',':
			at++
		default:
			return 0, false
		}
	}
}

func skipText(b []byte, at int) (end int, ok bool) {
	if at >= len(b) || b[at] != '"' {
		return 0, false
	}
	for at++; at < len(b); at++ {
		switch c := b[at]; {
		case c == '"':
			return at + 1, true
		case c < ' ':
			return 0, false
		case c == '\\':
			if at++; at >= len(b) {
				return 0, false
			}
			if b[at] == 'u' {
				if !hexDigits(b, at+1) {
					return 0, false
				}
				at += 4
			} else if bytes.IndexByte([]byte(`"\/bfnrt`), b[at]) < 0 {
				return 0, false
			}
		}
	}
	return 0, false
}

func hexDigits(b []byte, at int) bool {
	if at+4 > len(b) {
		return false
	}
	for _, c := range b[at : at+4] {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
			return false
		}
	}
	return true
}

func skipNumber(b []byte, at int) (end int, ok bool) {
	if b[at] == '-' {
		at++
	}
	from := at
	if at = skipDigits(b, at); at == from || b[from] == '0' && at > from+1 {
		return 0, false
	}
	if at < len(b) && b[at] == '.' {
		from = at + 1
		if at = skipDigits(b, from); at == from {
			return 0, false
		}
	}
	if at < len(b) && b[at]|0x20 == 'e' {
		at++
		if at < len(b) && (b[at] == '+' || b[at] == '-') {
			at++
		}
		from = at
		if at = skipDigits(b, from); at == from {
			return 0, false
		}
	}
	return at, true
}

func skipDigits(b []byte, at int) int {
	for at < len(b) && b[at] >= '0' && b[at] <= '9' {
		at++
	}
	return at
}
