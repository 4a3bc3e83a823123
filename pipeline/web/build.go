package web

import (
	"net/http"
	"time"

	"github.com/memforge/memforge/pipeline/web/catalog"
)

// buildPage shows how a build is getting on.
type buildPage struct {
	Head  Head
	State catalog.BuildState
	Heard string
	// Done and Known count the tasks of all steps.
	Done, Known int
}

// WithBuild adds the page of the build in whose folder the release is.
func (s *Site) WithBuild(b *catalog.Build) {
	s.build = b
	s.nav = append(s.nav, NavLink{Name: "Build", Href: "/build"})
}

// BuildHandler serves the page of a build that has no release yet.
func BuildHandler(b *catalog.Build) (http.Handler, error) {
	r, err := NewRenderer()
	if err != nil {
		return nil, err
	}
	s := &Site{render: r, build: b, nav: []NavLink{{Name: "Build", Href: "/build"}}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /assets/{name}", serveAsset)
	s.addBuild(mux)
	mux.Handle("GET /", http.RedirectHandler("/build", http.StatusSeeOther))
	return mux, nil
}

func (s *Site) addBuild(mux *http.ServeMux) {
	for _, pattern := range []string{"GET /build", "GET /build.json"} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, s.showBuild) })
	}
}

func (s *Site) showBuild(r *http.Request, _ string) (reply, error) {
	state, err := s.build.State(r.Context())
	if err != nil {
		return reply{}, err
	}
	p := buildPage{Head: s.head("Build"), State: state}
	if !state.Heard.IsZero() {
		p.Heard = state.Heard.Format(time.TimeOnly)
	}
	for _, step := range state.Steps {
		p.Done, p.Known = p.Done+step.Done, p.Known+step.Known
	}
	p.Head.Title, p.Head.Skip, p.Head.SkipWord = "Build", "build", "steps"
	return reply{"build", p, state}, nil
}
