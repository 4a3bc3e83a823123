package release

import (
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/release/describe"
	"github.com/memforge/memforge/pipeline/testkit/golden"
)

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
	golden.Check(t, "schemas", b.String())
}
