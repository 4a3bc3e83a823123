package video

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/nback"
	"github.com/memforge/memforge/stages/video/reels"
)

// Runs of ffmpeg and ffprobe for one output, checks included.
const (
	runsToProbe     = 3
	runsToNormalise = 3
	runsToJoin      = 5
	runsToSplit     = 8
)

// askCPU is what asking about one composition takes, in seconds.
const askCPU = 0.015

// Forecast implements pipeline.Forecaster: every file is decoded once.
func (*probe) Forecast(in pipeline.Volume) pipeline.Forecast {
	v := in[schemas.NameVideo]
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameVideo: v}, CPU: media.Runs(runsToProbe*v.Records) + media.Decoding(v)}
}

// Forecast implements pipeline.Forecaster.
func (s *normalise) Forecast(in pipeline.Volume) pipeline.Forecast {
	v := in[schemas.NameVideo]
	out := media.AtProfile(v, s.profile)
	cpu := media.Runs(runsToNormalise*v.Records) + media.Decoding(v) + media.PictureEncoding(out)
	if v.Megapixels != out.Megapixels {
		cpu += media.Scaling(v)
	}
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameVideo: out}, CPU: cpu, Bytes: out.Bytes}
}

// Forecast implements pipeline.Forecaster: no clip is left over.
func (s *reelPlan) Forecast(in pipeline.Volume) pipeline.Forecast {
	v := in[schemas.NameVideo]
	v.Records /= float64(s.cfg.ClipsPerReel)
	return pipeline.Forecast{Out: pipeline.Volume{reels.Schema: v}}
}

// Forecast implements pipeline.Forecaster.
func (*reel) Forecast(in pipeline.Volume) pipeline.Forecast {
	v := in[reels.Schema]
	v.Bytes = media.MezzanineBytes(v)
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameVideo: v}, CPU: media.Runs(runsToJoin * v.Records), Bytes: v.Bytes}
}

// Forecast implements pipeline.Forecaster: every video finds partners.
func (s *pair) Forecast(in pipeline.Volume) pipeline.Forecast {
	v := in[schemas.NameVideo].Times(float64(s.cfg.MaxUse))
	v.Records /= 2
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NamePair: v}, CPU: 1e-4 * in[schemas.NameVideo].Records}
}

// composing is the output of a stage that composes pairs: so many videos a
// pair, together playing as out does.
func composing(pairs, each float64, out pipeline.Amount, runs float64) pipeline.Forecast {
	out.Records = pairs * each
	out.Bytes = media.EncodedBytes(out)
	return pipeline.Forecast{
		Out: pipeline.Volume{
			schemas.NameComposition: out, schemas.NameMedia: out, schemas.NameTask: {Records: pairs},
		},
		CPU: media.Runs(runs), Bytes: out.Bytes,
	}
}

// Forecast implements pipeline.Forecaster: the picture is copied, the sound
// encoded.
func (*concat) Forecast(in pipeline.Volume) pipeline.Forecast {
	const orders = 2
	p := in[schemas.NamePair]
	f := composing(p.Records, orders, p.Times(orders), runsToJoin*orders*p.Records)
	f.CPU += media.SoundEncoding(f.Out[schemas.NameMedia])
	return f
}

// Forecast implements pipeline.Forecaster: both videos are decoded once and
// both variants encoded, each as long as one of the videos and half as high.
func (s *split) Forecast(in pipeline.Volume) pipeline.Forecast {
	p := in[schemas.NamePair]
	out := p
	out.Megapixels /= 2
	f := composing(p.Records, 2, out, runsToSplit*p.Records)
	f.CPU += media.Decoding(p) + 1.5*media.Scaling(p) + media.Encoding(out)
	return f
}

// Forecast implements pipeline.Forecaster. The bytes of the trials are those of
// their distinct videos: trials of as many clips that end in the same label are
// one, and there are two such labels, that of a match and another.
func (s *nbackPlan) Forecast(in pipeline.Volume) pipeline.Forecast {
	clips := in[schemas.NameVideo]
	if clips.Records == 0 {
		return pipeline.Forecast{Out: pipeline.Volume{}}
	}
	all, distinct := 0, 0
	seen := map[int]int{}
	cells := nback.Grid(s.cfg.N, s.cfg.K)
	for _, c := range cells {
		all += c.K
		if seen[c.K]++; seen[c.K] <= 2 {
			distinct += c.K
		}
	}
	clip := clips.Times(1 / clips.Records)
	sequences := float64(s.cfg.Sequences)
	trials := clip.Times(sequences * float64(all))
	trials.Records = sequences * float64(len(cells))
	trials.Bytes = media.EncodedBytes(clip.Times(sequences * float64(distinct)))
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameTrial: trials}, CPU: 1e-3 * trials.Records}
}

// Forecast implements pipeline.Forecaster.
func (*nbackStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	t := in[schemas.NameTrial]
	return pipeline.Forecast{
		Out: pipeline.Volume{
			schemas.NameMedia: t, schemas.NameTask: {Records: t.Records}, schemas.NameQuestion: {Records: t.Records},
		},
		CPU: media.Runs(runsToJoin*t.Records) + media.SoundEncoding(t), Bytes: t.Bytes,
	}
}

// Forecast implements pipeline.Forecaster: as many questions as may be asked.
func (s *askInterference) Forecast(in pipeline.Volume) pipeline.Forecast { return asking(in, s.limit) }

// Forecast implements pipeline.Forecaster: as many questions as may be asked.
func (s *askSource) Forecast(in pipeline.Volume) pipeline.Forecast { return asking(in, s.limit) }

func asking(in pipeline.Volume, perTarget int) pipeline.Forecast {
	n := in[schemas.NameComposition].Records
	return pipeline.Forecast{
		Out: pipeline.Volume{schemas.NameQuestion: {Records: 2 * float64(perTarget) * n}}, CPU: askCPU * n,
	}
}
