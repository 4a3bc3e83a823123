package web

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"reflect"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/pagestyle"
	"github.com/memforge/memforge/pipeline/web/catalog"
)

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed assets
var assetFiles embed.FS

// Renderer writes pages. What a release says goes through its templates alone.
type Renderer struct {
	set   *template.Template
	links links
}

// NewRenderer returns a renderer of the pages of a server. Templates in more, files *.html,
// are added to those of this package: they may use "top", "bottom", "film", "talk", "picture"
// and "t" (see templates/layout.html) and its functions.
func NewRenderer(more ...fs.FS) (*Renderer, error) {
	assets, err := assetVersions()
	if err != nil {
		return nil, err
	}
	return newRenderer(served{assets}, more...)
}

func newRenderer(l links, more ...fs.FS) (*Renderer, error) {
	set := template.New("").Option("missingkey=error").Funcs(template.FuncMap{
		"page": l.page, "media": l.media, "rest": l.rest, "asset": l.asset, "list": l.list, "item": l.item,
		"text": showText, "line": showLine, "short": shortDigest,
		"num":    func(n any) string { return number(reflect.ValueOf(n).Int()) },
		"plural": func(n any, noun string) string { return plural(reflect.ValueOf(n).Int(), noun) },
		"secs":   func(s float64) string { return strconv.FormatFloat(s, 'f', 2, 64) },
		// The place of an index, and where the keeper of a review settles an item.
		"place":      func(i int) int { return i + 1 },
		"settle":     func(id string) string { return l.page("review/settle", id) },
		"parameters": toolParameters, "outcomes": countedOutcomes, "bare": func(facet string) string { return showLine(strings.TrimPrefix(facet, facetKind(facet)+"."), 60) },
		// A query, from this page of it or from a place.
		"at": func(q *catalog.Query) string { return l.list(*q) },
	})
	for _, files := range append([]fs.FS{templateFiles}, more...) {
		pattern := "*.html"
		if files == templateFiles {
			pattern = "templates/*.html"
		}
		if _, err := set.ParseFS(files, pattern); err != nil {
			return nil, fmt.Errorf("templates of pages: %w", err)
		}
	}
	return &Renderer{set, l}, nil
}

// Render returns a page: a template over its data, which begins with a Head.
func (r *Renderer) Render(name string, data any) ([]byte, error) {
	var b bytes.Buffer
	if err := r.set.ExecuteTemplate(&b, name, data); err != nil {
		return nil, fmt.Errorf("page %s: %w", name, err)
	}
	return b.Bytes(), nil
}

// Write answers a request with a page.
func (r *Renderer) Write(w http.ResponseWriter, code int, name string, data any) {
	body, err := r.Render(name, data)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write(body) // the reader has gone
}

// WriteJSON answers a request with a value.
func WriteJSON(w http.ResponseWriter, code int, v any) {
	body, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		http.Error(w, fmt.Sprintf("page as JSON: %v", err), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(append(body, '\n')) // the reader has gone
}

// errorCode returns the status of a page that could not be made.
func errorCode(err error) int {
	var indexing *catalog.IndexingError
	switch {
	case errors.Is(err, catalog.ErrNotFound):
		return http.StatusNotFound
	case errors.As(err, &indexing):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// Head is what the frame of every page shows.
type Head struct {
	Title         string
	Name, Version string
	// Skip is the id of the main part, SkipWord its name.
	Skip, SkipWord string
	// Back leads to the list, BackWord says of what, Where tells the place in it.
	Back, BackWord, Where string
	Nav                   []NavLink
	Keys                  []KeyHelp
	// Policy is the content security policy of a page of a static copy; a server sends it.
	Policy string
	// Sealed says that pages hold no gold.
	Sealed bool
}

// NavLink is one of the links at the top of pages.
type NavLink struct {
	Name, Href string
	Here       bool
}

// KeyHelp explains keys at the bottom of a page.
type KeyHelp struct {
	Keys []string
	Does string
}

// sheetName is the asset that pages share with those that open from a file.
const sheetName = "people.css"

// assetFile returns a style sheet or script of pages.
func assetFile(name string) ([]byte, error) {
	if name == sheetName {
		return []byte(pagestyle.Sheet), nil
	}
	data, err := assetFiles.ReadFile("assets/" + name)
	if err != nil {
		return nil, fmt.Errorf("assets of pages: %w", err)
	}
	return data, nil
}

// assetVersions maps assets to the beginnings of their digests.
func assetVersions() (map[string]string, error) {
	entries, err := assetFiles.ReadDir("assets")
	if err != nil {
		return nil, fmt.Errorf("assets of pages: %w", err)
	}
	names := []string{sheetName}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	out := map[string]string{}
	for _, name := range names {
		data, err := assetFile(name)
		if err != nil {
			return nil, err
		}
		out[name] = string(pipeline.DigestOf(data))[:12]
	}
	return out, nil
}

// serveAsset answers with the style sheets and scripts of pages.
func serveAsset(w http.ResponseWriter, r *http.Request) {
	name := path.Base(r.PathValue("name"))
	data, err := assetFile(name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	if r.URL.RawQuery != "" {
		w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	}
	_, _ = w.Write(data) // the reader has gone
}
