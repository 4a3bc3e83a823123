package pipeline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// SharedModel is a model that holds several seats of one panel: that these agree says no
// more than that it agrees with itself.
type SharedModel struct {
	Model string   `json:"model"`
	Host  string   `json:"host"`
	Roles []string `json:"roles"` // sorted
}

// String says which seats were one model.
func (o SharedModel) String() string {
	return fmt.Sprintf("%s were one model, %s at %s", strings.Join(o.Roles, " and "), o.Model, o.Host)
}

// SharedModels lists the models that hold several seats of a panel, by role. Seats are
// roles called alike but for what follows the last underscore, as panel_a and panel_b;
// how a model is sampled makes no other of it.
func SharedModels(models map[string]ModelIdentity) []SharedModel {
	type seat struct{ panel, model, host string }
	by := map[seat][]string{}
	for _, role := range slices.Sorted(maps.Keys(models)) {
		if at := strings.LastIndex(role, "_"); at > 0 {
			s := seat{role[:at], models[role].Model, models[role].Host}
			by[s] = append(by[s], role)
		}
	}
	var out []SharedModel
	for s, roles := range by {
		if len(roles) > 1 {
			out = append(out, SharedModel{s.model, s.host, roles})
		}
	}
	slices.SortFunc(out, func(a, b SharedModel) int { return cmp.Compare(a.Roles[0], b.Roles[0]) })
	return out
}
