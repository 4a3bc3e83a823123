package release

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// ExistsError says that a version is there already with other content.
type ExistsError struct{ Dir, Version, Detail string }

func (e *ExistsError) Error() string {
	return fmt.Sprintf("release %s exists with other content (%s); releases are never edited: set release.version to a new version or to auto, or remove the folder if it was never published", e.Version, e.Detail)
}

// ErrEmpty says that nothing is left to release.
var ErrEmpty = errors.New("the release would hold no question; look at what the steps lost and flagged (memforge show STEP), and at release.from")

// ReferenceError lists what does not hold of the rows of a release: ids that lead
// nowhere or occur twice, values against the rules of their columns.
type ReferenceError struct{ Problems []Violation }

func (e *ReferenceError) Error() string {
	return fmt.Sprintf("%d things that its tables say do not hold: %s; the source or stage that made these records must give them otherwise", len(e.Problems), joinFirst(e.Problems))
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

func damagedError(dir, path, format string, args ...any) error {
	return &DamagedError{Dir: dir, Problems: []Problem{{path, fmt.Sprintf(format, args...)}}}
}

func (e *DamagedError) Error() string {
	var b strings.Builder
	advice := "restore it from a good copy or remove the folder and build again"
	if e.Inside != "" {
		advice = "it holds releases and is none itself; name one of them, such as " + e.Inside
	}
	fmt.Fprintf(&b, "release %s does not verify; %s:", e.Dir, advice)
	for _, p := range e.Problems[:min(len(e.Problems), mostLines)] {
		fmt.Fprintf(&b, "\n  %s", safetext.Line(p.Path+": "+p.Detail))
	}
	if more := len(e.Problems) - mostLines; more > 0 {
		fmt.Fprintf(&b, "\n  and %d more", more)
	}
	return b.String()
}

// releaseIn returns the last release below a folder with a folder for each version, or
// nothing where the folder is a release or holds none.
func releaseIn(dir string) string {
	if _, err := os.Stat(filepath.Join(dir, manifest.FileName)); err == nil {
		return ""
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.*.*", manifest.FileName))
	if err != nil || len(found) == 0 {
		return ""
	}
	return filepath.Dir(found[len(found)-1])
}

const mostLines = 50

// emptyError is ErrEmpty with what became of the records.
func emptyError(rejections []schemas.Rejection) error {
	var why []string
	for _, of := range []struct {
		what     string
		withheld bool
	}{{"withheld", true}, {"dropped by steps", false}} {
		n, first := 0, ""
		for _, r := range rejections {
			if schemas.Excluded(r.Code) != of.withheld {
				continue
			}
			if n++; n == 1 {
				first = safetext.Line(fmt.Sprintf("%s at %s, %s: %s", r.ID, r.Stage, r.Code, strings.TrimPrefix(r.Reason, r.Code+": ")))
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

func joinFirst[T any](parts []T) string {
	const shown = 5
	var said []string
	for _, p := range parts[:min(len(parts), shown)] {
		said = append(said, fmt.Sprint(p))
	}
	if more := len(parts) - shown; more > 0 {
		said = append(said, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(said, "; ")
}

// Violation is something that does not hold of the tables of a release, although they say
// so, and whose row is to blame.
type Violation struct {
	// Table and ID name the row by the first of its keys. Table is empty where no single
	// row is to blame.
	Table, ID string
	Why       string
}

func (b Violation) String() string {
	switch {
	case b.Table == "":
		return b.Why
	case b.ID == "":
		return rowName(b.Table) + ": " + b.Why
	}
	return fmt.Sprintf("%s %s: %s", rowName(b.Table), b.ID, b.Why)
}

func rowName(table string) string {
	switch table {
	case tableQuestions:
		return "question"
	case tableTasks:
		return "task"
	case tableMedia:
		return "medium"
	case pipeline.TableSessions:
		return "session"
	case pipeline.TableTurns:
		return "turn"
	case pipeline.TablePoints:
		return "memory point"
	case pipeline.TableCheckpoints:
		return "checkpoint"
	}
	return table
}

// maxProblems bounds the problems that are kept: of a bad release every row may be one.
const maxProblems = 10_000

// addProblem adds what no single row is to blame for.
func (c *checker) addProblem(format string, args ...any) {
	c.note(Violation{Why: fmt.Sprintf(format, args...)})
}

// blameRow adds what is wrong with a row.
func (c *checker) blameRow(table string, id any, format string, args ...any) {
	c.note(Violation{table, fmt.Sprint(id), fmt.Sprintf(format, args...)})
}

func (c *checker) note(b Violation) {
	if len(c.problems) < maxProblems {
		c.problems = append(c.problems, b)
	}
}

// ReferencedError says that a medium is referenced and its file is not there.
type ReferencedError struct{ MediaID string }

func (e *ReferencedError) Error() string {
	return fmt.Sprintf("medium %s is referenced and not shipped, because its licence forbids it; memforge hydrate makes its file from your copies of the originals", e.MediaID)
}
