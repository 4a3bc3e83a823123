package assemble

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/describe"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/schemas"
)

// RebuildOptions say what a rebuild may use besides the release.
type RebuildOptions struct {
	// Scratch is a folder for the configuration, the build cache and the release.
	Scratch string
	// Inputs is the folder with the local files that sources read, as the folder of the
	// configuration was; empty where there is none.
	Inputs string
	// Cache is the folder of a build cache from which pinned downloads are taken.
	Cache string
	// Trust lets the recipe use network and models. Without it, what a stranger wrote
	// computes and reads nothing but the release, Inputs and Cache.
	Trust bool
}

// Rebuild is the recipe of a release, ready to be built.
type Rebuild struct {
	Config *config.Config
	// Options are those that the recipe decides; the caller adds who watches.
	Options Options
	// Wants lists what the recipe would fetch and ask.
	Wants []string
	// Versions lists how this program and machine differ from those that built the release.
	Versions []string

	info    release.Info
	trusted bool
}

// NoRecipeError says that a release cannot be built from what it holds.
type NoRecipeError struct {
	Release string
	Missing []string
}

func (e *NoRecipeError) Error() string {
	return fmt.Sprintf("release %s holds no recipe: it lacks %s, which memforge wrote into no release before texts version 12; ask its maintainer to build it again", e.Release, strings.Join(e.Missing, " and "))
}

// RecipeError says what is wrong with the recipe of a release.
type RecipeError struct{ Problem string }

func (e *RecipeError) Error() string { return "the recipe of the release: " + e.Problem }

// InputsError names the local files that a rebuild needs.
type InputsError struct {
	Folder string // that was named, or empty
	Files  []string
}

func (e *InputsError) Error() string {
	const most = 20
	shown, more := e.Files, ""
	if len(shown) > most {
		shown, more = shown[:most], fmt.Sprintf("\n  and %d more, see table sources", len(e.Files)-most)
	}
	what := "name their folder with --inputs"
	if e.Folder != "" {
		what = "--inputs " + e.Folder + " does not hold them so"
	}
	return fmt.Sprintf("the release was built from local files, which it does not hold; %s:\n  %s%s", what, strings.Join(shown, "\n  "), more)
}

// UntrustedError says that a rebuild needs more than it was allowed.
type UntrustedError struct {
	Wants []string
	Err   error
}

func (e *UntrustedError) Error() string {
	return fmt.Sprintf("the recipe needs more than the release, --inputs and --cache hold: %v\nit would\n  %s\nread recipe/pipeline.yaml of the release; --trust allows this", e.Err, strings.Join(e.Wants, "\n  "))
}

func (e *UntrustedError) Unwrap() error { return e.Err }

// OpenRebuild reads the recipe of a verified release, whose table of sources is given. It
// checks it as the configuration of a stranger and prepares what a build needs.
func OpenRebuild(ctx context.Context, reg *pipeline.Registry, info release.Info, sources []schemas.Source, opt RebuildOptions) (*Rebuild, error) {
	r := &Rebuild{info: info, trusted: opt.Trust}
	if err := r.readConfig(ctx, reg, opt); err != nil {
		return nil, err
	}
	steps, err := r.Config.Plan.Resolve(ctx, reg)
	if err != nil {
		return nil, err
	}
	if err := r.checkNeeds(steps); err != nil {
		return nil, err
	}
	r.compareVersions(reg, steps)
	if err := r.prepare(ctx, opt); err != nil {
		return nil, err
	}
	return r, checkInputs(ctx, steps, sources, opt.Inputs)
}

// readConfig puts configuration and lock file into the scratch folder and loads them.
func (r *Rebuild) readConfig(ctx context.Context, reg *pipeline.Registry, opt RebuildOptions) error {
	m := r.info.Manifest
	var missing []string
	for _, name := range []string{release.RecipeConfig, release.RecipeVersions} {
		if !m.Has(name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return &NoRecipeError{m.ID, missing}
	}
	if err := r.readVersions(reg); err != nil {
		return err
	}
	dir := filepath.Join(opt.Scratch, "recipe")
	for from, to := range map[string]string{release.RecipeConfig: "pipeline.yaml", release.RecipeLock: fetch.LockName} {
		at := filepath.Join(dir, to)
		if !m.Has(from) {
			if err := os.Remove(at); err != nil && !errors.Is(err, fs.ErrNotExist) { // of another rebuild
				return fmt.Errorf("read the recipe: %w", err)
			}
			continue
		}
		text, err := r.info.ReadText(from)
		if err == nil {
			err = errors.Join(atomicfile.MakeFolder(dir, 0o755), os.WriteFile(at, text, 0o644))
		}
		if err != nil {
			return fmt.Errorf("read the recipe: %w", err)
		}
	}
	cfg, err := config.Load(filepath.Join(dir, "pipeline.yaml"), reg, nil)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(cfg.Run, config.DefaultRun()) || len(cfg.Panels) > 0 {
		return &RecipeError{"recipe/pipeline.yaml has a block run or panels, which memforge writes into no recipe: it would decide where this machine reads and writes"}
	}
	if cfg.Plan.Release.Name != m.Name {
		return &RecipeError{fmt.Sprintf("it builds %q, and the release is %q", cfg.Plan.Release.Name, m.Name)}
	}
	cfg.Run.Out, cfg.Run.MediaDirs = opt.Scratch, map[string]string{}
	r.Config = cfg
	r.Options = Options{Offline: !opt.Trust, AllowUnlicensed: m.Private, Inputs: cmp.Or(opt.Inputs, dir), Original: &release.Original{Version: m.Version, Previous: m.Previous}}
	if m.Previous != "" {
		r.Options.Original.Changelog, err = r.info.ReadText(describe.ChangelogName)
	}
	return err
}

// readVersions ends a rebuild by a program that lacks a part of the one that built the
// release, and notes those of other versions.
func (r *Rebuild) readVersions(reg *pipeline.Registry) error {
	text, err := r.info.ReadText(release.RecipeVersions)
	if err != nil {
		return fmt.Errorf("read the recipe: %w", err)
	}
	var v recipeVersions
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		return &RecipeError{"versions.json: " + err.Error()}
	}
	if v.Recipe != recipeFormat {
		return &RecipeError{fmt.Sprintf("its format is %d, this memforge reads %d", v.Recipe, recipeFormat)}
	}
	var absent []string
	for _, part := range slices.Sorted(maps.Keys(v.Parts)) {
		kind, name, _ := strings.Cut(part, " ")
		if !slices.Contains([]string{"source", "stage", "gate"}, kind) {
			continue
		}
		if _, ok := reg.Plugin(pipeline.Kind(kind), name); !ok {
			absent = append(absent, safetext.Line(part))
		}
	}
	if len(absent) > 0 {
		return &OtherProgramError{absent}
	}
	return nil
}

// OtherProgramError says that this program lacks plugins that built the release.
type OtherProgramError struct{ Absent []string }

func (e *OtherProgramError) Error() string {
	return "this memforge lacks what built the release: " + strings.Join(e.Absent, ", ") + "; rebuild it with the program that has these plugins"
}

// compareVersions notes how parts, tools and prompts here differ from those that the release
// names: they explain other bytes.
func (r *Rebuild) compareVersions(reg *pipeline.Registry, steps []engine.Step) {
	note := func(what, here, there string) {
		if here != there {
			r.Versions = append(r.Versions, fmt.Sprintf("%s: %s here, %s there", what, cmp.Or(here, "none"), cmp.Or(there, "none")))
		}
	}
	var there recipeVersions
	if text, err := r.info.ReadText(release.RecipeVersions); err == nil {
		_ = json.Unmarshal(text, &there) // it was read before
	}
	here := versionsOf(reg, steps)
	for _, name := range slices.Sorted(maps.Keys(there.Formats)) {
		note("format of "+name, here.Formats[name], there.Formats[name])
	}
	for _, name := range slices.Sorted(maps.Keys(there.Parts)) {
		note(name, here.Parts[name], there.Parts[name])
	}
	tools := map[string]string{}
	files := map[string][]byte{}
	for _, s := range steps {
		for name, version := range s.Identity.Tools {
			tools[name] = version
		}
		for _, a := range s.Spec.Asks {
			_ = addPrompt(files, a) // a prompt that this program lacks differs below
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.info.Manifest.Tools)) {
		note(name, tools[name], r.info.Manifest.Tools[name])
	}
	for _, f := range r.info.Manifest.Files {
		if strings.HasPrefix(f.Path, release.RecipePrompts) || strings.HasPrefix(f.Path, release.RecipeSchemas) {
			note(f.Path, string(pipeline.DigestOf(files[f.Path])), string(f.SHA256))
		}
	}
	if plan, err := r.Config.Plan.Digest(); err == nil {
		note("digest of the plan", string(plan), string(r.info.Manifest.Config))
	}
}

// checkNeeds refuses sources that read outside of the folder of inputs, and lists what the
// recipe would fetch and ask.
func (r *Rebuild) checkNeeds(steps []engine.Step) error {
	want := func(format string, args ...any) {
		if line := safetext.Line(fmt.Sprintf(format, args...)); !slices.Contains(r.Wants, line) {
			r.Wants = append(r.Wants, line)
		}
	}
	for _, s := range steps {
		for _, n := range s.Needs {
			switch {
			case n.From == fetch.Local && !filepath.IsLocal(filepath.FromSlash(n.Root)):
				return &RecipeError{fmt.Sprintf("source %s reads %q, outside the folder of inputs", s.Name, n.Root)}
			case n.From == fetch.HTTP:
				want("download %s (source %s)", n.URL, s.Name)
			case n.From != fetch.Local && n.From != fetch.Media:
				want("download from %s %s (source %s), with HF_TOKEN or GITHUB_TOKEN where they are set", n.From, n.Repo, s.Name)
			}
		}
		for _, role := range slices.Sorted(maps.Keys(s.Identity.Models)) {
			m := r.Config.Models[r.Config.Roles[role]]
			want("ask %s at %s as %s, with the key in %s", m.Model, m.BaseURL, role, cmp.Or(m.KeyEnv, "no variable"))
		}
	}
	return nil
}

// prepare gives the build the lock's downloads that a cache has, and the recorded answers.
func (r *Rebuild) prepare(ctx context.Context, opt RebuildOptions) (err error) {
	for _, n := range r.Config.Plan.Steps {
		dir := filepath.Join(opt.Inputs, n.Name)
		if info, err := os.Stat(dir); n.Kind == pipeline.KindSource && opt.Inputs != "" && err == nil && info.IsDir() {
			r.Config.Run.MediaDirs[n.Name] = dir
		}
	}
	if opt.Cache != "" {
		if err := r.importDownloads(ctx, opt.Cache); err != nil {
			return err
		}
	}
	if !r.info.Manifest.Has(release.RecipeAnswers) {
		return nil
	}
	book, err := ledger.Open(ctx, r.Config.LedgerDir())
	if err != nil {
		return err
	}
	return errors.Join(r.info.ReadFile(ctx, release.RecipeAnswers, func(answers io.Reader) error {
		_, err := book.Import(ctx, answers)
		return err
	}), book.Close())
}

func (r *Rebuild) importDownloads(ctx context.Context, from string) (err error) {
	lock, err := fetch.LoadLock(LockPath(r.Config))
	if err != nil {
		return err
	}
	cache, err := store.OpenDiskReadOnly(ctx, from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cache.Close()) }()
	to, err := store.OpenDisk(ctx, r.Config.StoreDir())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	for _, s := range r.Config.Plan.Steps {
		for _, entry := range lock.Entries(s.Name) {
			for _, f := range entry.Files {
				if f.Problem != "" {
					continue
				}
				if err := copyBlob(ctx, cache, to, f.SHA256); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// copyBlob copies a blob that one store has to another.
func copyBlob(ctx context.Context, from, to pipeline.Store, digest pipeline.Digest) error {
	b, err := from.OpenBlob(ctx, digest)
	if errors.Is(err, pipeline.ErrNoBlob) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = to.PutBlob(ctx, b)
	return errors.Join(err, b.Close())
}

// checkInputs compares local files with the digests in the table of sources.
func checkInputs(ctx context.Context, steps []engine.Step, sources []schemas.Source, inputs string) error {
	roots := map[string][]string{}
	for _, s := range steps {
		for _, n := range s.Needs {
			switch n.From {
			case fetch.Local:
				roots[s.Name] = append(roots[s.Name], n.Root)
			case fetch.Media:
				roots[s.Name] = append(roots[s.Name], s.Name)
			}
		}
	}
	wrong := InputsError{Folder: inputs}
	for _, s := range sources {
		if s.URL != "" || s.SHA256 == "" || len(roots[s.ID]) == 0 {
			continue
		}
		found, err := holdsInput(ctx, inputs, roots[s.ID], s)
		if err != nil {
			return err
		}
		if !found {
			wrong.Files = append(wrong.Files, safetext.Line(fmt.Sprintf("%s %s (source %s)", s.SHA256, path.Join(roots[s.ID][0], s.Path), s.ID)))
		}
	}
	if len(wrong.Files) > 0 {
		return &wrong
	}
	return nil
}

// holdsInput reports whether the folder of inputs has a file below one of the roots.
func holdsInput(ctx context.Context, inputs string, roots []string, s schemas.Source) (bool, error) {
	if inputs == "" {
		return false, nil
	}
	folder, err := os.OpenRoot(inputs)
	if err != nil {
		return false, &InputsError{Folder: inputs, Files: []string{err.Error()}}
	}
	defer folder.Close()
	for _, root := range roots {
		name := filepath.Join(filepath.FromSlash(root), filepath.FromSlash(s.Path))
		if info, err := folder.Stat(name); err != nil || !info.Mode().IsRegular() {
			continue
		}
		file, err := folder.Open(name)
		if err != nil {
			continue
		}
		sum, _, err := atomicfile.Copy(ctx, io.Discard, file)
		if err := errors.Join(err, file.Close()); err != nil {
			return false, fmt.Errorf("read input %s: %w", s.Path, err)
		}
		if sum == s.SHA256 {
			return true, nil
		}
	}
	return false, nil
}

// Explain adds to the error of a build what it was not allowed to do.
func (r *Rebuild) Explain(err error) error {
	var offline *fetch.OfflineError
	var miss *model.MissError
	if r.trusted || !errors.As(err, &offline) && !errors.As(err, &miss) {
		return err
	}
	return &UntrustedError{r.Wants, err}
}

// RebuildReport says how a release that was built again compares with the one given.
type RebuildReport struct {
	Release string           `json:"release"`
	Files   int              `json:"files"`
	Same    int              `json:"same"`
	Differs []FileDifference `json:"differs"`
	// Taken names what was taken over, because it follows from the version before.
	Taken []string `json:"taken"`
	// Versions are those of Rebuild: what may explain the differences.
	Versions []string `json:"versions"`
}

// FileDifference says how a file differs from that of the release.
type FileDifference struct {
	Path string   `json:"path"`
	Why  []string `json:"why"`
}

// Compare compares every file of the release with those of the one that was built.
func (r *Rebuild) Compare(dir string) (RebuildReport, error) {
	built, err := release.ReadInfo(dir)
	if err != nil {
		return RebuildReport{}, err
	}
	out := RebuildReport{Release: r.info.Manifest.ID, Differs: []FileDifference{}, Taken: []string{}, Versions: append([]string{}, r.Versions...)}
	if r.info.Manifest.Previous != "" {
		out.Taken = append(out.Taken, describe.ChangelogName)
	}
	differ := func(path string, why ...string) { out.Differs = append(out.Differs, FileDifference{path, why}) }
	for _, f := range r.info.Manifest.Files {
		out.Files++
		i, there := built.Manifest.File(f.Path)
		switch {
		case !there:
			differ(f.Path, "the rebuilt release does not have it")
		case built.Manifest.Files[i].SHA256 == f.SHA256:
			out.Same++
		default:
			why := []string{fmt.Sprintf("digest %s, rebuilt %s", f.SHA256, built.Manifest.Files[i].SHA256)}
			if lines, err := r.differingLines(built, f.Path); err != nil {
				return out, err
			} else if len(lines) > 0 {
				why = lines
			}
			differ(f.Path, why...)
		}
	}
	for _, f := range built.Manifest.Files {
		if !r.info.Manifest.Has(f.Path) {
			differ(f.Path, "only the rebuilt release has it")
		}
	}
	for _, name := range []string{manifest.FileName, manifest.SumsName} {
		out.Files++
		lines, err := r.differingLines(built, name)
		if err != nil {
			return out, err
		}
		if len(lines) == 0 {
			out.Same++
		} else {
			differ(name, lines...)
		}
	}
	return out, nil
}

// differingLines returns the lines in which a text differs, and nothing for other files.
func (r *Rebuild) differingLines(built release.Info, name string) ([]string, error) {
	switch path.Ext(name) {
	case ".md", ".json", ".yaml", "":
	default:
		return nil, nil
	}
	var texts [2][]byte
	for i, info := range []release.Info{r.info, built} {
		var err error
		if texts[i], err = atomicfile.Read(filepath.Join(info.Dir, filepath.FromSlash(name)), manifest.MaxBytes); err != nil {
			return nil, fmt.Errorf("compare %s: %w", name, err)
		}
	}
	return release.DifferingLines(texts[0], texts[1], "rebuilt it is"), nil
}
