package media

import (
	"context"
	"fmt"
	"slices"
)

// lookOnce has one run of ffmpeg show all that the checks look at. Where that
// fails in any way nothing of it counts, and each check has its own part shown:
// so what is wrong is said of the part that it is wrong with.
func (i *inspection) lookOnce(ctx context.Context) {
	steps := []func() ([]part, error){i.listing, i.wholePicture, i.jumping}
	if i.composed.split() {
		steps = []func() ([]part, error){i.listing, i.ownPicture, i.sourcePictures, i.jumping}
	}
	if i.composed.hasAudio() {
		steps = append(steps, i.sourcesSound, i.ownSound)
	}
	i.ready = i.together(ctx, steps...)
}

// together has one run show the parts of all steps and tells whether it did.
func (i *inspection) together(ctx context.Context, steps ...func() ([]part, error)) bool {
	var all []part
	for _, step := range steps {
		list, err := step()
		if err != nil {
			return false
		}
		all = append(all, list...)
	}
	return i.tools.runParts(ctx, i.limits, all...) == nil
}

// show has the parts of a step shown, each in a run of its own, unless they
// were already.
func (i *inspection) show(ctx context.Context, step func() ([]part, error)) error {
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

// listing lists the packets of the video.
func (i *inspection) listing() ([]part, error) { return []part{listPart(i.path, &i.listed)}, nil }

// played is the content of the video as ffmpeg reads it.
func (i *inspection) played(ctx context.Context) (content, error) {
	if err := i.show(ctx, i.listing); err != nil {
		return content{}, err
	}
	return contentOf(i.listed, i.composed.hasAudio())
}

// wholePicture decodes all of a video. Only messages count, so the filter that
// smooths blocks is left out: it takes 40 % of the time and cannot fail.
func (i *inspection) wholePicture() ([]part, error) {
	return []part{{
		op:     "decode",
		inputs: [][]string{append(slices.Clone(ownInput), "-i", "file:"+i.path)},
		output: func(first int) []string {
			return []string{"-map", fmt.Sprintf("%d:v:0", first), "-fps_mode", "passthrough"}
		},
		hide: []string{i.path},
	}}, nil
}
