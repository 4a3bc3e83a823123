package release

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	arrowparquet "github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/xitongsys/parquet-go/parquet"

	"github.com/memforge/memforge/pipeline/release/manifest"
)

// anew writes rows as other writers do by default: through dictionaries, in pages
// packed with snappy, whole numbers without a name for what they mean, under
// another root.
func anew(t *testing.T, tab table, rows []row) []byte {
	t.Helper()
	var b bytes.Buffer
	err := layOut(&b, tab, rows, arrowparquet.WithDictionaryDefault(true), arrowparquet.WithCompression(compress.Codecs.Snappy), arrowparquet.WithCreatedBy("another"))
	if err != nil {
		t.Fatal(err)
	}
	p := takeApart(t, b.Bytes())
	for i, e := range p.footer.Schema {
		if i == 0 {
			e.Name = "another_schema"
		}
		if e.IsSetType() && (e.GetType() == parquet.Type_INT32 || e.GetType() == parquet.Type_INT64) {
			e.ConvertedType, e.LogicalType = nil, nil
		}
	}
	return p.put(t)
}

// rewriteTables writes every table of a release anew, and returns how many.
func rewriteTables(t *testing.T, dir string) (n int) {
	t.Helper()
	c := mustRead(t, dir)
	for _, info := range c.Manifest.Tables {
		for _, s := range info.Splits {
			for _, tab := range tables() {
				if tab.name != info.Name {
					continue
				}
				rows, _, err := readTable(files(t, dir)[s.Path], tab)
				if err != nil {
					t.Fatal(err)
				}
				if len(rows) == 0 {
					continue
				}
				overwrite(t, dir, s.Path, anew(t, tab, rows))
				n++
			}
		}
	}
	return n
}

// TestTablesWrittenAnewAreJudgedByTheirRows: every table of a release was written
// anew by another program, with the lists and without. Each is one finding, and
// its rows are those that they were.
func TestTablesWrittenAnewAreJudgedByTheirRows(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 24)
	dir := write(t, store, t.TempDir(), in).Dir
	want := mustRead(t, dir)
	n := rewriteTables(t, dir)
	if n < 5 {
		t.Fatalf("%d tables were written anew", n)
	}
	same := func(found string) {
		t.Helper()
		got, err := Limits{}.ReadRows(t.Context(), dir)
		var damaged *DamagedError
		if !errors.As(err, &damaged) || len(damaged.Problems) != n {
			t.Fatalf("%v, want %d findings", err, n)
		}
		for _, p := range damaged.Problems {
			if !strings.Contains(p.Detail, found) || !strings.Contains(p.Detail, "through a dictionary") {
				t.Errorf("%s: %s", p.Path, p.Detail)
			}
		}
		got.Manifest, got.Sums = want.Manifest, want.Sums
		got.rows, got.ended, want.rows, want.ended = nil, nil, nil, nil
		if !reflect.DeepEqual(got, want) {
			t.Error("other rows were read")
		}
	}
	same("has digest")
	if _, err := Read(t.Context(), dir); err == nil {
		t.Error("Read gives rows of other bytes than listed")
	}
	reseal(t, dir, nil)
	same("its rows can be read")
}

// TestOtherRowsOfAnotherWriterAreFound: rows count, whoever wrote them.
func TestOtherRowsOfAnotherWriterAreFound(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 24)
	dir := write(t, store, t.TempDir(), in).Dir
	place, tab := tablePath(tableQuestions, "test"), tableOf(tableQuestions)
	rows, _, err := readTable(files(t, dir)[place], tab)
	if err != nil {
		t.Fatal(err)
	}
	task, _ := tab.column("task_id")
	rows[3][task] = "nobody"
	overwrite(t, dir, place, anew(t, tab, rows))
	c, err := Limits{}.ReadRows(t.Context(), dir)
	if err == nil || c.Dir != "" || !strings.Contains(err.Error(), `task_id refers to "nobody"`) || !strings.Contains(err.Error(), "has digest") {
		t.Errorf("%q, error %v", c.Dir, err)
	}
	overwrite(t, dir, place, []byte("PAR1 no table PAR1"))
	c, err = Limits{}.ReadRows(t.Context(), dir)
	var damaged *DamagedError
	if !errors.As(err, &damaged) || c.Dir != "" || len(damaged.Problems) != 1 || !strings.Contains(err.Error(), "its rows cannot be read") {
		t.Errorf("no table: %q, error %v", c.Dir, err)
	}
}

// TestTextsOfADictionaryAreCountedWhereTheyStand: a file of some kilobytes holds one
// long text, and has it in every row.
func TestTextsOfADictionaryAreCountedWhereTheyStand(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 12)
	dir := write(t, store, t.TempDir(), in).Dir
	long := strings.Repeat("a", 500_000)
	var rows []row
	for i := range 200 {
		rows = append(rows, row{fmt.Sprintf("%06d", i), "stage", "code", long, "source", nil})
	}
	place := tablePath(tableRejections, wholeSplit)
	data := anew(t, tableOf(tableRejections), rows)
	if len(data) > 64<<10 {
		t.Fatalf("the table has %d bytes and is not small", len(data))
	}
	overwrite(t, dir, place, data)
	reseal(t, dir, func(m *manifest.Manifest) {
		for i, info := range m.Tables {
			if info.Name == tableRejections {
				m.Tables[i].Rows, m.Tables[i].Splits[0].Rows = int64(len(rows)), int64(len(rows))
			}
		}
	})
	for inflated, refused := range map[int64]bool{100 << 20: true, 300 << 20: false} {
		var over *LimitError
		_, err := Limits{Inflated: inflated}.ReadRows(t.Context(), dir)
		if errors.As(err, &over) != refused || refused && over.Path != place {
			t.Errorf("within %d bytes: %v", inflated, err)
		}
	}
}
