package release

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// license is what the release needs to know of one.
type license struct {
	spdx string
	// strictness orders licences: a work under a licence may be published
	// under any stricter one of the same family.
	strictness int
	hub        string // the id dataset hubs use
	url        string
}

// Strictness grows by duties: none, notice, attribution, share alike, no
// commerce, both. NoDerivatives licences are missing on purpose: what a build
// composes is a derivative.
const (
	freeUse = iota
	notice
	attribution
	shareAlike
	nonCommercial
	nonCommercialShareAlike
)

func licenses() []license {
	const cc = "https://creativecommons.org/"
	const spdx = "https://spdx.org/licenses/"
	return []license{
		{"CC0-1.0", freeUse, "cc0-1.0", cc + "publicdomain/zero/1.0/"},
		{"Unlicense", freeUse, "unlicense", spdx + "Unlicense.html"},
		{"PDDL-1.0", freeUse, "pddl", spdx + "PDDL-1.0.html"},
		{"0BSD", freeUse, "0bsd", spdx + "0BSD.html"},
		{"MIT", notice, "mit", spdx + "MIT.html"},
		{"ISC", notice, "isc", spdx + "ISC.html"},
		{"BSD-2-Clause", notice, "bsd-2-clause", spdx + "BSD-2-Clause.html"},
		{"BSD-3-Clause", notice, "bsd-3-clause", spdx + "BSD-3-Clause.html"},
		{"Apache-2.0", notice, "apache-2.0", spdx + "Apache-2.0.html"},
		{"ODC-By-1.0", attribution, "odc-by", spdx + "ODC-By-1.0.html"},
		{"CC-BY-3.0", attribution, "cc-by-3.0", cc + "licenses/by/3.0/"},
		{"CC-BY-4.0", attribution, "cc-by-4.0", cc + "licenses/by/4.0/"},
		{"ODbL-1.0", shareAlike, "odbl", spdx + "ODbL-1.0.html"},
		{"CC-BY-SA-3.0", shareAlike, "cc-by-sa-3.0", cc + "licenses/by-sa/3.0/"},
		{"CC-BY-SA-4.0", shareAlike, "cc-by-sa-4.0", cc + "licenses/by-sa/4.0/"},
		{"CC-BY-NC-3.0", nonCommercial, "cc-by-nc-3.0", cc + "licenses/by-nc/3.0/"},
		{"CC-BY-NC-4.0", nonCommercial, "cc-by-nc-4.0", cc + "licenses/by-nc/4.0/"},
		{"CC-BY-NC-SA-3.0", nonCommercialShareAlike, "cc-by-nc-sa-3.0", cc + "licenses/by-nc-sa/3.0/"},
		{"CC-BY-NC-SA-4.0", nonCommercialShareAlike, "cc-by-nc-sa-4.0", cc + "licenses/by-nc-sa/4.0/"},
	}
}

func findLicense(spdx string) (license, int, bool) {
	all := licenses()
	i := slices.IndexFunc(all, func(l license) bool { return strings.EqualFold(l.spdx, spdx) })
	if i < 0 {
		return license{}, 0, false
	}
	return all[i], i, true
}

// licensing is the decision about a release's licence.
type licensing struct {
	// license of the release; its spdx is empty when the release is private.
	license license
	private bool
	// parts maps each licence to the things under it, sorted.
	parts map[string][]string
	notes []string
}

// decideLicense finds the strictest licence of the parts. wanted is the one the
// maintainer asks for, or empty. An unknown licence is an error unless allow.
func decideLicense(parts map[string][]string, wanted string, allow bool) (licensing, error) {
	out := licensing{parts: parts}
	strictest := -1
	strict := map[int]string{}
	for _, id := range slices.Sorted(maps.Keys(parts)) {
		for _, single := range strings.Split(id, " AND ") {
			l, rank, known := findLicense(strings.TrimSpace(single))
			if !known {
				if !allow {
					return out, &LicenseError{License: id, Parts: parts[id], Detail: "it is not one that a public release may carry; state the licence in pipeline.yaml, leave the source out, or write a private release with --allow-unlicensed"}
				}
				out.private = true
				out.notes = append(out.notes, fmt.Sprintf("Licence %q is absent or unknown: this release is private and must not be published.", id))
				continue
			}
			strictest = max(strictest, rank)
			strict[l.strictness] = l.spdx
		}
	}
	if sa, nc := strict[shareAlike], cmp.Or(strict[nonCommercial], strict[nonCommercialShareAlike]); sa != "" && nc != "" {
		out.notes = append(out.notes, fmt.Sprintf("Parts under %s and parts under %s cannot be merged into one work: rows keep their own licence, and the release is a collection of them.", sa, nc))
	}
	if out.private {
		return out, nil
	}
	if strictest < 0 {
		return out, &LicenseError{License: "", Parts: []string{"the release"}, Detail: "no source and no media state one; set license on the sources"}
	}
	return out.choose(licenses()[strictest], wanted)
}

func (out licensing) choose(strictest license, wanted string) (licensing, error) {
	out.license = strictest
	if wanted == "" {
		return out, nil
	}
	l, _, known := findLicense(wanted)
	if !known {
		return out, &LicenseError{License: wanted, Parts: []string{"release.license"}, Detail: "it is not known here; use an SPDX id such as CC-BY-4.0"}
	}
	if l.strictness < strictest.strictness {
		return out, &LicenseError{License: wanted, Parts: []string{"release.license"}, Detail: fmt.Sprintf("parts of the release are under %s, which is stricter; use that or leave the key out", strictest.spdx)}
	}
	out.license = l
	return out, nil
}
