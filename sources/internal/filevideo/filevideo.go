// Package filevideo turns fetched files into records of schema "video": the
// parsing that the file-based sources (dir, http, hf, github) share. Labels
// come from file names, from a sidecar among the files, or from both.
package filevideo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/glob"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/filelabels"
)

// DefaultMaxBytes is the size above which a source refuses a file.
const DefaultMaxBytes = 1 << 30

// Codes of the rejections a Reader reports besides those of package labels and
// of the fetcher.
const (
	CodeDuplicate  = "duplicate-content"
	CodeNoSuchFile = "labels-no-such-file"
	CodeTooLarge   = "record-too-large"
)

// Options is the part of a source's configuration that shapes its records.
type Options struct {
	// Include and Exclude are patterns of package glob; without Include every
	// file with a video extension is taken.
	Include, Exclude []string
	// Labels is the sidecar's path below the root, or empty.
	Labels string
	// LabelsFromName is a regular expression with named groups, matched against
	// a file's name without folder and extension, or empty.
	LabelsFromName string
	// License and Category are given to every video that has no better one.
	License, Category string
	// Code says that the files come from a source repository, where ".ts" is
	// TypeScript and not a transport stream unless Include names it.
	Code bool
}

// Reader parses assets according to checked options.
type Reader struct {
	opts    Options
	media   *glob.Set
	pattern *regexp.Regexp
}

// Extensions of the files that are taken for videos by default, in lower case.
// code says that they come from a source repository; see Options.
func Extensions(code bool) []string {
	all := []string{".mp4", ".mkv", ".webm", ".mov", ".avi", ".m4v", ".ts"}
	if code {
		return all[:len(all)-1]
	}
	return all
}

// Patterns match the names of files with one of the Extensions.
func Patterns(code bool) []string {
	var out []string
	for _, e := range Extensions(code) {
		out = append(out, glob.AnyCase(e))
	}
	return out
}

// New checks the options. It does no I/O.
func New(o Options) (*Reader, error) {
	if len(o.Include) == 0 {
		o.Include = Patterns(o.Code)
	}
	set, err := glob.Compile(o.Include, o.Exclude)
	if err != nil {
		return nil, err
	}
	r := &Reader{opts: o, media: set}
	if o.Labels != "" {
		if err := checkSidecar(o.Labels); err != nil {
			return nil, err
		}
	}
	if o.LabelsFromName == "" {
		return r, nil
	}
	r.pattern, err = regexp.Compile(o.LabelsFromName)
	if err != nil {
		return nil, fmt.Errorf("labels_from_name: %w", err)
	}
	if !slices.ContainsFunc(r.pattern.SubexpNames(), func(n string) bool { return n != "" }) {
		return nil, fmt.Errorf("labels_from_name %q: no named group; write one as (?P<action>[a-z]+)", o.LabelsFromName)
	}
	return r, nil
}

func checkSidecar(name string) error {
	if !fs.ValidPath(name) || strings.Contains(name, `\`) {
		return fmt.Errorf("labels %q: want a path below the source's root with forward slashes", name)
	}
	return filelabels.CheckName(name)
}

// Include returns the patterns of the files the reader wants: the videos and
// the sidecar.
func (r *Reader) Include() []string {
	in := slices.Clone(r.opts.Include)
	if r.opts.Labels != "" {
		in = append(in, glob.Escape(r.opts.Labels))
	}
	return in
}

// Spec returns the specification of every source that uses a Reader.
func (r *Reader) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{schemas.NameVideo}}
}

// Sink is where a Reader's input comes from and its output goes to.
// *pipeline.Scope has Open and Reject.
type Sink struct {
	// Source is the name of the source in pipeline.yaml; records carry it.
	Source string
	Open   func(context.Context, pipeline.Digest) (io.ReadCloser, error)
	Emit   func(pipeline.Record) error
	Reject func(id string, why *pipeline.Rejection)
}

// ReadScope is Read within a task.
func (r *Reader) ReadScope(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, emit func(pipeline.Record) error) error {
	return r.Read(ctx, Sink{Source: scope.Name(), Open: scope.OpenBlob, Emit: emit, Reject: scope.Reject}, assets)
}

// Read emits one record per distinct video, in the order of paths. A file that
// could not be fetched, a second file with the same bytes and a bad row of the
// sidecar are rejected. A sidecar that is absent or unusable is an error, and so
// is a pattern for labels that no file's name matches.
func (r *Reader) Read(ctx context.Context, sink Sink, assets []pipeline.Asset) error {
	assets = slices.Clone(assets)
	slices.SortStableFunc(assets, func(a, b pipeline.Asset) int { return strings.Compare(a.Path, b.Path) })
	if err := r.namesMatch(assets); err != nil {
		return err
	}
	rows, err := r.sidecar(ctx, sink, assets)
	if err != nil {
		return err
	}
	first := map[pipeline.Digest]string{}
	for _, a := range assets {
		if err := ctx.Err(); err != nil {
			return err
		}
		if a.Path == r.opts.Labels {
			continue
		}
		if a.Problem != nil {
			sink.Reject(a.Path, a.Problem)
			continue
		}
		if kept, twice := first[a.Blob]; twice {
			sink.Reject(a.Path, pipeline.Reject(CodeDuplicate, "the same bytes as %q; remove one of the two", kept))
			continue
		}
		first[a.Blob] = a.Path
		if err := r.emit(sink, a, rows[a.Path]); err != nil {
			return err
		}
	}
	return nil
}

// sidecar returns the values of each labelled path and rejects bad rows and
// rows for files that should be there and are not.
func (r *Reader) sidecar(ctx context.Context, sink Sink, assets []pipeline.Asset) (map[string]map[string]string, error) {
	name := r.opts.Labels
	if name == "" {
		return nil, nil
	}
	i := slices.IndexFunc(assets, func(a pipeline.Asset) bool { return a.Path == name })
	if i < 0 {
		return nil, fmt.Errorf("labels %s: no such file below the source's root", name)
	}
	if p := assets[i].Problem; p != nil {
		return nil, fmt.Errorf("labels %s: %w", name, p)
	}
	text, err := readBlob(ctx, sink, assets[i].Blob)
	if err != nil {
		return nil, fmt.Errorf("labels %s: %w", name, err)
	}
	table, err := filelabels.Parse(name, text)
	if err != nil {
		return nil, err
	}
	for _, bad := range table.Bad {
		sink.Reject(fmt.Sprintf("%s:%d", name, bad.Line), bad.Why)
	}
	return r.assign(sink, table, assets), nil
}

func readBlob(ctx context.Context, sink Sink, d pipeline.Digest) ([]byte, error) {
	f, err := sink.Open(ctx, d)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, filelabels.MaxBytes+1))
}

// assign looks up the rows' files. A row for a file that the patterns leave
// out is not a loss: the user chose a part of the files.
func (r *Reader) assign(sink Sink, table filelabels.Table, assets []pipeline.Asset) map[string]map[string]string {
	exact, folded := map[string]bool{}, map[string]string{}
	for _, a := range assets {
		exact[a.Path] = true
		folded[strings.ToLower(a.Path)] = a.Path
	}
	rows := map[string]map[string]string{}
	for _, row := range table.Rows {
		if exact[row.File] {
			rows[row.File] = row.Values
			continue
		}
		id := fmt.Sprintf("%s:%d", r.opts.Labels, row.Line)
		if alike, ok := folded[strings.ToLower(row.File)]; ok {
			sink.Reject(id, pipeline.Reject(CodeNoSuchFile, "no file %q; did you mean %q?", row.File, alike))
		} else if r.media.Match(row.File) {
			sink.Reject(id, pipeline.Reject(CodeNoSuchFile, "no file %q below the source's root; remove the row or add the file", row.File))
		}
	}
	return rows
}

func (r *Reader) emit(sink Sink, a pipeline.Asset, row map[string]string) error {
	v := schemas.Video{
		Media: string(a.Blob), Name: a.Path, SourceID: sink.Source,
		License: r.opts.License, Category: r.opts.Category,
	}
	if v.License == "" {
		v.License = a.License
	}
	r.fromName(&v)
	annotate(&v, row)
	rec, err := pipeline.NewRecord(schemas.NameVideo, RecordID(sink.Source, a.Blob), v, a.Blob)
	if err != nil {
		sink.Reject(a.Path, pipeline.Reject(CodeTooLarge, "%v", err))
		return nil
	}
	return sink.Emit(rec)
}

// RecordID depends on the bytes and on the source's name only: renaming or
// relabelling a file keeps it, and it tells a solver nothing.
func RecordID(source string, media pipeline.Digest) string {
	sum := sha256.Sum256([]byte(source + "\x00" + string(media)))
	return "video-" + hex.EncodeToString(sum[:8])
}

// namesMatch makes sure that the pattern for labels matches one file at least: a
// build without any label would find that out at its end, if at all.
func (r *Reader) namesMatch(assets []pipeline.Asset) error {
	first := ""
	for _, a := range assets {
		if a.Path == r.opts.Labels {
			continue
		}
		if r.pattern == nil || r.match(a.Path) != nil {
			return nil
		}
		if first == "" {
			first = a.Path
		}
	}
	if first == "" {
		return nil
	}
	return &pipeline.SettingError{Setting: "labels_from_name", Problem: fmt.Sprintf(
		"%q matches no file: the name of the first, without folder and extension, is %q; mend the expression or leave it out", r.opts.LabelsFromName, baseName(first))}
}

func (r *Reader) match(file string) []string { return r.pattern.FindStringSubmatch(baseName(file)) }

func baseName(file string) string {
	base := path.Base(file)
	return strings.TrimSuffix(base, path.Ext(base))
}

func (r *Reader) fromName(v *schemas.Video) {
	if r.pattern == nil {
		return
	}
	m := r.match(v.Name)
	if m == nil {
		return
	}
	values := map[string]string{}
	for i, group := range r.pattern.SubexpNames() {
		if group != "" && m[i] != "" {
			values[group] = m[i]
		}
	}
	annotate(v, values)
}

// annotate puts the special columns in their fields and the rest in Labels. A
// later call overrides an earlier one.
func annotate(v *schemas.Video, values map[string]string) {
	for key, value := range values {
		switch key {
		case "title":
			v.Title = value
		case "category":
			v.Category = value
		case "description":
			v.Description = value
		case "license":
			v.License = value
		default:
			if v.Labels == nil {
				v.Labels = map[string]string{}
			}
			v.Labels[key] = value
		}
	}
}
