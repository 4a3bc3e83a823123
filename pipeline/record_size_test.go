package pipeline

import (
	"errors"
	"strings"
	"testing"
)

// TestARecordThatIsTooLargeIsARejection: a stage that hands the error on loses one
// input, and not the build.
func TestARecordThatIsTooLargeIsARejection(t *testing.T) {
	for n, want := range map[int]bool{MaxRecordBytes - 100: false, MaxRecordBytes: true} {
		_, err := NewRecord("note", "n1", map[string]string{"text": strings.Repeat("x", n)})
		var lost *Rejection
		if errors.As(err, &lost) != want || want && lost.Code != CodeRecordSize {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}
