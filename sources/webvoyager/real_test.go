package webvoyager_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testfiles"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/trajectory"
	"github.com/memforge/memforge/sources/webvoyager"
)

// TestRealRuns reads the seven runs that stand beside the checkout.
func TestRealRuns(t *testing.T) {
	root := testfiles.Real(t, "webvoyager")
	cfg := trajectory.Config{Path: root}
	cfg.SetDefaults()
	s := testkit.Subject{Register: webvoyager.Register, Use: "webvoyager", Config: &cfg}
	err := filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		at, err := filepath.Rel(root, name)
		need := 0
		if filepath.Ext(name) == ".png" {
			need = 1
		}
		s.Assets = append(s.Assets, pipeline.Asset{Need: need, Path: filepath.ToSlash(at), Blob: pipeline.DigestOf(data), Size: int64(len(data))})
		s.Blobs = append(s.Blobs, data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	records, lost, err := s.Read(t)
	if err != nil {
		t.Fatal(err)
	}
	sessions := testkit.DecodeAll[schemas.Session](t, schemas.NameSession, records)
	turns, shown, codes := 0, 0, map[string]int{}
	for _, one := range sessions {
		turns += len(one.Turns)
		for _, turn := range one.Turns {
			shown += len(turn.Attachments)
		}
	}
	for _, l := range lost {
		codes[l.Code]++
	}
	said := fmt.Sprintf("%d runs, %d sessions, %d turns, %d pictures shown %d times, lost %v", len(testkit.DecodeAll[schemas.Task](t, schemas.NameTask, records)), len(sessions), turns, len(testkit.DecodeAll[schemas.Media](t, schemas.NameMedia, records)), shown, codes)
	t.Log(said)
	if want := "7 runs, 15 sessions, 61 turns, 46 pictures shown 47 times, lost map[field-left-out:7 observation-omitted:26 unknown-mark:1]"; said != want {
		t.Errorf("%s\nwant %s\n%s", said, want, testkit.Codes(lost))
	}
}
