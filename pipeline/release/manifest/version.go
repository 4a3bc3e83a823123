package manifest

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
)

// AutoVersion asks for the version that the difference to the latest release
// calls for.
const AutoVersion = "auto"

var versionPattern = regexp.MustCompile(`^(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})$`)

// Version is a semantic version without pre-release and build parts.
type Version struct{ Major, Minor, Patch int }

// ParseVersion reads three numbers such as 1.0.0.
func ParseVersion(s string) (Version, error) {
	m := versionPattern.FindStringSubmatch(s)
	if m == nil {
		return Version{}, fmt.Errorf("version %q: want three numbers such as 1.0.0, or auto", s)
	}
	var n [3]int
	for i := range n {
		v, err := strconv.Atoi(m[i+1])
		if err != nil {
			return Version{}, fmt.Errorf("version %q: %w", s, err)
		}
		n[i] = v
	}
	return Version{n[0], n[1], n[2]}, nil
}

func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// Compare orders versions.
func (v Version) Compare(o Version) int {
	return cmp.Or(cmp.Compare(v.Major, o.Major), cmp.Compare(v.Minor, o.Minor), cmp.Compare(v.Patch, o.Patch))
}

// Change grades the difference between two releases.
type Change int

// The grades of a change.
const (
	PatchChange Change = iota // only metadata or packaging
	MinorChange               // only additions
	MajorChange               // items or gold changed or removed, or a schema broke
)

// String returns the name of the number that is raised.
func (c Change) String() string {
	switch c {
	case MajorChange:
		return "major"
	case MinorChange:
		return "minor"
	}
	return "patch"
}

// MarshalText implements encoding.TextMarshaler.
func (c Change) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Next returns the version after v that a change calls for. Below 1.0.0, where anything
// may still change, the second number stands for the first.
func (v Version) Next(c Change) Version {
	switch {
	case c == PatchChange:
		return Version{v.Major, v.Minor, v.Patch + 1}
	case c == MajorChange && v.Major > 0:
		return Version{v.Major + 1, 0, 0}
	}
	return Version{v.Major, v.Minor + 1, 0}
}
