package worlds

import (
	"slices"
	"testing"
)

// TestNamesAreFound: firms and things are told from each other and from people and places.
func TestNamesAreFound(t *testing.T) {
	t.Parallel()
	things, firms := Called("For Nastgate Logistics, the parent firm of Lyrning Cinema is Daiplow Supply. Ida Stixing is on Fenmond Hill.")
	if !slices.Equal(things, []string{"Lyrning Cinema"}) || !slices.Equal(firms, []string{"Nastgate Logistics", "Daiplow Supply"}) {
		t.Errorf("things %q, firms %q", things, firms)
	}
	if things, firms := Called("nothing is named Here"); len(things)+len(firms) > 0 {
		t.Errorf("things %q, firms %q", things, firms)
	}
}
