package release

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/release/describe"
)

var update = flag.Bool("update", false, "write golden files")

// TestGoldenSchemas pins the stored columns and the declared features of every
// table: a change of either is a change of the format, and breaks readers.
func TestGoldenSchemas(t *testing.T) {
	var b strings.Builder
	for _, tab := range append(tables(), tableOf(tableFiles)) {
		features, err := describe.FeaturesJSON(tab.name, tab.columns)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString("# " + tab.name + "\n" + strings.Join(schemaLines(tab), "\n") + "\n" + string(features) + "\n\n")
	}
	const golden = "testdata/schemas.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the schemas are not those of %s; if that is meant, run the test with -update and raise the releases' major version\n%s", golden, b.String())
	}
}
