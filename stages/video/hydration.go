package video

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/reels"
)

// HydrationSteps implements pipeline.Hydrator.
func (s *normaliseStage) HydrationSteps(_ pipeline.Record, out []pipeline.Record) ([]schemas.HydrationStep, error) {
	v, err := pipeline.Decode[schemas.Video](out[0])
	if err != nil || s.hasFormat(v) {
		return nil, err
	}
	m := v.Normalised
	return []schemas.HydrationStep{{
		Output: m.Video, Second: m.Audio, Operation: schemas.OperationNormalise, Settings: schemas.EncodeSettings(s.cfg.Profile),
		Inputs: []schemas.HydrationInput{{File: v.Media}}, Keyframes: m.Keyframes,
	}}, nil
}

// HydrationSteps implements pipeline.Hydrator.
func (*reelStage) HydrationSteps(in pipeline.Record, out []pipeline.Record) ([]schemas.HydrationStep, error) {
	p, err := pipeline.Decode[reels.Plan](in)
	if err != nil {
		return nil, err
	}
	v, err := pipeline.Decode[schemas.Video](out[0])
	if err != nil {
		return nil, err
	}
	step := hydrateJoin(v.Normalised.Video, wholePieces(p.Clips...))
	step.Operation, step.Second = schemas.OperationReel, v.Normalised.Audio
	return []schemas.HydrationStep{step}, nil
}

// HydrationSteps implements pipeline.Hydrator.
func (*nbackStage) HydrationSteps(in pipeline.Record, out []pipeline.Record) ([]schemas.HydrationStep, error) {
	t, err := pipeline.Decode[schemas.Trial](in)
	if err != nil {
		return nil, err
	}
	m, err := pipeline.Decode[schemas.Media](out[0])
	return []schemas.HydrationStep{hydrateJoin(m.MediaID, wholePieces(t.Clips...))}, err
}

// HydrationSteps implements pipeline.Hydrator.
func (*concatStage) HydrationSteps(_ pipeline.Record, out []pipeline.Record) ([]schemas.HydrationStep, error) {
	return hydrateCompositions(out, func(c schemas.Composition) ([]piece, error) {
		return wholePieces(videosInOrder(c.Pair, c.Order)...), nil
	})
}

// HydrationSteps implements pipeline.Hydrator.
func (s *interleaveStage) HydrationSteps(_ pipeline.Record, out []pipeline.Record) ([]schemas.HydrationStep, error) {
	return hydrateCompositions(out, func(c schemas.Composition) ([]piece, error) {
		return s.alternatePieces(videosInOrder(c.Pair, c.Order)...)
	})
}

// HydrationSteps implements pipeline.Hydrator.
func (s *splitStage) HydrationSteps(_ pipeline.Record, out []pipeline.Record) ([]schemas.HydrationStep, error) {
	cs, err := decodeCompositions(out)
	if err != nil {
		return nil, err
	}
	pair := cs[0].Pair
	settings := schemas.EncodeSettings(joinProfile(pair.A.Normalised))
	settings.Preset, settings.CRF, settings.Threads = s.cfg.Preset, s.cfg.CRF, s.cfg.Threads
	step := schemas.HydrationStep{Output: cs[0].Media.MediaID, Second: cs[1].Media.MediaID, Operation: schemas.OperationSplit, Settings: settings, Swaps: int32(s.cfg.Swaps)}
	for _, p := range wholePieces(pair.A, pair.B) {
		step.Inputs = append(step.Inputs, hydrationInput(p))
	}
	return []schemas.HydrationStep{step}, nil
}

// hydrateCompositions returns a join for each composition of a stage's outputs.
func hydrateCompositions(out []pipeline.Record, cut func(schemas.Composition) ([]piece, error)) (steps []schemas.HydrationStep, err error) {
	cs, err := decodeCompositions(out)
	if err != nil {
		return nil, err
	}
	for _, c := range cs {
		pieces, err := cut(c)
		if err != nil {
			return nil, err
		}
		steps = append(steps, hydrateJoin(c.Media.MediaID, pieces))
	}
	return steps, nil
}

func decodeCompositions(out []pipeline.Record) (cs []schemas.Composition, err error) {
	for _, r := range out {
		if r.Schema != schemas.NameComposition {
			continue
		}
		c, err := pipeline.Decode[schemas.Composition](r)
		if err != nil {
			return nil, err
		}
		cs = append(cs, c)
	}
	return cs, nil
}

func hydrateJoin(output string, pieces []piece) schemas.HydrationStep {
	step := schemas.HydrationStep{Output: output, Operation: schemas.OperationJoin, Settings: schemas.EncodeSettings(joinProfile(pieces[0].video.Normalised))}
	for _, p := range pieces {
		step.Inputs = append(step.Inputs, hydrationInput(p))
	}
	return step
}

func hydrationInput(p piece) schemas.HydrationInput {
	m := p.video.Normalised
	in := schemas.HydrationInput{File: m.Video, Sound: m.Audio, Silent: !m.HasAudio, Part: m.Of > 0}
	in.From, in.To = p.fileSpan()
	return in
}
