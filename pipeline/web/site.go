package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/memforge/memforge/pipeline/web/catalog"
)

// Site serves the pages of a release.
type Site struct {
	catalog *catalog.Catalog
	render  *Renderer
	nav     []NavLink
	build   *catalog.Build // nil for a release alone

	comparing sync.Mutex
}

// NewSite returns the pages of a release; links in more are added to the top of each.
func NewSite(c *catalog.Catalog, more ...NavLink) (*Site, error) {
	r, err := NewRenderer()
	if err != nil {
		return nil, err
	}
	nav := []NavLink{{Name: "Questions", Href: "/"}, {Name: "Rejected", Href: "/rejected"}, {Name: "Sources", Href: "/table/sources"}, {Name: "Tables", Href: "/tables"}}
	if len(otherVersions(c)) > 0 {
		nav = append(nav, NavLink{Name: "Compare", Href: "/compare"})
	}
	return &Site{catalog: c, render: r, nav: append(nav, more...)}, nil
}

// AddShared adds what all pages load: style sheets, scripts, and the media of a release.
func AddShared(mux *http.ServeMux, c *catalog.Catalog) {
	mux.HandleFunc("GET /assets/{name}", serveAsset)
	mux.HandleFunc("GET /media/{digest}", func(w http.ResponseWriter, r *http.Request) { serveMedium(c, w, r) })
}

// Handler serves the pages of the site.
func (s *Site) Handler() http.Handler {
	mux := http.NewServeMux()
	AddShared(mux, s.catalog)
	for _, p := range []struct {
		pattern string
		make    func(*http.Request, string) (reply, error)
	}{
		{"GET /{$}", s.list}, {"GET /index.json", s.list},
		{"GET /item/{id...}", s.item}, {"GET /session/{id...}", s.session}, {"GET /fact/{id...}", s.fact},
		{"GET /source/{id...}", s.source}, {"GET /table/{id...}", s.table},
		{"GET /rejected", s.rejected}, {"GET /rejected.json", s.rejected}, {"GET /tables", s.tables}, {"GET /tables.json", s.tables},
		{"GET /compare", s.compare}, {"GET /compare.json", s.compare},
	} {
		mux.HandleFunc(p.pattern, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, p.make) })
	}
	mux.HandleFunc("GET /index.jsonl", s.serveLines)
	mux.HandleFunc("GET /compare/{version}", s.changes)
	if s.build != nil {
		s.addBuild(mux)
	}
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, false, fmt.Errorf("there is no page %.200q: %w", r.URL.Path, catalog.ErrNotFound))
	})
	return mux
}

// reply is a page: the template and its data, and what the page says as JSON.
type reply struct {
	name string
	page any
	json any
}

// serve answers with a page, the same as JSON, or one long text of it.
func (s *Site) serve(w http.ResponseWriter, r *http.Request, makePage func(*http.Request, string) (reply, error)) {
	id, asJSON := r.PathValue("id"), strings.HasSuffix(r.URL.Path, ".json")
	id = strings.TrimSuffix(id, ".json")
	if given := r.URL.Query().Get("id"); id == "" && given != "" {
		id, asJSON = given, r.URL.Query().Get("as") == "json"
	}
	page, err := makePage(r, id)
	switch text := r.URL.Query().Get("text"); {
	case err != nil:
		s.fail(w, r, asJSON, err)
	case text != "":
		whole, ok := findText(reflect.ValueOf(page.json), text)
		if !ok {
			http.Error(w, "This page has no such text.", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte(whole)) // the reader has gone
	case asJSON:
		WriteJSON(w, http.StatusOK, page.json)
	default:
		s.render.Write(w, http.StatusOK, page.name, page.page)
	}
}

// errorPage says why there is no page.
type errorPage struct {
	Head   Head
	Code   int
	Reason string
	Reload bool
}

func (s *Site) fail(w http.ResponseWriter, r *http.Request, asJSON bool, err error) {
	code := errorCode(err)
	var bad *requestError
	if errors.As(err, &bad) {
		code = http.StatusBadRequest
	}
	if asJSON {
		WriteJSON(w, code, map[string]string{"error": err.Error()})
		return
	}
	head := s.head("")
	head.Title, head.Skip, head.SkipWord = "No page", "main", "message"
	s.render.Write(w, code, "error", errorPage{Head: head, Code: code, Reason: err.Error(), Reload: code == http.StatusServiceUnavailable})
}

// requestError is a request that cannot be understood.
type requestError struct{ error }

func (e *requestError) Unwrap() error { return e.error }

func (s *Site) head(here string) Head {
	h := Head{Name: "memforge", Nav: slices.Clone(s.nav)}
	if s.catalog != nil {
		h.Name, h.Version = s.catalog.Manifest.Name, s.catalog.Manifest.Version
	}
	for i := range h.Nav {
		h.Nav[i].Here = h.Nav[i].Name == here
	}
	return h
}

// headOf is that of a page about something, whose main part has the id skip and the name word.
func (s *Site) headOf(here, about, skip, word string, keys ...KeyHelp) Head {
	h := s.head(here)
	h.Title, h.Skip, h.SkipWord, h.Keys = fmt.Sprintf("%s · %s %s", about, h.Name, h.Version), skip, word, keys
	return h
}

// query reads the query of a list from the parameters of a page.
func query(r *http.Request, ignore ...string) (catalog.Query, error) {
	v, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return catalog.Query{}, &requestError{fmt.Errorf("parameters of the page: %w", err)}
	}
	q, err := catalog.ParseQuery(v, append(ignore, ownParameters...)...)
	if err != nil {
		return q, &requestError{err}
	}
	return q, nil
}

func (s *Site) list(r *http.Request, _ string) (reply, error) {
	q, err := query(r)
	if err != nil {
		return reply{}, err
	}
	p, err := s.listOf(r.Context(), q, r.URL.Query()[showParameter], "")
	if page, ok := p.page.(listPage); ok {
		page.Polled = r.Header.Get("HX-Target") == "indexing"
		p.page = page
	}
	return p, err
}

// listOf is a list under a heading of its own, or the words of the query.
func (s *Site) listOf(ctx context.Context, q catalog.Query, shown []string, heading string) (reply, error) {
	p, err := newListPage(ctx, s.catalog, q, shown)
	if err != nil {
		return reply{}, err
	}
	p.Head, p.Heading = s.headOf("Questions", listTitle(p.Page, q), "rows", "questions", listKeys...), heading
	return reply{"list", p, struct {
		catalog.Page
		Facets []facetView
	}{p.Page, p.Facets}}, nil
}

// listKeys and itemKeys are the keys that the bottom of pages names.
var (
	listKeys = []KeyHelp{{[]string{"j", "k"}, "next, previous"}, {[]string{"Enter"}, "open"}, {[]string{"/"}, "search"}, {[]string{"f"}, "filters"}, {[]string{"y"}, "copy link"}}
	itemKeys = []KeyHelp{
		{[]string{"j", "k"}, "next, previous"}, {[]string{"g"}, "gold"}, {[]string{"p"}, "play span"}, {[]string{"[", "]"}, "evidence"},
		{[]string{"v"}, "verdicts"}, {[]string{"y"}, "copy link"}, {[]string{"u"}, "back to list"},
	}
)

func (s *Site) item(r *http.Request, id string) (reply, error) {
	q, err := query(r)
	if err != nil {
		return reply{}, err
	}
	item, err := s.catalog.Item(r.Context(), id)
	if err != nil {
		return reply{}, err
	}
	p, err := newItemPage(r.Context(), s.catalog, item, false)
	if err != nil {
		return reply{}, err
	}
	s.place(r.Context(), &p, q)
	p.GoldShown = r.URL.Query().Get("gold") == "1"
	p.JSON = "/item/?as=json&id=" + url.QueryEscape(id)
	return reply{"item", p, item}, nil
}

// place fills in the head of an item's page: where it stands in the list that led to it.
func (s *Site) place(ctx context.Context, p *itemPage, q catalog.Query) {
	title := p.Head.Title
	p.Head = s.head("Questions")
	p.Head.Title, p.Head.Skip, p.Head.SkipWord, p.Head.Keys = title, "evidence", "evidence", itemKeys
	p.Head.Back, p.Head.BackWord = s.render.links.list(q), "Questions"
	if !p.Item.Released() {
		p.Head.Back, p.Head.BackWord, p.Head.Where = "/rejected", "Rejected", "this question is not in the release"
		return
	}
	q.After = ""
	previous, next, place, total, err := s.catalog.Neighbours(ctx, q, p.Item.Number)
	if err != nil || place == 0 {
		return // the index is not there yet, or the page was reached otherwise
	}
	p.Head.BackWord, p.Head.Where = plural(total, "question"), fmt.Sprintf("%s of %s", number(place), number(total))
	if told := chipsOf(q); len(told) > 0 {
		p.Head.Where = told[0].Text + " · " + p.Head.Where
	}
	if previous != "" {
		p.Previous = s.render.links.item(previous, q)
	}
	if next != "" {
		p.Next = s.render.links.item(next, q)
	}
}

func (s *Site) fact(r *http.Request, id string) (reply, error) {
	q := catalog.Query{Filters: []catalog.Filter{{Field: catalog.FieldFact, Values: []string{id}}}, After: r.URL.Query().Get("after")}
	return s.listOf(r.Context(), q, nil, "Questions that rest on one fact")
}

// serveLines answers with all questions of a query, one JSON value a line.
func (s *Site) serveLines(w http.ResponseWriter, r *http.Request) {
	q, err := query(r)
	if err != nil {
		s.fail(w, r, true, err)
		return
	}
	q.Limit = catalog.MostRows
	out := json.NewEncoder(w)
	for first := true; first || q.After != ""; first = false {
		page, err := s.catalog.Search(r.Context(), q)
		if err != nil && first {
			s.fail(w, r, true, err)
			return
		}
		if err != nil {
			panic(http.ErrAbortHandler) // a list that ends early must not look whole
		}
		if first {
			w.Header().Set("Content-Type", "application/jsonl")
			w.Header().Set("Content-Disposition", `attachment; filename="questions.jsonl"`)
		}
		for _, row := range page.Rows {
			if out.Encode(row) != nil {
				return // the reader has gone
			}
		}
		q.After = page.Next
	}
}
