package pipeline_test

import (
	"errors"
	"testing"

	"github.com/memforge/memforge/pipeline"
)

func TestGateOfAnIdentity(t *testing.T) {
	reg := pipeline.NewRegistry()
	pipeline.AddGate(reg, "draw", "3", "draws", func(struct{}) (pipeline.Gate, error) { return nil, nil })
	for _, tc := range []struct {
		id    pipeline.Identity
		other bool
	}{
		{pipeline.Identity{Use: "draw", Version: "2", Config: pipeline.RawConfig("{}")}, true},
		{pipeline.Identity{Use: "drew", Version: "3", Config: pipeline.RawConfig("{}")}, true},
		{pipeline.Identity{Use: "draw", Version: "3", Config: pipeline.RawConfig(`{"a":1}`)}, false},
	} {
		if _, err := reg.Gate(tc.id); err == nil || errors.Is(err, pipeline.ErrOtherPlugin) != tc.other {
			t.Errorf("%+v: error %v", tc.id, err)
		}
	}
}
