package plugins_test

import (
	"path/filepath"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
)

// TestStartersBuild has every family begun by memforge init, in small, and built as it
// stands; the larger sizes, and those that ask models, are planned.
func TestStartersBuild(t *testing.T) {
	t.Parallel()
	starters := pipeline.Starters(plugins.Registry())
	if len(starters) < 4 {
		t.Fatalf("%d starters", len(starters))
	}
	run := func(t *testing.T, args ...string) {
		t.Helper()
		if code, said := memforge(args...); code != 0 {
			t.Fatalf("memforge %q: exit code %d\n%s", args, code, said)
		}
	}
	for _, s := range starters {
		t.Run(s.Name, func(t *testing.T) {
			for _, size := range []string{"medium", "large"} {
				dir := t.TempDir()
				run(t, "init", "--family", s.Name, "--size", size, "--url", "http://127.0.0.1:1/v1", "--model", "a", "--model", "7", dir)
				run(t, "plan", "-f", filepath.Join(dir, "pipeline.yaml"))
			}
			dir := filepath.Join(t.TempDir(), "bench")
			run(t, "init", "--family", s.Name, dir)
			file := filepath.Join(dir, "pipeline.yaml")
			if s.Name == "video" && !testsize.Full() {
				run(t, "plan", "-f", file)
				return // half a minute of drawing
			}
			run(t, "build", "-f", file)
			run(t, "verify", filepath.Join(dir, "out/releases/bench/1.0.0"))
		})
	}
}
