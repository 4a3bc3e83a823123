package parquetread_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/parquetread"
	"github.com/memforge/memforge/pipeline/testkit/parquetfile"
)

// columns of every shape that strangers use.
func columns() []parquetfile.Column {
	return []parquetfile.Column{
		{Name: "Question Type", Kind: parquetfile.Text},
		{Name: "index", Kind: parquetfile.Int64, Required: true},
		{Name: "answer", Kind: parquetfile.Int32},
		{Name: "share", Kind: parquetfile.Float32},
		{Name: "done", Kind: parquetfile.Bool},
		{Name: "image", Kind: parquetfile.Struct, Of: parquetfile.Picture()},
		{Name: "raw", Kind: parquetfile.Bytes},
		parquetfile.ListOf("pictures", parquetfile.Struct, parquetfile.Picture()...),
		parquetfile.ListOf("turns", parquetfile.Struct, parquetfile.Column{Name: "who", Kind: parquetfile.Text}, parquetfile.ListOf("notes", parquetfile.Text)),
		{Name: "when", Kind: parquetfile.Milliseconds},
	}
}

func row(i int) map[string]any {
	r := map[string]any{"index": i, "Question Type": nil, "answer": nil, "share": nil, "done": nil, "image": nil, "raw": nil, "pictures": nil, "turns": nil, "when": nil}
	if i%2 == 0 {
		r["Question Type"], r["answer"], r["share"], r["done"] = "Fact Checking", i%6, float64(i)/2, i%4 == 0
		r["image"], r["raw"] = map[string]any{"bytes": fmt.Appendf(nil, "picture %d", i), "path": fmt.Sprintf("%d.png", i)}, []byte{0xff, byte(i)}
		r["turns"] = []any{map[string]any{"who": "ana", "notes": []any{"a", nil}}, map[string]any{"who": nil, "notes": nil}}
	}
	return r
}

func scan(data []byte, must, may []string, budget int64, visit func(parquetread.Row) error) error {
	return parquetread.Scan(bytes.NewReader(data), int64(len(data)), must, may, budget, visit)
}

func TestScan(t *testing.T) {
	var rows []map[string]any
	for i := range 45 {
		rows = append(rows, row(i))
	}
	data := parquetfile.Write(t, columns(), 10, rows)
	n := 0
	err := scan(data, []string{"Question Type", "index", "answer", "share", "done", "image", "turns"}, []string{"raw", "no such"}, parquetread.GroupBytes, func(r parquetread.Row) error {
		fields, err := r.Fields()
		if err != nil {
			return err
		}
		got, _ := json.Marshal(fields)
		want := fmt.Sprintf(`{"Question Type":null,"answer":null,"done":null,"image":null,"index":%d,"share":null,"turns":null}`, n)
		picture, raw, path := "", "", ""
		if n%2 == 0 {
			share, _ := json.Marshal(float64(n) / 2)
			want = fmt.Sprintf(`{"Question Type":"Fact Checking","answer":%d,"done":%t,"image":{"path":"%d.png"},"index":%d,"share":%s,"turns":[{"notes":["a",null],"who":"ana"},{"notes":null,"who":null}]}`, n%6, n%4 == 0, n, n, share)
			picture, raw, path = fmt.Sprintf("picture %d", n), string([]byte{0xff, byte(n)}), fmt.Sprintf("%d.png", n)
		}
		if string(got) != want || r.Number != int64(n) {
			t.Errorf("row %d: %s, want %s", r.Number, got, want)
		}
		b, p, err1 := r.Picture("image")
		bare, _, err2 := r.Picture("raw")
		if err1 != nil || err2 != nil || string(b) != picture || p != path || string(bare) != raw {
			t.Errorf("row %d: picture %q at %q, raw %q, errors %v, %v", n, b, p, bare, err1, err2)
		}
		n++
		return nil
	})
	if err != nil || n != 45 {
		t.Fatalf("%d rows, error %v", n, err)
	}
	stop := errors.New("enough")
	if err := scan(data, []string{"index"}, nil, parquetread.GroupBytes, func(parquetread.Row) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error %v, want that of visit", err)
	}
}

func TestScanRefuses(t *testing.T) {
	data := parquetfile.Write(t, columns(), 10, []map[string]any{row(0), row(1)})
	visit := func(r parquetread.Row) error { _, _, err := r.Picture("turns"); return err }
	for want, columns := range map[string][]string{
		`no column is called "Index"`: {"Index"}, "when has values of a kind that is not read": {"when"}, "turns holds no picture": {"turns"},
	} {
		if err := scan(data, columns, nil, parquetread.GroupBytes, visit); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	var over *parquetread.BudgetError
	big := parquetfile.Write(t, columns(), 10, []map[string]any{{"index": 1, "raw": bytes.Repeat([]byte("x"), 3<<20)}})
	if err := scan(big, []string{"raw"}, nil, 2<<20, visit); !errors.As(err, &over) {
		t.Errorf("error %v; want one of the budget", err)
	}
	if err := scan(big, []string{"index"}, nil, 2<<20, visit); err != nil {
		t.Errorf("a column that is not wanted takes budget: %v", err)
	}
}

func FuzzScan(f *testing.F) {
	f.Add(parquetfile.Write(f, columns(), 2, []map[string]any{row(0), row(1), row(2)}))
	f.Fuzz(func(t *testing.T, data []byte) {
		_ = scan(data, []string{"index"}, []string{"Question Type", "answer", "share", "done", "image", "raw", "pictures", "turns"}, 16<<20, func(r parquetread.Row) error {
			if _, err := r.Fields(); err != nil {
				return err
			}
			_, _, err := r.Picture("image")
			return err
		})
	})
}
