package repository_test

import (
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/sources/repository"
)

// Both sources fetch the same files, over the protocol of their host.
func TestConformance(t *testing.T) {
	repo := testkit.Repo{
		Commit: strings.Repeat("a", 40), License: "cc-by-4.0", Large: map[string]bool{"clips/asl_bow.mp4": true},
		Files: map[string][]byte{
			"clips/asl_bow.mp4": []byte("\x00\x00\x00\x18ftypisom one"), "clips/asl_wave.mp4": []byte("\x00\x00\x00\x18ftypisom two"),
			"labels.csv": []byte("file,scene\nclips/asl_bow.mp4,hall\n"), "README.md": []byte("# Clips\n"),
		},
	}
	for use, golden := range map[string]string{
		"hf":     "2 2e036e54af9b3d3e97b5cb53653dcc1b66f16fa1c7e192c94bd453ccfd77e337",
		"github": "2 6a7760fbb69250dd4832d88e2bf75503902ec2bc46a1c345cbcd8490937776e6",
	} {
		t.Run(use, func(t *testing.T) {
			cfg := repository.Config{Repo: "o/d", Labels: "labels.csv", LabelsFromName: `asl_(?P<action>\w+)`}
			cfg.SetDefaults()
			s := testkit.Subject{Register: repository.Register, Use: use, Config: &cfg}.
				Fetch(t, testkit.Upstream{Repos: map[string]testkit.Repo{"o/d": repo}})
			s.Golden = golden
			testkit.ConformSource(t, s)
		})
	}
}
