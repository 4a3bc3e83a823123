package video

import (
	"math"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
	ask "github.com/memforge/memforge/stages/video/question"
)

// Sections of videos and pictures of them, which are no records of their own.
const (
	volumeSection = "video.section"
	volumeStill   = "video.still"
)

// volumePairs counts the pairs that were composed in a layout.
func volumePairs(layout string) string { return "video.pairs." + layout }

// Tokens of what is told and answered. The prompts ask for one or two plain
// sentences under each of six keys, for at most 150 words of summary, and for
// four options of equal length: 1.5 x 18 words x 6, 150 and about 130 words at
// three words to four tokens, and the keys of the JSON around them.
const (
	describedTokens = 260 // a description
	placeTokens     = 30  // number and times of a section
	measuredTokens  = 70  // looks, as in the golden of video.describe
	summaryTokens   = 210
	labelTokens     = 40  // both labels of a section
	listTokens      = 100 // labels so far: 20 of five tokens
	draftTokens     = 300 // a question, its options, evidence and explanation
	eventTokens     = 70  // an event and its explanation
	nameTokens      = 40
)

// What is assumed for want of a measurement with a model that understands:
// captions fill half of what may be read of them (some sources have none), and
// so many more requests are put because an answer was not acceptable.
const (
	captionsFilled      = 0.5
	repeatedLabelShare  = 0.05
	repeatedAuthorShare = 0.25
)

// Forecast implements pipeline.Forecaster: each video is decoded once to be
// measured and as often as its pictures need.
func (s *segmentStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	v := in[schemas.NameVideo]
	n := v.Records * float64(s.cfg.Count)
	switch s.cfg.By {
	case bySeconds:
		n = v.Seconds / s.cfg.Seconds
	case byScenes: // middling scenes; how many cuts there are nobody knows
		n = 2 * v.Seconds / (s.cfg.MinSeconds + s.cfg.MaxSeconds)
	}
	played := v.Seconds
	if most := float64(s.cfg.Keep) * v.Records; s.cfg.Keep > 0 && most < n {
		n, played = most, v.Seconds*most/n
	}
	f := pipeline.Forecast{
		Out: pipeline.Volume{schemas.NameVideo: v, volumeSection: {Records: n, Seconds: played}},
		CPU: media.RunsCPU(v.Records) + media.MeasuringCPU(v),
	}
	if s.cfg.Frames == 0 || v.Records == 0 || v.Seconds == 0 {
		return f
	}
	p := media.DefaultProfile()
	stills := media.StillsAmount(n*float64(s.cfg.Frames), float64(p.Width), float64(p.Height), float64(s.cfg.Side))
	passes := math.Ceil(stills.Records / v.Records / maxStillsInMemory)
	f.Out[volumeStill] = stills
	f.CPU += passes*(media.RunsCPU(v.Records)+media.DecodingCPU(v)) + media.StillsCPU(stills)
	f.Bytes = stills.Bytes
	return f
}

// stillsShown is what of the pictures of sections a captioner sees.
func stillsShown(in pipeline.Volume, frames int) pipeline.Amount {
	stills := in[volumeStill]
	if stills.Records == 0 {
		return stills
	}
	return stills.Times(min(1, in[volumeSection].Records*float64(frames)/stills.Records))
}

// Forecast implements pipeline.Forecaster: a request for each section and one
// for the whole.
func (s *describeStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	videos, sections := in[schemas.NameVideo].Records, in[volumeSection].Records
	seen, captions := stillsShown(in, s.cfg.Frames), captionTokens(s.cfg.CaptionChars)
	before := 0.0
	if s.cfg.Before {
		before = max(0, sections-videos) * describedTokens
	}
	return pipeline.Forecast{
		Out:    in,
		Calls:  sections + videos,
		Images: seen.Records,
		TokensIn: sections*(s.sectionJob.PromptTokens()+placeTokens+measuredTokens+captions) + model.ImageTokens(seen.Megapixels) + before +
			videos*s.summaryJob.PromptTokens() + sections*(placeTokens+describedTokens+captions),
		TokensOut: sections*describedTokens + videos*summaryTokens,
	}
}

func captionTokens(chars int) float64 { return captionsFilled * model.TextTokens(float64(chars)) }

// Forecast implements pipeline.Forecaster: no label is known.
func (s *annotateStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	calls := in[volumeSection].Records * requestsPerAnswer(s.cfg.Attempts, repeatedLabelShare)
	seen := stillsShown(in, s.cfg.Frames).Times(requestsPerAnswer(s.cfg.Attempts, repeatedLabelShare))
	each := s.job.PromptTokens() + placeTokens + measuredTokens + listTokens + captionTokens(s.cfg.CaptionChars)
	return pipeline.Forecast{
		Out: in, Calls: calls, Images: seen.Records,
		TokensIn: calls*each + model.ImageTokens(seen.Megapixels), TokensOut: calls * labelTokens,
	}
}

// requestsPerAnswer is how many requests one answer takes.
func requestsPerAnswer(attempts int, share float64) float64 {
	if attempts == 1 {
		return 1
	}
	return 1 + share
}

// Forecast implements pipeline.Forecaster: every question is found. A pair is
// asked about once for each layout, and no video has a title.
func (s *authorStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	f := pipeline.Forecast{Out: pipeline.Volume{}}
	told, questions := 0.0, 0.0
	if pairs := in[schemas.NameTask].Records; pairs > 0 {
		told = in[volumeSection].Records / pairs * (describedTokens + placeTokens)
	}
	add := func(n, prompt, answer float64) {
		n *= requestsPerAnswer(s.cfg.Attempts, repeatedAuthorShare)
		f.Calls += n
		f.TokensIn += n * (prompt + told + (1-1/requestsPerAnswer(s.cfg.Attempts, repeatedAuthorShare))*answer)
		f.TokensOut += n * answer
	}
	for _, layout := range authorLayouts() {
		pairs, each := in[volumePairs(layout)].Records, 0.0
		types := s.typesOf(layout)
		if len(types) > 0 {
			add(2*pairs, s.nameJob.PromptTokens(), nameTokens)
		}
		for _, t := range types {
			n := s.perPair(t)
			each += n
			if _, ok := ask.GroundingFor(t); ok {
				add(n*pairs*sharedEvents(layout), s.eventJob.PromptTokens(), eventTokens)
				continue
			}
			add(n*pairs, s.draftJobs[t].PromptTokens(), draftTokens)
		}
		questions += each * in[layout].Records
		f.CPU += askCPU * in[layout].Records
	}
	f.Out[schemas.NameQuestion] = pipeline.Amount{Records: questions}
	return f
}

// perPair is how many questions of a type are written about a pair.
func (s *authorStage) perPair(typ string) float64 {
	n := float64(s.cfg.QuestionsPerTarget)
	if typ == schemas.TypeFalseMemory {
		return n
	}
	return 2 * n
}

// sharedEvents is how many requests for events an event of one composition
// takes over all of a layout. Both orders of interleaved segments show a section
// in one half. Of split screens the plain one takes the section drawn first for
// each video; in every other case that is on the wrong side of the swapped one,
// which takes the next.
func sharedEvents(layout string) float64 {
	if layout == schemas.LayoutSplit {
		return 1.5
	}
	return 1
}

// embeddingVolume is what it takes to compare videos by a model's vectors: one text
// of each, of all that is said of it.
func embeddingVolume(in pipeline.Volume) (calls, tokens float64) {
	n := in[schemas.NameVideo].Records
	return math.Ceil(n / textsPerCall), n*summaryTokens + in[volumeSection].Records*describedTokens
}
