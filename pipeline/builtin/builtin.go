// Package builtin registers everything that ships with memforge. An
// out-of-tree build starts from its registry and adds its own domains.
package builtin

import (
	"github.com/memforge/memforge/gates"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/sources/dir"
	"github.com/memforge/memforge/sources/github"
	"github.com/memforge/memforge/sources/hf"
	"github.com/memforge/memforge/sources/http"
	"github.com/memforge/memforge/sources/procedural"
	"github.com/memforge/memforge/stages/film"
	"github.com/memforge/memforge/stages/video"
)

// Registry returns a new registry with all sources, stages, gates and tools.
func Registry() *pipeline.Registry {
	r := pipeline.NewRegistry()
	r.AddTool("ffmpeg", media.Lazy().Version)
	dir.Register(r)
	http.Register(r)
	hf.Register(r)
	github.Register(r)
	procedural.Register(r)
	film.Register(r)
	video.Register(r)
	gates.Register(r)
	return r
}
