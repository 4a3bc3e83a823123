package media

import (
	"context"
	"fmt"
	"slices"
)

// decodeTogether has one run of ffmpeg show all that the checks look at. Where that
// fails in any way nothing of it counts, and each check has its own part shown:
// so what is wrong is said of the part that it is wrong with.
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

// showTogether has one run show the parts of all steps and tells whether it did.
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

// input is how videos are read.
func (i *inspection) input() []string {
	if i.exact {
		return exactInput
	}
	return ownInput
}

// listingParts lists the packets of the video.
func (i *inspection) listingParts() ([]ffmpegPart, error) {
	return []ffmpegPart{listPart(i.path, &i.listed)}, nil
}

// playedContent is the content of the video as ffmpeg reads it.
func (i *inspection) playedContent(ctx context.Context) (content, error) {
	if err := i.showStep(ctx, i.listingParts); err != nil {
		return content{}, err
	}
	return contentOf(i.listed, i.composed.hasAudio())
}

// wholePictureParts decodes all of a video. Only messages count, so the filter that
// smooths blocks is left out: it takes 40 % of the time and cannot fail.
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
