package media

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// Report is the result of Verify. A video without problems is what its recipe
// says.
type Report struct {
	// Problems are sentences that are the same on every machine, empty when
	// there is none.
	Problems []string
	// Checked says what was looked at, with counts.
	Checked []string
	// Frames is how many frames the recipe asks for.
	Frames int64
}

func (r *Report) addProblem(format string, args ...any) {
	r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
}

func (r *Report) addChecked(format string, args ...any) {
	r.Checked = append(r.Checked, fmt.Sprintf(format, args...))
}

// addJudgement notes a judgement as a problem and returns any other error.
func (r *Report) addJudgement(what string, err error) error {
	problem, trouble := splitError(err)
	if trouble != nil {
		return fmt.Errorf("verify: %s: %w", what, trouble)
	}
	if problem != "" {
		r.addProblem("%s: %s", what, problem)
	}
	return nil
}

// Verify holds a finished video against its recipe and the normalised videos it was
// made of. find returns one by the Source of a segment; of its result Video
// is used and, when HasAudio, Audio. p gives the frame rate and the picture
// size of the normalised videos; its encoder settings do not matter.
//
// A video of whole pictures must hold the very packets of the normalised videos, each
// segment entered at a keyframe. In a split-screen video every single frame
// must be near to what the recipe shows in each half, and nearer to it than to
// the other half's source, so that swap frames are exact. Both must decode
// without a message, stand on the frame grid, show the same picture when a
// player jumps to a boundary, and be at most one frame off with the sound at
// every boundary; where the sources are silent the video must be.
//
// An error is about the machine or the call; what is wrong with the video is
// in the report.
func (t *Tools) Verify(ctx context.Context, video string, r schemas.Recipe, find func(media string) (NormalisedVideo, error), p Profile) (Report, error) {
	if err := p.Check(); err != nil {
		return Report{}, fmt.Errorf("verify: %w", err)
	}
	path, err := filepath.Abs(video)
	if err != nil {
		return Report{}, fmt.Errorf("verify: %w", err)
	}
	var rep Report
	c, err := parseRecipe(r)
	if err != nil {
		return rep, rep.addJudgement("recipe", err)
	}
	rep.Frames = c.frames
	if err := c.findFiles(find); err != nil {
		return Report{}, fmt.Errorf("verify: %w", err)
	}
	i := &inspection{tools: t, path: path, composed: c, profile: p, limits: DefaultLimits(), report: &rep}
	if err := i.run(ctx); err != nil {
		return Report{}, err
	}
	return rep, nil
}

type inspection struct {
	tools    *Tools
	path     string
	composed parsedRecipe
	profile  Profile
	limits   Limits
	report   *Report
	exact    bool // videos are read by exactInput, for ownInput is in doubt

	// What ffmpeg showed. ready is set while one run gave all of it.
	ready      bool
	listed     []listing  // the video's packets
	seekHashes []listing  // where jumps led
	shown      thumbnails // of a split screen: every frame, shrunk
	decoded    map[string]*thumbnails
	// heard are the stretches of sound that are compared, and excerpts where
	// the sources have them; samples counts what decodes.
	heard    []*snippet
	excerpts []excerpt
	samples  int64
}

// run makes the checks in order. What is absent, or not on the grid, is not
// checked any further.
func (i *inspection) run(ctx context.Context) error {
	if err := checkFile(i.path, i.limits); err != nil {
		return i.report.addJudgement("file", err)
	}
	i.decodeTogether(ctx)
	picture := i.checkCopied
	if i.composed.split() {
		picture = i.checkSides
	}
	for _, check := range []struct {
		what string
		run  func(context.Context) error
	}{{"picture", picture}, {"decode", i.checkDecodes}, {"seek", i.checkSeeks}, {"sound", i.checkSounds}} {
		if err := i.report.addJudgement(check.what, check.run(ctx)); err != nil {
			return err
		}
		if check.what == "picture" && len(i.report.Problems) > 0 {
			return nil
		}
	}
	return nil
}

// checkCopied compares the packets of a video of whole pictures with those of
// the normalised videos, and the length of its sound with that of the picture.
func (i *inspection) checkCopied(ctx context.Context) error {
	clips := i.composed.clips()
	want, err := i.tools.expectedOf(clips, i.profile)
	if err != nil {
		return err
	}
	got, err := i.playedContent(ctx)
	if err != nil {
		return err
	}
	if err := want.compare(got, i.profile); err != nil {
		return err
	}
	i.report.addChecked("%d packets equal those of %d segments, each entered at a keyframe, on the frame grid", len(want.hashes), len(clips))
	return nil
}

func (i *inspection) checkDecodes(ctx context.Context) error {
	if i.composed.split() {
		return nil // every frame of it has been decoded and looked at
	}
	if err := i.showStep(ctx, i.wholePictureParts); err != nil {
		return err
	}
	i.report.addChecked("%d frames decode without a message", i.composed.frames)
	return nil
}

// decodeTogether has one run of ffmpeg show all that the checks need. Where
// that fails in any way nothing of it counts, and each check has its own part
// shown: so the message is about the part at fault.
func (i *inspection) decodeTogether(ctx context.Context) {
	steps := []func() ([]ffmpegPart, error){i.listingParts, i.wholePictureParts, i.seekParts}
	if i.composed.split() {
		steps = []func() ([]ffmpegPart, error){i.listingParts, i.ownPictureParts, i.sourcePictureParts, i.seekParts}
	}
	if i.composed.hasAudio() {
		steps = append(steps, i.sourceSounds, i.ownSoundParts)
	}
	i.ready = i.showTogether(ctx, steps...)
}

// showTogether has one run show the parts of all steps and reports whether it
// did.
func (i *inspection) showTogether(ctx context.Context, steps ...func() ([]ffmpegPart, error)) bool {
	var all []ffmpegPart
	for _, step := range steps {
		list, err := step()
		if err != nil {
			return false
		}
		all = append(all, list...)
	}
	return i.tools.runParts(ctx, i.limits, all...) == nil
}

// showStep has the parts of a step shown, each in a run of its own, unless they
// were already.
func (i *inspection) showStep(ctx context.Context, step func() ([]ffmpegPart, error)) error {
	if i.ready {
		return nil
	}
	list, err := step()
	if err != nil {
		return err
	}
	for _, p := range list {
		if err := i.tools.runParts(ctx, i.limits, p); err != nil {
			return err
		}
	}
	return nil
}

func (i *inspection) input() []string {
	if i.exact {
		return exactInput
	}
	return ownInput
}

func (i *inspection) listingParts() ([]ffmpegPart, error) {
	return []ffmpegPart{listPart(i.path, &i.listed)}, nil
}

func (i *inspection) playedContent(ctx context.Context) (content, error) {
	if err := i.showStep(ctx, i.listingParts); err != nil {
		return content{}, err
	}
	return contentOf(i.listed, i.composed.hasAudio())
}

// wholePictureParts decodes all of a video. Only messages count, so the filter
// that smooths blocks is left out: it takes 40 % of the time and cannot fail.
func (i *inspection) wholePictureParts() ([]ffmpegPart, error) {
	return []ffmpegPart{{
		op:     "decode",
		inputs: [][]string{append(slices.Clone(ownInput), "-i", "file:"+i.path)},
		output: func(first int) []string {
			return []string{"-map", fmt.Sprintf("%d:v:0", first), "-fps_mode", "passthrough"}
		},
		hide: []string{i.path},
	}}, nil
}
