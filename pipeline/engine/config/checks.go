package config

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/release/license"
	"github.com/memforge/memforge/schemas"
)

// checkReachable says what would only come out at the end of a build, after all its
// work: unknown licences, and a budget that cannot be kept. A licence
// of a source is a warning, because a private release may carry it. Steps of
// which a release holds nothing are looked for where all else is right.
func (l *loader) checkReachable() {
	r, at := l.file.Release, l.tree.get("release")
	if why, misspelt := license.Forbids(r.License); r.License != "" && why != "" {
		hint := ""
		if misspelt {
			hint = suggest(r.License, license.IDs(), "there are")
		}
		l.problems.add(at.where("license"), "license %q of the release: %s%s", shorten(r.License), why, hint)
	}
	l.about()
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

// maxAbout bounds each text about the dataset.
const maxAbout = 10_000

// about checks what the release says of itself for catalogues.
func (l *loader) about() {
	at := l.tree.get("release").get("about")
	a := l.file.Release.About
	if a == nil || at == nil || at.kind != mapping {
		return
	}
	page := func(address string, at place) {
		u, err := url.Parse(address)
		if address != "" && (err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http") {
			l.problems.add(at, "url %q: want an http or https address", shorten(address))
		}
	}
	page(a.URL, at.where("url"))
	if _, err := time.Parse(time.DateOnly, a.Published); a.Published != "" && err != nil {
		l.problems.add(at.where("published"), "published %q: want a date such as 2026-01-31", shorten(a.Published))
	}
	for i, c := range a.Creators {
		where := at.where("creators")
		if list := at.get("creators"); i < len(list.items) {
			where = list.items[i].at
		}
		if page(c.URL, where); strings.TrimSpace(c.Name) == "" {
			l.problems.add(where, "a creator needs a name")
		}
	}
	for _, f := range at.fields {
		if len(f.value.scalar) > maxAbout {
			l.problems.add(f.at, "%s has %d bytes; at most %d are possible: link to a page that says more", f.key, len(f.value.scalar), maxAbout)
		}
	}
}

// sourceLicense warns of what a source states about itself.
func (l *loader) sourceLicense(d *draftStep, id string) {
	if l.file.Release.Media == pipeline.LicensedMedia {
		return
	}
	for _, part := range license.Parts(id) {
		why, misspelt := license.Forbids(part)
		if why == "" {
			continue
		}
		hint := ""
		if misspelt {
			hint = nearest(part, license.IDs())
		}
		l.warn(d.tree.where("with", "license"), "license %q of source %q: %s; a release with it can only be private (--allow-unlicensed), or reference its media (release.media: licensed)%s", shorten(part), d.Name, why, hint)
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

// statedLicenses returns those that a plugin names beforehand, each once.
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

// releasesSomething reports whether any step that the named one reads, or itself,
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

// checkTables says of a step in release.from which of its records no table holds:
// they would be made, judged, paid for and gone.
func (l *loader) checkTables(at place, name string) {
	given := slices.DeleteFunc(l.schemasOf(name), func(schema string) bool { return schemas.IntermediateSchema(schema) || l.reg.Releases(schema) })
	if len(given) > 0 {
		l.problems.add(at, "release.from names %s %q, which gives records of schema %s: no table of a release holds them; the plugin declares one with pipeline.AddTable",
			l.drafts[name].Kind, name, strings.Join(given, ", "))
	}
}

// schemasOf returns the schemas of what a step gives: a gate gives what it gets and accepts.
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

// warnUnused says of steps in release.from that nothing of them gets into a release,
// and warns where no question would.
func (l *loader) warnUnused() {
	list := l.tree.get("release").get("from")
	if !slices.ContainsFunc(l.file.Release.From, func(name string) bool { return l.drafts[name].givesQuestions() }) {
		l.warn(list.at, "release.from names no step that gives questions: a release without any is refused when it is to be written")
	}
	for i, name := range l.file.Release.From {
		at := list.at
		if i < len(list.items) { // the last round of a loop stands for its step
			at = list.items[i].at
		}
		if d := l.drafts[name]; !l.releasesSomething(name) {
			l.problems.add(at, "release.from names %s %q, which gives %s: no table of a release holds any of it, nor of what it is made of; name steps that give questions or media",
				d.Kind, name, strings.Join(d.spec.Emits, ", "))
			continue
		}
		l.checkTables(at, name)
	}
}

// arrival is what is known of the types of questions on their way: any says that
// some may have a type that no plugin states.
type arrival struct {
	types []string
	any   bool
}

func (a arrival) plus(b arrival) arrival {
	types := slices.Concat(a.types, b.types)
	slices.Sort(types)
	return arrival{slices.Compact(types), a.any || b.any}
}

// types holds the question types that gates judge against those that can reach
// them. The steps are in order.
func (l *loader) types(nodes []engine.Step) {
	if len(l.problems.list) > 0 {
		return
	}
	gives := map[string]arrival{}
	for _, n := range nodes {
		d := l.drafts[n.Name]
		var in arrival
		for _, up := range d.From {
			in = in.plus(gives[up])
		}
		if d.Kind == pipeline.KindGate && len(d.spec.Types) > 0 {
			l.checkJudged(d, in)
		}
		gives[n.Name] = d.givesOf(in)
	}
}

func (d *draftStep) givesQuestions() bool {
	if d.Kind == pipeline.KindGate {
		return d.readsQuestions()
	}
	return slices.Contains(d.spec.Emits, schemas.NameQuestion)
}

func (d *draftStep) readsQuestions() bool {
	return slices.Contains(d.spec.Accepts, schemas.NameQuestion)
}

// givesOf returns the types of the questions that a step gives when such arrive.
func (d *draftStep) givesOf(in arrival) arrival {
	switch {
	case !d.givesQuestions():
		return arrival{}
	case d.Kind == pipeline.KindGate:
		return in
	case len(d.spec.Types) > 0:
		return arrival{types: d.spec.Types}
	case len(in.types) > 0 && (d.readsQuestions() || slices.Contains(d.spec.Accepts, schemas.NameFlagged)):
		return in
	}
	return arrival{any: true}
}

// checkJudged checks the types of one gate. A word that is no type is a mistake; a
// type that cannot arrive, or a gate that nothing arrives for, is a warning.
func (l *loader) checkJudged(d *draftStep, in arrival) {
	missing := slices.DeleteFunc(slices.Clone(d.spec.Types), func(t string) bool { return slices.Contains(in.types, t) })
	if l.isUnchanged(d) {
		if len(missing) == len(d.spec.Types) && !in.any {
			l.warn(l.tree.get("gates").keyAt(d.Name), "gate %q judges questions of type %s, and none of these can reach it%s: it would judge nothing",
				d.Name, schemaList(d.spec.Types), describeArrival(in))
		}
		return
	}
	if len(missing) == 0 {
		return
	}
	known := l.knownTypes()
	for _, t := range missing {
		at := d.typeAt(t)
		_, isKnown := slices.BinarySearch(known, t)
		switch {
		case isKnown && !in.any:
			l.warn(at, "gate %q judges questions of type %q, and none can reach it%s", d.Name, shorten(t), describeArrival(in))
		case isKnown:
		case in.any:
			l.warn(at, "gate %q judges questions of type %q, which no plugin is known to give%s", d.Name, shorten(t), suggest(t, known, "known are"))
		default:
			l.problems.add(at, "gate %q judges questions of type %q, which no plugin gives%s", d.Name, shorten(t), suggest(t, known, "known are"))
		}
	}
}

func describeArrival(in arrival) string {
	if len(in.types) == 0 {
		return ""
	}
	return fmt.Sprintf(" (what reaches it: %s)", schemaList(in.types))
}

// typeAt returns where a type stands in the configuration of a gate.
func (d *draftStep) typeAt(name string) place {
	written := d.tree.get("with").get("types")
	if written != nil && written.kind == list {
		for _, item := range written.items {
			if item.scalar == name {
				return item.at
			}
		}
	}
	return d.tree.where("with", "types")
}

// isUnchanged reports whether a gate judges the types that its plugin is made for,
// rather than some that the file names.
func (l *loader) isUnchanged(d *draftStep) bool {
	spec, ok := l.reg.DefaultSpec(d.Kind, d.Use)
	return ok && slices.Equal(spec.Types, d.spec.Types)
}

// knownTypes returns all question types that a plugin declares or states, and those of
// the file's own steps, sorted.
func (l *loader) knownTypes() []string {
	known := map[string]bool{}
	add := func(types []string) {
		for _, t := range types {
			known[t] = true
		}
	}
	for _, t := range l.reg.QuestionTypes() {
		known[t.Name] = true
	}
	for _, k := range []pipeline.Kind{pipeline.KindSource, pipeline.KindStage, pipeline.KindGate} {
		for _, name := range l.reg.Names(k) {
			if spec, ok := l.reg.DefaultSpec(k, name); ok {
				add(spec.Types)
			}
		}
	}
	for _, d := range l.drafts {
		if d.Kind != pipeline.KindGate {
			add(d.spec.Types)
		}
	}
	return slices.Sorted(maps.Keys(known))
}

func (l *loader) warn(at place, format string, args ...any) {
	l.warnings = append(l.warnings, at.String()+": "+fmt.Sprintf(format, args...))
}

// release warns of gates that do not bear on the release, and of questions that
// get into it past gates. The steps are in order, and no loop is spelled out yet.
func (l *loader) release(nodes []engine.Step) {
	if len(l.problems.list) > 0 {
		return
	}
	from := l.file.Release.From
	read := l.upstreamOf(from)
	for _, n := range nodes {
		if n.Kind == pipeline.KindGate && !read[n.Name] {
			l.warn(l.tree.get("gates").keyAt(n.Name), "gate %q: the release does not read it, so that its verdicts are in no table and it drops nothing; name it in release.from, or let a step that the release reads read it", n.Name)
		}
	}
	list := l.tree.get("release").get("from")
	for i, name := range from {
		d := l.drafts[name]
		if !d.givesQuestions() {
			continue
		}
		at := list.items[i].at
		if l.file.Release.Reviewed && !l.reviewed(name) {
			l.problems.add(at, "the release is to be reviewed, and questions of %q reach it that nobody need have decided about; let a stage review.settle with undecided: refuse read them", name)
		}
		if gates := l.judgedLater(nodes, name); len(gates) > 0 {
			l.warn(at, "release.from names %q, whose questions are judged after it by %s: what fails there is released all the same; name the last gates alone", name, strings.Join(gates, ", "))
			continue
		}
		for _, origin := range l.ungated(name) {
			l.warn(at, "the questions of %q are released without any gate; let a gate read it and name the gate in release.from", origin)
		}
	}
}

// reviewed reports whether all questions of a step passed a stage that refuses what
// people have not decided about.
func (l *loader) reviewed(name string) bool {
	d := l.drafts[name]
	if r := d.spec.ReviewSample; r != nil && r.Schema == schemas.NameQuestion {
		return true
	}
	given := l.producers(d)
	return len(given) > 0 && !slices.ContainsFunc(given, func(up string) bool { return !l.reviewed(up) })
}

func (l *loader) producers(d *draftStep) []string {
	return slices.DeleteFunc(slices.Clone(d.From), func(up string) bool { return !d.readsQuestions() || !l.drafts[up].givesQuestions() })
}

// upstreamOf returns the steps that some read, directly or not, and these.
func (l *loader) upstreamOf(names []string) map[string]bool {
	read := map[string]bool{}
	for next := slices.Clone(names); len(next) > 0; next = next[1:] {
		if read[next[0]] {
			continue
		}
		read[next[0]] = true
		next = append(next, l.drafts[next[0]].From...)
	}
	return read
}

// judgedLater lists the gates that the questions of a step reach, in order.
func (l *loader) judgedLater(nodes []engine.Step, name string) (gates []string) {
	reached := map[string]bool{name: true}
	for _, n := range nodes {
		d := l.drafts[n.Name]
		if !d.readsQuestions() || !slices.ContainsFunc(d.From, func(up string) bool { return reached[up] }) {
			continue
		}
		if d.Kind == pipeline.KindGate {
			gates = append(gates, n.Name)
		}
		reached[n.Name] = d.givesQuestions()
	}
	return gates
}

// ungated lists the steps whose questions reach a step and meet no gate before
// or in it.
func (l *loader) ungated(name string) (origins []string) {
	d := l.drafts[name]
	switch {
	case !d.givesQuestions(), d.Kind == pipeline.KindGate:
		return nil
	}
	given := l.producers(d)
	if len(given) == 0 {
		return []string{name}
	}
	for _, up := range given {
		origins = append(origins, l.ungated(up)...)
	}
	slices.Sort(origins)
	return slices.Compact(origins)
}
