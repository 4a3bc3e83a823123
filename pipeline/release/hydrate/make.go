package hydrate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// makeAll does the steps whose inputs are there, round by round, until none is left that
// can be done.
func (h *hydration) makeAll(ctx context.Context, todo []*schemas.HydrationStep) error {
	done := 0
	for all := len(todo); ; {
		var ready, rest []*schemas.HydrationStep
		for _, s := range todo {
			if h.hasInputs(s) {
				ready = append(ready, s)
			} else {
				rest = append(rest, s)
			}
		}
		if len(ready) == 0 {
			return nil
		}
		work, ctx := errgroup.WithContext(ctx)
		work.SetLimit(h.Jobs)
		for _, s := range ready {
			work.Go(func() error { return h.makeStep(ctx, s) })
		}
		if err := work.Wait(); err != nil {
			return err
		}
		done, todo = done+len(ready), rest
		h.tell("%d of %d steps done", done, all)
	}
}

func (h *hydration) hasInputs(s *schemas.HydrationStep) bool {
	for _, in := range s.Inputs {
		if h.files[in.File] == "" || in.Sound != "" && h.files[in.Sound] == "" {
			return false
		}
	}
	return true
}

// makeStep makes the files of a step, and notes which have other bytes than they should.
func (h *hydration) makeStep(ctx context.Context, s *schemas.HydrationStep) error {
	dir, err := os.MkdirTemp(h.temp(), "step-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	made, err := h.operate(ctx, s, dir)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var missing *media.MissingToolError
	if errors.As(err, &missing) {
		return err
	}
	if err != nil {
		h.fail(s, fmt.Sprintf("cannot be made: %v", err))
		return nil
	}
	for i, out := range outputs(s) {
		place := filepath.Join(h.work, out)
		err := h.put(ctx, made[i], place, out)
		var other *DigestError
		switch {
		case errors.As(err, &other):
			h.fail(s, "came out with other bytes: it "+other.Error())
			return nil
		case err != nil:
			return err
		}
		h.mu.Lock()
		h.files[out] = place
		h.mu.Unlock()
	}
	return nil
}

func (h *hydration) fail(s *schemas.HydrationStep, why string) {
	if h.version != "" {
		why += fmt.Sprintf("; the release was built with %s, here is %s: use the same", h.rel.Manifest.Tools["ffmpeg"], h.version)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, out := range outputs(s) {
		h.problems[out] = fmt.Sprintf("file %s (%s) %s", s.Output, s.Operation, why)
	}
}

// operate does a step of a release, which may say anything: the tools check settings and
// spans.
func (h *hydration) operate(ctx context.Context, s *schemas.HydrationStep, dir string) ([]string, error) {
	p, lim := media.Profile(s.Settings), media.DefaultLimits()
	wants := map[string]int{schemas.OperationNormalise: 1, schemas.OperationSplit: 2}[s.Operation]
	if len(s.Inputs) == 0 || wants > 0 && len(s.Inputs) != wants || (s.Operation != schemas.OperationJoin) != (s.Second != "") {
		return nil, fmt.Errorf("table hydration gives it %d inputs, or another number of outputs than %s has", len(s.Inputs), s.Operation)
	}
	switch s.Operation {
	case schemas.OperationNormalise:
		in := h.files[s.Inputs[0].File]
		facts, err := h.tools.Probe(ctx, in, lim)
		if err != nil {
			return nil, err
		}
		m, err := h.tools.Normalise(ctx, in, facts, s.Keyframes, p, dir, lim)
		return []string{m.Video, m.Audio}, err
	case schemas.OperationJoin:
		out, err := h.join(ctx, s, true, dir)
		return []string{out}, err
	case schemas.OperationReel:
		out, err := h.join(ctx, s, false, dir)
		if err != nil {
			return nil, err
		}
		var sounds []media.SoundPiece
		for _, in := range s.Inputs {
			sounds = append(sounds, media.SoundPiece{Path: h.files[in.Sound], From: in.From, To: in.To})
		}
		sound, err := media.JoinSound(sounds, p.FPS, dir)
		return []string{out, sound}, err
	case schemas.OperationSplit:
		var sides [2]media.NormalisedVideo
		for i, in := range s.Inputs {
			var err error
			if sides[i], err = h.side(ctx, in, p, dir); err != nil {
				return nil, err
			}
		}
		out, err := h.tools.SplitScreen(ctx, sides[0], sides[1], int(s.Swaps), p, dir, lim)
		return []string{out.Plain.Path, out.Swapped.Path}, err
	}
	return nil, fmt.Errorf("operation %q is not known to this program", s.Operation)
}

func (h *hydration) join(ctx context.Context, s *schemas.HydrationStep, sound bool, dir string) (string, error) {
	var clips []media.Clip
	for _, in := range s.Inputs {
		c := media.Clip{Video: h.files[in.File], From: in.From, To: in.To}
		if sound && !in.Silent {
			c.Audio = h.files[in.Sound]
		}
		clips = append(clips, c)
	}
	out, err := h.tools.Join(ctx, clips, media.Profile(s.Settings), dir, media.DefaultLimits())
	return out.Path, err
}

// side returns one side of a split screen as files that begin with it.
func (h *hydration) side(ctx context.Context, in schemas.HydrationInput, p media.Profile, dir string) (m media.NormalisedVideo, err error) {
	m = media.NormalisedVideo{Video: h.files[in.File], Audio: h.files[in.Sound], Frames: in.To - in.From, HasAudio: !in.Silent}
	if !in.Part {
		return m, nil
	}
	out, err := h.tools.Join(ctx, []media.Clip{{Video: m.Video, From: in.From, To: in.To}}, p, dir, media.DefaultLimits())
	if err != nil {
		return m, err
	}
	m.Video = out.Path
	m.Audio, err = media.JoinSound([]media.SoundPiece{{Path: m.Audio, From: in.From, To: in.To}}, p.FPS, dir)
	return m, err
}
