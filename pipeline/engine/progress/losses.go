package progress

import (
	"fmt"

	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/schemas"
)

// maxShownLosses is how many lost items a person is told of; machines get all.
const maxShownLosses = 20

// ReportLosses says which items were lost, by file where they are of one.
func (r *Reporter) ReportLosses(lost []schemas.Rejection) {
	for i, l := range lost {
		if r.format == JSON {
			r.json(map[string]any{"event": "refused", "node": l.Stage, "source": l.Source, "path": l.Path, "id": l.ID, "code": l.Code, "reason": l.Reason})
			continue
		}
		if i == maxShownLosses {
			fmt.Fprintf(r.out, "and %d more; table rejections of the release has all\n", len(lost)-i)
			return
		}
		safetext.Fprintf(r.out, "refused by %s: %s: %s: %s\n", l.Stage, itemText(l), l.Code, l.Reason)
	}
}

// itemText names an item: the file that a person knows, then the id that
// `memforge explain` takes.
func itemText(l schemas.Rejection) string {
	switch {
	case l.Path == "" && l.Source == "":
		return l.ID
	case l.Path == "":
		return l.Source + " " + l.ID
	case l.Path == l.ID:
		return l.Source + " " + l.Path
	}
	return fmt.Sprintf("%s %s (%s)", l.Source, l.Path, l.ID)
}
