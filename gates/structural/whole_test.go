package structural

import (
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// TestAddedGatesSeeAllQuestions: a gate that Add registers judges the questions of its types
// together; the configuration may name other types.
func TestAddedGatesSeeAllQuestions(t *testing.T) {
	r := pipeline.NewRegistry()
	Add(r, "balance", "1", "looks at all", []string{"a", "b"}, Each(func(schemas.Question) pipeline.Judgement { return pipeline.Judgement{} }))
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	plugin, ok := r.Plugin(pipeline.KindGate, "balance")
	if !ok {
		t.Fatal("it is not registered")
	}
	for config, types := range map[string][]string{`{}`: {"a", "b"}, `{"types":["c"]}`: {"c"}} {
		built, err := plugin.BuildRaw(pipeline.RawConfig(config))
		if err != nil {
			t.Fatal(err)
		}
		spec := built.(pipeline.Gate).Spec()
		if !spec.Whole || !slices.Equal(spec.Types, types) || !slices.Equal(spec.Accepts, []string{schemas.NameQuestion}) {
			t.Errorf("with %s it is %+v; want one that sees all questions of %v together", config, spec, types)
		}
	}
}
