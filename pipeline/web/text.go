package web

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/memforge/memforge/pipeline/kit/safetext"
)

// maxShown bounds the bytes of a text on a page; the rest is a link away.
const maxShown = 4 << 10

// shownText is a text as pages show it: no character of it moves others.
type shownText struct {
	Text string
	// Rest names the whole text by its digest if Text is cut, see findText. Bytes is its
	// length.
	Rest  string
	Bytes int
}

// showText makes control characters visible and cuts long texts.
func showText(s string) shownText {
	if len(s) <= maxShown {
		return shownText{Text: safetext.Text(s)}
	}
	end := maxShown
	for end > maxShown-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return shownText{Text: safetext.Text(s[:end]) + "…", Rest: textName(s), Bytes: len(s)}
}

// showLine is a text on one line of at most n characters.
func showLine(s string, n int) string {
	s = strings.Join(strings.Fields(s[:min(len(s), 8*n)]), " ")
	if runes := []rune(s); len(runes) > n {
		s = strings.TrimSpace(string(runes[:n])) + "…"
	}
	return safetext.Line(s)
}

// textName returns the name by which a page gives a whole text.
func textName(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:12])
}

// findText returns the long text of this name somewhere in what a page shows.
func findText(v reflect.Value, name string) (string, bool) {
	switch v.Kind() {
	case reflect.String:
		if v.Len() > maxShown && textName(v.String()) == name {
			return v.String(), true
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return findText(v.Elem(), name)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if s, ok := findText(v.Field(i), name); ok {
				return s, true
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if s, ok := findText(v.Index(i), name); ok {
				return s, true
			}
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			if s, ok := findText(it.Value(), name); ok {
				return s, true
			}
		}
	}
	return "", false
}
