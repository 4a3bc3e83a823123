// Package reviewing serves a round of review: annotators answer questions blind, then compare
// them with the gold and decide; the keeper sees figures and settles disputes.
package reviewing

import (
	"cmp"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/web"
	"github.com/memforge/memforge/pipeline/web/catalog"
	"github.com/memforge/memforge/pipeline/web/rounds"
)

//go:embed templates/*.html
var templateFiles embed.FS

// Pages are the pages of one round over one release.
type Pages struct {
	round    *rounds.Round
	catalog  *catalog.Catalog
	render   *web.Renderer
	show     rounds.Shower
	criteria func(family string) []pipeline.ReviewCriterion
	site     http.Handler
	newID    func() string
}

// New returns the pages of a round. show says what annotators see before they answer,
// criteria what they are asked about the questions of a family.
func New(round *rounds.Round, c *catalog.Catalog, show rounds.Shower, criteria func(string) []pipeline.ReviewCriterion) (*Pages, error) {
	files, err := fs.Sub(templateFiles, "templates")
	if err != nil {
		return nil, fmt.Errorf("templates of reviews: %w", err)
	}
	render, err := web.NewRenderer(files)
	if err != nil {
		return nil, err
	}
	site, err := web.NewSite(c, web.NavLink{Name: "Round", Href: "/review/round"})
	if err != nil {
		return nil, err
	}
	return &Pages{round, c, render, show, criteria, site.Handler(), rand.Text}, nil
}

// Handler serves the pages. It expects the name of who asks in the context, see web.Access.
// All but the pages of a review are for the keeper: they show gold.
func (p *Pages) Handler() http.Handler {
	mux := http.NewServeMux()
	web.AddShared(mux, p.catalog)
	for pattern, serve := range map[string]func(http.ResponseWriter, *http.Request, string) error{
		"GET /review": p.next, "GET /review.json": p.next, "GET /review/mine": p.mine, "GET /review/guide": p.guide,
		"GET /review/item/{handle}": p.item, "POST /review/answer": p.answer, "POST /review/skip": p.skip, "POST /review/decide": p.decide,
	} {
		mux.HandleFunc(pattern, p.handle(serve))
	}
	for pattern, serve := range map[string]func(http.ResponseWriter, *http.Request, string) error{
		"GET /review/round": p.figures, "GET /review/round.json": p.figures, "GET /review/settle/{id...}": p.dispute, "POST /review/settle": p.settle,
		"GET /review/export/{name}": p.export,
	} {
		mux.HandleFunc(pattern, p.handle(p.keeperOnly(serve)))
	}
	mux.HandleFunc("GET /", p.handle(func(w http.ResponseWriter, r *http.Request, person string) error {
		if !p.isKeeper(person) && !showsGold(r.URL.Path) {
			return &pageError{http.StatusNotFound, "There is no page at this address."}
		}
		return p.keeperOnly(func(w http.ResponseWriter, r *http.Request, _ string) error { p.site.ServeHTTP(w, r); return nil })(w, r, person)
	}))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		to := "/review"
		if p.isKeeper(web.UserOf(r.Context())) {
			to = "/review/round"
		}
		http.Redirect(w, r, to, http.StatusSeeOther)
	})
	return mux
}

// showsGold reports an address of the pages of a release.
func showsGold(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	first, _, _ = strings.Cut(first, ".")
	return slices.Contains([]string{"index", "item", "session", "fact", "source", "table", "tables", "rejected"}, first)
}

func (p *Pages) isKeeper(person string) bool { return person != "" && person == p.round.Keeper }

// pageError is an error with its status.
type pageError struct {
	code   int
	reason string
}

func (e *pageError) Error() string { return e.reason }

func (p *Pages) keeperOnly(serve func(http.ResponseWriter, *http.Request, string) error) func(http.ResponseWriter, *http.Request, string) error {
	return func(w http.ResponseWriter, r *http.Request, person string) error {
		if !p.isKeeper(person) {
			return &pageError{http.StatusForbidden, "This page is for the keeper of the round: it shows what the others decided, or gold."}
		}
		return serve(w, r, person)
	}
}

// handle answers with a page, or says why there is none.
func (p *Pages) handle(serve func(http.ResponseWriter, *http.Request, string) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		person := web.UserOf(r.Context())
		err := serve(w, r, person)
		if err == nil {
			return
		}
		code := http.StatusInternalServerError
		var coded *pageError
		var refused *rounds.ActError
		switch {
		case errors.As(err, &coded):
			code = coded.code
		case errors.As(err, &refused):
			code = http.StatusConflict
		case errors.Is(err, catalog.ErrNotFound):
			code = http.StatusNotFound
		}
		if wantsJSON(r) {
			web.WriteJSON(w, code, map[string]string{"error": err.Error()})
			return
		}
		head := p.head(person, "No page", "main", "message")
		p.render.Write(w, code, "refused", refusedPage{head, code, err.Error(), r.Method == http.MethodPost})
	}
}

// refusedPage says why there is no page, or why nothing was kept.
type refusedPage struct {
	Head   web.Head
	Code   int
	Reason string
	// Posted says that a form was sent.
	Posted bool
}

func wantsJSON(r *http.Request) bool {
	return strings.HasSuffix(r.URL.Path, ".json") || r.URL.Query().Get("as") == "json"
}

// head is that of a page for one person.
func (p *Pages) head(person, title, skip, skipWord string) web.Head {
	h := web.Head{
		Title: fmt.Sprintf("%s · %s %s", title, p.catalog.Manifest.Name, p.catalog.Manifest.Version),
		Name:  p.catalog.Manifest.Name, Version: fmt.Sprintf("%s · draw “%s” · %s", p.catalog.Manifest.Version, p.round.Name, cmp.Or(person, "nobody")),
		Skip: skip, SkipWord: skipWord,
	}
	if p.isKeeper(person) {
		h.Nav = []web.NavLink{{Name: "Round", Href: "/review/round"}, {Name: "Rejected", Href: "/rejected"}, {Name: "Tables", Href: "/tables"}}
		return h
	}
	done := p.round.Progress(person)
	h.Nav = []web.NavLink{{Name: fmt.Sprintf("%d of %d decided", done.Decided, done.Of), Href: "/review/mine"}, {Name: "Next", Href: "/review"}, {Name: "Guidelines", Href: "/review/guide"}}
	return h
}

// Keys that pages name at their bottom.
var (
	confirmKey = web.KeyHelp{Keys: []string{"Enter"}, Does: "confirm"}
	answerKeys = []web.KeyHelp{{Keys: []string{"1", "…", "9", "0"}, Does: "answer"}, confirmKey, {Keys: []string{"s"}, Does: "skip"}}
	decideKeys = []web.KeyHelp{{Keys: []string{"a", "r", "x"}, Does: "accept, revise, reject"}, confirmKey}
	settleKeys = []web.KeyHelp{{Keys: []string{"a", "x"}, Does: "accept, reject"}, confirmKey}
)

// keysOf adds the keys of a page that leads back or shows a film.
func keysOf(keys []web.KeyHelp, back, film bool) []web.KeyHelp {
	out := slices.Clone(keys)
	if back {
		out = append(out, web.KeyHelp{Keys: []string{"b"}, Does: "back"})
	}
	if film {
		out = append(out, web.KeyHelp{Keys: []string{"p", "[", "]"}, Does: "film"})
	}
	return out
}

// next leads to the item that a person is to see.
func (p *Pages) next(w http.ResponseWriter, r *http.Request, person string) error {
	if p.isKeeper(person) {
		http.Redirect(w, r, "/review/round", http.StatusSeeOther)
		return nil
	}
	id, ok := p.round.Next(person)
	to := "/review/item/" + p.round.Handle(person, id)
	switch {
	case ok && wantsJSON(r):
		http.Redirect(w, r, to+"?as=json", http.StatusSeeOther)
	case ok:
		http.Redirect(w, r, to, http.StatusSeeOther)
	case wantsJSON(r):
		web.WriteJSON(w, http.StatusOK, map[string]any{"done": true, "progress": p.round.Progress(person)})
	default:
		p.render.Write(w, http.StatusOK, "done", donePage{p.head(person, "All done", "main", "message"), p.round.Progress(person)})
	}
	return nil
}

type donePage struct {
	Head web.Head
	rounds.Progress
}

// minePage lists a person's items in the person's order.
type minePage struct {
	Head  web.Head
	Items []mineRow
}

type mineRow struct{ Handle, Question, State, Class string }

func (p *Pages) mine(w http.ResponseWriter, _ *http.Request, person string) error {
	page := minePage{Head: p.head(person, "Your items", "main", "list")}
	for _, id := range p.round.Order(person) {
		it, _ := p.round.Item(id)
		row := mineRow{p.round.Handle(person, id), it.Question.Question, "to answer", "na"}
		switch s := p.round.State(person, id); {
		case s.Decided != nil:
			row.State, row.Class = s.Decided.Decision, map[string]string{"accept": "pass", "reject": "fail"}[s.Decided.Decision]
			row.Class = cmp.Or(row.Class, "open")
		case s.Skipped:
			row.State, row.Class = "skipped", "open"
		case s.Answered != nil:
			row.State, row.Class = "to decide", "open"
		}
		page.Items = append(page.Items, row)
	}
	p.render.Write(w, http.StatusOK, "mine", page)
	return nil
}

// guidePage says how to review.
type guidePage struct {
	Head     web.Head
	Clues    bool
	Families []familyCriteria
}

type familyCriteria struct {
	Family   string
	Criteria []pipeline.ReviewCriterion
}

func (p *Pages) guide(w http.ResponseWriter, _ *http.Request, person string) error {
	page := guidePage{Head: p.head(person, "Guidelines", "main", "guidelines"), Clues: p.round.Show == rounds.ShowClues}
	for _, family := range p.round.Families() {
		page.Families = append(page.Families, familyCriteria{family, p.criteria(family)})
	}
	p.render.Write(w, http.StatusOK, "guide", page)
	return nil
}
