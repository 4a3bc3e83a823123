package web

import (
	"bytes"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"

	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/diff"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/web/catalog"
)

// otherVersions lists the versions of the data set that lie beside a release.
func otherVersions(c *catalog.Catalog) []manifest.Version {
	dir, err := filepath.Abs(c.Dir)
	home, version := filepath.Split(dir)
	home = filepath.Clean(home)
	if err != nil || version != c.Manifest.Version || filepath.Base(home) != c.Manifest.Name {
		return nil
	}
	all, err := release.Versions(filepath.Dir(home), c.Manifest.Name)
	if err != nil {
		return nil // the pages of the release go without
	}
	return slices.DeleteFunc(all, func(v manifest.Version) bool { return v.String() == version })
}

// comparePage lists the versions to compare with.
type comparePage struct {
	Head   Head
	Others []manifest.Version
}

func (s *Site) compare(*http.Request, string) (reply, error) {
	p := comparePage{s.headOf("Compare", "Compare", "main", "versions"), otherVersions(s.catalog)}
	return reply{"compare", p, p.Others}, nil
}

// changesPolicy lets a page of changes use the styles in it. It runs no script.
const changesPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// changes answers with the page of changes between this version and another, the older one first.
func (s *Site) changes(w http.ResponseWriter, r *http.Request) {
	page, err := s.changesPage(r)
	if err != nil {
		s.fail(w, r, false, err)
		return
	}
	w.Header().Set("Content-Security-Policy", changesPolicy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(page) // the reader has gone
}

func (s *Site) changesPage(r *http.Request) ([]byte, error) {
	own, err := manifest.ParseVersion(s.catalog.Manifest.Version)
	all := otherVersions(s.catalog)
	i := slices.IndexFunc(all, func(v manifest.Version) bool { return v.String() == r.PathValue("version") })
	if err != nil || i < 0 {
		return nil, fmt.Errorf("no version %.40q lies beside this one: %w", r.PathValue("version"), catalog.ErrNotFound)
	}
	s.comparing.Lock() // each takes memory
	defer s.comparing.Unlock()
	pair := []string{s.catalog.Dir, filepath.Join(filepath.Dir(filepath.Clean(s.catalog.Dir)), all[i].String())}
	if all[i].Compare(own) < 0 {
		slices.Reverse(pair)
	}
	var of [2]diff.Release
	for i, dir := range pair {
		if of[i], err = (release.Limits{}).OpenTables(r.Context(), dir); err != nil {
			return nil, err
		}
	}
	var page diff.Page
	sum, err := diff.Releases(r.Context(), of[0], of[1], page.Add)
	if err != nil {
		return nil, fmt.Errorf("compare versions: %w", err)
	}
	var b bytes.Buffer
	err = page.Write(&b, sum)
	return b.Bytes(), err
}
