package license

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

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
			if !private {
				return out, &Error{License: id, Parts: parts[id], Detail: "it is not one that a public release may carry; state the licence in pipeline.yaml, leave the source out, or write a private release with --allow-unlicensed"}
			}
			out.Notes = append(out.Notes, fmt.Sprintf("Licence %q is absent or unknown: this release is private and must not be published.", id))
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

// incompatibleText says why nothing may hold parts under a licence and under b.
func incompatibleText(b string, of []string) string {
	return fmt.Sprintf("parts under it and parts under %s (%s) cannot be published as one work, for no licence meets the terms of both", b, joinFirst(of, 1))
}

// joinFirst joins the first of many.
func joinFirst(parts []string, shown int) string {
	parts = slices.Compact(slices.Sorted(slices.Values(parts)))
	if len(parts) <= shown {
		return strings.Join(parts, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(parts[:shown], "; "), len(parts)-shown)
}

// licensesFor lists the licences under which parts under all of the given ones may
// be published, those with fewer duties first.
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

// choose takes the licence wanted, or else the first.
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
