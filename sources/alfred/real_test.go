package alfred_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testfiles"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/alfred"
	"github.com/memforge/memforge/sources/internal/trajectory"
)

// TestRealRuns reads the fourteen runs that stand beside the checkout.
func TestRealRuns(t *testing.T) {
	root := testfiles.Real(t, "alfred")
	cfg := trajectory.Config{Path: root}
	cfg.SetDefaults()
	s := testkit.Subject{Register: alfred.Register, Use: "alfred", Config: &cfg}
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
	turns, codes := 0, map[string]int{}
	for _, one := range sessions {
		turns += len(one.Turns)
	}
	for _, l := range lost {
		codes[l.Code]++
	}
	said := fmt.Sprintf("%d runs, %d sessions, %d turns, %d pictures, lost %v", len(testkit.DecodeAll[schemas.Task](t, schemas.NameTask, records)), len(sessions), turns, len(testkit.DecodeAll[schemas.Media](t, schemas.NameMedia, records)), codes)
	t.Log(said)
	if want := "14 runs, 124 sessions, 803 turns, 0 pictures, lost map[field-left-out:262]"; said != want {
		t.Errorf("%s\nwant %s\n%s", said, want, testkit.Codes(lost))
	}
}
