package dir_test

import (
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/sources/dir"
)

func TestConformance(t *testing.T) {
	cfg := dir.Config{Path: "clips", Labels: "labels.csv", LabelsFromName: `asl_(?P<action>\w+)`, License: "CC-BY-4.0"}
	cfg.SetDefaults()
	s := testkit.Subject{
		Register: dir.Register, Use: "dir", Config: &cfg,
		Golden: "2 6200dce19eee4835bad5c1f4a5c7137e8be1ac786f34a1c2adf17252dee187e3",
	}
	for _, f := range [][2]string{
		{"asl_bow.mkv", "one"}, {"labels.csv", "file,scene\nasl_bow.mkv,hall\nnone.mkv,hall\n"}, {"same.mkv", "one"}, {"sub/asl_wave.mkv", "two"},
	} {
		text := f[1]
		s.Assets = append(s.Assets, pipeline.Asset{Path: f[0], Blob: pipeline.DigestOf([]byte(text)), Size: int64(len(text))})
		s.Blobs = append(s.Blobs, []byte(text))
	}
	testkit.ConformSource(t, s)
}
