package assemble_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/testkit"
)

const fromHub = `version: 1
release: {name: hub, from: [concat]}
sources: {clips: {use: hf, with: {repo: o/d}}}
stages:
  probe: {use: video.probe, from: [clips]}
  pair: {use: video.pair, from: [probe]}
  concat: {use: video.concat, from: [pair]}
`

func hubConfig(t *testing.T) *config.Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipeline.yaml")
	if err := os.WriteFile(path, []byte(fromHub), 0o644); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(path, plugins.Registry(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func repo(commit string, clip string) testkit.Repo {
	bytes := append([]byte("\x00\x00\x00\x18ftypisom"), clip...)
	return testkit.Repo{Commit: commit, License: "cc-by-4.0", Files: map[string][]byte{"a.mp4": bytes}, Large: map[string]bool{"a.mp4": true}}
}

// The lock file stands beside the configuration, pins what was fetched, and
// changes only when asked to.
func TestFetchPinsUntilRelocked(t *testing.T) {
	hub := testkit.NewHub(t)
	before, after := strings.Repeat("a", 40), strings.Repeat("b", 40)
	hub.SetRepo("o/d", repo(before, "one"))
	cfg := hubConfig(t)
	env := func(name string) string { return map[string]string{"HF_ENDPOINT": hub.URL}[name] }
	get := func(opt assemble.Options) pipeline.Asset {
		t.Helper()
		opt.Getenv = env
		assets, err := assemble.Fetch(t.Context(), plugins.Registry(), cfg, opt)
		if err != nil {
			t.Fatal(err)
		}
		if len(assets["clips"]) != 1 {
			t.Fatalf("assets %v, want one of the source clips", assets)
		}
		return assets["clips"][0]
	}
	first := get(assemble.Options{})
	if first.Revision != before {
		t.Errorf("revision %s, want %s", first.Revision, before)
	}
	lock, err := os.ReadFile(filepath.Join(cfg.Dir, "pipeline.lock.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(lock); !strings.Contains(text, string(first.Blob)) || strings.Contains(text, hub.URL) {
		t.Errorf("the lock file must hold the digest and no mirror:\n%s", text)
	}
	hub.SetRepo("o/d", repo(after, "two"))
	if again := get(assemble.Options{Offline: true}); again.Blob != first.Blob || again.Revision != before {
		t.Errorf("a moved branch changed the asset to %+v although it is locked", again)
	}
	if now := get(assemble.Options{Relock: true}); now.Blob == first.Blob || now.Revision != after {
		t.Errorf("asset %+v after a relock, want the new commit", now)
	}
}

func TestFetchOfflineNamesWhatIsMissing(t *testing.T) {
	_, err := assemble.Fetch(t.Context(), plugins.Registry(), hubConfig(t), assemble.Options{Offline: true, Getenv: func(string) string { return "" }})
	var offline *fetch.OfflineError
	if !errors.As(err, &offline) || !strings.Contains(err.Error(), "clips") {
		t.Fatalf("err %v, want an OfflineError that names the source", err)
	}
}

const fromFolder = `version: 1
release: {name: own, from: [concat]}
sources: {long: {use: lvbench, max_loss: 1}}
stages:
  probe: {use: video.probe, from: [long]}
  pair: {use: video.pair, from: [probe]}
  concat: {use: video.concat, from: [pair]}
run: {media_dirs: {long: videos}}
`

// Videos that users obtained themselves are found where the run block says,
// relative to the configuration, and where they lie is in no plan and no lock.
func TestMediaDirs(t *testing.T) {
	hub := testkit.NewHub(t)
	hub.SetRepo("THUDM/LVBench", testkit.Repo{Commit: strings.Repeat("a", 40), Files: map[string][]byte{
		"video_info.meta.jsonl": []byte(`{"key":"k","type":"tv","video_info":{},"qa":[]}`)}})
	env := func(name string) string { return map[string]string{"HF_ENDPOINT": hub.URL}[name] }
	load := func(set ...string) (*config.Config, []pipeline.Asset) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "pipeline.yaml")
		for name, text := range map[string]string{path: fromFolder, filepath.Join(filepath.Dir(path), "videos", "k.mp4"): "film", filepath.Join(filepath.Dir(path), "other", "k.mp4"): "film"} {
			if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		cfg, err := config.Load(path, plugins.Registry(), set)
		if err != nil {
			t.Fatal(err)
		}
		assets, err := assemble.Fetch(t.Context(), plugins.Registry(), cfg, assemble.Options{Getenv: env})
		if err != nil {
			t.Fatal(err)
		}
		return cfg, assets["long"]
	}
	one, assets := load()
	other, moved := load("run.media_dirs.long=other")
	if len(assets) != 2 || assets[1].Path != "k.mp4" || assets[1].URL != "" || len(moved) != 2 || moved[1] != assets[1] {
		t.Errorf("assets %+v and, moved, %+v", assets, moved)
	}
	a, errA := one.Plan.Digest()
	b, errB := other.Plan.Digest()
	if err := errors.Join(errA, errB); err != nil || a != b {
		t.Errorf("the folder enters the plan: %s, %s, %v", a, b, err)
	}
	lock, err := os.ReadFile(assemble.LockPath(other))
	if err != nil || strings.Contains(string(lock), "k.mp4") || strings.Contains(string(lock), "other") {
		t.Errorf("lock file, error %v:\n%s", err, lock)
	}
}
