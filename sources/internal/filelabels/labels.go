// Package filelabels reads a sidecar file that annotates the files of a source:
// CSV with a header or JSON Lines, one row a file. The bytes are taken for
// hostile. A row that cannot be used is reported with its line and the others
// stand; only a sidecar that is unusable as a whole is an error.
package filelabels

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// readCSV reads a header and rows by RFC 4180. A field in quotes may hold line
// breaks. A row that is broken on one line costs that line; one whose quotes
// reach over several costs everything from its first line on, because the text
// of one file's field must not become another file's row.
func (t *Table) readCSV(name string, b []byte) error {
	records := splitRecords(b)
	header, err := csvHeader(records[0])
	if err != nil {
		return fmt.Errorf("labels %s:%d: header: %w", name, records[0].number, err)
	}
	for n, r := range records[1:] {
		if r.open {
			t.rejectRest(records, n+1, "a quote is opened and never closed")
			break
		}
		if why := check(r.text, true); why != nil {
			t.reject(r, why)
			continue
		}
		fields, err := csvFields(r.text)
		if err != nil && r.lines > 1 {
			t.rejectRest(records, n+1, fmt.Sprintf("not a CSV row: %v", err))
			break
		}
		if err != nil {
			t.reject(r, pipeline.Reject(CodeBadRow, "not a CSV row: %v; put a text with quotes into quotes and double those within", err))
			continue
		}
		if len(fields) != len(header) {
			t.reject(r, pipeline.Reject(CodeColumns, "%d columns where the header has %d; quote fields that hold commas", len(fields), len(header)))
			continue
		}
		columns := make(map[string]string, len(header))
		for i, h := range header {
			columns[h] = fields[i]
		}
		t.add(r, columns)
	}
	return nil
}

func csvFields(text []byte) ([]string, error) {
	r := csv.NewReader(bytes.NewReader(text))
	r.FieldsPerRecord = -1
	fields, err := r.Read()
	var broken *csv.ParseError
	if errors.As(err, &broken) {
		return nil, fmt.Errorf("line %d of it, byte %d: %w", broken.Line, broken.Column, broken.Err)
	}
	if err != nil {
		return nil, err
	}
	if _, err := r.Read(); err != io.EOF {
		return nil, fmt.Errorf("text after the row")
	}
	return fields, nil
}

func csvHeader(r record) ([]string, error) {
	if why := check(r.text, false); why != nil {
		return nil, why
	}
	header, err := csvFields(r.text)
	if err != nil {
		return nil, err
	}
	if len(header) > MaxColumns {
		return nil, fmt.Errorf("%d columns, more than %d; leave out what no label needs", len(header), MaxColumns)
	}
	seen := map[string]bool{}
	for i, h := range header {
		h = strings.TrimSpace(h)
		header[i] = h
		if h == "" {
			return nil, fmt.Errorf("column %d has no name", i+1)
		}
		if seen[h] {
			return nil, fmt.Errorf("column %q occurs twice", truncate(h))
		}
		seen[h] = true
	}
	if !seen[FileColumn] {
		return nil, fmt.Errorf("no column %q among %q; the first line must name the columns, separated by commas", FileColumn, truncate(strings.Join(header, ", ")))
	}
	return header, nil
}

// record is the text of one CSV row: one line, or several where a field in
// quotes holds line breaks.
type record struct {
	number int // its first line
	lines  int
	text   []byte
	open   bool // the file ends within quotes
}

// splitRecords cuts a file into the records of RFC 4180, without those that are
// blank lines. Line breaks become "\n".
func splitRecords(b []byte) []record {
	var out []record
	var r record
	number := 0
	for text := range bytes.Lines(b) {
		number++
		text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
		if r.lines == 0 && len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if r.lines == 0 {
			r.number = number
		} else {
			r.text = append(r.text, '\n')
		}
		r.text = append(r.text, text...)
		r.lines++
		if r.open = quoteOpen(r.open, text); !r.open {
			out = append(out, r)
			r = record{}
		}
	}
	if r.lines > 0 {
		out = append(out, r)
	}
	return out
}

// quoteOpen reports whether the end of a line is within quotes. A quote opens a
// field at its very beginning and nowhere else; within a field two stand for one.
func quoteOpen(open bool, line []byte) bool {
	begins := !open
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case open && c == '"' && i+1 < len(line) && line[i+1] == '"':
			i++
		case open:
			open = c != '"'
		case c == '"' && begins:
			open = true
		}
		begins = !open && c == ','
	}
	return open
}

// rejectRest refuses everything from record n on: where its quotes belong cannot be
// known, so what follows might be the text of a field as well as rows.
func (t *Table) rejectRest(records []record, n int, why string) {
	r, last := records[n], records[len(records)-1]
	t.Bad = append(t.Bad, Bad{Line: r.number, Lines: last.number + last.lines - r.number, Why: pipeline.Reject(CodeQuotes,
		"%s; lines %d to %d were not read, for whether they are rows or text of this one cannot be told: end the quotes, and double those within a text",
		why, r.number, last.number+last.lines-1)})
}

func (t *Table) readJSONL(lines []record) {
	for _, l := range lines {
		if why := check(l.text, false); why != nil {
			t.reject(l, why)
			continue
		}
		columns, why := jsonColumns(l.text)
		if why != nil {
			t.reject(l, why)
			continue
		}
		t.add(l, columns)
	}
}

// jsonColumns decodes a flat object of strings token by token: the standard
// map decoding would hide a key that occurs twice.
func jsonColumns(text []byte) (map[string]string, *pipeline.Rejection) {
	dec := json.NewDecoder(bytes.NewReader(text))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil, badJSON(err)
	}
	columns := map[string]string{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, badJSON(err)
		}
		name := strings.TrimSpace(key.(string))
		if len(columns) == MaxColumns {
			return nil, pipeline.Reject(CodeColumns, "more than %d keys; leave out what no label needs", MaxColumns)
		}
		if _, twice := columns[name]; twice || name == "" {
			return nil, pipeline.Reject(CodeBadRow, "key %q is empty or occurs twice", truncate(name))
		}
		value, err := dec.Token()
		if err != nil {
			return nil, badJSON(err)
		}
		s, ok := value.(string)
		if !ok {
			return nil, pipeline.Reject(CodeNotText, "the value of %q is not a string; write it in quotes", truncate(name))
		}
		columns[name] = s
	}
	if _, err := dec.Token(); err != nil {
		return nil, badJSON(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, badJSON(errors.New("text after the object"))
	}
	return columns, nil
}

func badJSON(err error) *pipeline.Rejection {
	if err == nil {
		err = errors.New("not an object")
	}
	if errors.Is(err, io.EOF) {
		err = errors.New("the object does not end on its line")
	}
	return pipeline.Reject(CodeBadRow, "%s", fmt.Sprintf("not a JSON object of strings: %v", err))
}
