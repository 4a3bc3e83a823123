package config_test

import (
	"maps"
	"strings"
	"testing"
)

const withPanels = withModels + `panels:
  others: {panel_a: big, judge: built-in}
`

func TestPanels(t *testing.T) {
	c := parse(t, withPanels)
	for _, tc := range []struct {
		name  string
		roles []string
		want  map[string]string
		err   string
	}{
		{"others", []string{"panel_a", "judge"}, map[string]string{"panel_a": "big"}, ""},
		{"big", []string{"panel_a", "judge"}, map[string]string{"panel_a": "big", "judge": "big"}, ""},
		{"built-in", []string{"panel_a"}, map[string]string{}, ""},
		{"others", []string{"panel_a", "panel_b"}, nil, `gives the role "panel_b" to no model`},
		{"bigger", []string{"panel_a"}, nil, "there are others, big, built-in"},
	} {
		names, ids, err := c.Panel(tc.name, tc.roles)
		if tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s for %v: error %v, want %q", tc.name, tc.roles, err, tc.err)
			}
			continue
		}
		if err != nil || !maps.Equal(names, tc.want) || len(ids) != len(names) {
			t.Errorf("%s for %v: %v, %v, %v; want %v", tc.name, tc.roles, names, ids, err, tc.want)
		}
		for role := range names {
			if ids[role].Model != "big-1" || ids[role].Host != "models.example:8443" {
				t.Errorf("identity of %s: %+v", role, ids[role])
			}
		}
	}
	before, err := parse(t, withModels).Plan.Digest()
	if err != nil {
		t.Fatal(err)
	}
	if after, err := c.Plan.Digest(); err != nil || after != before {
		t.Errorf("a panel changes the plan: %s, %s, %v", before, after, err)
	}
}
