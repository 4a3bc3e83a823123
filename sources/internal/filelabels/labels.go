// Package labels reads a sidecar file that annotates the files of a source:
// CSV with a header or JSON Lines, one row a file. The bytes are taken for
// hostile. A row that cannot be used is reported with its line and the others
// stand; only a sidecar that is unusable as a whole is an error.
package filelabels

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/words"
)

// Limits on a sidecar: bytes of the file and of a row, and columns.
const (
	MaxBytes   = 64 << 20
	MaxLine    = 256 << 10
	MaxColumns = 256
)

// Codes of the rejections that Parse reports.
const (
	CodeNotUTF8       = "labels-not-utf8"
	CodeLongLine      = "labels-line-too-long"
	CodeBadCharacter  = "labels-bad-character"
	CodeBadRow        = "labels-bad-row"
	CodeQuotes        = "labels-open-quote"
	CodeColumns       = "labels-wrong-columns"
	CodeNotText       = "labels-not-text"
	CodeNoFile        = "labels-no-file-name"
	CodeBadPath       = "labels-bad-path"
	CodeDuplicate     = "labels-duplicate-row"
	CodeContradiction = "labels-contradiction"
)

// FileColumn names the annotated file, relative to the source's root.
const FileColumn = "file"

// Row annotates one file. Values holds the non-empty columns but FileColumn. It
// stands on Lines lines from Line on.
type Row struct {
	Line, Lines int
	File        string
	Values      map[string]string
}

// Bad is a row that was not used, or the rest of a file, and why.
type Bad struct {
	Line, Lines int
	Why         *pipeline.Rejection
}

// Table is a parsed sidecar: good rows in the order of their lines, one a
// file, and bad lines in order.
type Table struct {
	Rows []Row
	Bad  []Bad
}

// CheckName tells whether Parse knows the format of a sidecar by its name.
func CheckName(name string) error {
	switch strings.ToLower(path.Ext(name)) {
	case ".csv", ".jsonl":
		return nil
	}
	return fmt.Errorf("labels file %q: want a name ending in .csv or .jsonl", name)
}

// Parse reads the sidecar called name. Its errors name the file and, where
// there is one, the line.
func Parse(name string, b []byte) (Table, error) {
	if err := CheckName(name); err != nil {
		return Table{}, err
	}
	if len(b) > MaxBytes {
		return Table{}, fmt.Errorf("labels %s: %d bytes, more than %d; split the source", name, len(b), MaxBytes)
	}
	if bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) {
		return Table{}, fmt.Errorf("labels %s:1: the file is UTF-16; save it as UTF-8", name)
	}
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(b)) == 0 {
		return Table{}, fmt.Errorf("labels %s: the file is empty; remove it from the configuration or fill it", name)
	}
	var t Table
	if strings.EqualFold(path.Ext(name), ".jsonl") {
		t.readJSONL(splitLines(b))
	} else if err := t.readCSV(name, b); err != nil {
		return Table{}, err
	}
	t.dropRepeats()
	if len(t.Rows) == 0 && len(t.Bad) > 0 {
		first := t.Bad[0]
		return Table{}, fmt.Errorf("labels %s:%d: no row can be used, the first because: %w", name, first.Line, first.Why)
	}
	return t, nil
}

// splitLines gives the lines as records, without blank ones and the carriage
// return of CRLF.
func splitLines(b []byte) []record {
	var out []record
	number := 0
	for text := range bytes.Lines(b) {
		number++
		text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
		if len(bytes.TrimSpace(text)) > 0 {
			out = append(out, record{number: number, lines: 1, text: text})
		}
	}
	return out
}

// check refuses a row that no format can make sense of. breaks allows line
// breaks in it.
func check(text []byte, breaks bool) *pipeline.Rejection {
	if len(text) > MaxLine {
		return pipeline.Reject(CodeLongLine, "the row has %d bytes, more than %d; shorten it", len(text), MaxLine)
	}
	if !utf8.Valid(text) {
		return pipeline.Reject(CodeNotUTF8, "the row is not UTF-8; save the file as UTF-8")
	}
	bad := func(c rune) bool { return forbidden(c) && !(breaks && c == '\n') }
	if i := bytes.IndexFunc(text, bad); i >= 0 {
		c, _ := utf8.DecodeRune(text[i:])
		return pipeline.Reject(CodeBadCharacter, "the row holds the control character %U; remove it", c)
	}
	return nil
}

func forbidden(c rune) bool { return c != '\t' && unicode.IsControl(c) }

func (t *Table) reject(r record, why *pipeline.Rejection) {
	t.Bad = append(t.Bad, Bad{Line: r.number, Lines: r.lines, Why: why})
}

// add checks the decoded columns of a row and keeps it.
func (t *Table) add(r record, columns map[string]string) {
	file := strings.TrimPrefix(columns[FileColumn], "./")
	if file == "" {
		t.reject(r, pipeline.Reject(CodeNoFile, "the row names no file; fill column %q", FileColumn))
		return
	}
	if !fs.ValidPath(file) || strings.Contains(file, `\`) {
		t.reject(r, pipeline.Reject(CodeBadPath, "file %q: want a path below the source's root with forward slashes and no \"..\"", truncate(file)))
		return
	}
	row := Row{Line: r.number, Lines: r.lines, File: file, Values: map[string]string{}}
	for column, value := range columns {
		value = strings.TrimSpace(value)
		if strings.ContainsFunc(value, hostileInValue) {
			t.reject(r, pipeline.Reject(CodeBadCharacter, "column %q holds a control or replacement character; remove it", truncate(column)))
			return
		}
		if column != FileColumn && value != "" {
			row.Values[column] = value
		}
	}
	t.Rows = append(t.Rows, row)
}

// hostileInValue allows line breaks, which JSON can carry in a description. A
// replacement character means that text was lost before it came here.
func hostileInValue(c rune) bool {
	return c != '\n' && forbidden(c) || c == utf8.RuneError
}

// dropRepeats keeps the first of equal rows for a file and none of rows that
// contradict each other: which one is true cannot be known.
func (t *Table) dropRepeats() {
	byFile := map[string][]Row{}
	for _, r := range t.Rows {
		byFile[r.File] = append(byFile[r.File], r)
	}
	rows := t.Rows
	t.Rows = nil
	for _, r := range rows {
		all := byFile[r.File]
		first := all[0]
		agree := !slices.ContainsFunc(all, func(o Row) bool { return !maps.Equal(o.Values, first.Values) })
		switch {
		case !agree:
			t.reject(record{number: r.Line, lines: r.Lines}, pipeline.Reject(CodeContradiction, "%d rows for %q contradict each other (first on line %d); keep one", len(all), truncate(r.File), first.Line))
		case r.Line != first.Line:
			t.reject(record{number: r.Line, lines: r.Lines}, pipeline.Reject(CodeDuplicate, "line %d already says the same of %q; remove this one", first.Line, truncate(r.File)))
		default:
			t.Rows = append(t.Rows, r)
		}
	}
	slices.SortStableFunc(t.Bad, func(a, b Bad) int { return cmp.Compare(a.Line, b.Line) })
}

// truncate keeps hostile text out of messages at full length.
func truncate(s string) string { return words.ShortenBytes(s, 120) }
