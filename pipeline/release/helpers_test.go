package release

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// tablePath is where the only file of a split of a table lies.
func tablePath(table, split string) string { return manifest.ShardPath(table, split, 0, 1) }

// readTable decodes a file of a table without limits.
func readTable(data []byte, t table) (rows []row, features string, err error) {
	b := &budget{Unlimited, Unlimited, Unlimited}
	for g, err := range b.groups(bytes.NewReader(data), int64(len(data)), t, "") {
		if err != nil {
			return nil, "", err
		}
		features, _ = g.file.declared()
		rows = append(rows, g.rows...)
	}
	return rows, features, nil
}

// compareRows reports the first difference between rows.
func compareRows(t table, want, got []row) error {
	if len(want) != len(got) {
		return fmt.Errorf("%d rows, want %d", len(got), len(want))
	}
	for i := range want {
		if err := compareRow(t, i, want[i], got[i]); err != nil {
			return err
		}
	}
	return nil
}

// sort puts rows in the table's order.
func (t table) sort(rows []row) {
	slices.SortStableFunc(rows, func(a, b row) int { return bytes.Compare(t.key(a), t.key(b)) })
}

// splitRows divides the rows of a divided table by split; others stay whole.
func splitRows(t table, rows []row) (map[string][]row, []string) {
	out, names := map[string][]row{}, []string{}
	for _, r := range rows {
		split := wholeSplit
		if i, ok := t.column("split"); ok && t.divided {
			split, _ = r[i].(string)
		}
		names = append(names, split)
		out[split] = append(out[split], r)
	}
	if len(names) == 0 {
		names = append(names, wholeSplit)
	}
	slices.Sort(names)
	return out, slices.Compact(names)
}

// collected is a writer that has collected what is given.
func collected(t *testing.T, in Input, store *memoryStore) *writer {
	t.Helper()
	w, err := newWriter(store, t.TempDir(), in, Options{Scratch: t.TempDir()})
	if err == nil {
		err = w.collect(in)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.set.Close() })
	return w
}

// wrong is what references finds in the writer's content.
func (w *writer) wrong(t *testing.T) (told []string) {
	t.Helper()
	if err := w.addRows(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, b := range checkReferences(tables(), w.each, true) {
		told = append(told, b.String())
	}
	return told
}

// prepared is a writer that has all to write.
func prepared(t *testing.T, store pipeline.Store, in Input) (*writer, error) {
	t.Helper()
	w, err := newWriter(store, t.TempDir(), in, Options{Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.set.Close() })
	return w, w.prepare(t.Context(), Options{})
}

// encoded are a manifest's bytes, with the id of its files.
func encoded(m *manifest.Manifest) []byte {
	sums, err := manifest.SumsDigest(m.Files)
	m.ID = manifest.ReleaseID(m.Name, m.Version, sums)
	var b bytes.Buffer
	if err := errors.Join(err, m.Encode(&b)); err != nil {
		panic(err) // nothing here fails
	}
	return b.Bytes()
}

// formatSums is SHA256SUMS of files.
func formatSums(files []manifest.FileInfo) []byte {
	var b bytes.Buffer
	if err := manifest.WriteSums(&b, files); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func keepFile(f manifest.FileInfo) (manifest.FileInfo, bool) { return f, true }
