package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"

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
				probes = append(probes, schemas.Probe{Sample: int32(i), Response: r})
			}
			u := unitRun{spec: pipeline.Spec{Emits: []string{schemas.NameProbes}}, stored: &storedOutputs{}}
			u.task.Identity.Name = "oracle"
			if err := u.emitProbes(t.Context(), pipeline.Record{ID: "q"}, probes); err != nil {
				t.Fatal(err)
			}
			if len(u.out.Records) != tc.records {
				t.Errorf("%d records, want %d", len(u.out.Records), tc.records)
			}
			var got []schemas.Probe
			for _, r := range u.out.Records {
				asked, err := pipeline.Decode[schemas.Probes](r)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, asked.Probes...)
			}
			if len(got) != len(probes) {
				t.Fatalf("%d probes, want %d", len(got), len(probes))
			}
			for i, p := range got {
				if p.Item != "q" || p.Gate != "oracle" || p.Sample != int32(i) || p.Response != tc.responses[i] {
					t.Errorf("probe %d is run %d of %q under %q", i, p.Sample, p.Item, p.Gate)
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

func TestRelabelledChangesLabelsAlone(t *testing.T) {
	q := schemas.Question{QuestionID: "q", Question: "What?", Labels: map[string]string{"a": "1", "b": "2"}}
	in, err := pipeline.NewRecord(schemas.NameQuestion, "q", q, "00")
	if err != nil {
		t.Fatal(err)
	}
	out, err := relabelled(in, map[string]string{"b": "3", "c": "4"})
	if err != nil || out.ID != "q" || len(out.Blobs) != 1 {
		t.Fatal(out, err)
	}
	got, err := pipeline.Decode[schemas.Question](out)
	if err != nil || got.Question != "What?" || got.Labels["a"] != "1" || got.Labels["b"] != "3" || got.Labels["c"] != "4" {
		t.Errorf("%+v, %v", got, err)
	}
	if digest, err := pipeline.NewRecord(schemas.NameQuestion, "q", got, "00"); err != nil || string(digest.Data) != string(out.Data) {
		t.Errorf("its data are %s and no question's: %s, %v", out.Data, digest.Data, err)
	}
	for name, want := range map[string]string{`{"labels":{"a":"1"},"n":2}`: `{"labels":{"a":"1","b":"3"},"n":2}`, `{"labels":null}`: `{"labels":{"b":"3"}}`} {
		if out, err := relabelled(pipeline.Record{ID: "n", Schema: "demo.note", Data: []byte(name)}, map[string]string{"b": "3"}); err != nil || string(out.Data) != want {
			t.Errorf("%s becomes %s, %v", name, out.Data, err)
		}
	}
	for _, data := range []string{`{"n":1}`, `{"labels":[1]}`, `{"labels":{"a":1}}`, "[]", ""} {
		if _, err := relabelled(pipeline.Record{ID: "v", Schema: schemas.NameVideo, Data: []byte(data)}, map[string]string{"b": "3"}); err == nil || !strings.Contains(err.Error(), "relabel") {
			t.Errorf("%s is relabelled: %v", data, err)
		}
	}
}
