package pipeline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Opinion is a model that holds several seats of one panel: that these agree says no
// more than that it agrees with itself.
type Opinion struct {
	Model string   `json:"model"`
	Host  string   `json:"host"`
	Roles []string `json:"roles"` // sorted
}

// String says which seats were one model.
func (o Opinion) String() string {
	return fmt.Sprintf("%s were one model, %s at %s", strings.Join(o.Roles, " and "), o.Model, o.Host)
}

// OneOpinion lists the models that hold several seats of a panel, by role. Seats are
// roles called alike but for what follows the last underscore, as panel_a and panel_b;
// how a model is sampled makes no other of it.
func OneOpinion(models map[string]ModelIdentity) []Opinion {
	type seat struct{ panel, model, host string }
	by := map[seat][]string{}
	for _, role := range slices.Sorted(maps.Keys(models)) {
		if at := strings.LastIndex(role, "_"); at > 0 {
			s := seat{role[:at], models[role].Model, models[role].Host}
			by[s] = append(by[s], role)
		}
	}
	var out []Opinion
	for s, roles := range by {
		if len(roles) > 1 {
			out = append(out, Opinion{s.model, s.host, roles})
		}
	}
	slices.SortFunc(out, func(a, b Opinion) int { return cmp.Compare(a.Roles[0], b.Roles[0]) })
	return out
}
