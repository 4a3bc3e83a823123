// Package plugins registers every plugin that comes with memforge. A program with
// plugins of its own adds them to the registry that it returns.
package plugins

import (
	"github.com/memforge/memforge/gates"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/sources/alfred"
	"github.com/memforge/memforge/sources/chartqapro"
	"github.com/memforge/memforge/sources/computeragentarena"
	"github.com/memforge/memforge/sources/crossvid"
	"github.com/memforge/memforge/sources/dialogs"
	"github.com/memforge/memforge/sources/dir"
	"github.com/memforge/memforge/sources/embodiedbench"
	"github.com/memforge/memforge/sources/hourvideo"
	"github.com/memforge/memforge/sources/http"
	"github.com/memforge/memforge/sources/infinibench"
	"github.com/memforge/memforge/sources/lifesim"
	"github.com/memforge/memforge/sources/lvbench"
	"github.com/memforge/memforge/sources/m3bench"
	"github.com/memforge/memforge/sources/mllmkc"
	"github.com/memforge/memforge/sources/mmcv"
	"github.com/memforge/memforge/sources/mmdocrag"
	"github.com/memforge/memforge/sources/mmke"
	"github.com/memforge/memforge/sources/mmpb"
	"github.com/memforge/memforge/sources/procedural"
	"github.com/memforge/memforge/sources/repository"
	"github.com/memforge/memforge/sources/reviews"
	"github.com/memforge/memforge/sources/slidevqa"
	"github.com/memforge/memforge/sources/videomme"
	"github.com/memforge/memforge/sources/visualagentbench"
	"github.com/memforge/memforge/sources/webvoyager"
	"github.com/memforge/memforge/stages/applyreviews"
	"github.com/memforge/memforge/stages/choices"
	"github.com/memforge/memforge/stages/crosssource"
	"github.com/memforge/memforge/stages/lifelong"
	"github.com/memforge/memforge/stages/quota"
	"github.com/memforge/memforge/stages/revise"
	"github.com/memforge/memforge/stages/video"
	"github.com/memforge/memforge/stages/video/film"
	"github.com/memforge/memforge/stages/visual"
)

// Registry returns a new registry with all built-in plugins, the tools they use
// and the built-in embedder.
func Registry() *pipeline.Registry {
	r := pipeline.NewRegistry()
	r.AddTool("ffmpeg", media.Lazy().Version)
	model.AddEmbedder(r)
	dir.Register(r)
	dialogs.Register(r)
	repository.Register(r)
	httpfile.Register(r)
	procedural.Register(r)
	lvbench.Register(r)
	crossvid.Register(r)
	hourvideo.Register(r)
	infinibench.Register(r)
	videomme.Register(r)
	chartqapro.Register(r)
	slidevqa.Register(r)
	mmdocrag.Register(r)
	registerAgentRuns(r)
	mmcv.Register(r)
	mllmkc.Register(r)
	mmke.Register(r)
	mmpb.Register(r)
	lifesim.Register(r)
	m3bench.Register(r)
	film.Register(r)
	video.Register(r)
	visual.Register(r)
	crosssource.Register(r)
	lifelong.Register(r)
	choices.Register(r)
	quota.Register(r)
	revise.Register(r)
	reviews.Register(r)
	applyreviews.Register(r)
	gates.Register(r)
	return r
}

// registerAgentRuns adds the sources of recorded agent runs.
func registerAgentRuns(r *pipeline.Registry) {
	alfred.Register(r)
	computeragentarena.Register(r)
	embodiedbench.Register(r)
	visualagentbench.Register(r)
	webvoyager.Register(r)
}
