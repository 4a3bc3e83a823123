package hydrate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sync/errgroup"

	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// original is a file that media are made of, as table sources has it.
type original struct {
	schemas.Source
	names []string // in its sources, without folders
	like  []candidate
}

// candidate is something below the folders of the user's copies.
type candidate struct {
	path string
	mode fs.FileMode
	size int64
}

// findOriginals looks for files below dirs by their digests, and notes for each that is not
// there what stands in its place. Only files of a wanted size are read.
func (h *hydration) findOriginals(ctx context.Context, wanted map[string]bool, dirs []string) error {
	all, bySize := map[string]*original{}, map[int64]bool{}
	for _, s := range h.rel.Sources {
		if !wanted[s.SHA256] {
			continue
		}
		o := all[s.SHA256]
		if o == nil {
			o = &original{Source: s}
			all[s.SHA256] = o
		}
		o.names = append(o.names, path.Base(s.Path))
		bySize[s.Bytes] = true
	}
	byName := map[string][]*original{}
	for _, digest := range slices.Sorted(maps.Keys(all)) {
		for _, name := range all[digest].names {
			byName[strings.ToLower(name)] = append(byName[strings.ToLower(name)], all[digest])
		}
	}
	var found []candidate
	for _, dir := range dirs {
		err := walk(ctx, dir, func(c candidate) {
			for _, o := range byName[strings.ToLower(filepath.Base(c.path))] {
				o.like = append(o.like, c)
			}
			if c.mode.IsRegular() && bySize[c.size] {
				found = append(found, c)
			}
		})
		if err != nil {
			return err
		}
	}
	if err := h.readCandidates(ctx, found, all); err != nil {
		return err
	}
	h.tell("%d of %d originals found", countFound(h.files, all), len(wanted))
	for digest := range wanted {
		if h.files[digest] != "" {
			continue
		}
		if o := all[digest]; o != nil {
			h.problems[digest] = h.explainOriginal(ctx, o)
		} else {
			h.problems[digest] = fmt.Sprintf("original %s: the release does not say which file it is; ask its publisher", digest)
		}
	}
	return ctx.Err()
}

func countFound(files map[string]string, all map[string]*original) (n int) {
	for digest := range all {
		if files[digest] != "" {
			n++
		}
	}
	return n
}

// walk visits everything below a folder. Links are seen and not followed; folders that
// cannot be read are visited and not entered.
func walk(ctx context.Context, dir string, visit func(candidate)) error {
	root, err := filepath.EvalSymlinks(dir)
	if err == nil {
		var info fs.FileInfo
		if info, err = os.Stat(root); err == nil && !info.IsDir() {
			err = &atomicfile.FileTypeError{Path: dir, Mode: info.Mode()}
		}
	}
	if err != nil {
		return &FolderError{dir, err}
	}
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && name == root {
			return &FolderError{dir, err}
		}
		if d == nil || name == root {
			return nil
		}
		c := candidate{path: name, mode: d.Type()}
		if info, err := d.Info(); err == nil {
			c.mode, c.size = info.Mode(), info.Size()
		}
		if err == nil { // else it was visited before, and is a folder that cannot be read
			visit(c)
		}
		return nil
	})
}

// FolderError says that a folder of originals cannot be read.
type FolderError struct {
	Dir string
	Err error
}

func (e *FolderError) Error() string {
	return fmt.Sprintf("the folder of originals %s cannot be read: %v; name the folder of your copies with --media-dir", e.Dir, e.Err)
}

func (e *FolderError) Unwrap() error { return e.Err }

// readCandidates takes files of the right size whose digest is wanted.
func (h *hydration) readCandidates(ctx context.Context, found []candidate, all map[string]*original) error {
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(h.Jobs)
	for _, c := range found {
		work.Go(func() error {
			f, err := atomicfile.Open(c.path)
			if err != nil {
				return ctx.Err() // explainOriginal says so if the file is looked for
			}
			digest, _, err := atomicfile.Copy(ctx, io.Discard, f)
			err = errors.Join(err, f.Close())
			if err != nil {
				return ctx.Err()
			}
			h.mu.Lock()
			defer h.mu.Unlock()
			if was := h.files[digest]; all[digest] != nil && (was == "" || c.path < was) {
				h.files[digest] = c.path
			}
			return nil
		})
	}
	return work.Wait()
}

// explainOriginal says why a file is not there: nothing has its name, or what has it is
// something other.
func (h *hydration) explainOriginal(ctx context.Context, o *original) string {
	var b strings.Builder
	fmt.Fprintf(&b, "original %s of source %s (%d bytes, digest %s)", o.Path, o.ID, o.Bytes, o.SHA256)
	if len(o.like) == 0 {
		b.WriteString(" is missing: no file has its digest or name")
		if o.URL != "" {
			fmt.Fprintf(&b, "; get it from %s", o.URL)
		}
		return b.String()
	}
	for i, c := range o.like {
		b.WriteString([]string{": ", "; "}[min(i, 1)])
		fmt.Fprintf(&b, "%s %s", c.path, h.describe(ctx, c, o))
	}
	return b.String()
}

// describe says what a candidate is that is not the original.
func (h *hydration) describe(ctx context.Context, c candidate, o *original) string {
	switch {
	case c.mode.IsDir():
		return "is a folder"
	case c.mode&fs.ModeSymlink != 0:
		return "is a symbolic link, and links are not followed: copy the file, or name its folder with --media-dir"
	case !c.mode.IsRegular():
		return "is no regular file"
	case c.size == 0:
		return "is empty"
	}
	head, disk, err := readHead(c.path)
	if err != nil {
		return fmt.Sprintf("cannot be read: %v", errors.Unwrap(err))
	}
	want, is := kindOfName(o.Path), kindOfBytes(head)
	switch {
	case bytes.HasPrefix(head, []byte("version https://git-lfs.github.com/spec/")):
		return "is a pointer of Git LFS in place of the file: run git lfs pull"
	case disk < c.size/2:
		return fmt.Sprintf("is a sparse file of %d bytes of which the disk holds %d: its copying was not finished", c.size, disk)
	case is != want && want != "":
		return fmt.Sprintf("is %s, want %s: another file, or the video in another container", orUnknown(is), want)
	case c.size == o.Bytes:
		return "has the right size and other bytes: it is damaged or was edited"
	}
	return fmt.Sprintf("has %d bytes: %s", c.size, h.describeVideo(ctx, c, o))
}

// describeVideo says whether a file of another size is a part of the original or another
// encoding, as far as that can be told.
func (h *hydration) describeVideo(ctx context.Context, c candidate, o *original) string {
	var unplayable *media.Unplayable
	_, err := h.tools.Probe(ctx, c.path, media.DefaultLimits())
	switch {
	case errors.As(err, &unplayable) && c.size < o.Bytes:
		return "it is cut off or damaged: get it again"
	case errors.As(err, &unplayable):
		return "it cannot be played: get it again"
	case err == nil:
		return "it plays, and is another encoding or another video: get the file as its source publishes it"
	}
	return "it is another file"
}

// readHead returns the first bytes of a file, and how many of it the disk holds.
func readHead(name string) (head []byte, disk int64, err error) {
	f, err := atomicfile.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	disk = info.Size()
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		disk = min(disk, int64(sys.Blocks)*512)
	}
	head = make([]byte, 512)
	n, err := f.Read(head)
	return head[:n], disk, err
}

// kinds are the containers and pictures that are told apart, by the endings of names.
var kinds = map[string]string{
	".mp4": "MP4 or QuickTime", ".mov": "MP4 or QuickTime", ".m4v": "MP4 or QuickTime", ".mkv": "Matroska or WebM", ".webm": "Matroska or WebM",
	".avi": "AVI", ".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".gif": "GIF",
}

func kindOfName(name string) string { return kinds[strings.ToLower(path.Ext(name))] }

// kindOfBytes names what a file is by its first bytes, empty where it is nothing known.
func kindOfBytes(head []byte) string {
	at := func(i int, text string) bool { return len(head) >= i+len(text) && string(head[i:i+len(text)]) == text }
	switch {
	case at(4, "ftyp"), at(4, "moov"), at(4, "mdat"), at(4, "wide"), at(4, "free"):
		return kinds[".mp4"]
	case at(0, "\x1a\x45\xdf\xa3"):
		return kinds[".mkv"]
	case at(0, "RIFF") && at(8, "AVI "):
		return kinds[".avi"]
	case at(0, "\x89PNG"):
		return kinds[".png"]
	case at(0, "\xff\xd8\xff"):
		return kinds[".jpg"]
	case at(0, "GIF8"):
		return kinds[".gif"]
	case bytes.Contains(bytes.ToLower(head), []byte("<html")):
		return "a web page"
	}
	return ""
}

func orUnknown(kind string) string {
	if kind == "" {
		return "no video or picture"
	}
	return kind
}
