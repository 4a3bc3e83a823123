package release

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

// Report is what Verify checked.
type Report struct {
	Manifest Manifest
	Files    int
	Bytes    int64
	Rows     map[string]int64
}

// Verify checks every byte, schema, reference and count of the release in dir.
// Digests come first: a file is parsed only once its bytes are those the
// manifest names. What does not hold is a *DamagedError with all findings.
func Verify(ctx context.Context, dir string) (Report, error) {
	v, err := verify(ctx, dir)
	return v.report, err
}

func verify(ctx context.Context, dir string) (*verifier, error) {
	v := &verifier{ctx: ctx, dir: dir, report: Report{Rows: map[string]int64{}}, rows: map[string][]row{}}
	if err := v.run(); err != nil {
		return v, fmt.Errorf("verify release: %w", err)
	}
	if len(v.problems) > 0 {
		return v, &DamagedError{Dir: dir, Problems: v.problems}
	}
	return v, nil
}

type verifier struct {
	ctx      context.Context
	dir      string
	report   Report
	listed   map[string]pipeline.Digest
	rows     map[string][]row // by table
	problems []Problem
}

func (v *verifier) add(path, format string, args ...any) {
	v.problems = append(v.problems, Problem{Path: path, Detail: fmt.Sprintf(format, args...)})
}

// run stops early where going on would mean to parse bytes that are not those
// of the release.
func (v *verifier) run() error {
	if info, err := os.Stat(v.dir); err != nil || !info.IsDir() {
		return errors.Join(err, fmt.Errorf("%s is no folder of a release", v.dir))
	}
	if !v.readSums() {
		return nil
	}
	if err := v.walk(); err != nil || len(v.problems) > 0 {
		return err
	}
	data, err := readLimited(filepath.Join(v.dir, manifestName), maxManifest)
	if err != nil {
		return err
	}
	if v.report.Manifest, err = parseManifest(data); err != nil {
		v.add(manifestName, "%v", err)
		return nil
	}
	v.checkListed()
	if len(v.problems) > 0 {
		return nil
	}
	return v.checkTables()
}

func (v *verifier) readSums() bool {
	data, err := readLimited(filepath.Join(v.dir, sumsName), maxManifest)
	if err != nil {
		v.add(sumsName, "%v", err)
		return false
	}
	files, err := parseSums(data)
	if err != nil {
		v.add(sumsName, "%v", err)
		return false
	}
	v.listed = map[string]pipeline.Digest{}
	for _, f := range files {
		v.listed[f.Path] = f.SHA256
	}
	if v.listed[manifestName] == "" {
		v.add(sumsName, "does not list %s", manifestName)
	}
	return len(v.problems) == 0
}

// walk compares the files that are there with those listed.
func (v *verifier) walk() error {
	seen := map[string]bool{}
	err := filepath.WalkDir(v.dir, func(name string, d fs.DirEntry, err error) error {
		if err := errors.Join(err, v.ctx.Err()); err != nil {
			return err
		}
		rel, err := filepath.Rel(v.dir, name)
		if err != nil || d.IsDir() {
			return err
		}
		rel = filepath.ToSlash(rel)
		seen[rel] = true
		return v.checkFile(name, rel, d)
	})
	if err != nil {
		return err
	}
	for rel := range v.listed {
		if !seen[rel] {
			v.add(rel, "is missing")
		}
	}
	slices.SortFunc(v.problems, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

func (v *verifier) checkFile(name, rel string, d fs.DirEntry) error {
	want, listed := v.listed[rel]
	switch {
	case rel == sumsName:
		return nil
	case !d.Type().IsRegular():
		v.add(rel, "is not a regular file")
		return nil
	case !listed:
		v.add(rel, "does not belong to the release")
		return nil
	}
	got, n, err := digestFile(v.ctx, name)
	if err != nil {
		return err
	}
	v.report.Files++
	v.report.Bytes += n
	if got != want {
		v.add(rel, "has digest %s, want %s", got, want)
	}
	return nil
}

func digestFile(ctx context.Context, name string) (pipeline.Digest, int64, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", 0, err
	}
	sum := sha256.New()
	n, err := io.Copy(sum, contextReader{ctx, f})
	if err = errors.Join(err, f.Close()); err != nil {
		return "", 0, err
	}
	return pipeline.Digest(hex.EncodeToString(sum.Sum(nil))), n, nil
}

// checkListed compares the manifest with SHA256SUMS and the files' sizes.
func (v *verifier) checkListed() {
	m := v.report.Manifest
	for _, f := range m.Files {
		if v.listed[f.Path] != f.SHA256 {
			v.add(f.Path, "the manifest says digest %s, %s says %s", f.SHA256, sumsName, v.listed[f.Path])
		}
		info, err := os.Lstat(filepath.Join(v.dir, filepath.FromSlash(f.Path)))
		if err == nil && info.Size() != f.Size {
			v.add(f.Path, "has %d bytes, the manifest says %d", info.Size(), f.Size)
		}
	}
	if len(m.Files) != len(v.listed)-1 {
		v.add(manifestName, "lists %d files, %s lists %d besides it", len(m.Files), sumsName, len(v.listed)-1)
	}
}

// checkTables decodes every table and checks what the rows say.
func (v *verifier) checkTables() error {
	info := Info{Dir: v.dir, Manifest: v.report.Manifest}
	known := map[string]bool{}
	for _, t := range tables() {
		known[t.name] = true
		ti, ok := info.Manifest.table(t.name)
		if !ok {
			v.add(manifestName, "says nothing of table %s", t.name)
		}
		for _, s := range ti.Splits {
			if err := v.ctx.Err(); err != nil {
				return err
			}
			part := v.readPart(info, t, s.Path)
			if int64(len(part)) != s.Rows {
				v.add(s.Path, "has %d rows, the manifest says %d", len(part), s.Rows)
			}
			v.checkSplit(t, s, part)
			v.rows[t.name] = append(v.rows[t.name], part...)
		}
		v.report.Rows[t.name] = int64(len(v.rows[t.name]))
	}
	for _, t := range info.Manifest.Tables {
		if !known[t.Name] {
			v.add(manifestName, "table %s is not known to this program", t.Name)
		}
	}
	for _, p := range references(v.rows) {
		v.add("data", "%s", p)
	}
	v.checkMedia(info, v.rows[tableMedia])
	v.checkStrays(info)
	return nil
}

// readPart decodes one file and checks its order and its declared features.
func (v *verifier) readPart(info Info, t table, path string) []row {
	data, err := readPinned(info, path)
	if err != nil {
		v.add(path, "%v", err)
		return nil
	}
	rows, meta, err := readTable(data, t)
	if err != nil {
		v.add(path, "%v", err)
		return nil
	}
	if features, err := featuresJSON(t); err != nil || meta[featuresKey] != string(features) {
		v.add(path, "declares other features than its columns")
	}
	sorted := slices.Clone(rows)
	t.sort(sorted)
	if compareRows(t, sorted, rows) != nil {
		v.add(path, "rows are not in order")
	}
	return rows
}

func (v *verifier) checkSplit(t table, s SplitInfo, rows []row) {
	i, _ := t.column("split")
	for _, r := range rows {
		if t.divided && r[i] != s.Split {
			v.add(s.Path, "holds %v of split %v", r[0], r[i])
		}
	}
}

// checkMedia compares the media table with the media files and the tables
// beside them.
func (v *verifier) checkMedia(info Info, media []row) {
	t := mediaTable()
	name, _ := t.column("file_name")
	size, _ := t.column("bytes")
	files := map[string]bool{}
	for _, r := range media {
		path, _ := r[name].(string)
		files[path] = true
		i := slices.IndexFunc(info.Manifest.Files, func(f FileInfo) bool { return f.Path == path })
		if i < 0 {
			v.add(path, "medium %v has no file", r[0])
			continue
		}
		if f := info.Manifest.Files[i]; string(f.SHA256) != r[0] || f.Size != r[size] {
			v.add(path, "is not the medium %v of %v bytes", r[0], r[size])
		}
	}
	beside := 0
	for _, f := range info.Manifest.Files {
		if !strings.HasPrefix(f.Path, "media/") {
			continue
		}
		if strings.HasSuffix(f.Path, "/"+filesName) {
			beside += v.checkBeside(info, f.Path, files)
		} else if !files[f.Path] {
			v.add(f.Path, "is in no row of table media")
		}
	}
	if beside != len(media) {
		v.add("media", "%d media, the tables beside the files list %d", len(media), beside)
	}
}

func (v *verifier) checkBeside(info Info, path string, files map[string]bool) int {
	rows := v.readPart(info, filesTable(), path)
	for _, r := range rows {
		name, _ := r[0].(string)
		if full := strings.TrimSuffix(path, filesName) + name; !files[full] {
			v.add(path, "lists %q, which is no medium", name)
		}
	}
	return len(rows)
}

// checkStrays finds files under data/ that no table claims.
func (v *verifier) checkStrays(info Info) {
	claimed := map[string]bool{}
	for _, t := range info.Manifest.Tables {
		for _, s := range t.Splits {
			claimed[s.Path] = true
		}
	}
	for _, f := range info.Manifest.Files {
		if strings.HasPrefix(f.Path, "data/") && !claimed[f.Path] {
			v.add(f.Path, "belongs to no table")
		}
	}
}
