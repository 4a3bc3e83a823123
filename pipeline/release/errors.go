package release

import (
	"fmt"
	"strings"
)

// ExistsError says that a version is there already with other content.
type ExistsError struct{ Dir, Version, Detail string }

func (e *ExistsError) Error() string {
	return fmt.Sprintf("release %s exists with other content (%s); releases are never edited: set release.version to a new version or to auto, or remove the folder if it was never published", e.Version, e.Detail)
}

// LicenseError says why the parts' licences do not allow the release.
type LicenseError struct {
	License string
	Parts   []string // what carries the licence, sorted
	Detail  string
}

func (e *LicenseError) Error() string {
	return fmt.Sprintf("licence %q of %s: %s", e.License, shorten(e.Parts), e.Detail)
}

// ReferenceError lists ids that lead nowhere or occur twice.
type ReferenceError struct{ Problems []string }

func (e *ReferenceError) Error() string {
	return fmt.Sprintf("%d references of the release do not hold: %s; the stage that made them must emit what they name", len(e.Problems), shorten(e.Problems))
}

// DamagedError lists everything that Verify found wrong.
type DamagedError struct {
	Dir      string
	Problems []Problem
}

// Problem is one finding of Verify.
type Problem struct {
	Path   string // inside the release
	Detail string
}

func (e *DamagedError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.Path + ": " + p.Detail
	}
	return fmt.Sprintf("release %s does not verify: %s; restore it from a good copy or remove the folder and build again", e.Dir, shorten(lines))
}

// shorten joins the first few of many.
func shorten(parts []string) string {
	const shown = 5
	if len(parts) <= shown {
		return strings.Join(parts, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(parts[:shown], "; "), len(parts)-shown)
}
