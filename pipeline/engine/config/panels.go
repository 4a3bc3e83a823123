package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

// panels checks the panels block. Its roles need not be asked by a node here: a
// release that is audited may have been built elsewhere.
func (l *loader) panels() {
	block := l.tree.get("panels")
	models := append(slices.Sorted(maps.Keys(l.file.Models)), BuiltIn)
	for _, name := range slices.Sorted(maps.Keys(l.file.Panels)) {
		panel := block.get(name)
		_, taken := l.file.Models[name]
		switch {
		case !modelName.MatchString(name) || name == BuiltIn:
			l.problems.add(block.keyAt(name), "panel name %q: want 1 to 64 of a-z 0-9 . _ -, starting with a letter or digit, and not %q", shorten(name), BuiltIn)
		case taken:
			l.problems.add(block.keyAt(name), "panel %q: a model has this name, and either could be meant", shorten(name))
		case panel.kind == mapping && len(l.file.Panels[name]) == 0, panel.kind == null:
			l.problems.add(block.keyAt(name), "panel %q: it gives no role to a model, as in {panel_a: MODEL}", shorten(name))
		}
		for _, role := range slices.Sorted(maps.Keys(l.file.Panels[name])) {
			if !roleName.MatchString(role) {
				l.problems.add(panel.keyAt(role), "role %q: want 1 to 64 of a-z 0-9 _ -, starting with a letter", shorten(role))
			}
			model := l.file.Panels[name][role]
			if at := panel.get(role); !slices.Contains(models, model) && (at.kind == text || at.kind == null) {
				l.problems.add(at.at, "role %q: no model is called %q%s", shorten(role), shorten(model), suggest(model, models, "there are"))
			}
		}
	}
}

// Panel says who plays the given roles under a name: that of a panel, or of one
// model for all of them, or BuiltIn. Of the result, names has the model of each
// role that the built-in model does not play, and identities what of it can
// change an answer.
func (c *Config) Panel(name string, roles []string) (names map[string]string, identities map[string]pipeline.ModelIdentity, err error) {
	panel, isPanel := c.Panels[name]
	if _, isModel := c.Models[name]; !isPanel && !isModel && name != BuiltIn {
		known := slices.Concat(slices.Sorted(maps.Keys(c.Panels)), slices.Sorted(maps.Keys(c.Models)), []string{BuiltIn})
		return nil, nil, fmt.Errorf("no panel and no model is called %q; there are %s", name, strings.Join(known, ", "))
	}
	names, identities = map[string]string{}, map[string]pipeline.ModelIdentity{}
	for _, role := range roles {
		model := name
		if isPanel {
			var given bool
			if model, given = panel[role]; !given {
				return nil, nil, fmt.Errorf("panel %q gives the role %q to no model; the release's gates ask %s", name, role, strings.Join(roles, ", "))
			}
		}
		if model == BuiltIn {
			continue
		}
		names[role] = model
		if identities[role], err = c.Models[model].Identity(model); err != nil {
			return nil, nil, fmt.Errorf("panel %q, role %q: %w", name, role, err)
		}
	}
	return names, identities, nil
}
