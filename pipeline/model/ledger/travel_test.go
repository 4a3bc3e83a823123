package ledger_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/testkit/testpostgres"
)

// What a ledger in a folder holds goes into a database that machines share, and back,
// and is written the same.
func TestLedgersGoFromKindToKind(t *testing.T) {
	var written []string
	from := open(t, t.TempDir())
	for i := range 7 {
		r := base()
		r.Sample = i
		if _, err := from.Record(t.Context(), entry(r, "v1", fmt.Sprint("answer ", i))); err != nil {
			t.Fatal(err)
		}
	}
	wrong := base()
	wrong.Sample = 3
	if _, err := from.Forget(t.Context(), ledger.Key(wrong)); err != nil {
		t.Fatal(err)
	}
	if _, err := from.Record(t.Context(), entry(wrong, "v1", "corrected")); err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{testpostgres.URL(t), t.TempDir()} {
		var file bytes.Buffer
		if calls, damaged, err := from.Export(t.Context(), &file, ledger.Filter{}); calls != 7 || damaged != 0 || err != nil {
			t.Fatalf("%d exported, %d damaged, %v", calls, damaged, err)
		}
		written = append(written, file.String())
		from = open(t, place)
		if got, err := from.Import(t.Context(), &file); err != nil || got.Added+got.Corrected != 7 {
			t.Fatalf("import: %+v, %v", got, err)
		}
	}
	var file bytes.Buffer
	if _, _, err := from.Export(t.Context(), &file, ledger.Filter{}); err != nil || file.String() != written[0] || written[1] != written[0] || !strings.Contains(written[0], `"corrected":1`) {
		t.Errorf("exported of three ledgers:\n%s\n%s\n%s (%v)", written[0], written[1], file.String(), err)
	}
}
