package filelabels_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/sources/internal/filelabels"
)

// summary prints a table as one line a row, so that a test shows all of it.
func summary(t filelabels.Table) string {
	var b strings.Builder
	for _, r := range t.Rows {
		fmt.Fprintf(&b, "%d %s %v\n", r.Line, r.File, r.Values)
	}
	for _, bad := range t.Bad {
		fmt.Fprintf(&b, "%d !%s\n", bad.Line, bad.Why.Code)
	}
	return b.String()
}

func TestParse(t *testing.T) {
	long := strings.Repeat("x", filelabels.MaxLine)
	tests := []struct{ label, name, in, want string }{
		{"plain", "l.csv", "file,action\na.mp4,wave\nsub/b.mp4,\n", "2 a.mp4 map[action:wave]\n3 sub/b.mp4 map[]\n"},
		{"bom, crlf, no last newline", "l.csv", "\ufefffile,action\r\n./a.mp4, wave \r\n\r\nb.mp4,bow", "2 a.mp4 map[action:wave]\n4 b.mp4 map[action:bow]\n"},
		{"quotes", "l.csv", "file,title\na.mp4,\"x, \"\"y\"\"\"\n", "2 a.mp4 map[title:x, \"y\"]\n"},
		{"breaks within quotes", "l.csv", "file,a,b\nx.mp4,\"one\r\n\ny.mp4,wave\",q\nz.mp4,ok,\n", "2 x.mp4 map[a:one\n\ny.mp4,wave b:q]\n5 z.mp4 map[a:ok]\n"},
		{"quotes on one line cost it", "l.csv", "file,a\nx.mp4,b\"c\ny.mp4,\"a\"b\nz.mp4,ok\n", "4 z.mp4 map[a:ok]\n2 !labels-bad-row\n3 !labels-bad-row\n"},
		{"quotes over lines cost the rest", "l.csv", "file,a\nw.mp4,ok\nx.mp4,\"lost\ny.mp4,ok\nz.mp4,\"b\"\nz2.mp4,c\n", "2 w.mp4 map[a:ok]\n3 !labels-open-quote\n"},
		{"a quote without end costs the rest", "l.csv", "file,a\nw.mp4,ok\nx.mp4,\"lost\ny.mp4,ok\n", "2 w.mp4 map[a:ok]\n3 !labels-open-quote\n"},
		{"not utf8", "l.csv", "file,a\nx.mp4,caf\xe9\ny.mp4,ok\n", "3 y.mp4 map[a:ok]\n2 !labels-not-utf8\n"},
		{"nul", "l.csv", "file,a\nx.mp4,a\x00b\ny.mp4,ok\n", "3 y.mp4 map[a:ok]\n2 !labels-bad-character\n"},
		{"columns", "l.csv", "file,a\nx.mp4\ny.mp4,1,2\nz.mp4,ok\n", "4 z.mp4 map[a:ok]\n2 !labels-wrong-columns\n3 !labels-wrong-columns\n"},
		{"long line", "l.csv", "file,a\nx.mp4," + long + "\ny.mp4,ok\n", "3 y.mp4 map[a:ok]\n2 !labels-line-too-long\n"},
		{"traversal", "l.csv", "file,a\n../x.mp4,1\n/etc/passwd,1\na\\b.mp4,1\na/../b.mp4,1\n,1\ny.mp4,ok\n",
			"7 y.mp4 map[a:ok]\n2 !labels-bad-path\n3 !labels-bad-path\n4 !labels-bad-path\n5 !labels-bad-path\n6 !labels-no-file-name\n"},
		{"repeats", "l.csv", "file,a\nx.mp4,1\nx.mp4,1\ny.mp4,1\ny.mp4,2\nz.mp4,3\n",
			"2 x.mp4 map[a:1]\n6 z.mp4 map[a:3]\n3 !labels-duplicate-row\n4 !labels-contradiction\n5 !labels-contradiction\n"},
		{"jsonl", "l.jsonl", "{\"file\":\"a.mp4\",\"scene\":\"k\\nz\"}\n\n{\"file\":\"b.mp4\"}\n", "1 a.mp4 map[scene:k\nz]\n3 b.mp4 map[]\n"},
		{"jsonl bad lines", "l.JSONL", strings.Join([]string{
			`{"file":"a.mp4"}`, `{"file":"b.mp4"`, `[1]`, `{"file":"c.mp4","n":1}`, `{"file":"d.mp4","n":null}`,
			`{"file":"e.mp4","x":{}}`, `{"file":"f.mp4","x":"1","x":"2"}`, `{"file":"g.mp4"} {}`, `{"n":"1"}`, `{"file":"h.mp4","x":"\u0000"}`,
			`{"file":"i.mp4","x":"\ud800"}`, `nonsense`}, "\n"),
			"1 a.mp4 map[]\n2 !labels-bad-row\n3 !labels-bad-row\n4 !labels-not-text\n5 !labels-not-text\n6 !labels-not-text\n7 !labels-bad-row\n8 !labels-bad-row\n9 !labels-no-file-name\n10 !labels-bad-character\n11 !labels-bad-character\n12 !labels-bad-row\n"},
	}
	for _, tt := range tests {
		t.Run(tt.label, func(t *testing.T) {
			table, err := filelabels.Parse(tt.name, []byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if got := summary(table); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestParseRefusesUnusableFiles(t *testing.T) {
	tests := []struct{ label, name, in, want string }{
		{"empty", "l.csv", " \n\n", "the file is empty"},
		{"no header", "l.csv", "a.mp4,wave\n", `l.csv:1: header: no column "file"`},
		{"utf16", "l.csv", "\xff\xfef\x00", "l.csv:1: the file is UTF-16"},
		{"semicolons", "l.csv", "file;action\na;b\n", "separated by commas"},
		{"column twice", "l.csv", "file,a,a\n", `column "a" occurs twice`},
		{"nameless column", "l.csv", "file,\n", "column 2 has no name"},
		{"header quotes", "l.csv", "file,\"a\n", "l.csv:1: header"},
		{"too many columns", "l.csv", "file" + strings.Repeat(",a", filelabels.MaxColumns) + "\n", "257 columns, more than 256"},
		{"header bytes", "l.csv", "\nfile,\xe9\n", "l.csv:2: header: labels-not-utf8"},
		{"mac line ends", "l.csv", "file,a\ra.mp4,b\r", "control character U+000D"},
		{"nothing usable", "l.jsonl", "x\ny\n", "l.jsonl:1: no row can be used"},
		{"format", "l.xlsx", "x", "ending in .csv or .jsonl"},
	}
	for _, tt := range tests {
		t.Run(tt.label, func(t *testing.T) {
			_, err := filelabels.Parse(tt.name, []byte(tt.in))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestHeaderAloneIsNoError(t *testing.T) {
	table, err := filelabels.Parse("l.csv", []byte("file,action\n"))
	if err != nil || len(table.Rows) != 0 {
		t.Errorf("got %v, %v", table, err)
	}
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte("file,a\nx.mp4,1\nx.mp4,\"2\"\n"))
	f.Add([]byte("\xef\xbb\xbffile\r\n../x\r\n\"\n"))
	f.Fuzz(func(t *testing.T, b []byte) { checkTable(t, "l.csv", b) })
}

func FuzzJSONL(f *testing.F) {
	f.Add([]byte("{\"file\":\"a\",\"b\":\"c\"}\n{}\n[]\n"))
	f.Add([]byte("{\"file\":\"a\",\"file\":\"b\"}\n\"\n"))
	f.Fuzz(func(t *testing.T, b []byte) { checkTable(t, "l.jsonl", b) })
}

// checkTable holds what must be true of every input: each non-blank line is
// accounted for once, files are unique and stay below the root.
func checkTable(t *testing.T, name string, b []byte) {
	table, err := filelabels.Parse(name, b)
	if err != nil {
		return
	}
	lines := map[int]bool{}
	take := func(from, n int, what any) {
		for l := from; l < from+n; l++ {
			if lines[l] {
				t.Fatalf("line %d counts twice, last for %+v", l, what)
			}
			lines[l] = true
		}
	}
	files := map[string]bool{}
	for _, r := range table.Rows {
		if files[r.File] || strings.HasPrefix(r.File, "/") || strings.Contains("/"+r.File+"/", "/../") {
			t.Fatalf("row %+v", r)
		}
		files[r.File] = true
		take(r.Line, r.Lines, r)
	}
	for _, bad := range table.Bad {
		if bad.Why.Reason == "" {
			t.Fatalf("bad line %+v", bad)
		}
		take(bad.Line, bad.Lines, bad)
	}
	number, header := 0, name == "l.csv"
	for l := range bytes.Lines(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))) {
		number++
		if len(bytes.TrimSpace(l)) == 0 {
			continue
		}
		if !header && !lines[number] {
			t.Fatalf("line %d is not accounted for", number)
		}
		header = false
	}
}
