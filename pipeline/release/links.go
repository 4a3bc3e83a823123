package release

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// leftovers are what git, hubs and their clients put into the folder of a release. No
// reader of tables or media looks there, and neither does Verify.
var leftovers = map[string]bool{".git": true, ".gitattributes": true, ".gitignore": true, ".cache": true, ".huggingface": true}

// isLeftover reports whether a path that the release does not list is such a file or
// folder, or the notes of a file manager.
func (v *verifier) isLeftover(rel string) bool {
	_, listed := v.listed.Find(rel)
	return !listed && !v.listed.HasFolder(rel) && (leftovers[rel] || path.Base(rel) == ".DS_Store")
}

// followLink returns the file that a symbolic link in a release leads to, or why it is not
// followed. It may lead to a file of the release's own folder, or, as in the cache of the
// Hugging Face hub, to one of the blobs beside the snapshot. dir has no link in its path.
func followLink(dir, name string) (to, written, why string) {
	written, err := os.Readlink(name)
	if err != nil {
		return "", "", err.Error()
	}
	to, err = filepath.EvalSymlinks(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", written, "is a link to " + written + ", which is missing"
	}
	if err != nil {
		return "", written, err.Error()
	}
	if !isInside(dir, to) && !isInside(hubBlobs(dir), to) {
		return "", written, "is a link to " + written + ", which is outside the release; put the file itself here (cp -rL copies a folder so)"
	}
	if info, err := os.Stat(to); err != nil || !info.Mode().IsRegular() {
		return "", written, "is a link to " + written + ", which is not a regular file"
	}
	return to, written, ""
}

// checkLink counts a symbolic link, or returns why it is not followed.
func (v *verifier) checkLink(name string) string {
	_, written, why := followLink(v.dir, name)
	if why == "" {
		if v.report.Links++; v.report.Links == 1 {
			v.report.LinkTarget = written
		}
	}
	return why
}

// hubBlobs returns the folder of blobs beside REPOSITORY/snapshots/COMMIT, where dir is or
// lies in that; else nothing.
func hubBlobs(dir string) string {
	for at := dir; filepath.Dir(at) != at; at = filepath.Dir(at) {
		if above := filepath.Dir(at); filepath.Base(above) == "snapshots" {
			return filepath.Join(filepath.Dir(above), "blobs")
		}
	}
	return ""
}

func isInside(dir, name string) bool {
	return dir != "" && strings.HasPrefix(name, filepath.Clean(dir)+string(filepath.Separator))
}
