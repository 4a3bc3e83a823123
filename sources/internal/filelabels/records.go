package filelabels

import (
	"bytes"

	"github.com/memforge/memforge/pipeline"
)

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
