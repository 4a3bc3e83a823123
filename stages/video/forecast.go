package video

import (
	"fmt"
	"math"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/question"
	"github.com/memforge/memforge/stages/video/reels"
)

// Runs of ffmpeg and ffprobe for one record, checks included.
const (
	runsToProbe     = 3
	runsToNormalise = 2
	runsToSplit     = 1
)

// askCPU is what asking about one composition takes, in seconds.
const askCPU = 0.015

// Forecast implements pipeline.Forecaster: every file is decoded once.
func (*probeStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	v := in[schemas.NameVideo]
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameVideo: v}, CPU: media.RunsCPU(runsToProbe*v.Records) + media.DecodingCPU(v)}
}

// Forecast implements pipeline.Forecaster.
func (s *normaliseStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	v := in[schemas.NameVideo]
	keyframes := 0
	for _, n := range s.cfg.Boundaries.Uniform {
		keyframes += n
	}
	out := media.NormalisedAmount(v, s.cfg.Profile, float64(keyframes))
	cpu := media.RunsCPU(runsToNormalise*v.Records) + media.DecodingCPU(v) + media.EncodingCPU(out)
	if v.Megapixels != out.Megapixels {
		cpu += media.ScalingCPU(v)
	}
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameVideo: out}, CPU: cpu, Bytes: out.Bytes}
}

// Forecast implements pipeline.Forecaster: no clip is left over.
func (s *reelPlanStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	v := in[schemas.NameVideo]
	v.Records /= float64(s.cfg.ClipsPerReel)
	return pipeline.Forecast{Out: pipeline.Volume{reels.Schema: v}}
}

// Forecast implements pipeline.Forecaster.
func (*reelStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	v := in[reels.Schema]
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameVideo: v}, CPU: media.CopyingCPU(v), Bytes: v.Bytes}
}

// Forecast implements pipeline.Forecaster: every video finds partners.
func (s *pairStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	v := in[schemas.NameVideo].Times(float64(s.cfg.MaxUse))
	v.Records /= 2
	f := pipeline.Forecast{
		Out: pipeline.Volume{schemas.NamePair: v, volumeSection: in[volumeSection].Times(float64(s.cfg.MaxUse))},
		CPU: 1e-4 * in[schemas.NameVideo].Records,
	}
	if turns := float64(len(s.cfg.Turns)); turns > 0 {
		for _, typ := range allTypes(question.Types) {
			f.Out[volumeAsked(typ)] = pipeline.Amount{}
		}
		for _, typ := range slices.Concat(s.cfg.Turns...) {
			f.Out[volumeAsked(typ)] = pipeline.Amount{Records: f.Out[volumeAsked(typ)].Records + v.Records/turns}
		}
	}
	if s.cfg.By == byEmbeddings {
		f.Calls, f.TokensIn = embeddingVolume(in)
	}
	return f
}

// Forecast implements pipeline.Forecaster: both videos are decoded once.
func (s *separabilityStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	p := in[schemas.NamePair]
	frames := 2 * p.Records * float64(s.cfg.Blocks*s.cfg.Frames)
	return pipeline.Forecast{
		Out: in,
		CPU: media.RunsCPU(2*p.Records) + media.DecodingCPU(p) + appearanceCPU*frames,
	}
}

// appearanceCPU is what measuring a decoded frame takes, s.
const appearanceCPU = 5e-4

// composeForecast returns the output of a stage that composes the pairs of in:
// so many videos a pair, together as long and as large as out. Compositions and
// pairs are counted by layout as well, because the layout determines what can
// be asked.
func composeForecast(layout string, in pipeline.Volume, each float64, out pipeline.Amount, cpu float64) pipeline.Forecast {
	pairs := in[schemas.NamePair].Records
	out.Records = pairs * each
	f := pipeline.Forecast{
		Out: pipeline.Volume{
			layout: {Records: out.Records}, schemas.NameMedia: out, schemas.NameTask: {Records: pairs},
			volumePairs(layout): {Records: pairs}, volumeSection: in[volumeSection],
		},
		CPU: cpu, Bytes: out.Bytes,
	}
	for _, typ := range question.Types(layout) {
		if asked, ok := in[volumeAsked(typ)]; ok {
			f.Out[volumeAsked(typ)] = asked.Times(each)
		}
	}
	return f
}

// Forecast implements pipeline.Forecaster: picture and sound are copied.
func (s *concatStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	p, videos := in[schemas.NamePair], 0
	for _, o := range s.orders {
		videos += len(o)
	}
	// A pair's amount is that of its two videos, an order plays two or three.
	return joinForecast(schemas.LayoutConcat, in, len(s.orders), p.Times(float64(videos)/2))
}

// Forecast implements pipeline.Forecaster, likewise.
func (s *interleaveStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	p := in[schemas.NamePair]
	return joinForecast(schemas.LayoutInterleaved, in, len(s.cfg.Orders), p.Times(float64(len(s.cfg.Orders))))
}

func joinForecast(layout string, in pipeline.Volume, each int, out pipeline.Amount) pipeline.Forecast {
	return composeForecast(layout, in, float64(each), out, media.CopyingCPU(out))
}

// Forecast implements pipeline.Forecaster: both videos are decoded once and
// both variants encoded, each as long as one of the videos and half as high.
func (s *splitStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	p := in[schemas.NamePair]
	out := p
	out.Megapixels /= 2
	out.Bytes = media.EncodedBytes(out)
	cpu := media.RunsCPU(runsToSplit*p.Records) + media.DecodingCPU(p) + 1.5*media.ScalingCPU(p) + media.EncodingCPU(out)
	return composeForecast(schemas.LayoutSplit, in, 2, out, cpu)
}

// Forecast implements pipeline.Forecaster: one video for each length.
func (s *nbackPlanStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	clips := in[schemas.NameVideo]
	if clips.Records == 0 {
		return pipeline.Forecast{Out: pipeline.Volume{}}
	}
	if least := s.design.LeastClips(); !clips.Rough && clips.Records < float64(least) {
		return pipeline.Forecast{Out: pipeline.Volume{}, Short: fmt.Sprintf("a sequence takes %d clips at the least, and there are %.0f; add clips, shorten clips_per_sequence or set allow_repeat", least, clips.Records)}
	}
	played, lengths := 0, 0
	for _, k := range s.cfg.K {
		if k > slices.Min(s.cfg.N) {
			played, lengths = played+k, lengths+1
		}
	}
	sequences := float64(s.cfg.Sequences)
	trials := clips.Times(sequences * float64(played) / clips.Records)
	trials.Records = sequences * float64(lengths)
	return pipeline.Forecast{
		Out: pipeline.Volume{schemas.NameTrial: trials, volumeLag: {Records: sequences * float64(s.design.Questions())}},
		CPU: 1e-3 * trials.Records,
	}
}

// volumeLag counts the questions of trials, which are no records of their own.
const volumeLag = "lag"

// Forecast implements pipeline.Forecaster.
func (*nbackStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	t := in[schemas.NameTrial]
	return pipeline.Forecast{
		Out: pipeline.Volume{
			schemas.NameMedia: t, schemas.NameTask: {Records: t.Records}, schemas.NameQuestion: in[volumeLag],
		},
		CPU: trialCPU*t.Records + media.CopyingCPU(t), Bytes: t.Bytes,
	}
}

// trialCPU is what opening the clips of a sequence takes, s.
const trialCPU = 0.13

// Forecast implements pipeline.Forecaster: as many questions as may be asked.
func (s *askStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	composed, questions := 0.0, 0.0
	for _, layout := range pairLayouts() {
		n := in[layout].Records
		composed += n
		for _, typ := range question.Types(layout) {
			if len(s.cfg.Types) > 0 && !slices.Contains(s.cfg.Types, typ) {
				continue
			}
			of := n
			if asked, inTurn := in[volumeAsked(typ)]; inTurn {
				of = asked.Records
			}
			questions += 2 * float64(s.cfg.QuestionsPerTarget) * of
		}
	}
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameQuestion: {Records: questions}}, CPU: askCPU * composed}
}

// Forecast implements pipeline.Forecaster: as many clips as may be made, of
// middling length, or that of its sections where these are known.
func (s *clipStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	v := in[schemas.NameVideo]
	if v.Records == 0 {
		return pipeline.Forecast{Out: pipeline.Volume{}}
	}
	length := (s.cfg.MinSeconds + min(s.cfg.MaxSeconds, v.Seconds/v.Records)) / 2
	n := v.Seconds / length
	if sections := in[volumeSection]; sections.Records > 0 {
		n, length = sections.Records, sections.Seconds/sections.Records
	}
	n = min(float64(s.cfg.MaxClips)*v.Records, n)
	out := v.Times(n * length / v.Seconds)
	out.Records, out.Rough = n, true
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameVideo: out}, CPU: 1e-3 * v.Records}
}

// Sections of videos and pictures of them, which are no records of their own.
const (
	volumeSection = "video.section"
	volumeStill   = "video.still"
)

// volumeAsked counts, where pairs take turns, those that are asked a type, and then their
// compositions.
func volumeAsked(typ string) string { return "video.asked." + typ }

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
	case byScenes: // scenes of middling length; the number of cuts is unknown
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
	stories, questions := 0.0, 0.0
	if pairs := in[schemas.NameTask].Records; pairs > 0 {
		stories = in[volumeSection].Records / pairs * (describedTokens + placeTokens)
	}
	add := func(n, prompt, answer float64) {
		n *= requestsPerAnswer(s.cfg.Attempts, repeatedAuthorShare)
		f.Calls += n
		f.TokensIn += n * (prompt + stories + (1-1/requestsPerAnswer(s.cfg.Attempts, repeatedAuthorShare))*answer)
		f.TokensOut += n * answer
	}
	for _, layout := range pairLayouts() {
		pairs, each := in[volumePairs(layout)].Records, 0.0
		types := s.typesOf(layout)
		if len(types) > 0 {
			add(2*pairs, s.nameJob.PromptTokens(), nameTokens)
		}
		for _, t := range types {
			n := s.perPair(t)
			each += n
			if _, ok := question.GroundingFor(t); ok {
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

func (s *authorStage) perPair(typ string) float64 {
	n := float64(s.cfg.QuestionsPerTarget)
	if typ == schemas.TypeFalseMemory {
		return n
	}
	return 2 * n
}

// sharedEvents returns how many requests for events an event of one composition
// takes over all compositions of a layout. Both orders of interleaved segments
// show a section in one half. Of split screens the plain one takes the first
// section picked for each video; in every other case that is on the wrong side
// of the swapped one, which takes the next.
func sharedEvents(layout string) float64 {
	if layout == schemas.LayoutSplit {
		return 1.5
	}
	return 1
}

// embeddingVolume returns what comparing videos by a model's vectors takes: one
// text for each video, with all its descriptions.
func embeddingVolume(in pipeline.Volume) (calls, tokens float64) {
	n := in[schemas.NameVideo].Records
	return math.Ceil(n / textsPerCall), n*summaryTokens + in[volumeSection].Records*describedTokens
}
