package release

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/plain"
	"github.com/memforge/memforge/schemas"
)

// ExistsError says that a version is there already with other content.
type ExistsError struct{ Dir, Version, Detail string }

func (e *ExistsError) Error() string {
	return fmt.Sprintf("release %s exists with other content (%s); releases are never edited: set release.version to a new version or to auto, or remove the folder if it was never published", e.Version, e.Detail)
}

// ErrEmpty says that nothing is left to release.
var ErrEmpty = errors.New("the release would hold no question; look at what the nodes lost and flagged (memforge show NODE), and at release.from")

// ReferenceError lists ids that lead nowhere or occur twice.
type ReferenceError struct{ Problems []string }

func (e *ReferenceError) Error() string {
	return fmt.Sprintf("%d things that its tables say do not hold: %s; the source or stage that made these records must give them otherwise", len(e.Problems), shorten(e.Problems))
}

// DamagedError lists everything that Verify found wrong, by path, one finding for
// each cause.
type DamagedError struct {
	Dir      string
	Problems []Problem
	// Inside is a release within the folder, which is none itself.
	Inside string
}

// Problem is one finding of Verify.
type Problem struct {
	Path   string // inside the release
	Detail string
}

func (e *DamagedError) Error() string {
	var b strings.Builder
	advice := "restore it from a good copy or remove the folder and build again"
	if e.Inside != "" {
		advice = "it holds releases and is none itself; name one of them, such as " + e.Inside
	}
	fmt.Fprintf(&b, "release %s does not verify; %s:", e.Dir, advice)
	for _, p := range e.Problems[:min(len(e.Problems), mostLines)] {
		fmt.Fprintf(&b, "\n  %s", plain.Line(p.Path+": "+p.Detail))
	}
	if more := len(e.Problems) - mostLines; more > 0 {
		fmt.Fprintf(&b, "\n  and %d more", more)
	}
	return b.String()
}

// releaseIn is the last release of a folder that has a folder for each version, or
// nothing where the folder is a release or holds none.
func releaseIn(dir string) string {
	if _, err := os.Stat(filepath.Join(dir, manifestName)); err == nil {
		return ""
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.*.*", manifestName))
	if err != nil || len(found) == 0 {
		return ""
	}
	return filepath.Dir(found[len(found)-1])
}

// mostLines is how many findings a message lists.
const mostLines = 50

// ordered sorts findings by path, whatever order they were met in, each once.
func ordered(found []Problem) []Problem {
	slices.SortStableFunc(found, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Detail, b.Detail))
	})
	return slices.Compact(found)
}

// emptied is ErrEmpty with what became of records: a release without questions is
// never written.
func emptied(rejections []schemas.Rejection) error {
	var why []string
	for _, of := range []struct {
		what     string
		withheld bool
	}{{"withheld", true}, {"dropped by nodes", false}} {
		n, first := 0, ""
		for _, r := range rejections {
			if schemas.Withheld(r.Code) != of.withheld {
				continue
			}
			if n++; n == 1 {
				first = plain.Line(fmt.Sprintf("%s at %s, %s: %s", r.ID, r.Stage, r.Code, r.Reason))
			}
		}
		if n > 0 {
			why = append(why, fmt.Sprintf("%d records were %s (the first: %s)", n, of.what, first))
		}
	}
	if len(why) == 0 {
		return ErrEmpty
	}
	return fmt.Errorf("%w: %s", ErrEmpty, strings.Join(why, "; "))
}

// shorten joins the first few of many.
func shorten(parts []string) string {
	const shown = 5
	if len(parts) <= shown {
		return strings.Join(parts, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(parts[:shown], "; "), len(parts)-shown)
}
