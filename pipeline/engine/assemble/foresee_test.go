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
	"github.com/memforge/memforge/pipeline/release/license"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// loadText reads a configuration in a folder of its own, with files in the folder
// videos beside it.
func loadText(t *testing.T, text string, files ...string) *config.Config {
	t.Helper()
	dir := t.TempDir()
	write := map[string]string{filepath.Join(dir, "pipeline.yaml"): text}
	for _, f := range files {
		write[filepath.Join(dir, "videos", f)] = "\x00\x00\x00\x18ftypisom" + f
	}
	for name, body := range write {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(body), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	cfg, err := config.Load(filepath.Join(dir, "pipeline.yaml"), plugins.Registry(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

const fromOwnFolder = `version: 1
release: {name: own, from: [concat]}
sources:
  a: {use: dir, with: {path: videos, license: LICENSE}}
  drawn: {use: procedural, with: {kind: film, count: 2}}
stages:
  render: {use: film.render, from: [drawn]}
  pair: {use: video.pair, from: [render, a]}
  concat: {use: video.concat, from: [pair]}
`

// Licences that forbid a release end the build before anything is done.
func TestLicensesAreDecidedBeforeAnythingIsDone(t *testing.T) {
	for id, want := range map[string]string{
		"''":                        `licence "" of source a`,
		"LicenseRef-mine":           `licence "LicenseRef-mine" of source a`,
		"ODbL-1.0 AND CC-BY-SA-4.0": "cannot be published as one work",
	} {
		cfg := loadText(t, strings.Replace(fromOwnFolder, "LICENSE", id, 1), "a.mp4")
		res, err := assemble.Build(t.Context(), plugins.Registry(), cfg, assemble.Options{})
		var refused *license.Error
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), want) || len(res.Steps) > 0 {
			t.Errorf("%s: %d steps, error %v", id, len(res.Steps), err)
		}
	}
}

// A repository tells its licence with its files.
func TestTheLicenseOfARepositoryIsDecidedOnceItIsFetched(t *testing.T) {
	hub := testkit.NewHub(t)
	files := repo(strings.Repeat("a", 40), "one")
	files.License = "other"
	hub.SetRepo("o/d", files)
	res, err := assemble.Build(t.Context(), plugins.Registry(), hubConfig(t), assemble.Options{Getenv: func(name string) string { return map[string]string{"HF_ENDPOINT": hub.URL}[name] }})
	var refused *license.Error
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "source clips") || len(res.Steps) > 0 {
		t.Errorf("%d steps, error %v", len(res.Steps), err)
	}
}

const nbackOfFolder = `version: 1
release: {name: own, from: [nback]}
sources: {a: {use: dir, with: {path: videos, license: CC0-1.0, labels_from_name: '(?P<action>[a-z]+)'}}}
stages:
  probe: {use: video.probe, from: [a]}
  normalise: {use: video.normalise, from: [probe]}
  plan: {use: video.nback-plan, from: [normalise]}
  nback: {use: video.nback, from: [plan]}
`

// Fewer files than a sequence has clips end the build before a file is read.
func TestTooFewClipsForASequenceAreNoticedFirst(t *testing.T) {
	cfg := loadText(t, nbackOfFolder, "a.mp4", "b.mp4")
	res, err := assemble.Build(t.Context(), plugins.Registry(), cfg, assemble.Options{})
	var short *pipeline.ShortageError
	if !errors.As(err, &short) || !strings.Contains(err.Error(), "plan: a sequence takes 12 clips at the least, and there are 2") || len(res.Steps) > 0 {
		t.Errorf("%d steps, error %v", len(res.Steps), err)
	}
	if _, err := os.Stat(cfg.StoreDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the store was opened: %v", err)
	}
}

// More media than a release can name end the build before any is made.
func TestMoreMediaThanAReleaseHoldsAreNoticedFirst(t *testing.T) {
	reg := quizRegistry(t)
	pipeline.AddSource(reg, "many", "1", "has many pictures", func(struct{}) (pipeline.Source, error) { return many{}, nil })
	file := filepath.Join(t.TempDir(), "pipeline.yaml")
	if err := os.WriteFile(file, []byte("version: 1\nrelease: {name: many, from: [all]}\nsources: {all: {use: many}}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(file, reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := assemble.Build(t.Context(), reg, cfg, assemble.Options{})
	var setting *pipeline.SettingError
	if !errors.As(err, &setting) || !strings.Contains(err.Error(), "at most 1000000 are possible") || len(res.Steps) > 0 {
		t.Errorf("%d steps, error %v", len(res.Steps), err)
	}
}

// many is a quiz that says to have more pictures than a release holds.
type many struct{ quiz }

func (many) Forecast(pipeline.Volume) pipeline.Forecast {
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameMedia: {Records: 2_000_000}}}
}
