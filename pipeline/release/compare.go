package release

import (
	"bytes"
	"fmt"
)

// compareRows reports the first difference between rows written and rows read
// back by the second implementation.
func compareRows(t table, want, got []row) error {
	if len(want) != len(got) {
		return fmt.Errorf("table %s: wrote %d rows, the second reader finds %d", t.name, len(want), len(got))
	}
	for i := range want {
		for j, c := range t.columns {
			if !equal(want[i][j], got[i][j]) {
				return fmt.Errorf("table %s, row %d, column %s: wrote %.80s, the second reader finds %.80s", t.name, i, c.Name, fmt.Sprint(want[i][j]), fmt.Sprint(got[i][j]))
			}
		}
	}
	return nil
}

func equal(a, b any) bool {
	switch a := a.(type) {
	case []byte:
		b, ok := b.([]byte)
		return ok && bytes.Equal(a, b)
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !equal(a[i], b[i]) {
				return false
			}
		}
		return true
	}
	switch b.(type) {
	case []byte, []any:
		return false
	}
	return a == b
}
