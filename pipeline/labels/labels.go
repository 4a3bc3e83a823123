// Package labels reads a sidecar file that annotates the files of a source:
// CSV with a header or JSON Lines, one row a file. The bytes are taken for
// hostile. A row that cannot be used is reported with its line and the others
// stand; only a sidecar that is unusable as a whole is an error.
package labels

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
)

// Limits on a sidecar, in bytes.
const (
	MaxBytes = 64 << 20
	MaxLine  = 256 << 10
)

// Codes of the rejections that Parse reports.
const (
	CodeNotUTF8       = "labels-not-utf8"
	CodeLongLine      = "labels-line-too-long"
	CodeBadCharacter  = "labels-bad-character"
	CodeBadRow        = "labels-bad-row"
	CodeColumns       = "labels-wrong-columns"
	CodeNotText       = "labels-not-text"
	CodeNoFile        = "labels-no-file-name"
	CodeBadPath       = "labels-bad-path"
	CodeDuplicate     = "labels-duplicate-row"
	CodeContradiction = "labels-contradiction"
)

// FileColumn names the annotated file, relative to the source's root.
const FileColumn = "file"

// Row annotates one file. Values holds the non-empty columns but FileColumn.
type Row struct {
	Line   int
	File   string
	Values map[string]string
}

// Bad is a line that was not used and why.
type Bad struct {
	Line int
	Why  *pipeline.Rejection
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
	lines := splitLines(b)
	var t Table
	if strings.EqualFold(path.Ext(name), ".jsonl") {
		t.readJSONL(lines)
	} else if err := t.readCSV(name, lines); err != nil {
		return Table{}, err
	}
	t.settleRepeats()
	if len(t.Rows) == 0 && len(t.Bad) > 0 {
		first := t.Bad[0]
		return Table{}, fmt.Errorf("labels %s:%d: no row can be used, the first because: %w", name, first.Line, first.Why)
	}
	return t, nil
}

type line struct {
	number int
	text   []byte
}

// splitLines drops blank lines and the carriage return of CRLF.
func splitLines(b []byte) []line {
	var out []line
	number := 0
	for text := range bytes.Lines(b) {
		number++
		text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
		if len(bytes.TrimSpace(text)) > 0 {
			out = append(out, line{number, text})
		}
	}
	return out
}

// check refuses lines that no format can make sense of.
func (l line) check() *pipeline.Rejection {
	if len(l.text) > MaxLine {
		return pipeline.Reject(CodeLongLine, "the line has %d bytes, more than %d; shorten it", len(l.text), MaxLine)
	}
	if !utf8.Valid(l.text) {
		return pipeline.Reject(CodeNotUTF8, "the line is not UTF-8; save the file as UTF-8")
	}
	if i := bytes.IndexFunc(l.text, forbidden); i >= 0 {
		c, _ := utf8.DecodeRune(l.text[i:])
		return pipeline.Reject(CodeBadCharacter, "the line holds the control character %U; remove it", c)
	}
	return nil
}

func forbidden(c rune) bool { return c != '\t' && unicode.IsControl(c) }

func (t *Table) reject(number int, why *pipeline.Rejection) {
	t.Bad = append(t.Bad, Bad{number, why})
}

// add checks one decoded row and keeps it.
func (t *Table) add(number int, columns map[string]string) {
	file := strings.TrimPrefix(columns[FileColumn], "./")
	if file == "" {
		t.reject(number, pipeline.Reject(CodeNoFile, "the row names no file; fill column %q", FileColumn))
		return
	}
	if !fs.ValidPath(file) || strings.Contains(file, `\`) {
		t.reject(number, pipeline.Reject(CodeBadPath, "file %q: want a path below the source's root with forward slashes and no \"..\"", short(file)))
		return
	}
	row := Row{Line: number, File: file, Values: map[string]string{}}
	for column, value := range columns {
		value = strings.TrimSpace(value)
		if strings.ContainsFunc(value, hostileInValue) {
			t.reject(number, pipeline.Reject(CodeBadCharacter, "column %q holds a control or replacement character; remove it", short(column)))
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

// settleRepeats keeps the first of equal rows for a file and none of rows that
// contradict each other: which one is true cannot be known.
func (t *Table) settleRepeats() {
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
			t.reject(r.Line, pipeline.Reject(CodeContradiction, "%d rows for %q contradict each other (first on line %d); keep one", len(all), short(r.File), first.Line))
		case r.Line != first.Line:
			t.reject(r.Line, pipeline.Reject(CodeDuplicate, "line %d already says the same of %q; remove this one", first.Line, short(r.File)))
		default:
			t.Rows = append(t.Rows, r)
		}
	}
	slices.SortStableFunc(t.Bad, func(a, b Bad) int { return cmp.Compare(a.Line, b.Line) })
}

// short keeps hostile text out of messages at full length.
func short(s string) string {
	const most = 120
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}
