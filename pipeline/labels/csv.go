package labels

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

// readCSV takes one line for one row. A quoted line break is not supported:
// otherwise one lost quote would swallow every row after it.
func (t *Table) readCSV(name string, lines []line) error {
	header, err := csvHeader(lines[0])
	if err != nil {
		return fmt.Errorf("labels %s:%d: header: %w", name, lines[0].number, err)
	}
	for _, l := range lines[1:] {
		if why := l.check(); why != nil {
			t.reject(l.number, why)
			continue
		}
		fields, err := csvFields(l.text)
		if err != nil {
			t.reject(l.number, pipeline.Reject(CodeBadRow, "not a CSV row: %v; a row must end on its line, use .jsonl for text with line breaks", err))
			continue
		}
		if len(fields) != len(header) {
			t.reject(l.number, pipeline.Reject(CodeColumns, "%d columns where the header has %d; quote fields that hold commas", len(fields), len(header)))
			continue
		}
		columns := make(map[string]string, len(header))
		for i, h := range header {
			columns[h] = fields[i]
		}
		t.add(l.number, columns)
	}
	return nil
}

func csvFields(text []byte) ([]string, error) {
	r := csv.NewReader(bytes.NewReader(text))
	r.FieldsPerRecord = -1
	fields, err := r.Read()
	if pe, ok := err.(*csv.ParseError); ok {
		return nil, fmt.Errorf("column %d: %w", pe.Column, pe.Err)
	}
	if err != nil {
		return nil, err
	}
	if _, err := r.Read(); err != io.EOF {
		return nil, fmt.Errorf("text after the row")
	}
	return fields, nil
}

func csvHeader(l line) ([]string, error) {
	if why := l.check(); why != nil {
		return nil, why
	}
	header, err := csvFields(l.text)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i, h := range header {
		h = strings.TrimSpace(h)
		header[i] = h
		if h == "" {
			return nil, fmt.Errorf("column %d has no name", i+1)
		}
		if seen[h] {
			return nil, fmt.Errorf("column %q occurs twice", short(h))
		}
		seen[h] = true
	}
	if !seen[FileColumn] {
		return nil, fmt.Errorf("no column %q among %q; the first line must name the columns, separated by commas", FileColumn, short(strings.Join(header, ", ")))
	}
	return header, nil
}
