package web

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// parameter is one of a tool, in words.
type parameter struct{ Name, Takes, Says string }

// toolParameters reads the parameters of a tool from their JSON schema, nil where it is another
// kind of schema.
func toolParameters(schema string) (out []parameter) {
	var s struct {
		Properties map[string]struct {
			Type, Description string
			Enum              []any
			Minimum, Maximum  *float64
		}
		Required []string
	}
	if json.Unmarshal([]byte(schema), &s) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		takes := p.Type
		if len(p.Enum) > 0 {
			takes = strings.Trim(strings.Join(strings.Fields(fmt.Sprint(p.Enum)), ", "), "[]")
		}
		if p.Minimum != nil {
			takes += fmt.Sprintf(", at least %g", *p.Minimum)
		}
		if p.Maximum != nil {
			takes += fmt.Sprintf(", at most %g", *p.Maximum)
		}
		if !slices.Contains(s.Required, name) {
			takes += ", may be left out"
		}
		out = append(out, parameter{name, strings.TrimPrefix(takes, ", "), p.Description})
	}
	return out
}
