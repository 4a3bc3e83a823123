package config

import (
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

// askedRoles are the roles that nodes ask, sorted.
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
			l.problems.add(block.keyAt(role), "no node asks the role %q; did you mean %q?", shorten(role), near)
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
		l.problems.wrap(block.where(role), err)
	}
	return id, err == nil
}

// liveRoles leaves out the roles that the built-in model plays.
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

// askedRoleCount counts the roles that a plugin asks.
func askedRoleCount(s pipeline.Spec, roles []string) (n int) {
	for _, role := range roles {
		if slices.ContainsFunc(s.Asks, func(a pipeline.Ask) bool { return a.Role == role }) {
			n++
		}
	}
	return n
}
