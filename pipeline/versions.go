package pipeline

import "context"

// Versions are those of all that this program and this machine bring to a build: of
// plugins, built-in rules, question checks and tools, by kind and name. A tool that is
// not there has the version "none".
func (r *Registry) Versions(ctx context.Context) map[string]string {
	out := map[string]string{}
	for family, version := range r.Derivations() {
		out["derivation "+family] = version
	}
	for kind, plugins := range r.plugins {
		for name, p := range plugins {
			out[string(kind)+" "+name] = p.Version
		}
	}
	for task, rule := range r.rules {
		out["rule "+task] = rule.version
	}
	for family, c := range r.checks {
		out["check "+family] = c.version
	}
	for name := range r.tools {
		version, err := r.toolVersion(ctx, name)
		if err != nil {
			version = "none"
		}
		out["tool "+name] = version
	}
	return out
}
