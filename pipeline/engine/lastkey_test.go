package engine

import (
	"testing"

	"github.com/memforge/memforge/pipeline"
)

// TestWhereTheLastRunIsRemembered: units of a step are looked for under its whole identity,
// the records of a step that is one unit under any configuration and version of it.
func TestWhereTheLastRunIsRemembered(t *testing.T) {
	key := func(change func(*Step), each bool) pipeline.Key {
		t.Helper()
		s := Step{Name: "n", Each: each, Identity: pipeline.Identity{Kind: pipeline.KindStage, Use: "u", Version: "1", Config: pipeline.RawConfig(`{"a":1}`)}}
		s.Kind, s.Use = s.Identity.Kind, s.Identity.Use
		change(&s)
		k, err := lastKey(s)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	for what, tc := range map[string]struct {
		change      func(*Step)
		each, whole bool // whether the key is another one
	}{
		"nothing":       {func(*Step) {}, false, false},
		"name":          {func(s *Step) { s.Name = "m" }, true, true},
		"configuration": {func(s *Step) { s.Identity.Config = pipeline.RawConfig(`{"a":2}`) }, true, false},
		"version":       {func(s *Step) { s.Identity.Version = "2" }, true, false},
		"plugin":        {func(s *Step) { s.Use, s.Identity.Use = "v", "v" }, true, true},
	} {
		for each, want := range map[bool]bool{true: tc.each, false: tc.whole} {
			if other := key(tc.change, each) != key(func(*Step) {}, each); other != want {
				t.Errorf("another %s, each %t: another key %t, want %t", what, each, other, want)
			}
		}
	}
}
