package media

import (
	"fmt"
	"strings"
	"testing"
)

// TestBoundsOfAProfile sets every number to the last value that works and to the
// first that does not, at both ends.
func TestBoundsOfAProfile(t *testing.T) {
	for _, c := range []struct {
		name         string
		of           func(*Profile) *int32
		good, refuse []int32
	}{
		{"width", func(p *Profile) *int32 { return &p.Width }, []int32{16, 4096}, []int32{12, 18, 4100}},
		{"height", func(p *Profile) *int32 { return &p.Height }, []int32{16, 4096}, []int32{12, 18, 4100}},
		{"fps", func(p *Profile) *int32 { return &p.FPS }, []int32{1, 120}, []int32{0, -1, 7, 125}},
		{"crf", func(p *Profile) *int32 { return &p.CRF }, []int32{0, 51}, []int32{-1, 52}},
		{"threads", func(p *Profile) *int32 { return &p.Threads }, []int32{1, 16}, []int32{0, 17}},
		{"key_every", func(p *Profile) *int32 { return &p.KeyEvery }, []int32{1, 1000}, []int32{0, -1, 1001}},
	} {
		for values, works := range map[*[]int32]bool{&c.good: true, &c.refuse: false} {
			for _, v := range *values {
				p := DefaultProfile()
				*c.of(&p) = v
				err := p.Check()
				if works != (err == nil) {
					t.Errorf("%s %d: %v, want it to work: %t", c.name, v, err, works)
				}
				if want := fmt.Sprintf("profile: %s %d", c.name, v); err != nil && !strings.HasPrefix(err.Error(), want) {
					t.Errorf("%s %d: %q does not name it", c.name, v, err)
				}
			}
		}
	}
	for preset, works := range map[string]bool{"veryslow": true, "placebo": false, "": false} {
		p := DefaultProfile()
		p.Preset = preset
		if err := p.Check(); works != (err == nil) {
			t.Errorf("preset %q: %v, want it to work: %t", preset, err, works)
		}
	}
}
