package release

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"iter"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/kit/parquetread"
	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/release/describe"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

func isTable(path string) bool {
	return strings.HasPrefix(path, "data/") && strings.HasSuffix(path, ".parquet")
}

// checkTables decodes every table, a row group at a time, and checks what the rows say.
func (v *verifier) checkTables() error {
	m := v.report.Manifest
	if !v.held {
		v.budget = v.limits.streaming(v.tableBytes)
	}
	all := shapesOf(m)
	for _, t := range all {
		if _, ok := m.Table(t.name); !ok {
			v.add(manifest.FileName, "says nothing of table %s", t.name)
			v.unread++
		}
	}
	for _, t := range m.Tables {
		if _, known := findTable(all, t.Name); !known {
			v.add(manifest.FileName, "table %s is not known to this program", t.Name)
		}
	}
	v.passed, v.kept = map[string]bool{}, map[string][]row{}
	defer func() { v.kept = nil }() // what is read after the check is read from the files
	problems := checkReferences(currentShapes(m), v.each, m.Format >= manifest.RuledFormat)
	if v.failed != nil {
		return v.failed
	}
	v.checkStrayFiles(Info{Dir: v.dir, Manifest: m})
	if v.unread > 0 {
		return nil
	}
	for _, p := range problems {
		v.add("data", "%s", p)
	}
	if err := v.checkReviewed(m); err != nil {
		return err
	}
	return v.checkMedia(m)
}

// each yields the rows of a table in its order, and checks them the first time. It
// yields nothing once reading has failed. Callers must not change rows: the next pass
// may yield the same ones.
func (v *verifier) each(t table) iter.Seq[row] {
	if rows, ok := v.kept[t.name]; ok {
		return slices.Values(rows)
	}
	first := !v.passed[t.name]
	v.passed[t.name] = true
	return func(yield func(row) bool) {
		m, written := v.report.Manifest, t
		if m.Format < manifest.WideFormat {
			written = t.firstFormat()
		}
		info, _ := m.Table(t.name)
		keep := &rowCache{of: v, on: first && v.kept != nil, unread: v.unread}
		for r := range mergeRows(written, v.splits(written, info.Splits, first)) {
			r = widenRow(m, t, r)
			if first {
				v.report.Rows[t.name]++
			}
			keep.add(r)
			if !yield(r) {
				return
			}
		}
		keep.store(t)
	}
}

func (v *verifier) splits(t table, files []manifest.SplitInfo, check bool) (out []iter.Seq[row]) {
	for _, shards := range manifest.GroupBySplit(files) {
		out = append(out, func(yield func(row) bool) {
			following := &rowOrder{table: t}
			for _, s := range shards {
				if !v.readSplit(t, s, following, check, yield) {
					return
				}
			}
		})
	}
	return out
}

// readSplit yields the rows of one file, and compares them with the manifest where they
// are to be checked.
func (v *verifier) readSplit(t table, s manifest.SplitInfo, following *rowOrder, check bool, yield func(row) bool) bool {
	unread, n := v.unread, int64(0)
	split, _ := t.column("split")
	b := v.budget
	if !check {
		b = &budget{Unlimited, Unlimited, v.budget.group}
	}
	goes := v.readPart(b, t, s.Path, check, following, func(r row) bool {
		if n++; check && t.divided && r[split] != s.Split {
			v.add(s.Path, "holds %v of split %v", r[0], r[split])
		}
		return yield(r)
	})
	if check && v.unread == unread && goes && n != s.Rows {
		v.add(s.Path, "has %d rows, the manifest says %d", n, s.Rows)
	}
	return goes
}

// readPart yields the rows of one file and, where it is to be checked, notes what is
// wrong with their order, their form and the declared features. Only rows count: another
// writer may lay them out otherwise and declare no features. It returns false where no
// more rows are wanted.
func (v *verifier) readPart(b *budget, t table, path string, check bool, f *rowOrder, yield func(row) bool) bool {
	f.found = [3]string{}
	for g, err := range v.part(b, t, path) {
		if err != nil {
			v.noteReadError(path, err, check)
			break
		}
		if check {
			f.check(g)
		}
		for _, r := range g.rows {
			if !yield(r) {
				return false
			}
		}
	}
	for _, why := range f.found {
		if why != "" {
			v.add(path, "%s", why)
		}
	}
	return v.failed == nil
}

// part reads a file whose digest was checked, and compares it once more behind its rows,
// while it is open.
func (v *verifier) part(b *budget, t table, path string) iter.Seq2[group, error] {
	return func(yield func(group, error) bool) {
		if v.failed != nil {
			return
		}
		if v.listed.Digest(path) == "" {
			yield(group{}, errors.New("no list names it"))
			return
		}
		file, size, err := openPart(v.dir, path)
		if err != nil {
			yield(group{}, err)
			return
		}
		defer file.Close()
		defer func() { v.failed = cmp.Or(v.failed, v.checkUnchanged(file, path)) }()
		for g, err := range b.groups(file, size, t, path) {
			if !yield(g, errors.Join(err, v.ctx.Err())) {
				return
			}
		}
	}
}

// noteReadError keeps what ended the reading of a file. After a *LimitError nothing more
// is read. A finding about the bytes of a rewritten table joins the one that says so:
// both have one cause.
func (v *verifier) noteReadError(path string, err error, check bool) {
	var over *LimitError
	if errors.As(err, &over) {
		err = over
	}
	if over != nil || v.ctx.Err() != nil {
		v.failed = err
		return
	}
	var inexact *parquetread.InexactError
	readable := errors.As(err, &inexact)
	if !check {
		if !readable && !v.unreadableTables[path] {
			v.failed = cmp.Or(v.failed, changedError(v.dir, path))
		}
		return // else it has been said
	}
	if !readable {
		v.unread++
		v.unreadableTables[path] = true
	}
	apart, why := v.isRewritten(path), err.Error()
	switch {
	case readable:
		why = "its rows can be read, but it is not what memforge writes of them: " + inexact.Error()
	case apart:
		why = "its rows cannot be read: " + why
	}
	if apart {
		v.problems[v.rewritten[path]].Detail += "; " + why
		return
	}
	v.add(path, "%s", why)
	if readable {
		v.addRewritten(path)
	}
}

// rowOrder follows the rows of a split from file to file.
type rowOrder struct {
	table
	rows  int
	last  []byte // key of the row before
	found [3]string
}

// What following finds, of each only what comes first.
const (
	otherFeatures = iota
	otherForm
	otherOrder
)

// check checks the order of rows, their form, and what their file declares of its
// columns.
func (f *rowOrder) check(g group) {
	declared, there := g.file.declared()
	if features, err := describe.FeaturesJSON(f.name, f.columns); err != nil || there && declared != string(features) {
		f.found[otherFeatures] = "declares other features than its columns"
	}
	for _, r := range g.rows {
		f.rows++
		if column := f.nonCanonical(r); column != "" && f.found[otherForm] == "" {
			f.found[otherForm] = fmt.Sprintf("row %d, column %s: the value is null or empty where memforge writes it otherwise", f.rows, column)
		}
		key := f.key(r)
		if bytes.Compare(key, f.last) < 0 {
			f.found[otherOrder] = "rows are not in order"
		}
		f.last = key
	}
}

// nonCanonical names the column of a value that the writer writes otherwise, see
// rowschema.Column; empty where there is none.
func (t table) nonCanonical(r row) string {
	for j, c := range t.columns {
		if !c.Canonical(r[j]) || t.name == tableLabels && !validSpan(r) {
			return c.Name
		}
	}
	return ""
}

// validSpan reports whether a row of labels has both seconds, not both 0, or none.
func validSpan(r row) bool {
	l := recordOf[labelRow](tableLabels, r)
	if l.From == nil || l.To == nil {
		return l.From == nil && l.To == nil
	}
	return *l.From != 0 || *l.To != 0
}

// folderTable matches the tables beside media files.
var folderTable = regexp.MustCompile(`^media/(images|videos)/([0-9a-f]{2}/)?metadata\.parquet$`)

// checkMedia compares the media table with the media files and the tables beside them.
func (v *verifier) checkMedia(m manifest.Manifest) error {
	t := tableOf(tableMedia)
	name, _ := t.column("file_name")
	size, _ := t.column("bytes")
	license, _ := t.column("license")
	seen, beside, kinds := make([]bool, len(m.Files)), newIDSet(), map[string]int{}
	for i, f := range m.Files {
		seen[i] = true
		switch {
		case !strings.HasPrefix(f.Path, "media/"):
		case folderTable.MatchString(f.Path):
			v.checkFolderTable(f.Path, beside)
		default:
			kind, _, _ := strings.Cut(strings.TrimPrefix(f.Path, "media/"), "s/")
			kinds[kind]++
			seen[i] = false
		}
	}
	referenced, err := v.checkReferenced(m, kinds)
	if err != nil {
		return err
	}
	for r := range v.each(t) {
		place, _ := r[name].(string)
		if id, _ := r[0].(string); referenced[id] {
			v.checkPlace(place, r, kinds)
			continue
		}
		if of, ok := r[license].(string); ok {
			v.report.Licenses[of] = true
		}
		i, ok := m.File(place)
		if !ok || seen[i] {
			v.add(place, "medium %v has no file", r[0])
			continue
		}
		seen[i] = true
		switch f := m.Files[i]; {
		case string(f.SHA256) != r[0] || f.Size != r[size]:
			v.add(place, "is not the medium %v of %v bytes", r[0], r[size])
		case !beside.has(place):
			v.add(place, "is not listed by the table beside it")
		}
		v.checkPlace(place, r, kinds)
	}
	for i, f := range m.Files {
		if !seen[i] {
			v.add(f.Path, "is in no row of table media")
		}
	}
	return v.failed
}

// checkReferenced returns the ids of referenced media, compares the files that are there
// with their rows, and counts them by kind.
func (v *verifier) checkReferenced(m manifest.Manifest, kinds map[string]int) (map[string]bool, error) {
	referenced := map[string]bool{}
	if m.Media == "" {
		return referenced, nil
	}
	for r := range v.each(tableOf(tableMedia)) {
		row := recordOf[mediaRow](tableMedia, r)
		if !m.References(row.License) {
			continue
		}
		referenced[row.MediaID] = true
		kinds[row.Kind]++
		switch folder, there := v.unlisted[row.FileName]; {
		case m.Has(row.FileName):
			v.add(row.FileName, "is shipped under licence %q, which forbids it", row.License)
			continue
		case !there || folder:
			v.report.Referenced = append(v.report.Referenced, row.MediaID)
			continue
		}
		delete(v.unlisted, row.FileName)
		for at := path.Dir(row.FileName); at != "."; at = path.Dir(at) {
			delete(v.unlisted, at)
		}
		got, n, err := digestFile(v.ctx, filepath.Join(v.dir, filepath.FromSlash(row.FileName)))
		if err != nil {
			return nil, err
		}
		v.report.Files++
		v.report.Bytes += n
		if string(got) != row.MediaID || n != row.Bytes {
			v.add(row.FileName, "has %d bytes of digest %s, want %d of %s; hydrate the release again", n, got, row.Bytes, row.MediaID)
		}
	}
	return referenced, v.failed
}

// checkPlace compares the name of a medium's file with its row, and the picture in the
// row with the file.
func (v *verifier) checkPlace(place string, r row, kinds map[string]int) {
	m := recordOf[mediaRow](tableMedia, r)
	if want, err := mediaPath(m.Media, kinds[m.Kind]); err != nil || want != place {
		v.add(place, "medium %s of type %s lies at %s: %v", m.MediaID, m.Mime, want, err)
		return
	}
	var picture []byte
	if m.Kind == kindOfImage && m.Bytes <= maxPicture && !v.report.Manifest.References(m.License) {
		var err error
		if picture, err = atomicfile.Read(filepath.Join(v.dir, filepath.FromSlash(place)), maxPicture); err != nil {
			v.add(place, "%v", err)
		} else if string(pipeline.DigestOf(picture)) != m.MediaID {
			v.failed = changedError(v.dir, place)
		}
	}
	i, _ := tableOf(tableMedia).column("image")
	if want := rowOf(tableMedia, mediaRowOf(m.Media, place, picture)); !rowschema.EqualCells(r[i], want[i]) {
		v.add(place, "the picture in table media is not this file")
	}
}

// checkFolderTable compares the table beside a folder's files with the files, and adds
// those that it lists.
func (v *verifier) checkFolderTable(place string, listed *idSet) {
	t := tableOf(tableFiles)
	v.readPart(v.budget, t, place, true, &rowOrder{table: t}, func(r row) bool {
		name, _ := r[0].(string)
		id, _ := r[1].(string)
		full := strings.TrimSuffix(place, filesName) + name
		if v.listed.Digest(full) != pipeline.Digest(id) || id == "" {
			v.add(place, "lists %q as %q, which is no medium", name, id)
		}
		listed.add(full)
		return true
	})
}

// checkStrayFiles reports listed files that are no part of a release, and missing texts.
// checkMedia checks the files under media/.
func (v *verifier) checkStrayFiles(info Info) {
	belongs := map[string]bool{}
	for _, name := range []string{describe.CardName, describe.LicensesName, describe.ChangelogName, describe.ReportName, describe.CroissantName} {
		belongs[name] = true
		if !info.Manifest.Has(name) {
			v.add(name, "is missing, and no list names it")
		}
	}
	for _, t := range info.Manifest.Tables {
		for _, s := range t.Splits {
			belongs[s.Path] = true
		}
	}
	for _, f := range info.Manifest.Files {
		switch {
		case belongs[f.Path], strings.HasPrefix(f.Path, "media/"), recipePath.MatchString(f.Path):
		case strings.HasPrefix(f.Path, "data/"):
			v.add(f.Path, "belongs to no table")
		default:
			v.add(f.Path, "is no file that a release has")
		}
	}
}
