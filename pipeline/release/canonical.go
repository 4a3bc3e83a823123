package release

import (
	"bytes"
	"fmt"
)

// canonical finds a value that the writer writes otherwise, see shape.Column.
func (t table) canonical(rows []row) error {
	for i, r := range rows {
		for j, c := range t.columns {
			if !c.Canonical(r[j]) || t.name == tableLabels && !wholeOrSpan(r) {
				return fmt.Errorf("row %d, column %s: the value is null or empty where memforge writes it otherwise", i+1, c.Name)
			}
		}
	}
	return nil
}

// wholeOrSpan reports whether a row of labels has both seconds, of which one is not
// 0, or none.
func wholeOrSpan(r row) bool {
	l := recordOf[labelRow](tableLabels, r)
	if l.From == nil || l.To == nil {
		return l.From == nil && l.To == nil
	}
	return *l.From != 0 || *l.To != 0
}

// firstOther is the number of the first line in which a text is not another.
func firstOther(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return 1 + bytes.Count(a[:n], []byte("\n"))
}
