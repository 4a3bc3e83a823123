package media

import (
	"slices"
	"testing"
)

// Every second is a chunk of pictures and the packets that play until its end; at 10
// frames a second of 48000 samples these are the first, which is silent, and 46.
func TestChunksOfAFile(t *testing.T) {
	for name, tc := range map[string]struct {
		pictures, packets int
		want              []chunk
	}{
		"without sound":      {20, 0, []chunk{{from: 0, to: 10}, {from: 10, to: 20}}},
		"whole seconds":      {20, 95, []chunk{{from: 0, to: 10}, {true, 0, 47}, {from: 10, to: 20}, {true, 47, 95}}},
		"half a second":      {15, 72, []chunk{{from: 0, to: 10}, {true, 0, 47}, {from: 10, to: 15}, {true, 47, 72}}},
		"sound ends early":   {20, 40, []chunk{{from: 0, to: 10}, {true, 0, 40}, {from: 10, to: 20}}},
		"sound lasts longer": {10, 60, []chunk{{from: 0, to: 10}, {true, 0, 60}}},
		"nothing":            {},
	} {
		f := mp4Writer{picture: make([]packetPlace, tc.pictures)}
		if got := f.chunks(tc.packets, Profile{FPS: 10}); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}
