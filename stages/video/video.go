// Package video makes the video family of memory tasks (M3Eval): it brings
// videos to one format, pairs alike ones, composes them side by side, one
// after the other or as N-Back trials, and asks about them from their ground
// truth.
//
// The usual order is video.probe, video.normalise, then for short clips with
// one label each video.reel-plan and video.reel; then video.pair,
// video.separability, a stage that composes the pairs (video.concat,
// video.split, ...) and video.ask; and, over labelled clips, video.nback-plan
// and video.nback. Sections of long videos
// become clips with video.clip.
//
// Videos without ground truth are described by a model first: video.segment and
// video.describe come before video.pair, and video.author takes the place of
// video.ask; video.annotate labels sections for N-Back.
package video

import (
	"context"
	_ "embed"
	"encoding/json"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/release/gallery"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/author"
	"github.com/memforge/memforge/stages/video/format"
	"github.com/memforge/memforge/stages/video/oracle"
	"github.com/memforge/memforge/stages/video/videogates"
)

// starter is what a configuration of the family begins from.
//
//go:embed starter.yaml
var starter string

// Register adds the stages of the video family. They need the tool "ffmpeg".
func Register(r *pipeline.Registry) {
	pipeline.AddStage(r, "video.probe", "4", "look at a video and refuse what does not play", newProbe)
	pipeline.AddStage(r, "video.normalise", "3", "encode a video once to the common format", newNormalise)
	pipeline.AddStage(r, "video.clip", "2", "make videos of the labelled sections of a long one, without encoding", newClip)
	pipeline.AddStage(r, "video.reel-plan", "1", "group labelled clips into reels of different labels", newReelPlan)
	pipeline.AddStage(r, "video.reel", "2", "render a planned reel as a normalised video", newReel)
	pipeline.AddStage(r, "video.pair", "2", "pair alike videos of a category", newPair)
	pipeline.AddStage(r, "video.separability", "1", "measure how well single frames tell the videos of a pair apart", newSeparability)
	pipeline.AddStage(r, "video.concat", "2", "play a pair one after the other, in any orders, also with one video repeated", newConcat)
	pipeline.AddStage(r, "video.interleave", "3", "play the segments of a pair in turn", newInterleave)
	pipeline.AddStage(r, "video.split", "2", "play a pair side by side, without and with exchange of sides", newSplit)
	pipeline.AddStage(r, "video.nback-plan", "1", "plan balanced N-Back trials over labelled clips", newNBackPlan)
	pipeline.AddStage(r, "video.nback", "4", "render an N-Back trial and ask about it", newNBack)
	pipeline.AddStage(r, "video.ask", "9", "ask about a composed pair, from what happens in its videos", newAsk)
	pipeline.AddStage(r, "video.segment", "3", "cut a normalised video into sections, measure and picture them", newSegment)
	pipeline.AddStage(r, "video.describe", "2", "have a captioner describe the sections of a video and the whole", newDescribe)
	pipeline.AddStage(r, "video.annotate", "2", "have a captioner label the sections of a video with scene and action", newAnnotate)
	pipeline.AddStage(r, "video.author", "6", "have an author write questions about a composed pair, from its descriptions", newAuthor)
	r.AddDerivation(family, pipeline.Derivation{
		Version: oracle.Version, Question: deriveQuestion, Task: deriveTask, Claims: isComposed,
		Writers: []string{"video.ask", "video.author", "video.nback"},
	})
	r.AddQuestionCheck(family, "1", checkRewrite)
	r.AddSourceFileReader(schemas.NameVideo, sourceFileOf)
	r.Explain(family, terms())
	gallery.Add(r, galleryCard())
	export.Add(r, format.Format())
	score.Add(r, format.Scorer())
	tables.Add(r, format.MethodTables())
	videogates.Register(r)
	addRules(r)
	pipeline.AddStarter(r, pipeline.Starter{
		Name: family, Summary: "films and clips in M3Eval's layouts: what is remembered of two videos at once",
		Title: "Memory questions over synthetic films",
		From:  []string{"shipped", "integrity"}, Steps: starter,
	})
}

func addRules(r *pipeline.Registry) {
	addRule(r, jobDescribe, describeByAppearance)
	addRule(r, jobSummarise, summariseByAppearance)
	addRule(r, jobAnnotate, labelByAppearance)
	addRule(r, author.NameJob, nameBySelection)
	addRule(r, author.EventJob, eventBySelection)
	for _, t := range authorTypes() {
		if task := author.JobName(t); task != "" {
			addRule(r, task, draftBySelection(t))
		}
	}
}

const (
	roleCaptioner = "captioner"
	roleAuthor    = "author"
)

// addRule registers how the built-in model answers a job of this package.
// A caller gets the error of a prompt that does not load.
func addRule[In, Out any](r *pipeline.Registry, name string, answer func(context.Context, *pipeline.Scope, In, []pipeline.Digest) (Out, error)) {
	t, err := model.NewJob[In, Out](name)
	if err != nil {
		r.AddRule(name, "1", func(context.Context, *pipeline.Scope, pipeline.Request) (json.RawMessage, error) { return nil, err })
		return
	}
	r.AddRule(name, "1", t.Rule(answer))
}

// MaxPictures implements pipeline.Shower.
func (s *describeStage) MaxPictures() int { return s.cfg.Frames }

// MaxPictures implements pipeline.Shower.
func (s *annotateStage) MaxPictures() int { return s.cfg.Frames }
