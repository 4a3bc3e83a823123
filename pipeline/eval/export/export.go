// Package export writes a finished release in the layout that another project
// reads. What a layout looks like is up to a Format, which is a pure function;
// verifying the release, writing files and linking videos happen here.
//
// A folder of an export appears whole or not at all: it is written under
// another name, made durable, and renamed.
package export

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// A Format lays a release out. What cannot be expressed is a *QuestionError.
type Format struct {
	Name string
	// Help says in a sentence or two what stands to know of the folder.
	Help string
	// Root is the folder that the layout fills, slash-separated, below the one
	// that the user names.
	Root string
	// Beside is a second folder below the one that the user names, for what the
	// other project's tools do not read; they find nothing strange in Root then.
	// The marker lies there. Empty: everything lies in Root.
	Beside string
	// Takes says which questions of a release the layout is for. Layout gets no others.
	Takes  benchformat.Selector
	Layout func(release.Contents) (Tree, error)
}

// Tree is a layout: everything that is to lie below the root, and beside it.
type Tree struct {
	Files []File
	Media []MediaFile
	// BesideFiles and BesideMedia lie in Format.Beside.
	BesideFiles []File
	BesideMedia []MediaFile
	// Folders are made even when nothing lies in them.
	Folders []string
	// Notes tell the user what the other project cannot make use of.
	Notes []string
}

// File is one file of a layout.
type File struct {
	Path string // slash-separated, below the root
	Data []byte
}

// Indented is a file of one JSON value, with its lines indented.
func Indented(path string, v any) (File, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(v); err != nil {
		return File{}, fmt.Errorf("encode %s: %w", path, err)
	}
	return File{Path: path, Data: b.Bytes()}, nil
}

// Lines is a file of JSON lines, one for each row.
func Lines[T any](path string, rows []T) (File, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for i, r := range rows {
		if err := enc.Encode(r); err != nil {
			return File{}, fmt.Errorf("encode %s, line %d: %w", path, i+1, err)
		}
	}
	return File{Path: path, Data: b.Bytes()}, nil
}

// MediaFile is one media file of the release at its place in the layout.
type MediaFile struct {
	Path    string
	MediaID string
}

// Options say how to write.
type Options struct {
	// Force replaces an earlier export in the same place.
	Force bool
	// Copy copies media files. Otherwise they are hard links into the release
	// where the file system allows, and copies where it does not.
	Copy bool
	// BuiltIn writes questions of the built-in model too, and marks the export.
	BuiltIn bool
	// Choice narrows the questions to some families.
	Choice benchformat.Choice
	// Limits bound what reading the release may take.
	Limits release.Limits
}

// Result says what was written.
type Result struct {
	Dir    string // the root of the layout
	Files  int    // without media
	Linked int
	Copied int
	Bytes  int64 // of all media
	Notes  []string
}

// kind of these extensions of a registry.
const kind = "export"

// Add registers a format.
func Add(r *pipeline.Registry, f Format) { r.Extend(kind, f.Name, f) }

// Formats are those registered, by name.
func Formats(r *pipeline.Registry) []Format { return pipeline.Extensions[Format](r, kind) }

// Claims returns the names of the formats that families have, by family.
func Claims(formats []Format) map[string]string {
	out := map[string]string{}
	for _, f := range formats {
		for _, family := range f.Takes.Families {
			out[family] = f.Name
		}
	}
	return out
}

// QuestionError says why a question cannot be expressed in a format.
type QuestionError struct {
	QuestionID string
	Reason     string
}

func (e *QuestionError) Error() string {
	return safetext.Sprintf("question %s: %s", e.QuestionID, e.Reason)
}

// ExistsError says that something is in the place of an export.
type ExistsError struct {
	Dir string
	// Ours says that it is an earlier export.
	Ours bool
}

func (e *ExistsError) Error() string {
	if e.Ours {
		return fmt.Sprintf("%s is there already; replace it with --force, or name another folder", e.Dir)
	}
	return fmt.Sprintf("%s is there and was not written by an export; it is never replaced: move it away, or name another folder", e.Dir)
}

// Write verifies the release and writes its layout below out.
func Write(ctx context.Context, format Format, releaseDir, out string, opts Options) (Result, error) {
	res, err := write(ctx, format, releaseDir, out, opts)
	if err != nil {
		return Result{}, fmt.Errorf("export %s as %s: %w", releaseDir, format.Name, err)
	}
	return res, nil
}

func write(ctx context.Context, format Format, releaseDir, out string, opts Options) (Result, error) {
	dir := filepath.Join(out, filepath.FromSlash(format.Root))
	beside := filepath.Join(out, filepath.FromSlash(format.Beside))
	if format.Beside == "" {
		beside = dir
	}
	if err := checkFolders(dir, beside, opts.Force); err != nil {
		return Result{}, err
	}
	contents, err := opts.Limits.Read(ctx, releaseDir)
	if err != nil {
		return Result{}, err
	}
	contents, selected, err := format.Takes.Select(format.Name, contents, opts.Choice)
	if err != nil {
		return Result{}, err
	}
	mark := marker{Format: format.Name, Release: contents.Manifest.ID}
	by := builtIn(contents)
	if by != nil {
		mark.Author, mark.BuiltIn = pipeline.BuiltInModel, by.Questions
		if !opts.BuiltIn {
			return Result{}, by
		}
	}
	tree, err := format.Layout(contents)
	if err != nil {
		return Result{}, err
	}
	if by != nil {
		tree.Notes = append(slices.Clone(tree.Notes), by.note())
	}
	if note := selected.Note(format.Name); note != "" {
		tree.Notes = append([]string{note}, tree.Notes...)
	}
	main, more, err := tree.folders(format, mark, contents)
	if err != nil {
		return Result{}, err
	}
	p := &folderWriter{ctx: ctx, releaseDir: releaseDir, contents: contents, copies: opts.Copy}
	err = p.writeFolders(dir, main, beside, more)
	p.result.Dir, p.result.Notes = dir, tree.Notes
	return p.result, err
}

// writeFolders writes the folders of an export. The one with the marker comes first:
// without it, the other would pass for a stranger's if the work ended between.
func (p *folderWriter) writeFolders(dir string, main Tree, beside string, more Tree) error {
	if dir != beside {
		if err := p.writeFolder(beside, more); err != nil {
			return err
		}
	}
	return p.writeFolder(dir, main)
}

// folders checks a layout and divides it into the trees of the root and beside it. One
// of the two has the marker.
func (t Tree) folders(format Format, mark marker, c release.Contents) (main, more Tree, err error) {
	main = Tree{Files: t.Files, Media: t.Media, Folders: t.Folders}
	more = Tree{Files: t.BesideFiles, Media: t.BesideMedia}
	for _, folder := range []Tree{main, more} {
		if err := folder.check(c); err != nil {
			return main, more, err
		}
	}
	mark.Files, mark.Media = len(main.Files)+len(more.Files), len(main.Media)+len(more.Media)
	if format.Beside == "" {
		if len(more.Files)+len(more.Media) > 0 {
			return main, more, fmt.Errorf("%d files are to lie beside the root and the format has no such folder", len(more.Files)+len(more.Media))
		}
		main, err = main.withMarker(mark)
		return main, more, err
	}
	mark.Root = digests(t.Files)
	more, err = more.withMarker(mark)
	return main, more, err
}

// check refuses a layout that would write outside its root, write a path twice
// or name media that the release has not.
func (t Tree) check(c release.Contents) error {
	seen := map[string]bool{MarkerName: true}
	var paths []string
	for _, f := range t.Files {
		paths = append(paths, f.Path)
	}
	for _, m := range t.Media {
		paths = append(paths, m.Path)
		if c.Files[m.MediaID] == "" {
			if slices.ContainsFunc(c.Media, func(is schemas.Media) bool { return is.MediaID == m.MediaID }) {
				return &release.ReferencedError{MediaID: m.MediaID}
			}
			return fmt.Errorf("%s: the release has no medium %q", m.Path, m.MediaID)
		}
	}
	for _, p := range paths {
		if seen[p] || p == "" || path.Clean(p) != p || !filepath.IsLocal(filepath.FromSlash(p)) || strings.Contains(p, "\\") {
			return fmt.Errorf("path %q is taken, or not a plain path below the root", p)
		}
		seen[p] = true
	}
	return nil
}

// BuiltInError says that questions of a release were written by the built-in
// model, or from its descriptions. It measures and selects, so they are no
// benchmark, and another project's files would not say who wrote them.
type BuiltInError struct{ Questions, Of int }

func (e *BuiltInError) Error() string {
	return fmt.Sprintf("%s; build them with a language model, or export them as they are, marked, with --allow-built-in", e.note())
}

func (e *BuiltInError) note() string {
	return fmt.Sprintf("%d of %d questions were written by the built-in model (%s) or from its descriptions: it measures and selects, and understands nothing", e.Questions, e.Of, pipeline.BuiltInModel)
}

// BuiltInNote says what a reader of figures about a release must know of who wrote its
// questions, or nothing.
func BuiltInNote(c release.Contents) string {
	if e := builtIn(c); e != nil {
		return e.note()
	}
	return ""
}

// builtIn returns nil where the built-in model wrote no question.
func builtIn(c release.Contents) *BuiltInError {
	e := &BuiltInError{Of: len(c.Questions)}
	for _, q := range c.Questions {
		if strings.Contains(q.Labels[schemas.LabelAuthor]+" "+q.Labels[schemas.LabelDescriber], pipeline.BuiltInModel) {
			e.Questions++
		}
	}
	if e.Questions == 0 {
		return nil
	}
	return e
}
