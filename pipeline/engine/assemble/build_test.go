package assemble_test

import (
	"bytes"
	"image"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
)

func needFFmpeg(t *testing.T) *media.Tools {
	t.Helper()
	tools, err := media.Locate()
	if err != nil {
		t.Skipf("ffmpeg: %v", err)
	}
	return tools
}

// load reads testdata/small.yaml in a folder of its own.
func load(t *testing.T, sets ...string) *config.Config {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "small.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "pipeline.yaml")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(path, plugins.Registry(), sets)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func mustBuild(t *testing.T, cfg *config.Config) assemble.Result {
	t.Helper()
	res, err := assemble.Build(t.Context(), plugins.Registry(), cfg, assemble.Options{Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// quick has all stages and gates of small.yaml, on fewer clips and smaller pictures.
func quick() []string {
	sets := []string{"sources.clips.with.count=4", "stages.plan.with.n=[1]", "stages.plan.with.k=" + testsize.Choose("[2]", "[2, 4]")}
	for _, of := range []string{"sources.films.with", "sources.clips.with", "stages.films-normal.with.profile", "stages.clips-normal.with.profile"} {
		sets = append(sets, of+".width=160", of+".height=92", of+".fps=10")
	}
	return sets
}

// everyStageAtOnce lets all stages and gates run beside each other: what the race
// detector needs.
func everyStageAtOnce(t *testing.T) {
	t.Helper()
	needFFmpeg(t)
	res := mustBuild(t, load(t, append(quick(), "run.workers=4", "stages.concat.with.orders=[AB, BA]")...))
	report, err := release.Verify(t.Context(), res.Release.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if report.Rows["questions"] == 0 || report.Rows["media"] == 0 {
		t.Errorf("rows %v: want questions and media", report.Rows)
	}
}

func TestReleasesDoNotDependOnFolderOrWorkersAndEveryFrameIsTheRecipes(t *testing.T) {
	if testing.Short() {
		everyStageAtOnce(t)
		return
	}
	tools := needFFmpeg(t)
	sets := quick()
	one, four := load(t, append(sets, "run.workers=1")...), load(t, append(sets, "run.workers=4")...)
	first := mustBuild(t, one)
	second := mustBuild(t, four)
	sameTree(t, first.Release.Dir, second.Release.Dir)

	again := mustBuild(t, one)
	if again.Release.Changed || again.Built() != 0 {
		t.Errorf("the second build wrote %t and built %d units, want nothing to do", again.Release.Changed, again.Built())
	}
	report, err := release.Verify(t.Context(), first.Release.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if report.Rows["questions"] == 0 || report.Rows["media"] == 0 {
		t.Fatalf("rows %v: want questions and media", report.Rows)
	}
	cleanAudit(t, plugins.Registry(), first.Release.Dir)
	replay(t, tools, one, first)
}

// cleanAudit works out again what a release states.
func cleanAudit(t *testing.T, reg *pipeline.Registry, dir string) {
	t.Helper()
	contents, err := release.Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	found, err := audit.Run(t.Context(), reg, contents)
	if err != nil {
		t.Fatal(err)
	}
	if found.State() != audit.Same || len(found.Gates) == 0 {
		t.Errorf("the audit of a fresh release: %+v", found)
	}
	for _, g := range found.Gold {
		if g.Version != "" && (g.Derived != g.Questions || g.Questions == 0 || g.TasksDerived != g.Tasks) {
			t.Errorf("gold of a fresh release: %+v", g)
		}
	}
}

// sameTree compares two folders byte for byte.
func sameTree(t *testing.T, a, b string) {
	t.Helper()
	files := map[string][]byte{}
	read := func(root string, each func(rel string, data []byte)) {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			data, err := os.ReadFile(path)
			each(rel, data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	read(a, func(rel string, data []byte) { files[rel] = data })
	read(b, func(rel string, data []byte) {
		if !bytes.Equal(files[rel], data) {
			t.Errorf("%s differs", rel)
		}
		delete(files, rel)
	})
	for rel := range files {
		t.Errorf("%s is only in one release", rel)
	}
}

// replay decodes composed videos of every layout, all of them at full size, and
// compares them with the frames of the mezzanines that their recipes name.
func replay(t *testing.T, tools *media.Tools, cfg *config.Config, res assemble.Result) {
	t.Helper()
	st, err := store.OpenReadOnly(t.Context(), cfg.StoreDir())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	r := &replayer{t: t, tools: tools, store: st, hashes: map[string][]string{}, pictures: map[string][]image.Image{}}
	seen := map[string]int{}
	for _, m := range mediaOf(t, st, res.Steps) {
		seen[m.Recipe.Layout]++
		switch {
		case m.Recipe.Layout != schemas.LayoutSplit:
			if seen[m.Recipe.Layout] <= 3 || testsize.Full() {
				r.sequence(m)
			}
		case seen[m.Recipe.Layout] <= 2: // both variants of one pair
			r.split(m)
		}
	}
	for _, layout := range []string{schemas.LayoutConcat, schemas.LayoutInterleaved, schemas.LayoutSplit, schemas.LayoutNBack} {
		if seen[layout] == 0 {
			t.Errorf("no video of layout %s was replayed", layout)
		}
	}
}

func mediaOf(t *testing.T, st pipeline.Store, nodes []engine.StepRun) []schemas.Media {
	t.Helper()
	var all []schemas.Media
	for _, n := range nodes {
		units, err := engine.LoadUnits(t.Context(), st, n.Units)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range units {
			for _, ref := range u.Out {
				if ref.Schema != schemas.NameMedia {
					continue
				}
				recs, err := st.Records(t.Context(), []pipeline.Digest{ref.Digest})
				if err != nil {
					t.Fatal(err)
				}
				m, err := pipeline.Decode[schemas.Media](recs[0])
				if err != nil {
					t.Fatal(err)
				}
				if !slices.ContainsFunc(all, func(o schemas.Media) bool { return o.MediaID == m.MediaID }) {
					all = append(all, m)
				}
			}
		}
	}
	return all
}
