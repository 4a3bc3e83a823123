package pipeline

import (
	"fmt"
	"testing"
)

func TestOneModelInSeveralSeatsIsOneOpinion(t *testing.T) {
	m := func(model, host, sampling string) ModelIdentity {
		return ModelIdentity{Model: model, Host: host, Sampling: RawConfig(sampling)}
	}
	for want, models := range map[string]map[string]ModelIdentity{
		"[]": {"panel_a": m("x", "h", ""), "panel_b": m("y", "h", ""), "judge": m("x", "h", "")},
		"[panel_a and panel_c were one model, x at h]":                                        {"panel_a": m("x", "h", "1"), "panel_b": m("x", "g", ""), "panel_c": m("x", "h", "2"), "eye_a": m("x", "h", "")},
		"[eye_a and eye_b were one model, y at h panel_a and panel_b were one model, x at h]": {"panel_a": m("x", "h", ""), "panel_b": m("x", "h", ""), "eye_a": m("y", "h", ""), "eye_b": m("y", "h", "")},
	} {
		if got := fmt.Sprint(SharedModels(models)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
