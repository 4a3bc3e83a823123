package pipeline

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// TestProbesShareRecords holds that what was asked about an item is kept whole and
// in order, in records of bounded size, however long the answers are.
func TestProbesShareRecords(t *testing.T) {
	long := strings.Repeat("\x01", mostProbed/2) // six bytes each in JSON
	for name, tc := range map[string]struct {
		responses []string
		records   int
	}{
		"nothing asked":    {nil, 0},
		"short":            {[]string{"a", "b", "c"}, 1},
		"short, many":      {slices.Repeat([]string{"x"}, 300), 2},
		"long":             {[]string{"a", long, long, "b"}, 2},
		"each of its own":  {[]string{long + "x", long + "y", long + "z"}, 3},
		"long beside none": {[]string{long + long, ""}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			var probes []schemas.Probe
			for i, r := range tc.responses {
				probes = append(probes, schemas.Probe{Run: int32(i), Response: r})
			}
			u := unit{spec: Spec{Emits: []string{schemas.NameProbes}}, seen: map[string]Digest{}}
			u.task.Identity.Name = "oracle"
			if err := u.emitProbes(t.Context(), Record{ID: "q"}, probes); err != nil {
				t.Fatal(err)
			}
			if len(u.out.Records) != tc.records {
				t.Errorf("%d records, want %d", len(u.out.Records), tc.records)
			}
			var got []schemas.Probe
			for _, r := range u.out.Records {
				asked, err := Decode[schemas.Probes](r)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, asked.Probes...)
			}
			if len(got) != len(probes) {
				t.Fatalf("%d probes, want %d", len(got), len(probes))
			}
			for i, p := range got {
				if p.Item != "q" || p.Gate != "oracle" || p.Run != int32(i) || p.Response != tc.responses[i] {
					t.Errorf("probe %d is run %d of %q under %q", i, p.Run, p.Item, p.Gate)
				}
			}
			for i, p := range probes {
				if p.Item != "" || p.Gate != "" {
					t.Errorf("the gate's own probe %d was changed", i)
				}
			}
		})
	}
}
