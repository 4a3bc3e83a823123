// Package license knows the licences that a public release may carry, and under
// which of them parts under others may be published as one work.
package license

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// License is one that a release may carry.
type License struct {
	// SPDX is its id, Hub the one that dataset hubs use, URL where it stands.
	SPDX, Hub, URL string
	// Under lists the licences of a whole that may hold parts under this one,
	// itself among them. A licence that binds adaptations to itself (share alike)
	// names itself and its later versions only.
	Under []string
}

// NoDerivatives licences are missing on purpose: what a build composes is a
// derivative.
const (
	by3, by4     = "CC-BY-3.0", "CC-BY-4.0"
	sa3, sa4     = "CC-BY-SA-3.0", "CC-BY-SA-4.0"
	nc3, nc4     = "CC-BY-NC-3.0", "CC-BY-NC-4.0"
	ncSA3, ncSA4 = "CC-BY-NC-SA-3.0", "CC-BY-NC-SA-4.0"
	odcBy, odbl  = "ODC-By-1.0", "ODbL-1.0"
)

// table lists the licences, those with fewer duties first: none, notice,
// attribution, share alike, no commerce, both. Under of those that only want a
// notice is filled in by All: any licence that does not promise less.
func table() []License {
	const cc = "https://creativecommons.org/"
	const spdx = "https://spdx.org/licenses/"
	return []License{
		{SPDX: "CC0-1.0", Hub: "cc0-1.0", URL: cc + "publicdomain/zero/1.0/"},
		{SPDX: "Unlicense", Hub: "unlicense", URL: spdx + "Unlicense.html"},
		{SPDX: "PDDL-1.0", Hub: "pddl", URL: spdx + "PDDL-1.0.html"},
		{SPDX: "0BSD", Hub: "0bsd", URL: spdx + "0BSD.html"},
		{SPDX: "MIT", Hub: "mit", URL: spdx + "MIT.html"},
		{SPDX: "ISC", Hub: "isc", URL: spdx + "ISC.html"},
		{SPDX: "BSD-2-Clause", Hub: "bsd-2-clause", URL: spdx + "BSD-2-Clause.html"},
		{SPDX: "BSD-3-Clause", Hub: "bsd-3-clause", URL: spdx + "BSD-3-Clause.html"},
		{SPDX: "Apache-2.0", Hub: "apache-2.0", URL: spdx + "Apache-2.0.html"},
		{SPDX: odcBy, Hub: "odc-by", URL: spdx + "ODC-By-1.0.html", Under: []string{odcBy, by3, by4, odbl, sa3, sa4, nc3, nc4, ncSA3, ncSA4}},
		{SPDX: by3, Hub: "cc-by-3.0", URL: cc + "licenses/by/3.0/", Under: []string{by3, by4, sa3, sa4, nc3, nc4, ncSA3, ncSA4}},
		{SPDX: by4, Hub: "cc-by-4.0", URL: cc + "licenses/by/4.0/", Under: []string{by4, sa4, nc4, ncSA4}},
		{SPDX: odbl, Hub: "odbl", URL: spdx + "ODbL-1.0.html", Under: []string{odbl}},
		{SPDX: sa3, Hub: "cc-by-sa-3.0", URL: cc + "licenses/by-sa/3.0/", Under: []string{sa3, sa4}},
		{SPDX: sa4, Hub: "cc-by-sa-4.0", URL: cc + "licenses/by-sa/4.0/", Under: []string{sa4}},
		{SPDX: nc3, Hub: "cc-by-nc-3.0", URL: cc + "licenses/by-nc/3.0/", Under: []string{nc3, nc4, ncSA3, ncSA4}},
		{SPDX: nc4, Hub: "cc-by-nc-4.0", URL: cc + "licenses/by-nc/4.0/", Under: []string{nc4, ncSA4}},
		{SPDX: ncSA3, Hub: "cc-by-nc-sa-3.0", URL: cc + "licenses/by-nc-sa/3.0/", Under: []string{ncSA3, ncSA4}},
		{SPDX: ncSA4, Hub: "cc-by-nc-sa-4.0", URL: cc + "licenses/by-nc-sa/4.0/", Under: []string{ncSA4}},
	}
}

// withoutDuty lists the licences that ask nothing of those who take the work.
var withoutDuty = [...]string{"CC0-1.0", "Unlicense", "PDDL-1.0", "0BSD"}

// All lists the licences, those with fewer duties first.
func All() []License {
	all := table()
	for i := range all {
		if all[i].Under != nil {
			continue
		}
		for _, whole := range all {
			free := slices.Contains(withoutDuty[:], whole.SPDX)
			if !free || slices.Contains(withoutDuty[:], all[i].SPDX) {
				all[i].Under = append(all[i].Under, whole.SPDX)
			}
		}
	}
	return all
}

// IDs lists the SPDX ids of All.
func IDs() []string {
	var ids []string
	for _, l := range All() {
		ids = append(ids, l.SPDX)
	}
	return ids
}

// Find looks a licence up; case does not matter.
func Find(spdx string) (License, bool) {
	all := All()
	i := slices.IndexFunc(all, func(l License) bool { return strings.EqualFold(l.SPDX, spdx) })
	if i < 0 {
		return License{}, false
	}
	return all[i], true
}

// Parts of a compound id: those joined by AND all apply.
func Parts(id string) []string {
	parts := strings.Split(id, " AND ")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// AllowsShipping reports whether a public release may hold what is under an id: every part
// of it is one of All.
func AllowsShipping(id string) bool {
	return !slices.ContainsFunc(Parts(id), func(part string) bool { _, known := Find(part); return !known })
}

var noDerivatives = regexp.MustCompile(`(?i)^CC-BY(-NC)?-ND-\d\.\d$`)

// Forbids returns why a public release may not carry what is under one id, such as "it
// allows no derivatives, and what a build makes is one", or nothing where it may. The id
// may be misspelt only where misspelt says so.
func Forbids(id string) (why string, misspelt bool) {
	_, known := Find(id)
	switch {
	case known:
		return "", false
	case id == "":
		return "no licence is stated", false
	case noDerivatives.MatchString(id):
		return "it allows no derivatives, and what a build makes is one", false
	}
	return "it is none of the licences that a release may be published under", true
}

// Decision is what a release may be published under.
type Decision struct {
	// License of the release; zero when it is private.
	License License
	Private bool
	// Notes say why it is private.
	Notes []string
}

// Error says why the licences of the parts do not allow the release.
type Error struct {
	License string
	Parts   []string // what carries the licence, sorted
	Detail  string
}

func (e *Error) Error() string {
	return fmt.Sprintf("licence %q of %s: %s", e.License, joinFirst(e.Parts, 5), e.Detail)
}

// Decide finds the licence with the fewest duties under which all parts may be
// published as one work. parts maps each id to the things under it; wanted is
// the licence that the maintainer asks for, or empty. Where there is none, an
// *Error says why; with private, the release is private for that reason.
func Decide(parts map[string][]string, wanted string, private bool) (Decision, error) {
	var out Decision
	given := map[string][]string{}
	for _, id := range slices.Sorted(maps.Keys(parts)) {
		for _, single := range Parts(id) {
			l, known := Find(single)
			if known {
				given[l.SPDX] = append(given[l.SPDX], parts[id]...)
				continue
			}
			why, _ := Forbids(single)
			if !private {
				return out, &Error{License: id, Parts: parts[id], Detail: why + "; state the licence in pipeline.yaml, leave the source out, or write a private release with --allow-unlicensed"}
			}
			out.Notes = append(out.Notes, fmt.Sprintf("Licence %q: %s. This release is private and must not be published.", id, why))
		}
	}
	if len(given) == 0 && len(out.Notes) == 0 {
		return out, &Error{Parts: []string{"the release"}, Detail: "no source and no media state one; set license on the sources"}
	}
	wholes := licensesFor(given)
	if len(wholes) == 0 {
		a, b := incompatiblePair(given)
		if !private {
			return out, &Error{License: a, Parts: given[a], Detail: incompatibleText(b, given[b]) + "; leave one of them out, or write a private release with --allow-unlicensed"}
		}
		out.Notes = append(out.Notes, fmt.Sprintf("Licence %q: %s; this release is private and must not be published.", a, incompatibleText(b, given[b])))
	}
	if out.Private = len(out.Notes) > 0; out.Private {
		return out, nil
	}
	l, err := choose(wholes, wanted, given)
	out.License = l
	return out, err
}

func incompatibleText(b string, of []string) string {
	return fmt.Sprintf("parts under it and parts under %s (%s) cannot be published as one work, for no licence meets the terms of both", b, joinFirst(of, 1))
}

func joinFirst(parts []string, shown int) string {
	parts = slices.Compact(slices.Sorted(slices.Values(parts)))
	if len(parts) <= shown {
		return strings.Join(parts, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(parts[:shown], "; "), len(parts)-shown)
}

// licensesFor lists the licences under which parts under all of the given ones may be
// published, those with fewer duties first.
func licensesFor(given map[string][]string) []License {
	return slices.DeleteFunc(All(), func(whole License) bool {
		for id := range given {
			if part, _ := Find(id); !slices.Contains(part.Under, whole.SPDX) {
				return true
			}
		}
		return false
	})
}

// incompatiblePair names two of the given licences that no whole may hold, or, where every
// two can be joined and all together cannot, the first and the last.
func incompatiblePair(given map[string][]string) (a, b string) {
	ids := slices.Sorted(maps.Keys(given))
	for i, a := range ids {
		for _, b := range ids[i+1:] {
			if len(licensesFor(map[string][]string{a: nil, b: nil})) == 0 {
				return a, b
			}
		}
	}
	return ids[0], ids[len(ids)-1]
}

func choose(wholes []License, wanted string, given map[string][]string) (License, error) {
	if wanted == "" {
		return strictest(wholes, given), nil
	}
	l, known := Find(wanted)
	if !known {
		return License{}, &Error{License: wanted, Parts: []string{"release.license"}, Detail: "it is not known here; use an SPDX id such as CC-BY-4.0"}
	}
	if !slices.ContainsFunc(wholes, func(w License) bool { return w.SPDX == l.SPDX }) {
		return License{}, &Error{License: wanted, Parts: []string{"release.license"}, Detail: fmt.Sprintf("parts of the release are under %s, which it does not meet; use %s or leave the key out", unmet(l, given), strictest(wholes, given).SPDX)}
	}
	return l, nil
}

// strictest is the strictest of the given licences where a whole may be under it,
// and else the first that a whole may be under.
func strictest(wholes []License, given map[string][]string) License {
	for _, w := range slices.Backward(wholes) {
		if given[w.SPDX] != nil {
			return w
		}
	}
	return wholes[0]
}

// unmet names the given licences that a whole under l does not meet.
func unmet(l License, given map[string][]string) string {
	var out []string
	for _, id := range slices.Sorted(maps.Keys(given)) {
		if part, _ := Find(id); !slices.Contains(part.Under, l.SPDX) {
			out = append(out, id)
		}
	}
	return strings.Join(out, ", ")
}
