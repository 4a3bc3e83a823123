package oracle

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/simulate"
)

// open are the answers that what is still told leaves open to who follows it. Where it
// leads to no option, all stay open.
func (m masked) open() []string {
	if m.item.Task == schemas.TaskFunctionCall {
		return m.calls()
	}
	left := map[string]func() []string{
		schemas.TaskSingleHop: m.fit, schemas.TaskMultiHop: m.ends, schemas.TaskPreference: m.preferred,
		schemas.TaskConflict: map[string]func() []string{simulate.ByTime: m.now, simulate.ByAuthority: m.decided, simulate.Total: m.totals}[m.item.Variant],
	}[m.item.Task]()
	if out := m.that(func(o string) bool { return slices.Contains(left, o) }); len(out) > 0 {
		return out
	}
	return m.item.Options
}

// shown is the first picture of a kind.
func (m masked) shown(kind string) *Picture {
	for _, p := range m.task.pictures {
		if p.picture.Kind == kind {
			return p.picture
		}
	}
	return nil
}

// things are what a question can be about: what it names, what the card shows, else all
// that something is told of.
func (m masked) things(about string, told []fact) []string {
	if card := m.shown(simulate.Card); !strings.HasSuffix(about, " on the card") {
		return []string{about}
	} else if card != nil {
		return []string{card.Title}
	}
	seen := map[string]bool{}
	for _, f := range told {
		seen[f.args["of"]] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

func values(list []fact) (out []string) {
	for _, f := range list {
		out = append(out, f.args["v"])
	}
	return out
}

// totals are what numbers come to that were changed, or all sums where none was. Of a number
// that nobody tells they are the options that are another one after all changes.
func (m masked) totals() (out []string) {
	var all []string
	for _, of := range m.things(m.asked[1], m.task.find("fact", "a", m.asked[0])) {
		by, changes := 0, 0
		for sign, kind := range map[int]string{1: "up", -1: "down"} {
			for _, c := range m.task.find(kind, "a", m.asked[0], "of", of) {
				by, changes = by+sign*parseNumber(c.args["n"]), changes+1
			}
		}
		facts := m.task.find("fact", "a", m.asked[0], "of", of)
		for _, f := range facts {
			sum := parseNumber(f.args["v"]) + by
			all = append(all, strconv.Itoa(sum))
			if changes > 0 {
				out = append(out, strconv.Itoa(sum))
			}
		}
		if len(facts) == 0 {
			out = append(out, m.that(func(o string) bool { return slices.Contains(m.item.Options, strconv.Itoa(parseNumber(o)-by)) })...)
		}
	}
	if len(out) == 0 {
		return all
	}
	return out
}

// now is what something was changed to; where no change of it is told, all that it was
// not before.
func (m masked) now() (out []string) {
	for _, of := range m.things(m.asked[1], m.task.find("changed", "a", m.asked[0])) {
		changes, was := m.task.find("changed", "a", m.asked[0], "of", of), values(m.task.find("fact", "a", m.asked[0], "of", of))
		if len(changes) > 0 {
			out = append(out, changes[len(changes)-1].args["v"])
			continue
		}
		out = append(out, m.that(func(o string) bool { return !slices.Contains(was, o) })...)
	}
	return out
}

// decided is what who decides says; both sides where nobody is known to, and what the
// other side does not say where the one who decides says nothing.
func (m masked) decided() (out []string) {
	for _, of := range m.things(m.asked[1], m.task.find("decides", "a", m.asked[0])) {
		rules, said := m.task.find("decides", "a", m.asked[0], "of", of), m.task.find("fact", "a", m.asked[0], "of", of)
		var his []string
		for _, f := range said {
			if len(rules) == 0 || f.from.speaker() == rules[0].args["p"] {
				his = append(his, f.args["v"])
			}
		}
		if len(his) == 0 {
			his = m.that(func(o string) bool { return !slices.Contains(values(said), o) })
		}
		out = append(out, his...)
	}
	return out
}

// ends are where a chain can come to. Past a link that nobody tells it goes on from
// whatever has the next link and is not what the missing one leads others to.
func (m masked) ends() []string {
	links, about := m.links()
	at := m.things(about, m.task.find("fact", "a", links[0]))
	for i, l := range links {
		var next []string
		for _, of := range at {
			next = append(next, values(m.task.find("fact", "a", l, "of", of))...)
		}
		if len(next) == 0 && i+1 < len(links) {
			led := values(m.task.find("fact", "a", l))
			for _, f := range m.task.find("fact", "a", links[i+1]) {
				if !slices.Contains(led, f.args["of"]) {
					next = append(next, f.args["of"])
				}
			}
		}
		at = next
	}
	return at
}

func (m masked) links() (links []string, about string) {
	if links, about, err := readLinks(m.asked[0], m.asked[1]); err == nil {
		return links, about
	}
	links = strings.Split(m.asked[0], " of the ")
	slices.Reverse(links)
	return links, m.asked[1]
}

// preferred are the entries of a programme to whose kinds none is preferred that stands on
// it, or what somebody stays away from.
func (m masked) preferred() (out []string) {
	poster := m.shown(simulate.Poster)
	if poster == nil {
		return nil
	}
	avoided := m.task.find("avoids")
	for _, r := range poster.Rows {
		beaten := slices.ContainsFunc(poster.Rows, func(o []string) bool { _, ok := choicesBetween(m.task.find("chose"), o[1], r[1]); return ok })
		kept := m.item.Variant == simulate.Explicit && !slices.ContainsFunc(avoided, func(f fact) bool { return f.args["k"] == r[1] })
		if !beaten && !kept {
			out = append(out, r[0])
		}
	}
	return out
}

// fit are the things on a chart that a definition fits and no exception is known to hold
// of.
func (m masked) fit() (out []string) {
	chart, terms, limits := m.shown(simulate.Chart), m.task.find("between", "w", m.asked[1]), m.task.find("except", "w", m.asked[1])
	if chart == nil || len(terms) == 0 {
		return nil
	}
	for _, r := range chart.Rows {
		if v := parseNumber(r[1]); v < parseNumber(terms[0].args["l"]) || v > parseNumber(terms[0].args["h"]) {
			continue
		}
		name := r[0]
		if names := values(m.task.find("fact", "of", name, "a", m.asked[0])); len(names) > 0 {
			name = names[0]
		}
		excluded := false
		for _, l := range limits {
			if v := values(m.task.find("fact", "of", name, "a", l.args["m"])); len(v) > 0 && l.excludes(v[0]) {
				excluded = true
			}
		}
		if !excluded {
			out = append(out, name)
		}
	}
	return out
}

// calls are those of each tool for what is asked that a procedure allows, and of each
// priority where none is told. Without the code or a number there is none.
func (m masked) calls() (out []string) {
	tag := m.shown(simulate.Card)
	if tag == nil {
		return nil
	}
	var r Result
	code, _, err := m.task.currentValue(tag.Title, "code")
	n, _, bad := m.task.sumChanges(tag.Title, "budget", &r)
	if err != nil || bad != nil {
		return nil
	}
	rules := m.task.find("procedure", "f", tag.Rows[0][1], "x", m.asked[0])
	for _, tool := range m.item.Tools {
		if !strings.HasSuffix(tool.Description, " to "+m.asked[0]+" something.") || len(rules) > 0 && !strings.Contains(tool.Description, rules[0].args["d"]) {
			continue
		}
		levels := values(m.task.find("fact", "of", tag.Title, "a", "priority"))
		switch {
		case !strings.Contains(tool.Parameters, "priority"):
			levels = []string{""}
		case len(levels) == 0:
			levels = []string{"low", "normal", "high", "urgent"}
		}
		for _, l := range levels {
			args := map[string]any{"code": code, "budget": n}
			if l != "" {
				args["priority"] = l
			}
			b, _ := json.Marshal(map[string]any{"name": tool.Name, "arguments": args}) // strings and numbers
			call, _ := schemas.CanonicalCall(string(b))                                // which it was made as
			out = append(out, call)
		}
	}
	return out
}
