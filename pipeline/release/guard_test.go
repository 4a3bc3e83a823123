package release

import (
	"bytes"
	"slices"
	"testing"
)

// rowsForDamage are small, so that every bit can be flipped.
func rowsForDamage() []row { return adversarialRows()[:4] }

func TestDamagedTableIsAnErrorOrOtherRows(t *testing.T) {
	if testing.Short() {
		t.Skip("reads a table damaged at every byte; run without -short")
	}
	t.Parallel()
	tab, rows := wideTable(), rowsForDamage()
	data := encode(t, tab, rows)
	silent := 0
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 1 << (i % 8)
		got, _, err := readTable(bad, tab)
		if err == nil && compareRows(tab, rows, got) != nil {
			silent++
		}
	}
	// The format has no checksums here: this is why digests are compared first.
	t.Logf("%d of %d flips give other rows and no error", silent, len(data))
	for n := range data {
		if _, _, err := readTable(data[:n], tab); err == nil {
			t.Fatalf("cut at byte %d: no error", n)
		}
	}
}

func FuzzReadTable(f *testing.F) {
	tab := wideTable()
	var b bytes.Buffer
	if err := encodeTable(&b, tab, slices.Values(rowsForDamage())); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("PAR1PAR1PAR1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, _, err := readTable(data, tab)
		if err != nil && rows != nil {
			t.Error("rows and an error")
		}
	})
}
