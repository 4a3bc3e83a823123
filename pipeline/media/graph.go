package media

import (
	"fmt"

	ff "github.com/u2takey/ffmpeg-go"
)

// compile turns a filter graph into an argument list. The graph library
// reports misuse by panicking; here that becomes an error. Filters are given
// numbers and fixed words only, never text from outside.
func compile(build func() *ff.Stream) (args []string, err error) {
	defer func() {
		if r := recover(); r != nil {
			args, err = nil, fmt.Errorf("build filter graph: %v", r)
		}
	}()
	return append(globalArgs(), build().GetArgs()...), nil
}

// mp4Args makes an MP4 that holds nothing but its streams. On its clock edit
// lists state the lengths of picture and sound exactly.
func mp4Args(p Profile) ff.KwArgs {
	return ff.KwArgs{
		"format": "mp4", "map_metadata": "-1", "map_chapters": "-1", "fflags": "+bitexact",
		"movflags": "+faststart", "video_track_timescale": fmt.Sprint(p.timescale()), "movie_timescale": fmt.Sprint(sampleRate),
	}
}

// x264Args encode the common picture: no B-frames, so that a cut anywhere in
// display order is one in packet order, and regular keyframes. They are the
// same for every normalised video, so parameter sets are equal and packets of
// different files can follow each other.
func x264Args(p Profile) ff.KwArgs {
	return ff.KwArgs{
		"c:v": "libx264", "preset": p.Preset, "crf": fmt.Sprint(p.CRF), "threads:v": fmt.Sprint(p.Threads),
		"bf": "0", "g": fmt.Sprint(p.KeyEvery), "keyint_min": fmt.Sprint(p.KeyEvery), "sc_threshold": "0",
		"x264-params": "open-gop=0:stitchable=1:cpu-independent=1",
		"pix_fmt":     "yuv420p", "flags:v": "+bitexact",
		"colorspace": "bt709", "color_primaries": "bt709", "color_trc": "bt709", "color_range": "tv",
		"fps_mode": "passthrough",
	}
}

// adtsArgs writes sound as a file of its own, as normalised videos keep it.
func adtsArgs() ff.KwArgs {
	kw := ff.KwArgs{"c:a": "aac", "aac_coder": "fast", "b:a": "128k", "flags:a": "+bitexact", "ar": fmt.Sprint(sampleRate), "ac": "2"}
	kw["format"], kw["map_metadata"], kw["fflags"] = "adts", "-1", "+bitexact"
	return kw
}

func normalisedInput(path string, extra ff.KwArgs) *ff.Stream {
	return ff.Input("file:"+path, ff.KwArgs{"f": "mp4", "threads": "1", "protocol_whitelist": "file,pipe"}, extra)
}

// sizeLimit ends an output that grows beyond the limit; the caller must then
// refuse it, because ffmpeg ends such a run with success.
func sizeLimit(lim Limits) ff.KwArgs {
	if lim.MaxOutputBytes <= 0 {
		return ff.KwArgs{}
	}
	return ff.KwArgs{"fs": fmt.Sprint(lim.MaxOutputBytes)}
}
