package release

import (
	"path/filepath"
	"regexp"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/release/describe"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// folderTable are the tables beside media files.
var folderTable = regexp.MustCompile(`^media/(images|videos)/([0-9a-f]{2}/)?metadata\.parquet$`)

// checkMedia compares the media table with the media files and the tables beside
// them.
func (v *verifier) checkMedia(m manifest.Manifest) error {
	t := tableOf(tableMedia)
	name, _ := t.column("file_name")
	size, _ := t.column("bytes")
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
	for r := range v.each(t) {
		place, _ := r[name].(string)
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

// checkPlace holds the name of a medium's file against its row, and the picture
// in the row against the file.
func (v *verifier) checkPlace(place string, r row, kinds map[string]int) {
	m := recordOf[mediaRow](tableMedia, r)
	if want, err := mediaPath(m.Media, kinds[m.Kind]); err != nil || want != place {
		v.add(place, "medium %s of type %s lies at %s: %v", m.MediaID, m.Mime, want, err)
		return
	}
	var picture []byte
	if m.Kind == kindOfImage && m.Bytes <= maxPicture {
		var err error
		if picture, err = atomicfile.Read(filepath.Join(v.dir, filepath.FromSlash(place)), maxPicture); err != nil {
			v.add(place, "%v", err)
		} else if string(pipeline.DigestOf(picture)) != m.MediaID {
			v.failed = changedError(v.dir, place)
		}
	}
	i, _ := tableOf(tableMedia).column("image")
	if want := rowOf(tableMedia, mediaRowOf(m.Media, place, picture)); !equalCells(r[i], want[i]) {
		v.add(place, "the picture in table media is not this file")
	}
}

// checkFolderTable holds the table beside a folder's files against the files, and notes
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

// checkStrayFiles finds files that are no part of a release, though every list names
// them, and texts that it lacks. Files under media/ are those of table media, see
// checkMedia.
func (v *verifier) checkStrayFiles(info Info) {
	belongs := map[string]bool{lockName: true}
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
		case belongs[f.Path], strings.HasPrefix(f.Path, "media/"):
		case strings.HasPrefix(f.Path, "data/"):
			v.add(f.Path, "belongs to no table")
		default:
			v.add(f.Path, "is no file that a release has")
		}
	}
}
