package httpfile_test

import (
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	httpfile "github.com/memforge/memforge/sources/http"
)

func TestConformance(t *testing.T) {
	cfg := httpfile.Config{LabelsFromName: `asl_(?P<action>\w+)`, License: "CC-BY-4.0"}
	cfg.SetDefaults()
	s := testkit.Subject{
		Register: httpfile.Register, Use: "http", Config: &cfg,
		Golden: "2 aecb427bc4dbcf3a403b39c7570b32efbc8c2c291d5f8ec0410191dce593928e",
	}
	for i, text := range []string{"one", "two"} {
		digest := pipeline.DigestOf([]byte(text))
		url := "https://clips.example/asl_" + text + ".mkv"
		cfg.Files = append(cfg.Files, httpfile.File{URL: url, SHA256: string(digest)})
		s.Assets = append(s.Assets, pipeline.Asset{Need: i, Path: "asl_" + text + ".mkv", Blob: digest, Size: int64(len(text)), URL: url})
		s.Blobs = append(s.Blobs, []byte(text))
	}
	testkit.ConformSource(t, s)
}
