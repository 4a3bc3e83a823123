package release

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"path/filepath"
	"regexp"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// The files of a recipe. The lock file has the place that it has beside a configuration's
// release since the first format.
const (
	RecipeLock     = "pipeline.lock.yaml"
	RecipeConfig   = "recipe/pipeline.yaml"
	RecipeVersions = "recipe/versions.json"
	RecipeAnswers  = "recipe/answers.jsonl"
	RecipePrompts  = "recipe/prompts/"
	RecipeSchemas  = "recipe/schemas/"
)

var recipePath = regexp.MustCompile(`^(pipeline\.lock\.yaml|recipe/(pipeline\.yaml|versions\.json|answers\.jsonl|prompts/[a-z0-9_.-]+\.md|schemas/[a-z0-9_.-]+\.json))$`)

// RecipeFile is a file of a recipe; Write gives the same bytes each time.
type RecipeFile struct {
	Path  string
	Write func(io.Writer) error
}

func (w *writer) addRecipeFile(f RecipeFile) error {
	sum, size := sha256.New(), &counter{}
	err := writeFile(w.path(f.Path), func(out io.Writer) error { return f.Write(io.MultiWriter(out, sum, size)) })
	w.files = append(w.files, manifest.FileInfo{Path: f.Path, SHA256: pipeline.DigestOfSum([sha256.Size]byte(sum.Sum(nil))), Size: size.n})
	return err
}

// ReadInfo reads the manifest of the release in dir.
func ReadInfo(dir string) (Info, error) {
	m, err := readManifest(dir)
	if err != nil {
		return Info{}, fmt.Errorf("read release %s: %w", dir, err)
	}
	return Info{Dir: dir, Manifest: m}, nil
}

// ReadText returns a text of a release: a file that the manifest lists, of at most 128 MiB,
// with the digest that it states.
func (info Info) ReadText(path string) ([]byte, error) { return readText(info, path) }

// ReadFile lets read look at a file of a release, and then compares its bytes with the
// digest that the manifest states.
func (info Info) ReadFile(ctx context.Context, path string, read func(io.Reader) error) error {
	i, listed := info.Manifest.File(path)
	if !listed {
		return info.checkDigest(path, "")
	}
	file, err := atomicfile.Open(filepath.Join(info.Dir, filepath.FromSlash(path)))
	if err != nil {
		return err
	}
	defer file.Close()
	failed := read(file)
	if err := checkUnchanged(ctx, file, info.Manifest.Files[i].SHA256, info.Dir, path); err != nil {
		return err
	}
	return failed
}
