// Package media is the only place that runs ffmpeg and ffprobe. It decides
// whether a file is a playable video, brings videos to one common format,
// joins and composes them frame-exactly, and takes single pictures out.
//
// A command that exits with 0 proves little: ffmpeg shortens, freezes and
// fills without a word. So every operation looks at what came out: frames are
// counted, packets compared with those of the source, samples measured. What
// cannot be shown to be right is an error.
//
// Bytes are the same on every run with the same ffmpeg build and thread counts
// on the same CPU model; between models, resampled sound may differ. Version
// names the build, so that keys can hold it.
package media
