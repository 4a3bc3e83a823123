package describe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// shownFiles bounds the files that the report names; the tables have all.
const shownFiles = 500

// fileRow is one file of a source in the report: refused, or taken with a note.
type fileRow struct{ Source, Path, Code, Text, Step string }

// fileList is what the report says of files, and how many it leaves out.
type fileList struct {
	Rows []fileRow
	More int
}

func (l *fileList) add(r fileRow) {
	if len(l.Rows) == shownFiles {
		l.More++
		return
	}
	l.Rows = append(l.Rows, r)
}

// refusedFiles lists the files of sources that became nothing, or less than they
// might have: what a gate dropped is no fault of a file.
func (rel Release) refusedFiles() (list fileList) {
	kinds := map[string]string{}
	for _, row := range rel.Manifest.RecordCounts {
		kinds[row.Step] = row.Kind
	}
	all := slices.Clone(rel.Rejections)
	slices.SortFunc(all, func(a, b schemas.Rejection) int {
		return slices.Compare([]string{a.Source, a.Path, a.Stage, a.Code, a.ID}, []string{b.Source, b.Path, b.Stage, b.Code, b.ID})
	})
	for _, r := range all {
		if r.Path != "" && kinds[r.Stage] != "gate" {
			list.add(fileRow{r.Source, r.Path, r.Code, r.Reason, r.Stage})
		}
	}
	return list
}

// notedFiles lists those that were taken with a note.
func (rel Release) notedFiles() (list fileList) {
	all := slices.Clone(rel.Sources)
	slices.SortFunc(all, func(a, b schemas.Source) int { return slices.Compare([]string{a.ID, a.Path}, []string{b.ID, b.Path}) })
	for _, s := range all {
		for _, n := range s.Notes {
			list.add(fileRow{s.ID, s.Path, n.Code, n.Text, n.Item})
		}
	}
	return list
}

// joinCounts are counts by code in words.
func joinCounts(counts []manifest.ReasonCount) string {
	parts := make([]string, len(counts))
	for i, c := range counts {
		parts[i] = fmt.Sprintf("%s %d", c.Code, c.Count)
	}
	return strings.Join(parts, ", ")
}
