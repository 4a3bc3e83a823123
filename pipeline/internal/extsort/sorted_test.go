package extsort

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"
)

func read(t *testing.T, s *Tables, name string) (rows [][]any) {
	t.Helper()
	for b, err := range s.Rows(name) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, DecodeRow(b))
	}
	return rows
}

// TestRowsComeBackInOrder holds whatever part of the rows is on disk, and equal
// keys in the order of adding.
func TestRowsComeBackInOrder(t *testing.T) {
	t.Parallel()
	for _, memory := range []int{1, 500, 5_000, 1 << 20} {
		dir := t.TempDir()
		s := New(dir, memory)
		want := map[string][][]any{}
		random := rand.New(rand.NewPCG(1, 2))
		for i := range 600 {
			name := []string{"a", "b"}[i%2]
			row := []any{fmt.Sprint("k", random.IntN(40)), int64(random.IntN(5) - 2), int64(i)}
			want[name] = append(want[name], row)
			key := AppendKey(nil, row[:2]...)
			err := s.Add(name, key, row)
			if i%3 == 0 {
				want[name] = append(want[name], row)
				err = errors.Join(err, s.AddBytes(name, key, AppendRow(nil, row)))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for name, rows := range want {
			slices.SortStableFunc(rows, func(a, b []any) int {
				return cmp.Or(cmp.Compare(a[0].(string), b[0].(string)), cmp.Compare(a[1].(int64), b[1].(int64)))
			})
			for range 2 {
				if got := read(t, s, name); !reflect.DeepEqual(got, rows) {
					t.Fatalf("memory %d, table %s: other rows or another order", memory, name)
				}
			}
			if n := s.Len(name); n != int64(len(rows)) {
				t.Errorf("%d rows of %d", n, len(rows))
			}
		}
		if n := s.Spilled(); n > 0 != (memory <= 5_000) {
			t.Errorf("memory %d: %d tables are on disk", memory, n)
		}
		if files, _ := os.ReadDir(dir); len(files) > 0 {
			t.Errorf("%d files would remain if the program ended", len(files))
		}
		if err := s.Drop("a"); err != nil || s.Len("a") != 0 || s.used != s.tables["b"].heldBytes() {
			t.Errorf("%v, %d rows of a table that was dropped, %d bytes in use", err, s.Len("a"), s.used)
		}
		if got := read(t, s, "b"); !reflect.DeepEqual(got, want["b"]) {
			t.Errorf("memory %d: other rows beside a table that was dropped", memory)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestATableIsReadWhileAnotherIsFilled: what is read moves from memory to the disk
// meanwhile.
func TestATableIsReadWhileAnotherIsFilled(t *testing.T) {
	t.Parallel()
	s := New(t.TempDir(), 4_000)
	add := func(name string, i int) {
		t.Helper()
		row := []any{fmt.Sprintf("%06d", i), "some more text"}
		if err := s.Add(name, AppendKey(nil, row[0]), row); err != nil {
			t.Fatal(err)
		}
	}
	const n = 90
	for i := range n {
		add("read", n-i)
	}
	want := read(t, s, "read")
	var got [][]any
	for b, err := range s.Rows("read") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, DecodeRow(b))
		for i := range 20 {
			add("filled", len(got)*100+i)
		}
	}
	if !reflect.DeepEqual(got, want) || s.Len("filled") != 20*n || len(read(t, s, "filled")) != 20*n {
		t.Errorf("%d rows of %d, and %d filled", len(got), len(want), s.Len("filled"))
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestCellsKeepTypeAndValue(t *testing.T) {
	t.Parallel()
	row := []any{
		nil, "", "text\x00", true, false, int32(-5), int32(5), int64(math.MinInt64), int64(5), 0.5, math.Copysign(0, -1),
		[]byte{}, []byte{1, 0}, []any{}, []any{nil, []any{"nested", int32(1)}, "x"},
	}
	b := AppendRow(nil, row)
	if got := DecodeRow(b); !reflect.DeepEqual(got, row) {
		t.Errorf("got %#v", got)
	}
	if !bytes.Equal(AppendRow(nil, DecodeRow(b)), b) {
		t.Error("read and written again they have other bytes")
	}
}

func TestKeysOrderAsValuesDo(t *testing.T) {
	t.Parallel()
	ordered := [][]any{
		{nil, "b"}, {"", "a"}, {"", "b"}, {"a", nil}, {"a", "z"}, {"a\x00", "a"}, {"a\x00b", "a"}, {"a\x01", "a"}, {"ab", "a"}, {"b", "a"},
	}
	numbers := [][]any{{nil}, {int64(math.MinInt64)}, {int32(-1)}, {int64(0)}, {int32(7)}, {int64(math.MaxInt64)}}
	for _, rows := range [][][]any{ordered, numbers} {
		for i := range rows[1:] {
			if bytes.Compare(AppendKey(nil, rows[i]...), AppendKey(nil, rows[i+1]...)) >= 0 {
				t.Errorf("%q does not come before %q", rows[i], rows[i+1])
			}
		}
	}
}

func TestAFullDiskIsAnError(t *testing.T) {
	t.Parallel()
	s := New(t.TempDir()+"/gone", 1)
	if err := s.Add("a", nil, []any{"x"}); err == nil {
		t.Error("rows went nowhere")
	}
}
