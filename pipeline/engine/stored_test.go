package engine

import (
	"fmt"
	"testing"

	"github.com/memforge/memforge/pipeline"
)

func TestWhatATaskGaveLastIsStored(t *testing.T) {
	ref := func(id string, n int) pipeline.Ref {
		return pipeline.Ref{ID: id, Schema: "s", Digest: pipeline.DigestOf(fmt.Append(nil, n))}
	}
	last := []pipeline.Ref{ref("a", 1), ref("b", 2), ref("c", 3)}
	for name, tc := range map[string]struct {
		items []pipeline.Ref
		after int
		out   pipeline.Ref
		want  bool
	}{
		"in its place":                 {nil, 1, ref("b", 2), true},
		"changed in its place":         {nil, 1, ref("b", 9), false},
		"moved":                        {nil, 2, ref("b", 2), true},
		"after all of them":            {nil, 7, ref("a", 1), true},
		"new":                          {nil, 1, ref("x", 9), false},
		"an item":                      {[]pipeline.Ref{ref("x", 8)}, 5, ref("x", 8), true},
		"an item changed in its place": {[]pipeline.Ref{ref("b", 8)}, 1, ref("b", 8), true},
	} {
		s := storedOutputs{last: last, items: tc.items}
		if got := s.has(tc.after, tc.out); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}
