package build_test

import (
	"bytes"
	"fmt"
	"image"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/disintegration/imaging"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/all"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/build"
	"github.com/memforge/memforge/pipeline/config"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/pipelinetest/size"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/store"
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
	cfg, err := config.Load(path, all.Registry(), sets)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func mustBuild(t *testing.T, cfg *config.Config) build.Result {
	t.Helper()
	res, err := build.Build(t.Context(), all.Registry(), cfg, build.Options{Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// quick has all stages and gates of small.yaml, on fewer clips and smaller pictures.
func quick() []string {
	sets := []string{"sources.clips.with.count=4", "stages.plan.with.n=[1]", "stages.plan.with.k=[2, 4]"}
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
	sets := size.Of(quick(), nil)
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
	cleanAudit(t, all.Registry(), first.Release.Dir)
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
func replay(t *testing.T, tools *media.Tools, cfg *config.Config, res build.Result) {
	t.Helper()
	st, err := store.OpenReadOnly(t.Context(), cfg.StoreDir())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	r := &replayer{t: t, tools: tools, store: st, hashes: map[string][]string{}}
	seen := map[string]int{}
	for _, m := range mediaOf(t, st, res.Nodes) {
		seen[m.Recipe.Layout]++
		switch {
		case m.Recipe.Layout != schemas.LayoutSplit:
			if seen[m.Recipe.Layout] <= 3 || size.Full() {
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

func mediaOf(t *testing.T, st pipeline.Store, nodes []engine.NodeRun) []schemas.Media {
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

type replayer struct {
	t      *testing.T
	tools  *media.Tools
	store  pipeline.Store
	hashes map[string][]string
}

func (r *replayer) path(digest string) string {
	r.t.Helper()
	path, err := r.store.BlobPath(r.t.Context(), pipeline.Digest(digest))
	if err != nil {
		r.t.Fatal(err)
	}
	return path
}

func (r *replayer) frames(digest string) []string {
	r.t.Helper()
	if r.hashes[digest] == nil {
		hashes, err := r.tools.FrameHashes(r.t.Context(), r.path(digest))
		if err != nil {
			r.t.Fatal(err)
		}
		r.hashes[digest] = hashes
	}
	return r.hashes[digest]
}

// sequence checks a video whose segments follow each other: frame by frame,
// hash by hash.
func (r *replayer) sequence(m schemas.Media) {
	r.t.Helper()
	var want []string
	for _, s := range m.Recipe.Segments {
		if s.At != int64(len(want)) {
			r.t.Fatalf("%s: a segment stands at frame %d, the one before ends at %d", m.MediaID, s.At, len(want))
		}
		want = append(want, r.frames(s.Source)[s.From:s.To]...)
	}
	if got := r.frames(m.MediaID); !slices.Equal(got, want) || m.Frames != int64(len(want)) {
		r.t.Errorf("%s (%s): %d frames decode, %d stated; they are not the %d frames of the recipe", m.MediaID, m.Recipe.Layout, len(got), m.Frames, len(want))
	}
	if seconds := float64(m.Frames) / m.FPS; m.Duration != seconds {
		r.t.Errorf("%s: lasts %g s, %d frames at %g last %g s", m.MediaID, m.Duration, m.Frames, m.FPS, seconds)
	}
	if !m.HasAudio {
		r.t.Errorf("%s: the sound of its films is lost", m.MediaID)
	}
}

// split checks both halves just before and just after every exchange of sides.
func (r *replayer) split(m schemas.Media) {
	r.t.Helper()
	if got := int64(len(r.frames(m.MediaID))); got != m.Frames {
		r.t.Errorf("%s: %d frames decode, %d stated", m.MediaID, got, m.Frames)
	}
	at := []int64{0, m.Frames - 1}
	for _, swap := range m.Recipe.SwapFrames {
		at = append(at, swap-1, swap)
	}
	for _, n := range at {
		left, right := r.sides(m, n)
		out := r.frame(m.MediaID, n)
		half := out.Bounds().Dx() / 2
		for _, side := range []struct {
			name           string
			shown          image.Image
			wanted, rivals image.Image
		}{
			{"left", imaging.Crop(out, image.Rect(0, 0, half, out.Bounds().Dy())), left, right},
			{"right", imaging.Crop(out, image.Rect(half, 0, 2*half, out.Bounds().Dy())), right, left},
		} {
			near, far := distance(side.shown, side.wanted), distance(side.shown, side.rivals)
			if near > 6 || near > far/2 {
				r.t.Errorf("%s frame %d: the %s half is %.1f from the video the recipe puts there and %.1f from the other", m.MediaID, n, side.name, near, far)
			}
		}
	}
}

// sides returns what the recipe puts left and right in frame n, at half size.
func (r *replayer) sides(m schemas.Media, n int64) (left, right image.Image) {
	r.t.Helper()
	exchanged := false
	for _, s := range m.Recipe.SwapFrames {
		if n >= s {
			exchanged = !exchanged
		}
	}
	for _, s := range m.Recipe.Segments {
		if n < s.At || n >= s.At+s.To-s.From {
			continue
		}
		shown := imaging.Resize(r.frame(s.Source, s.From+n-s.At), int(m.Width)/2, 0, imaging.CatmullRom)
		if (s.Region == "left") != exchanged {
			left = shown
		} else {
			right = shown
		}
	}
	return left, right
}

func (r *replayer) frame(digest string, n int64) image.Image {
	r.t.Helper()
	img, err := r.tools.Frame(r.t.Context(), r.path(digest), n)
	if err != nil {
		r.t.Fatal(fmt.Errorf("frame %d of %s: %w", n, digest, err))
	}
	return img
}

// distance is the mean difference of the grey values of two pictures, 0 to 255.
func distance(a, b image.Image) float64 {
	x, y := imaging.Grayscale(a), imaging.Grayscale(b)
	sum, n := 0, 0
	for i := 0; i < len(x.Pix) && i < len(y.Pix); i += 4 {
		d := int(x.Pix[i]) - int(y.Pix[i])
		sum += max(d, -d)
		n++
	}
	return float64(sum) / float64(n)
}
