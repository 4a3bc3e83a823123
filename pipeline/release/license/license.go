// Package license knows the licences that a public release may carry, and under
// which of them parts under others may be published as one work.
package license

import (
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

// withoutDuty are licences without a duty: a whole under one promises that nothing
// is asked of who takes it.
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
