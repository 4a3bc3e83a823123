package catalog

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// mediaList has the media files of a manifest by their digest: some 50 bytes a file.
type mediaList struct {
	files   []mediaFile
	folders []string
	types   []string // endings of names
}

type mediaFile struct {
	digest       [32]byte
	size         int64
	folder, kind uint16
}

// add takes a medium in, and always returns false: it is the list of it.
func (l *mediaList) add(f manifest.FileInfo) bool {
	folder, name := path.Split(f.Path)
	kind, isMedium := strings.CutPrefix(name, string(f.SHA256))
	if !isMedium || !strings.HasPrefix(folder, "media/") {
		return false
	}
	m := mediaFile{size: f.Size}
	var ok, ok2 bool
	m.folder, ok = number(&l.folders, folder)
	m.kind, ok2 = number(&l.types, kind)
	if _, err := hex.Decode(m.digest[:], []byte(f.SHA256)); err == nil && ok && ok2 {
		l.files = append(l.files, m)
	}
	return false
}

// number gives the place of a text in a short list, to which it is added.
func number(list *[]string, text string) (place uint16, ok bool) {
	i := slices.Index(*list, text)
	if i < 0 {
		*list = append(*list, text)
		i = len(*list) - 1
	}
	return uint16(i), i < mostFolders
}

// mostFolders bounds folders and endings; a release has some hundred.
const mostFolders = 1 << 12

// sort makes the list ready to be searched.
func (l *mediaList) sort() {
	slices.SortFunc(l.files, func(a, b mediaFile) int { return bytes.Compare(a.digest[:], b.digest[:]) })
}

// find returns the path and size of the medium of a digest.
func (l *mediaList) find(digest string) (name string, size int64, ok bool) {
	var want [32]byte
	if len(digest) != 64 || strings.ToLower(digest) != digest {
		return "", 0, false
	}
	if _, err := hex.Decode(want[:], []byte(digest)); err != nil {
		return "", 0, false
	}
	i, ok := slices.BinarySearchFunc(l.files, want, func(f mediaFile, want [32]byte) int { return bytes.Compare(f.digest[:], want[:]) })
	if !ok {
		return "", 0, false
	}
	f := l.files[i]
	return l.folders[f.folder] + digest + l.types[f.kind], f.size, true
}

// MediumPath returns the slash-separated path of a medium within the release, by its digest.
func (c *Catalog) MediumPath(digest string) (string, bool) {
	name, _, ok := c.media.find(digest)
	return name, ok
}

// mediumFile returns the path of the file of a medium, or why there is none to be shown.
func (c *Catalog) mediumFile(m schemas.Media) (path, missing string) {
	path, listed := c.MediumPath(m.MediaID)
	if !listed && c.Manifest.References(m.License) {
		return "", "The licence of this file forbids shipping it. memforge hydrate RELEASE --media-dir DIR makes it from your own copies of the originals."
	}
	f, err := c.OpenMedium(m.MediaID)
	if err != nil {
		return "", "This file is missing or damaged. Restore the release from a good copy; memforge verify names what is wrong."
	}
	f.Close()
	return path, ""
}

// CheckMedia compares the bytes of all media with their digests, one after the other. It is for a
// goroutine beside pages.
func (c *Catalog) CheckMedia(ctx context.Context) error {
	for _, m := range c.media.files {
		digest := hex.EncodeToString(m.digest[:])
		f, err := c.OpenMedium(digest)
		got := ""
		if err == nil {
			got, _, err = atomicfile.Copy(ctx, io.Discard, f)
			err = errors.Join(err, f.Close())
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || got != digest {
			c.mu.Lock()
			c.damaged[digest] = true
			c.mu.Unlock()
		}
	}
	return nil
}

// OpenMedium opens the file of a medium that the manifest lists, by its digest in lower-case hex.
// A file of another size, or one that CheckMedia found damaged, is an error; else the bytes may be
// others.
func (c *Catalog) OpenMedium(digest string) (*os.File, error) {
	name, size, ok := c.media.find(digest)
	if !ok {
		return nil, fmt.Errorf("medium %.80q: %w", digest, ErrNotFound)
	}
	c.mu.Lock()
	damaged := c.damaged[digest]
	c.mu.Unlock()
	if damaged {
		return nil, fmt.Errorf("medium %s: its file has other bytes than the manifest says; restore the release from a good copy", digest)
	}
	f, err := c.in.OpenFile(name)
	if err != nil {
		return nil, fmt.Errorf("medium %s: %w", digest, err)
	}
	if info, err := f.Stat(); err != nil || info.Size() != size {
		f.Close()
		return nil, fmt.Errorf("medium %s: its file has another size than the manifest says; restore the release from a good copy", digest)
	}
	return f, nil
}
