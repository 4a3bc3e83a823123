package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/schemas"
)

// warn notes what is allowed and probably not meant.
func (l *loader) warn(at place, format string, args ...any) {
	l.warnings = append(l.warnings, at.String()+": "+fmt.Sprintf(format, args...))
}

// release warns of gates that do not bear on the release, and of questions that
// get into it past gates. The nodes are in order, and no loop is spelled out yet.
func (l *loader) release(nodes []engine.Step) {
	if len(l.problems.list) > 0 {
		return
	}
	from := l.file.Release.From
	read := l.upstreamOf(from)
	for _, n := range nodes {
		if n.Kind == pipeline.KindGate && !read[n.Name] {
			l.warn(l.tree.get("gates").keyAt(n.Name), "gate %q: the release does not read it, so that its verdicts are in no table and it drops nothing; name it in release.from, or let a node that the release reads read it", n.Name)
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

// reviewed reports whether all questions of a node passed a stage that refuses what
// people have not decided about.
func (l *loader) reviewed(name string) bool {
	d := l.drafts[name]
	if r := d.spec.ReviewSample; r != nil && r.Schema == schemas.NameQuestion {
		return true
	}
	given := l.producers(d)
	return len(given) > 0 && !slices.ContainsFunc(given, func(up string) bool { return !l.reviewed(up) })
}

// producers are the nodes that a node reads questions from.
func (l *loader) producers(d *draftStep) []string {
	return slices.DeleteFunc(slices.Clone(d.From), func(up string) bool { return !d.readsQuestions() || !l.drafts[up].givesQuestions() })
}

// upstreamOf are the nodes that some read, directly or not, and these.
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

// judgedLater lists the gates that the questions of a node reach, in order.
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

// ungated lists the nodes whose questions reach a node and meet no gate before
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
