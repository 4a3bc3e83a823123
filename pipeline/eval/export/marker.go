package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
)

// MarkerName is the file that says which release an export was made of. Only a
// folder that has it, or that one beside it speaks for, is ever replaced.
const MarkerName = "memforge-export.json"

// The largest marker that is read, and the largest file that one speaks for.
const (
	maxMarker = 16 << 20
	maxRoot   = 4 << 30
)

// marker is the content of that file.
type marker struct {
	Format  string `json:"format"`
	Release string `json:"release"`
	Files   int    `json:"files"`
	Media   int    `json:"media"`
	// Author is that of questions which no language model wrote, BuiltIn how many
	// there are.
	Author  string `json:"author,omitempty"`
	BuiltIn int    `json:"built_in_questions,omitempty"`
	// Root are the digests of the files in the root, where the marker lies beside
	// it: what else is found there in their place was written by somebody else.
	Root map[string]string `json:"root,omitempty"`
}

func digests(files []File) map[string]string {
	out := map[string]string{}
	for _, f := range files {
		out[f.Path] = string(pipeline.DigestOf(f.Data))
	}
	return out
}

// withMarker adds the marker.
func (t Tree) withMarker(m marker) (Tree, error) {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return t, fmt.Errorf("encode %s: %w", MarkerName, err)
	}
	t.Files = append(slices.Clone(t.Files), File{MarkerName, append(data, '\n')})
	return t, nil
}

// checkFolders decides whether the folders of an export may be written: each
// holds nothing, or an earlier export that is to be replaced.
func checkFolders(dir, beside string, force bool) error {
	m, marked, err := readMarker(beside)
	if err != nil {
		return err
	}
	if err := checkFolder(beside, marked, force); err != nil || dir == beside {
		return err
	}
	// Earlier versions had the marker in the root.
	_, ours, err := readMarker(dir)
	if err != nil {
		return err
	}
	if !ours && marked {
		if ours, err = m.ownsFolder(dir); err != nil {
			return err
		}
	}
	return checkFolder(dir, ours, force)
}

// readMarker looks for a marker in a folder; ok is false where there is none.
func readMarker(dir string) (m marker, ok bool, err error) {
	data, err := atomicfile.Read(filepath.Join(dir, MarkerName), maxMarker)
	if errors.Is(err, fs.ErrNotExist) {
		return m, false, nil
	}
	if err != nil {
		return m, false, fmt.Errorf("look at %s: %w", dir, err)
	}
	// Whatever stands in it, a folder that has the file is an export.
	_ = json.Unmarshal(data, &m)
	return m, true, nil
}

// ownsFolder reports whether the files of dir are those that the marker names.
func (m marker) ownsFolder(dir string) (bool, error) {
	if len(m.Root) == 0 {
		return false, nil
	}
	for name, want := range m.Root {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return false, nil
		}
		data, err := atomicfile.Read(filepath.Join(dir, filepath.FromSlash(name)), maxRoot)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("look at %s: %w", dir, err)
		}
		if string(pipeline.DigestOf(data)) != want {
			return false, nil
		}
	}
	return true, nil
}

// checkFolder decides whether dir may be written; ours says that an export wrote
// it.
func checkFolder(dir string, ours, force bool) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look at %s: %w", dir, err)
	case len(entries) == 0 || ours && force:
		return nil
	}
	return &ExistsError{Dir: dir, Ours: ours}
}
