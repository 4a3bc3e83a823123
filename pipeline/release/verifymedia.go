package release

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/disk"
)

// checkMedia compares the media table with the media files and the tables
// beside them.
func (v *verifier) checkMedia(info Info, media []row) error {
	t := tableOf(tableMedia)
	name, _ := t.column("file_name")
	size, _ := t.column("bytes")
	listed := map[string]FileInfo{}
	for _, f := range info.Manifest.Files {
		listed[f.Path] = f
	}
	files := map[string]bool{}
	for _, r := range media {
		place, _ := r[name].(string)
		files[place] = true
		f, ok := listed[place]
		if !ok {
			v.add(place, "medium %v has no file", r[0])
			continue
		}
		if string(f.SHA256) != r[0] || f.Size != r[size] {
			v.add(place, "is not the medium %v of %v bytes", r[0], r[size])
		}
		v.checkPlace(place, r)
	}
	beside := map[string]bool{}
	for _, f := range info.Manifest.Files {
		if !strings.HasPrefix(f.Path, "media/") {
			continue
		}
		if slices.Contains(mediaFolders(), strings.TrimSuffix(f.Path, filesName)) {
			if err := v.checkBeside(info, f.Path, files, beside); err != nil {
				return err
			}
		} else if !files[f.Path] {
			v.add(f.Path, "is in no row of table media")
		}
	}
	if len(beside) != len(media) && v.unread == 0 {
		v.add("media", "%d media, the tables beside the files list %d", len(media), len(beside))
	}
	return nil
}

// checkPlace holds the name of a medium's file against its row, and the picture
// in the row against the file.
func (v *verifier) checkPlace(place string, r row) {
	m := recordOf[mediaRow](tableMedia, r)
	if want, err := mediaPath(m.Media); err != nil || want != place {
		v.add(place, "medium %s of type %s lies at %s: %v", m.MediaID, m.Mime, want, err)
		return
	}
	var picture []byte
	if m.Kind == kindOfImage && m.Bytes <= maxPicture {
		var err error
		if picture, err = disk.Read(filepath.Join(v.dir, filepath.FromSlash(place)), maxPicture); err != nil {
			v.add(place, "%v", err)
		}
	}
	i, _ := tableOf(tableMedia).column("image")
	if want := rowOf(tableMedia, mediaRowOf(m.Media, place, picture)); !equal(r[i], want[i]) {
		v.add(place, "the picture in table media is not this file")
	}
}

// checkBeside holds the table beside a folder's files against the media, and
// notes those that it lists.
func (v *verifier) checkBeside(info Info, place string, files, listed map[string]bool) error {
	rows, err := v.readPart(info, tableOf(tableFiles), place)
	for _, r := range rows {
		name, _ := r[0].(string)
		id, _ := r[1].(string)
		full := strings.TrimSuffix(place, filesName) + name
		if !files[full] || id == "" || strings.TrimSuffix(name, path.Ext(name)) != id {
			v.add(place, "lists %q as %q, which is no medium", name, id)
		}
		listed[full] = true
	}
	return err
}
