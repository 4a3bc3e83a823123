package audit

import (
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// checkSources compares the rows of sources with each other, the record counts, the lock
// file and the media that are files of a source.
func checkSources(c release.Contents) Part {
	f := sourceCheck{rows: map[string][]schemas.Source{}, unpinnedLicense: map[string]string{}}
	for _, s := range c.Sources {
		f.rows[s.ID] = append(f.rows[s.ID], s)
	}
	uses := map[string]string{}
	for _, n := range c.Manifest.RecordCounts {
		if n.Kind == string(pipeline.KindSource) {
			uses[n.Step] = n.Use
		}
	}
	lock, err := lockOf(c)
	if err != nil {
		f.add("lock file: %v", err)
		lock = &fetch.Lock{}
	}
	checked := 0
	for _, s := range c.Sources {
		if first := f.rows[s.ID][0]; s.Kind != first.Kind || s.Records != first.Records || s.Losses != first.Losses {
			f.add("%s, %s: kind, records or losses are others than in another row of the source", s.ID, s.Path)
		}
		if use, ok := uses[s.ID]; ok && use != s.Kind {
			f.add("%s: its kind is %q, the funnel says %q", s.ID, s.Kind, use)
		}
		if f.file(s, lock) {
			checked++
			continue
		}
		// The local files of a source have one licence. Fetched files may differ, such as
		// annotations and videos.
		if first, known := f.unpinnedLicense[s.ID]; known && first != s.License {
			f.add("%s, %s: its licence is %q, and %q that of another file which nothing pins", s.ID, s.Path, s.License, first)
		}
		f.unpinnedLicense[s.ID] = s.License
	}
	f.media(c)
	f.notes(c)
	p := part("sources", f.findings)
	p.Checked, p.Unchecked = checked, len(c.Sources)-checked
	if p.Unchecked > 0 {
		p.Why = fmt.Sprintf("%d rows are files that nothing pins", p.Unchecked)
	}
	return p
}

type sourceCheck struct {
	findings
	rows            map[string][]schemas.Source
	unpinnedLicense map[string]string // licence, by source, of files that nothing pins
}

const maxLock = 16 << 20

// lockOf reads the lock file; a release without one has an empty lock.
func lockOf(c release.Contents) (*fetch.Lock, error) {
	for _, f := range c.Manifest.Files {
		if f.Path == fetch.LockName && f.Size > maxLock {
			return nil, fmt.Errorf("%s has %d bytes; at most %d are read", f.Path, f.Size, maxLock)
		}
	}
	return fetch.LoadLock(filepath.Join(c.Dir, fetch.LockName))
}

// file compares a row with the lock file. It returns false for files that nothing pins.
func (f *sourceCheck) file(s schemas.Source, lock *fetch.Lock) (checked bool) {
	if s.Path == "" {
		if s.URL != "" || s.Revision != "" || s.SHA256 != "" || s.Bytes != 0 {
			f.add("%s: it names no file, and has a URL, a revision, a digest or a size", s.ID)
		}
		return true
	}
	for _, e := range lock.Entries(s.ID) {
		i := slices.IndexFunc(e.Files, func(p fetch.File) bool { return p.Path == s.Path })
		if i < 0 {
			continue
		}
		if p := e.Files[i]; string(p.SHA256) != s.SHA256 || p.SHA256 != "" && p.Size != s.Bytes || e.Commit != s.Revision || !urlMatches(s, e) {
			f.add("%s, %s: digest, size, revision or URL are others than the lock file pins", s.ID, s.Path)
		}
		return true
	}
	if s.URL != "" || s.Revision != "" {
		f.add("%s, %s: it has a URL or a revision, and the lock file does not pin it", s.ID, s.Path)
	}
	return false
}

// urlMatches reports whether the lock file leads to the URL of a row. A file that could
// not be fetched may have none.
func urlMatches(s schemas.Source, e fetch.Entry) bool {
	if s.URL == "" && s.SHA256 == "" {
		return true
	}
	if e.Repo == "" {
		return s.URL == e.URL
	}
	path := (&url.URL{Path: "/" + s.Path}).EscapedPath()
	return strings.HasPrefix(s.URL, "https://") && strings.HasSuffix(s.URL, "/"+e.Commit+path) && strings.Contains(s.URL, "/"+e.Repo+"/")
}

// notes compares the number of notes by code with those that steps found.
func (f *sourceCheck) notes(c release.Contents) {
	stated, found := map[string]int64{}, map[string]int64{}
	for _, s := range c.Sources {
		for _, n := range s.Notes {
			stated[n.Code]++
		}
	}
	for _, row := range c.Manifest.RecordCounts {
		for _, n := range row.Notes {
			found[n.Code] += n.Count
		}
	}
	for _, code := range slices.Sorted(maps.Keys(stated)) {
		f.equal("notes "+code, stated[code], found[code])
		delete(found, code)
	}
	for _, code := range slices.Sorted(maps.Keys(found)) {
		f.equal("notes "+code, 0, found[code])
	}
}

// media compares files that are released as they came with their rows, and the licences
// of generated media with those of their sources.
func (f *sourceCheck) media(c release.Contents) {
	byDigest := map[string]schemas.Source{}
	for _, s := range c.Sources {
		if s.SHA256 != "" {
			byDigest[s.SHA256] = s
		}
	}
	for _, m := range c.Media {
		if s, ok := byDigest[m.MediaID]; ok && (s.Bytes != m.Bytes || s.License != m.License) {
			f.add("%s: it has %d bytes under %q, as a file of source %s %d under %q", m.MediaID, m.Bytes, m.License, s.ID, s.Bytes, s.License)
		}
		if want, ok := f.license(m); ok && want != m.License {
			f.add("%s: its licence is %q, that of its sources %q", m.MediaID, m.License, want)
		}
	}
}

// license joins the licences of a medium's sources. It is not ok where a source consists
// of files, whose licences may stand in a list beside them.
func (f *sourceCheck) license(m schemas.Media) (string, bool) {
	var names []string
	for _, s := range m.Recipe.Segments {
		rows := f.rows[s.SourceID]
		if len(rows) != 1 || rows[0].Path != "" {
			return "", false
		}
		if rows[0].License == "" {
			return "", true
		}
		names = append(names, strings.Split(rows[0].License, " AND ")...)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " AND "), len(names) > 0
}
