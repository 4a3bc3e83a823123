// Package video makes the video family of memory tasks (M3Eval): it brings
// videos to one format, pairs alike ones, composes them side by side, one
// after the other or as N-Back trials, and asks about them from their ground
// truth.
//
// The usual order is video.probe, video.normalise, then for short clips with
// one label each video.reel-plan and video.reel; then video.pair, a stage that
// composes the pairs (video.concat, video.split, ...) and video.ask; and, over
// labelled clips, video.nback-plan and video.nback.
package video

import "github.com/memforge/memforge/pipeline"

// Register adds the stages of the video family. They need the tool "ffmpeg".
func Register(r *pipeline.Registry) {
	pipeline.AddStage(r, "video.probe", "1", "look at a video and refuse what does not play", newProbe)
	pipeline.AddStage(r, "video.normalise", "1", "encode a video once to the common format", newNormalise)
	pipeline.AddStage(r, "video.reel-plan", "1", "group labelled clips into reels of different labels", newReelPlan)
	pipeline.AddStage(r, "video.reel", "1", "render a planned reel as a normalised video", newReel)
	pipeline.AddStage(r, "video.pair", "1", "pair alike videos of a category", newPair)
	pipeline.AddStage(r, "video.concat", "1", "play a pair one after the other, in both orders", newConcat)
	pipeline.AddStage(r, "video.split", "1", "play a pair side by side, without and with exchange of sides", newSplit)
	pipeline.AddStage(r, "video.nback-plan", "1", "plan balanced N-Back trials over labelled clips", newNBackPlan)
	pipeline.AddStage(r, "video.nback", "1", "render an N-Back trial and ask about it", newNBack)
	pipeline.AddStage(r, "video.ask", "1", "ask about a composed pair, from what happens in its videos", newAsk)
}
