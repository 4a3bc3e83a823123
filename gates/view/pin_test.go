package view

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// TestPinnedDigests holds what solvers are shown of items of every make: a
// release's probes name these digests, so they move with a gate's version alone.
func TestPinnedDigests(t *testing.T) {
	absent := chain()
	absent.Evidence[4] = schemas.Evidence{Kind: "media", Ref: videoID + "#t=8,9", Role: schemas.RoleAbsence, Order: 5, Caption: "a box"}
	context := chain()
	context.Evidence[1] = schemas.Evidence{Kind: "media", Ref: imageID, Role: schemas.RoleContext, Order: 1}
	bare := chain()
	bare.Options, bare.Evidence, bare.Setting = nil, nil, "two halves"
	spans := chain()
	spans.Setting = "two halves"
	spans.Evidence = []schemas.Evidence{{Kind: "media", Ref: videoID + "#t=1,2", Role: schemas.RoleClue, Modality: schemas.ModalityVideo, MinimalCaption: "a video"}}
	want := map[string]string{
		"chain": "4ad8409477687de5", "absent": "6bacfaf49b0b50db", "context": "d370488910a1e42c", "bare": "4d047b01f6d3d08a", "spans": "5b6c7a62dad64e7a",
	}
	for name, q := range map[string]*schemas.Question{"chain": chain(), "absent": absent, "context": context, "bare": bare, "spans": spans} {
		h := sha256.New()
		for _, v := range []string{
			None, Text, MinimalCaption, DenseCaption, Oracle, AllClues, StaleOnly, LatestOnly, SingleFrame, Full, "only:1", "only:3", "without:3",
			"only_source:chat", "only_source:cam", "without_modality:text", "without_modality:image", "without_modality:video", "without_modality:table",
		} {
			for _, terms := range []Settings{{Frames: 8, Whole: 32, Most: 32}, {Rotation: 1, Frames: 8, Whole: 32, Most: 4, Entire: true}, {Propose: true, Frames: 2, Whole: 9, Most: 32}} {
				s, err := Show(q, v, terms)
				var l *MissingError
				if errors.As(err, &l) {
					fmt.Fprintln(h, v, l.Code, l.Reason)
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				d := digestOf(t, s)
				fmt.Fprintln(h, v, d, s.MaxPictures(), s.FullPictures())
			}
		}
		if got := fmt.Sprintf("%.8x", h.Sum(nil)); got != want[name] {
			t.Errorf("%s: %s, want %s", name, got, want[name])
		}
	}
}
