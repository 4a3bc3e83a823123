package video

import (
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
	ask "github.com/memforge/memforge/stages/video/question"
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
		Out: pipeline.Volume{schemas.NamePair: p, volumeSection: in[volumeSection]},
		CPU: media.RunsCPU(2*p.Records) + media.DecodingCPU(p) + appearanceCPU*frames,
	}
}

// appearanceCPU is what measuring a decoded frame takes, s.
const appearanceCPU = 5e-4

// composeForecast is the output of a stage that composes the pairs of in: so many
// videos a pair, together playing and as large as out. Compositions and pairs
// are counted by layout as well, because what can be asked depends on it.
func composeForecast(layout string, in pipeline.Volume, each float64, out pipeline.Amount, cpu float64) pipeline.Forecast {
	pairs := in[schemas.NamePair].Records
	out.Records = pairs * each
	return pipeline.Forecast{
		Out: pipeline.Volume{
			layout: {Records: out.Records}, schemas.NameMedia: out, schemas.NameTask: {Records: pairs},
			volumePairs(layout): {Records: pairs}, volumeSection: in[volumeSection],
		},
		CPU: cpu, Bytes: out.Bytes,
	}
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
	for _, layout := range []string{schemas.LayoutConcat, schemas.LayoutSplit, schemas.LayoutInterleaved} {
		n := in[layout].Records
		composed += n
		for _, typ := range ask.Types(layout) {
			if len(s.cfg.Types) == 0 || slices.Contains(s.cfg.Types, typ) {
				questions += 2 * float64(s.cfg.QuestionsPerTarget) * n
			}
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
