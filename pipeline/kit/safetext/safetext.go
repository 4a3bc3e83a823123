// Package safetext prints text of strangers. A name in a release, a store or a
// folder may hold line breaks, codes that move a terminal's cursor, or marks that
// turn the order of letters around, and would so pass for words of this program.
package safetext

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Line is a text on one line, with all that moves anything on a terminal written
// as JSON writes it: \n, \u001b, \u202e. What is no UTF-8 is \x and its byte.
func Line(text string) string { return escape(text, "") }

// Text is Line for a text of several lines: line breaks and tabs stay.
func Text(text string) string { return escape(text, "\n\t") }

func escape(text, keep string) string {
	bad := func(r rune) bool { return moves(r) && !strings.ContainsRune(keep, r) }
	if utf8.ValidString(text) && !strings.ContainsFunc(text, bad) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case !bad(r):
			b.WriteString(text[i : i+n])
		case r == '\n' || r == '\r' || r == '\t':
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += n
	}
	return b.String()
}

// moves reports whether a terminal does something else with a rune than to show
// it: control characters, marks of direction and others of no width but joiners,
// which some scripts need, and separators of lines.
func moves(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) && r != nonJoiner && r != joiner
}

// Fprintf is fmt.Fprintf with every text among its arguments on one line. Only the
// format breaks lines.
func Fprintf(w io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintf(w, format, lines(args)...)
}

// Sprintf is Fprintf into a text.
func Sprintf(format string, args ...any) string { return fmt.Sprintf(format, lines(args)...) }

func lines(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		out[i] = line(a)
	}
	return out
}

func line(arg any) any {
	switch a := arg.(type) {
	case string:
		return Line(a)
	case error:
		return errors.New(Line(a.Error()))
	case fmt.Stringer:
		return Line(a.String())
	}
	if v := reflect.ValueOf(arg); v.Kind() == reflect.String {
		return Line(v.String())
	}
	return arg
}

// Writer passes on what is written with Text; in JSON that changes no value, for
// there only texts hold such characters.
type Writer struct {
	to io.Writer
	// rest is the beginning of a character that goes on in the next write.
	rest []byte
}

// NewWriter returns a writer of plain text.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	text := append(w.rest, p...)
	end := len(text)
	for i := max(0, end-utf8.UTFMax); i < end; i++ {
		if utf8.RuneStart(text[i]) && !utf8.FullRune(text[i:]) {
			end = i
		}
	}
	w.rest = append([]byte(nil), text[end:]...)
	if _, err := io.WriteString(w.to, Text(string(text[:end]))); err != nil {
		return 0, err
	}
	return len(p), nil
}
