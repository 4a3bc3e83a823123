package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/kit/words"
)

// BuiltIn is what the roles block calls the built-in model, which also plays
// every role that is not named there.
const BuiltIn = "built-in"

var (
	modelName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)
	roleName  = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,63}$`)
)

// models checks the models and roles blocks and returns the plan's models.
func (l *loader) models() map[string]pipeline.ModelIdentity {
	names := slices.Sorted(maps.Keys(l.file.Models))
	for _, name := range names {
		at := l.tree.get("models").keyAt(name)
		if !modelName.MatchString(name) || name == BuiltIn {
			l.problems.add(at, "model name %q: want 1 to 64 of a-z 0-9 . _ -, starting with a letter or digit, and not %q", shorten(name), BuiltIn)
		}
		l.model(name, l.tree.get("models").get(name))
	}
	var plan map[string]pipeline.ModelIdentity
	for _, role := range slices.Sorted(maps.Keys(l.file.Roles)) {
		if id, ok := l.role(role, names); ok {
			if plan == nil {
				plan = map[string]pipeline.ModelIdentity{}
			}
			plan[role] = id
		}
	}
	return plan
}

func (l *loader) model(name string, tree *node) {
	if tree.kind != mapping && tree.kind != null {
		return
	}
	for _, w := range l.file.Models[name].Check() {
		if path := strings.Split(w.Path, "."); !isMisspelt(tree, path[0]) {
			l.problems.add(tree.where(path...), "model %q: %s", name, w.Text)
		}
	}
}

func (l *loader) askedRoles() []string {
	var roles []string
	for _, d := range l.drafts {
		for _, a := range d.spec.Asks {
			if !slices.Contains(roles, a.Role) {
				roles = append(roles, a.Role)
			}
		}
	}
	slices.Sort(roles)
	return roles
}

func (l *loader) role(role string, models []string) (pipeline.ModelIdentity, bool) {
	block := l.tree.get("roles")
	if !roleName.MatchString(role) {
		l.problems.add(block.keyAt(role), "role %q: want 1 to 64 of a-z 0-9 _ -, starting with a letter", shorten(role))
	}
	if asked := l.askedRoles(); !slices.Contains(asked, role) {
		// A role that nothing asks yet does no harm; one that is misspelt would
		// leave the role that was meant to the built-in model.
		if near, ok := words.NearestWord(role, asked); ok && l.tree.get("roles").get(near) == nil {
			l.problems.add(block.keyAt(role), "no step asks the role %q; did you mean %q?", shorten(role), near)
		}
	}
	name := l.file.Roles[role]
	if name == BuiltIn {
		return pipeline.ModelIdentity{}, false
	}
	m, ok := l.file.Models[name]
	if !ok {
		if at := block.get(role); (at.kind == text || at.kind == null) && !isMisspelt(l.tree, "models") {
			l.problems.add(at.at, "role %q: no model is called %q%s", shorten(role), shorten(name), suggest(name, append(models, BuiltIn), "there are"))
		}
		return pipeline.ModelIdentity{}, false
	}
	id, err := m.Identity(name)
	if err != nil {
		l.problems.addError(block.where(role), err)
	}
	return id, err == nil
}

func liveRoles(roles map[string]string) map[string]string {
	live := maps.Clone(roles)
	maps.DeleteFunc(live, func(_, model string) bool { return model == BuiltIn })
	return live
}

// warnSharedModels warns of gates that ask several seats of a panel which one model holds.
func (l *loader) warnSharedModels(nodes []engine.Step, models map[string]pipeline.ModelIdentity) {
	if len(l.problems.list) > 0 {
		return
	}
	for _, o := range pipeline.SharedModels(models) {
		var gates []string
		for _, n := range nodes {
			if _, round := pipeline.SplitRound(n.Name); n.Kind == pipeline.KindGate && round == 0 && askedRoleCount(l.drafts[n.Name].spec, o.Roles) > 1 {
				gates = append(gates, n.Name)
			}
		}
		if len(gates) > 0 {
			l.warn(l.tree.get("roles").keyAt(o.Roles[1]), "the roles %s are one model, %s at %s: that they agree in %s is one opinion and not several; give them to different models",
				strings.Join(o.Roles, " and "), o.Model, o.Host, strings.Join(gates, ", "))
		}
	}
}

func askedRoleCount(s pipeline.Spec, roles []string) (n int) {
	for _, role := range roles {
		if slices.ContainsFunc(s.Asks, func(a pipeline.Ask) bool { return a.Role == role }) {
			n++
		}
	}
	return n
}

// panels checks the panels block. Its roles need not be asked by a step here: a
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

// Fit is a step whose requests may have more pictures than a model takes that
// plays one of its roles.
type Fit struct {
	Node, Role, Model string
	Kind              pipeline.Kind
	// Pictures is the most in one request as configured, Takes what the model
	// takes: 0 when it sees none.
	Pictures, Takes int
	// Fitted says that the step's configuration was changed, so that it shows no
	// more. Else larger requests are lost.
	Fitted bool
}

// fit holds the pictures that a step shows against what the models behind its
// roles take, and lowers them where the plugin can do with fewer. All roles are
// shown the same, so the least counts.
func (l *loader) fit(d *draftStep, plugin *pipeline.Plugin, built any) error {
	shower, shows := built.(pipeline.PictureSender)
	if !shows || shower.MaxPictures() < 1 {
		return nil
	}
	f, over := l.smallestFit(d, shower.MaxPictures())
	if !over {
		return nil
	}
	fitter, fits := built.(pipeline.PictureLimiter)
	if f.Fitted = fits && f.Takes > 0; f.Fitted {
		var err error
		if d.Config, err = encode(plugin, fitter.LimitPictures(f.Takes)); err != nil {
			return fmt.Errorf("fit to the %d pictures that model %q takes: %w", f.Takes, f.Model, err)
		}
	}
	l.over = append(l.over, f)
	return nil
}

// smallestFit finds the role whose model takes the fewest pictures, if that is fewer
// than are shown.
func (l *loader) smallestFit(d *draftStep, shown int) (f Fit, over bool) {
	f = Fit{Node: d.Name, Kind: d.Kind, Pictures: shown, Takes: shown}
	var roles []string
	for _, a := range d.spec.Asks {
		roles = append(roles, a.Role)
	}
	slices.Sort(roles)
	for _, role := range slices.Compact(roles) {
		m, ok := l.file.Models[l.file.Roles[role]]
		takes := m.Media.MaxImages
		switch {
		case !ok:
			continue
		case !m.Capabilities.Images:
			takes = 0
		case takes == 0:
			continue
		}
		if takes < f.Takes {
			f.Role, f.Model, f.Takes, over = role, l.file.Roles[role], takes, true
		}
	}
	return f, over
}
