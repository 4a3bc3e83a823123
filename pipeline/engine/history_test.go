package engine

import (
	"testing"

	"github.com/memforge/memforge/pipeline"
)

// A build that gave other units, or the same of another step, is another build.
func TestBuildsOfTheSameUnits(t *testing.T) {
	x, y := pipeline.DigestOf([]byte("x")), pipeline.DigestOf([]byte("y"))
	of := []pipeline.BuildStep{{Name: "a", UnitList: x}, {Name: "b", UnitList: y}}
	for name, tc := range map[string]struct {
		steps []pipeline.BuildStep
		same  bool
	}{
		"the same":           {of, true},
		"others built":       {[]pipeline.BuildStep{{Name: "a", UnitList: x, Built: 3}, {Name: "b", UnitList: y}}, true},
		"other units":        {[]pipeline.BuildStep{{Name: "a", UnitList: x}, {Name: "b", UnitList: x}}, false},
		"another name":       {[]pipeline.BuildStep{{Name: "a", UnitList: x}, {Name: "c", UnitList: y}}, false},
		"a step fewer":       {of[:1], false},
		"another first step": {[]pipeline.BuildStep{{Name: "c", UnitList: x}, {Name: "b", UnitList: y}}, false},
	} {
		if sameUnits(of, tc.steps) != tc.same || sameUnits(tc.steps, of) != tc.same {
			t.Errorf("%s: same %t", name, !tc.same)
		}
	}
}
