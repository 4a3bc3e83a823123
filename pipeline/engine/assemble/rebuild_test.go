package assemble_test

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/videorelease"
	"github.com/memforge/memforge/schemas"
)

func put(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, data, 0o644)); err != nil {
		t.Fatal(err)
	}
}

// buildTalks builds a release from a folder of dialogues that the configuration names so.
func buildTalks(t *testing.T, dir, folder string) release.Info {
	t.Helper()
	path := filepath.Join(dir, "pipeline.yaml")
	put(t, path, []byte(`version: 1
release: {name: talks, from: [tied, alone]}
sources: {talks: {use: dialogs, with: {path: `+folder+`, family: dialogs, license: CC0-1.0}}}
stages: {options: {use: choices, from: [talks], max_loss: 0.9, with: {options: 4, open: true}}}
gates:
  chain: {use: update-chain, from: [talks]}
  tied: {use: update-history, from: [chain], max_insufficient: 1}
  alone: {use: option-only, from: [options], max_insufficient: 1}
`))
	cfg, err := config.Load(path, plugins.Registry(), nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := assemble.Build(t.Context(), plugins.Registry(), cfg, assemble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	info, err := release.ReadInfo(res.Release.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// TestRebuildFromLocalFiles: a release cannot carry the user's folder. Without it the
// error names the files, with others it names those, and with the same ones the bytes are
// the same; a folder outside of the configuration's own is named by its source.
func TestRebuildFromLocalFiles(t *testing.T) {
	t.Parallel()
	reg := plugins.Registry()
	talks, err := filepath.Glob("../../../docs/examples/dialogs/*")
	if err != nil || len(talks) == 0 {
		t.Fatal("no dialogues", err)
	}
	for name, tc := range map[string]struct {
		at     func(dir string) string // the folder in the configuration
		inputs string                  // where a rebuild looks for it
		same   bool
	}{
		"below the configuration": {func(string) string { return "my/talks" }, "my/talks", true},
		"elsewhere":               {func(dir string) string { return filepath.Join(dir, "my", "talks") }, "inputs/talks", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, inputs := t.TempDir(), t.TempDir()
			for _, file := range talks {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				put(t, filepath.Join(dir, "my", "talks", filepath.Base(file)), data)
				put(t, filepath.Join(inputs, filepath.FromSlash(tc.inputs), filepath.Base(file)), data)
			}
			info := buildTalks(t, dir, tc.at(dir))
			text, err := info.ReadText(release.RecipeConfig)
			if err != nil || bytes.Contains(text, []byte(dir)) {
				t.Fatalf("the recipe, %v:\n%s", err, text)
			}
			contents, err := release.Read(t.Context(), info.Dir)
			if err != nil {
				t.Fatal(err)
			}
			open := func(inputs string) (*assemble.Rebuild, error) {
				return assemble.OpenRebuild(t.Context(), reg, info, contents.Sources, assemble.RebuildOptions{Scratch: t.TempDir(), Inputs: inputs})
			}
			var lacks *assemble.InputsError
			if _, err := open(""); !errors.As(err, &lacks) || len(lacks.Files) == 0 || !strings.Contains(lacks.Files[0], contents.Sources[0].SHA256) || !strings.Contains(lacks.Files[0], tc.inputs) {
				t.Fatalf("without inputs: %v", err)
			}
			r, err := open(inputs)
			if err != nil {
				t.Fatal(err)
			}
			res, err := assemble.Build(t.Context(), reg, r.Config, r.Options)
			if err != nil {
				t.Fatal(err)
			}
			got, err := r.Compare(res.Release.Dir)
			if err != nil {
				t.Fatal(err)
			}
			var differ []string
			for _, d := range got.Differs {
				differ = append(differ, d.Path)
			}
			// The plan holds the folder as it was written, and its digest the folder.
			var want []string
			if !tc.same {
				want = []string{"README.md", "croissant.json", manifest.FileName, manifest.SumsName, "report.html"}
				if !slices.ContainsFunc(got.Versions, func(v string) bool { return strings.HasPrefix(v, "digest of the plan") }) {
					t.Errorf("what may be why: %q", got.Versions)
				}
			}
			if slices.Sort(differ); !slices.Equal(differ, slices.Sorted(slices.Values(want))) {
				t.Errorf("%q differ, want %q: %+v", differ, want, got)
			}
			file := filepath.Join(inputs, filepath.FromSlash(tc.inputs), filepath.Base(talks[0]))
			put(t, file, []byte("{}"))
			if _, err := open(inputs); !errors.As(err, &lacks) || len(lacks.Files) != 1 || !strings.Contains(lacks.Files[0], filepath.Base(file)) {
				t.Errorf("with another file: %v", err)
			}
		})
	}
}

// strange is a release as far as a rebuild reads it before it builds.
func strange(t *testing.T, files map[string]string) release.Info {
	t.Helper()
	info := release.Info{Dir: t.TempDir(), Manifest: manifest.Manifest{ID: "demo@1.0.0+0", Name: "demo", Version: "1.0.0"}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		data := []byte(files[name])
		put(t, filepath.Join(info.Dir, filepath.FromSlash(name)), data)
		info.Manifest.Files = append(info.Manifest.Files, manifest.FileInfo{Path: name, SHA256: pipeline.DigestOf(data), Size: int64(len(data))})
	}
	return info
}

const someVersions = `{"recipe": 1, "formats": {}, "parts": {"source procedural": "1"}}`

// TestAStrangersRecipe: what it must not decide is refused, and what it wants is told.
func TestAStrangersRecipe(t *testing.T) {
	t.Parallel()
	const films = "version: 1\nrelease: {name: demo, from: [concat]}\n" +
		"stages: {render: {use: film.render, from: [films]}, pair: {use: video.pair, from: [render]}, concat: {use: video.concat, from: [pair]}}\nsources: {films: {use: procedural, with: {kind: film}}}\n"
	talks := func(path string) string {
		return "version: 1\nrelease: {name: demo, from: [talks]}\nsources: {talks: {use: dialogs, with: {path: " + path + ", family: dialogs, license: CC0-1.0}}}\n"
	}
	for name, tc := range map[string]struct{ config, versions, want string }{
		"sound":             {films, someVersions, ""},
		"a run block":       {films + "run: {out: /etc}\n", someVersions, "has a block run"},
		"endpoints":         {films + "run: {endpoints: {hub: \"http://169.254.169.254\"}}\n", someVersions, "has a block run"},
		"a cluster":         {films + "run: {cluster: {on: \"river://u@host/db\"}}\n", someVersions, "has a block run"},
		"a ledger":          {films + "run: {ledger: \"postgres://host/db\"}\n", someVersions, "has a block run"},
		"panels":            {films + "models: {m: {base_url: \"http://x/v1\", model: m}}\npanels: {p: {judge: m}}\n", someVersions, "has a block run or panels"},
		"an include":        {films + "include: [../../../etc/passwd]\n", someVersions, "want a path below"},
		"its own include":   {films + "include: [more.yaml]\n", someVersions, "no such file"},
		"another name":      {strings.Replace(films, "name: demo", "name: other", 1), someVersions, `it builds "other"`},
		"a folder outside":  {talks("/etc"), someVersions, "outside the folder of inputs"},
		"a folder above":    {talks("../../secrets"), someVersions, "outside the folder of inputs"},
		"no YAML":           {"{", someVersions, "YAML"},
		"a later format":    {films, `{"recipe": 2, "formats": {}, "parts": {}}`, "its format is 2"},
		"unknown members":   {films, `{"recipe": 1, "run": "sh"}`, "unknown field"},
		"a plugin of yours": {films, `{"recipe": 1, "formats": {}, "parts": {"stage kitchen.cook": "1"}}`, "lacks what built the release: stage kitchen.cook"},
		"answers of nobody": {films, someVersions, "import ledger"},
	} {
		files := map[string]string{release.RecipeConfig: tc.config, release.RecipeVersions: tc.versions}
		if name == "answers of nobody" {
			files[release.RecipeAnswers] = `{"key": "00"}`
		}
		_, err := assemble.OpenRebuild(t.Context(), plugins.Registry(), strange(t, files), nil, assemble.RebuildOptions{Scratch: t.TempDir()})
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
	var none *assemble.NoRecipeError
	if _, err := assemble.OpenRebuild(t.Context(), plugins.Registry(), strange(t, map[string]string{release.RecipeConfig: films}), nil, assemble.RebuildOptions{Scratch: t.TempDir()}); !errors.As(err, &none) || !slices.Equal(none.Missing, []string{release.RecipeVersions}) {
		t.Errorf("half a recipe: %v", err)
	}
}

// TestRebuildTakesDownloadsFromACache: those that the lock file pins, and no others; without
// it the error of a build says what would be fetched, and that --trust allows it.
func TestRebuildTakesDownloadsFromACache(t *testing.T) {
	t.Parallel()
	hub := testkit.NewHub(t)
	hub.SetRepo("o/d", repo(strings.Repeat("a", 40), "one"))
	cfg := hubConfig(t)
	env := func(name string) string { return map[string]string{"HF_ENDPOINT": hub.URL}[name] }
	fetched, err := assemble.Fetch(t.Context(), plugins.Registry(), cfg, assemble.Options{Getenv: env})
	if err != nil {
		t.Fatal(err)
	}
	pinned, cacheDir := fetched["clips"][0].Blob, cfg.StoreDir()
	cache, err := store.OpenDisk(t.Context(), cacheDir)
	if err != nil {
		t.Fatal(err)
	}
	other, err := cache.PutBlob(t.Context(), strings.NewReader("of another project"))
	if err := errors.Join(err, cache.Close()); err != nil {
		t.Fatal(err)
	}
	lock, err := os.ReadFile(assemble.LockPath(cfg))
	if err != nil {
		t.Fatal(err)
	}
	before := len(hub.Requests())
	info := strange(t, map[string]string{
		release.RecipeConfig: strings.Replace(fromHub, "name: hub", "name: demo", 1), release.RecipeVersions: someVersions, release.RecipeLock: string(lock),
	})
	for _, from := range []string{"", cacheDir} {
		r, err := assemble.OpenRebuild(t.Context(), plugins.Registry(), info, []schemas.Source{{ID: "clips", URL: "https://huggingface.co/x", SHA256: string(pinned)}}, assemble.RebuildOptions{Scratch: t.TempDir(), Cache: from})
		if err != nil {
			t.Fatal(err)
		}
		r.Options.Getenv = env
		assets, err := assemble.Fetch(t.Context(), plugins.Registry(), r.Config, r.Options)
		if from == "" {
			var denied *assemble.UntrustedError
			if err = r.Explain(err); !errors.As(err, &denied) || !strings.Contains(err.Error(), "download from hf o/d (source clips)") || !strings.Contains(err.Error(), "--trust") {
				t.Errorf("without a cache: %v", err)
			}
			continue
		}
		if err != nil || len(assets["clips"]) != 1 || assets["clips"][0].Blob != pinned {
			t.Errorf("with the cache: %v, %v", assets, err)
		}
		st, err := store.OpenDisk(t.Context(), r.Config.StoreDir())
		if err != nil {
			t.Fatal(err)
		}
		missing, err := st.MissingBlobs(t.Context(), []pipeline.Digest{pinned, other.Digest})
		if err := errors.Join(err, st.Close()); err != nil || !slices.Equal(missing, []pipeline.Digest{other.Digest}) {
			t.Errorf("%q are missing: %v", missing, err)
		}
	}
	if len(hub.Requests()) != before {
		t.Error("a rebuild without --trust used the network")
	}
}

// TestCompareFindsEveryByte: a release with another question differs in the files that hold it.
func TestCompareFindsEveryByte(t *testing.T) {
	t.Parallel()
	var dirs [2]string
	for i := range dirs {
		var err error
		dirs[i], err = videorelease.Write(t.Context(), t.TempDir(), func(q []schemas.Question) []schemas.Question {
			if i == 1 {
				q[0].Explanation += "!"
			}
			return q
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	info, err := release.ReadInfo(dirs[0])
	if err != nil {
		t.Fatal(err)
	}
	for i, dir := range dirs {
		got, err := assemble.CompareBuilt(info, dir)
		if err != nil {
			t.Fatal(err)
		}
		var differ []string
		for _, d := range got.Differs {
			differ = append(differ, d.Path)
		}
		want := []string{}
		if i == 1 {
			want = []string{"croissant.json", "data/questions/test-00000-of-00001.parquet", manifest.FileName, manifest.SumsName}
		}
		slices.Sort(differ)
		for _, name := range want {
			if !slices.Contains(differ, name) {
				t.Errorf("%s is not among %q", name, differ)
			}
		}
		if got.Files-got.Same != len(differ) || (len(differ) == 0) != (i == 0) {
			t.Errorf("%d of %d files are the same, %q differ", got.Same, got.Files, differ)
		}
	}
}
