package filelabels

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

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
