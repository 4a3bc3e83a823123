package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/license"
	"github.com/memforge/memforge/schemas"
)

// checkReachable says what would only come out at the end of a build, after all its
// work: licences that nobody knows, and a budget that cannot be kept. A licence
// of a source is a warning, because a private release may carry it. Nodes of
// which a release holds nothing are looked for where all else is right.
func (l *loader) checkReachable() {
	r, at := l.file.Release, l.tree.get("release")
	if _, known := license.Find(r.License); r.License != "" && !known {
		l.problems.add(at.where("license"), "license %q of the release is not one that a release may be published under%s", shorten(r.License), suggest(r.License, license.IDs(), "there are"))
	}
	for _, name := range slices.Sorted(maps.Keys(l.drafts)) {
		d := l.drafts[name]
		for _, id := range d.licenses {
			l.sourceLicense(d, id)
		}
	}
	if l.file.Run.MaxCost != nil {
		l.warnUnpriced()
	}
	if len(l.problems.list) == 0 {
		l.warnUnused()
	}
}

// sourceLicense warns of what a source states about itself.
func (l *loader) sourceLicense(d *draftStep, id string) {
	for _, part := range license.Parts(id) {
		if _, known := license.Find(part); !known {
			l.warn(d.tree.where("with", "license"), "license %q of source %q is not one that a release may be published under, so that a release with it can only be private (--allow-unlicensed)%s", shorten(part), d.Name, nearest(part, license.IDs()))
		}
	}
}

// warnUnpriced warns of models that play a role and have no price, where the build
// has a budget: it ends before the first call.
func (l *loader) warnUnpriced() {
	for _, role := range l.askedRoles() {
		m, ok := l.file.Models[l.file.Roles[role]]
		if ok && m.Price == nil {
			name := l.file.Roles[role]
			l.warn(l.tree.get("models").keyAt(name), "model %q plays %s and has no price, so that run.max_cost cannot be kept and a build ends before it begins; add the price or leave max_cost out", name, role)
		}
	}
}

// statedLicenses are those that a plugin names beforehand, each once.
func statedLicenses(kind pipeline.Kind, built any) (out []string) {
	src, ok := built.(pipeline.Source)
	if !ok || kind != pipeline.KindSource {
		return nil
	}
	for _, n := range src.Needs() {
		out = append(out, n.License)
	}
	out = append(out, src.Spec().License)
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(id string) bool { return id == "" })
}

// releasesSomething reports whether any node that the named one reads, or itself,
// gives what becomes rows of a release.
func (l *loader) releasesSomething(name string) bool {
	for up := range l.upstreamOf([]string{name}) {
		d := l.drafts[up]
		if d.Kind == pipeline.KindGate || !d.sound || slices.ContainsFunc(d.spec.Emits, l.reg.Releases) {
			return true
		}
	}
	return false
}

// checkTables says of a node in release.from which of its records no table holds:
// they would be made, judged, paid for and gone.
func (l *loader) checkTables(at place, name string) {
	given := slices.DeleteFunc(l.schemasOf(name), func(schema string) bool { return schemas.IntermediateSchema(schema) || l.reg.Releases(schema) })
	if len(given) > 0 {
		l.problems.add(at, "release.from names %s %q, which gives records of schema %s: no table of a release holds them; the plugin declares one with pipeline.AddTable",
			l.drafts[name].Kind, name, strings.Join(given, ", "))
	}
}

// schemasOf are the schemas of what a node gives: a gate gives what it gets and accepts.
func (l *loader) schemasOf(name string) (out []string) {
	d := l.drafts[name]
	if d.Kind != pipeline.KindGate {
		return slices.Clone(d.spec.Emits)
	}
	for _, from := range d.From {
		for _, schema := range l.schemasOf(from) {
			if slices.Contains(d.spec.Accepts, schema) && !slices.Contains(out, schema) {
				out = append(out, schema)
			}
		}
	}
	return out
}

// warnUnused says of nodes in release.from that nothing of them gets into a release,
// and warns where no question would.
func (l *loader) warnUnused() {
	list := l.tree.get("release").get("from")
	if !slices.ContainsFunc(l.file.Release.From, func(name string) bool { return l.drafts[name].givesQuestions() }) {
		l.warn(list.at, "release.from names no node that gives questions: a release without any is refused when it is to be written")
	}
	for i, name := range l.file.Release.From {
		at := list.at
		if i < len(list.items) { // the last round of a loop stands for its node
			at = list.items[i].at
		}
		if d := l.drafts[name]; !l.releasesSomething(name) {
			l.problems.add(at, "release.from names %s %q, which gives %s: no table of a release holds any of it, nor of what it is made of; name nodes that give questions or media",
				d.Kind, name, strings.Join(d.spec.Emits, ", "))
			continue
		}
		l.checkTables(at, name)
	}
}
