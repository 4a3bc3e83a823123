package media

import (
	"context"
	"fmt"

	ff "github.com/u2takey/ffmpeg-go"
)

// copied is a file to be written by copying streams.
type copied struct {
	name    string // in the work folder
	picture string // an MP4, or a list of them
	list    bool
	sound   *track   // nil without a sound track
	hide    []string // paths that a list names
}

// mux writes files with one process.
func (t *Tools) mux(ctx context.Context, w work, files []copied, p Profile, lim Limits) error {
	hide := []string{w.dir}
	for _, c := range files {
		hide = append(hide, c.hide...)
	}
	args, err := compile(func() *ff.Stream {
		var outs []*ff.Stream
		for _, c := range files {
			outs = append(outs, c.output(w, p, lim))
		}
		if len(outs) == 1 {
			return outs[0]
		}
		return ff.MergeOutputs(outs...)
	})
	if err != nil {
		return err
	}
	if err := t.run(ctx, command{op: "copy", args: args, timeout: lim.Timeout, hide: hide}); err != nil {
		return err
	}
	for _, c := range files {
		if err := checkSize(w.path(c.name), lim); err != nil {
			return err
		}
	}
	return nil
}

func (c copied) output(w work, p Profile, lim Limits) *ff.Stream {
	picture := mezzanineInput(c.picture, ff.KwArgs{})
	if c.list {
		picture = ff.Input("file:"+c.picture, ff.KwArgs{"f": "concat", "safe": "0", "auto_convert": "0", "protocol_whitelist": "file,pipe"})
	}
	// Without the last, packets are written in another order when one input is
	// read more than ten seconds ahead of the other.
	kw := []ff.KwArgs{mp4Args(p), sizeLimit(lim), {"c:v": "copy", "max_interleave_delta": "0"}}
	streams := []*ff.Stream{picture.Get("v:0")}
	if c.sound != nil {
		streams = append(streams, primed(c.sound.path).Get("a:0"))
		kw = append(kw, ff.KwArgs{"c:a": "copy", "bsf:a": "aac_adtstoasc"})
	}
	return ff.Output(streams, "file:"+w.path(c.name), kw...)
}

// primed is a track as an input whose first packet plays before time 0, so that
// an edit list makes a player drop it.
func primed(path string) *ff.Stream {
	micros := (aacFrame*1_000_000 + sampleRate/2) / sampleRate
	return adtsInput(path, ff.KwArgs{"itsoffset": fmt.Sprintf("-%dus", micros)})
}
