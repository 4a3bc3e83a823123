package release

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// Report is what Verify checked.
type Report struct {
	Manifest manifest.Manifest
	Files    int
	Bytes    int64
	Rows     map[string]int64
	// Added lists what git, a hub or its client put beside the files of the release, which
	// was not looked into. Links counts files that are symbolic links, whose bytes are
	// checked as those of others; LinkTarget is where the first leads.
	Added      []string
	Links      int
	LinkTarget string
	// Sums are the bytes of SHA256SUMS that all else was held against, Signature
	// those of the signature file over them, nil where there is none. Nothing
	// here says whose it is: see package seal.
	Sums      string
	Signature []byte
	// Referenced are the ids, sorted, of referenced media whose files are not there: they
	// are not checked. Files of others are checked like those that the release ships.
	Referenced []string
	// Licenses are those of the media that the release ships.
	Licenses map[string]bool
}

// Verify checks every byte, schema, reference and count of the release in dir,
// within the default limits. Digests come first: a file is parsed only once its
// bytes are those the manifest names. What does not hold is a *DamagedError with
// all findings.
func Verify(ctx context.Context, dir string) (Report, error) { return Limits{}.Verify(ctx, dir) }

// Verify is Verify within other limits; what exceeds them is a *LimitError.
func (l Limits) Verify(ctx context.Context, dir string) (Report, error) {
	v := l.verifier(ctx, dir)
	err := v.verifyAll()
	return v.report, err
}

// verify is Verify for a caller that holds all rows.
func (l Limits) verify(ctx context.Context, dir string) (*verifier, error) {
	v := l.verifier(ctx, dir)
	v.held = true
	return v, v.verifyAll()
}

func (l Limits) verifier(ctx context.Context, dir string) *verifier {
	// A link that names the release stands for the folder; see checkLink for those inside.
	if to, err := filepath.EvalSymlinks(dir); err == nil {
		dir = to
	}
	return &verifier{ctx: ctx, dir: dir, limits: l, report: Report{Rows: map[string]int64{}, Licenses: map[string]bool{}}, budget: l.budget(), digests: map[string]pipeline.Digest{}, unlisted: map[string]bool{}, unreadableTables: map[string]bool{}}
}

func (v *verifier) verifyAll() error {
	if !v.isSmall() {
		defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	}
	if err := v.run(); err != nil {
		return fmt.Errorf("verify release: %w", err)
	}
	v.addUnlisted()
	if len(v.problems) > 0 {
		slices.SortStableFunc(v.problems, func(a, b Problem) int {
			return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Detail, b.Detail))
		})
		return &DamagedError{Dir: v.dir, Problems: slices.Compact(v.problems), Inside: releaseIn(v.dir)}
	}
	return nil
}

const smallRelease = 4 << 20

// isSmall reports whether lists and tables have few bytes, so that the heap may grow as
// usual: one of some megabytes would be collected all the time. The budget bounds what
// few bytes are inflated to.
func (v *verifier) isSmall() bool {
	places := []string{filepath.Join(v.dir, manifest.FileName), filepath.Join(v.dir, manifest.SumsName)}
	tables, err := filepath.Glob(filepath.Join(v.dir, "data", "*", "*"))
	if err != nil {
		return false // its own name is a pattern
	}
	var n int64
	for _, place := range append(places, tables...) {
		if info, err := os.Stat(place); err == nil {
			n += info.Size()
		}
	}
	return n <= smallRelease
}

type verifier struct {
	ctx    context.Context
	dir    string
	report Report
	listed manifest.Sums
	limits Limits
	// held says that somebody will hold what is read: then the budget is for memory.
	held   bool
	budget *budget
	// tableBytes is how many the files of tables have.
	tableBytes int64
	// passed are the tables that have been read and checked once, failed is what
	// ended the reading.
	passed map[string]bool
	// kept are rows of tables, while these are checked: see keeping.
	kept     map[string][]row
	failed   error
	problems []Problem
	// digests are the digests that tables had when they were compared with the lists, bad
	// those tables that could not be read then.
	digests          map[string]pipeline.Digest
	unreadableTables map[string]bool
	// unread counts tables whose rows are missing, because they could not be read or
	// are not named: what refers to such rows, or counts them, is not looked at.
	unread    int
	rewritten rewrittenTables
	// unlisted are the files and folders below media that no list names: they may be those
	// of referenced media.
	unlisted map[string]bool
}

func (v *verifier) add(path, format string, args ...any) {
	v.problems = append(v.problems, Problem{Path: path, Detail: fmt.Sprintf(format, args...)})
}

// run stops before it would parse bytes that are not those of the release.
func (v *verifier) run() error {
	if info, err := os.Stat(v.dir); err != nil || !info.IsDir() {
		return errors.Join(err, fmt.Errorf("%s is no folder of a release", v.dir))
	}
	if !v.readSums() {
		return nil
	}
	if err := v.checkFiles(); err != nil || len(v.problems) > len(v.rewritten) {
		return err
	}
	if goes, err := v.readManifest(); err != nil || !goes {
		return err
	}
	if v.report.Manifest.Media == "" {
		v.addUnlisted()
	}
	v.checkListed()
	if len(v.problems) > len(v.rewritten) {
		return nil
	}
	return v.checkTables()
}

// readManifest reads the manifest, and compares the file with the encoding of what it
// says.
func (v *verifier) readManifest() (goes bool, err error) {
	v.report.Manifest, err = readManifestAs(v.dir, func(f manifest.FileInfo) (manifest.FileInfo, bool) { return v.listed.Intern(f), true })
	if err != nil {
		v.add(manifest.FileName, "%v", err)
		return false, nil
	}
	file, err := atomicfile.Open(filepath.Join(v.dir, manifest.FileName))
	if err != nil {
		return false, err
	}
	same, sum := compareWith(file), sha256.New()
	if err := errors.Join(v.report.Manifest.Encode(io.MultiWriter(same, sum)), file.Close()); err != nil {
		return false, err
	}
	if !same.differs() && pipeline.DigestOfSum([sha256.Size]byte(sum.Sum(nil))) != v.listed.Digest(manifest.FileName) {
		return false, changedError(v.dir, manifest.FileName)
	}
	if same.differs() {
		v.add(manifest.FileName, "is not what memforge writes of what it says: line %d is another", same.line)
	}
	return true, nil
}

func (v *verifier) readSums() bool {
	data, err := atomicfile.Read(filepath.Join(v.dir, manifest.SumsName), manifest.MaxBytes)
	if err == nil {
		v.report.Sums = string(data)
		v.listed, err = manifest.ParseSums(v.report.Sums)
	}
	if err != nil {
		v.add(manifest.SumsName, "%v", err)
		return false
	}
	if v.listed.Digest(manifest.FileName) == "" {
		v.add(manifest.SumsName, "does not list %s", manifest.FileName)
	}
	if v.listed.Digest(SignatureName) != "" {
		v.add(manifest.SumsName, "lists %s, which signs it", SignatureName)
	}
	return len(v.problems) == 0
}

// checkFiles compares the files that are there with those listed.
func (v *verifier) checkFiles() error {
	seen := make([]bool, v.listed.Len())
	err := filepath.WalkDir(v.dir, func(name string, d fs.DirEntry, err error) error {
		if err := errors.Join(err, v.ctx.Err()); err != nil {
			return err
		}
		rel, err := filepath.Rel(v.dir, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if v.isLeftover(rel) {
			v.report.Added = append(v.report.Added, rel)
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			switch {
			case rel == "." || v.listed.HasFolder(rel):
			case mediaFolder.MatchString(rel):
				v.unlisted[rel] = true
			default:
				v.add(rel, "is a folder without a file of the release")
			}
			return nil
		}
		if i, ok := v.listed.Find(rel); ok {
			seen[i] = true
		}
		return v.checkFile(name, rel, d)
	})
	if err != nil {
		return err
	}
	for i, there := range seen {
		if !there {
			v.add(v.listed.Path(i), "is missing")
		}
	}
	return nil
}

func (v *verifier) checkFile(name, rel string, d fs.DirEntry) error {
	want := v.listed.Digest(rel)
	switch link := d.Type() == fs.ModeSymlink; {
	case link && v.listed.HasFolder(rel):
		v.add(rel, "is a link in the place of a folder; put the folder itself here")
		return nil
	case link:
		if why := v.checkLink(name); why != "" {
			v.add(rel, "%s", why)
			return nil
		}
	case !d.Type().IsRegular():
		v.add(rel, "is not a regular file")
		return nil
	}
	switch {
	case rel == manifest.SumsName:
		return nil
	case rel == SignatureName:
		v.readSignature(name)
		return nil
	case want == "" && mediumFile.MatchString(rel):
		v.unlisted[rel] = false
		return nil
	case want == "":
		v.add(rel, "does not belong to the release")
		return nil
	}
	got, n, err := digestFile(v.ctx, name)
	if err != nil {
		return err
	}
	v.report.Files++
	v.report.Bytes += n
	if isTable(rel) {
		v.tableBytes += n
		v.digests[rel] = got
	}
	if got != want {
		v.add(rel, "has digest %s, want %s", got, want)
		v.addRewritten(rel)
	}
	return nil
}

var (
	mediaFolder = regexp.MustCompile(`^media(/(images|videos)(/[0-9a-f]{2})?)?$`)
	mediumFile  = regexp.MustCompile(`^media/(images|videos)/([0-9a-f]{2}/)?[0-9a-f]{64}\.[a-z0-9]+$`)
)

// addUnlisted reports the files and folders below media that turned out to be nothing of
// the release.
func (v *verifier) addUnlisted() {
	for rel, folder := range v.unlisted {
		if folder {
			v.add(rel, "is a folder without a file of the release")
		} else {
			v.add(rel, "does not belong to the release")
		}
	}
	clear(v.unlisted)
}

func (v *verifier) readSignature(name string) {
	data, err := atomicfile.Read(name, maxSignature)
	if err != nil {
		v.add(SignatureName, "%v", err)
	}
	v.report.Signature = data
}

// checkListed compares the manifest with SHA256SUMS and the files' sizes.
func (v *verifier) checkListed() {
	for _, f := range v.report.Manifest.Files {
		v.checkEntry(f)
	}
	for i := range v.listed.Len() {
		if path := v.listed.Path(i); path != manifest.FileName && !v.report.Manifest.Has(path) {
			v.add(path, "%s lists it, the manifest does not", manifest.SumsName)
		}
	}
}

// checkEntry adds one finding at most: a file with another digest may well have another
// size.
func (v *verifier) checkEntry(f manifest.FileInfo) {
	digest := v.listed.Digest(f.Path)
	info, err := os.Stat(filepath.Join(v.dir, filepath.FromSlash(f.Path)))
	switch {
	case digest == "":
		v.add(f.Path, "the manifest lists it, %s does not", manifest.SumsName)
	case digest != f.SHA256:
		v.add(f.Path, "the manifest says digest %s, %s says %s", f.SHA256, manifest.SumsName, digest)
		v.addRewritten(f.Path)
	case err == nil && info.Size() != f.Size && !v.isRewritten(f.Path):
		v.add(f.Path, "has %d bytes, the manifest says %d", info.Size(), f.Size)
	}
}

// changedError is the error of a file that changed between the check of its bytes and
// its reading.
func changedError(dir, path string) error {
	return damagedError(dir, path, "has changed while the release was read; let nobody write to it meanwhile")
}

// checkUnchanged compares the bytes of an open file of a table with those that it had.
func (v *verifier) checkUnchanged(file *os.File, path string) error {
	want, known := v.digests[path]
	if !known {
		want = v.listed.Digest(path)
	}
	return checkUnchanged(v.ctx, file, want, v.dir, path)
}

// checkUnchanged compares the bytes of an open file with a digest.
func checkUnchanged(ctx context.Context, file *os.File, want pipeline.Digest, dir, path string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	got, _, err := atomicfile.Copy(ctx, io.Discard, file)
	if err != nil {
		return err
	}
	if pipeline.Digest(got) != want {
		return changedError(dir, path)
	}
	return nil
}

// ReadMedium lets read look at the file of a medium of the release. That it still has the
// bytes which were verified is compared behind that, while it is open.
func (c Contents) ReadMedium(ctx context.Context, id string, read func(*os.File) error) error {
	place, there := c.Files[id]
	if !there {
		return &ReferencedError{id}
	}
	file, err := atomicfile.Open(filepath.Join(c.Dir, filepath.FromSlash(place)))
	if err != nil {
		return err
	}
	defer file.Close()
	failed := read(file)
	if err := checkUnchanged(ctx, file, pipeline.Digest(id), c.Dir, place); err != nil {
		return err
	}
	return failed
}

// MediaFiles returns the file of each medium.
func (c Contents) MediaFiles() map[pipeline.Digest]string {
	out := make(map[pipeline.Digest]string, len(c.Files))
	for id, file := range c.Files {
		out[pipeline.Digest(id)] = filepath.Join(c.Dir, filepath.FromSlash(file))
	}
	return out
}

// keptInflated bounds the tables whose rows are kept during the check, as budgets count:
// references are followed in half a dozen passes, and decoding so little each time takes
// longer than all checks of it.
const keptInflated = 8 << 20

type rowCache struct {
	of     *verifier
	on     bool
	unread int
	rows   []row
}

// add keeps a row, unless too much was read by now.
func (k *rowCache) add(r row) {
	if k.on = k.on && k.of.budget.all-k.of.budget.left <= keptInflated; !k.on {
		k.rows = nil
		return
	}
	k.rows = append(k.rows, r)
}

// store keeps the rows for the next pass, where all of them could be read.
func (k *rowCache) store(t table) {
	if k.on && k.of.failed == nil && k.of.unread == k.unread {
		k.of.kept[t.name] = k.rows
	}
}
