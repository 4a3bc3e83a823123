// Package canonicaljson encodes values as the one JSON that digests and keys are taken of:
// sorted object keys, no space between tokens, no HTML escaping. It also encodes records,
// which are stored as JSON.
package canonicaljson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Marshal encodes v with sorted keys. Numbers keep their literal form.
func Marshal(v any) ([]byte, error) {
	raw, err := MarshalCompact(v)
	if err != nil {
		return nil, err
	}
	c := canonicaliser{src: raw, out: make([]byte, 0, len(raw))}
	if err := c.value(); err != nil {
		return nil, err
	}
	return c.out, nil
}

// MarshalCompact is json.Marshal without HTML escaping.
func MarshalCompact(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// canonicaliser writes compact JSON, as the encoder gives it, with sorted keys
// and strings in the encoder's own spelling. Its input is known to be valid. It
// is a pass over bytes because it is on the way of every record and every
// question.
type canonicaliser struct {
	src []byte
	at  int
	out []byte
}

// member is a written "key":value.
type member struct {
	key      string
	from, to int
}

func (c *canonicaliser) value() error {
	switch c.src[c.at] {
	case '{':
		return c.object()
	case '[':
		return c.array()
	case '"':
		_, err := c.text()
		return err
	}
	from := c.at
	for c.at < len(c.src) && !strings.ContainsRune(",]}", rune(c.src[c.at])) {
		c.at++
	}
	c.out = append(c.out, c.src[from:c.at]...)
	return nil
}

func (c *canonicaliser) skip() {
	c.out = append(c.out, c.src[c.at])
	c.at++
}

func (c *canonicaliser) array() error {
	for c.skip(); c.src[c.at] != ']'; {
		if err := c.value(); err != nil {
			return err
		}
		if c.src[c.at] == ',' {
			c.skip()
		}
	}
	c.skip()
	return nil
}

func (c *canonicaliser) object() error {
	var few [16]member
	members := few[:0]
	c.skip()
	start := len(c.out)
	for c.src[c.at] != '}' {
		from := len(c.out)
		key, err := c.text()
		if err != nil {
			return err
		}
		c.skip()
		if err := c.value(); err != nil {
			return err
		}
		members = append(members, member{key, from, len(c.out)})
		if c.src[c.at] == ',' {
			c.skip()
		}
	}
	c.order(start, members)
	c.skip()
	return nil
}

// order brings the members written from start on into the order of their keys.
// Of two with one key the later counts.
func (c *canonicaliser) order(start int, members []member) {
	ordered := true
	for i := range members[min(1, len(members)):] {
		ordered = ordered && members[i].key < members[i+1].key
	}
	if ordered {
		return
	}
	written := slices.Clone(c.out[start:])
	slices.SortStableFunc(members, func(a, b member) int { return strings.Compare(a.key, b.key) })
	c.out = c.out[:start]
	for i, m := range members {
		if i+1 < len(members) && members[i+1].key == m.key {
			continue
		}
		if len(c.out) > start {
			c.out = append(c.out, ',')
		}
		c.out = append(c.out, written[m.from-start:m.to-start]...)
	}
}

// text writes a string and returns what it says. One with signs that can be
// spelt in several ways goes through the decoder.
func (c *canonicaliser) text() (string, error) {
	from, asIs := c.at, true
	for c.at++; c.src[c.at] != '"'; c.at++ {
		switch b := c.src[c.at]; {
		case b == '\\':
			asIs = false
			c.at++
		case b >= utf8.RuneSelf:
			asIs = false
		}
	}
	c.at++
	raw := c.src[from:c.at]
	if asIs {
		c.out = append(c.out, raw...)
		return string(raw[1 : len(raw)-1]), nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", err
	}
	again, err := MarshalCompact(s)
	c.out = append(c.out, again...)
	return s, err
}
