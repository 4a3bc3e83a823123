package media

import (
	"fmt"
	"math"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// How far decoded and declared may differ. A picture that is shorter than
// declared by more than the largest of missingSeconds, missingFrames and
// missingShare was cut; less than that is a note.
const (
	missingSeconds = 0.25
	missingFrames  = 4
	missingShare   = 0.02
	// maxLag is how long after the file a picture may start (video.md).
	maxLag = 0.15
	// longGap is a picture held so long that it is worth a note, seconds.
	longGap = 2.0
)

func judgeDecoding(h header, s decodeResult, lim Limits) (schemas.VideoFacts, error) {
	v, _ := h.picture()
	if err := checkPlayable(h, v, s, lim); err != nil {
		return schemas.VideoFacts{}, err
	}
	w, ht := v.displayed()
	n, d := v.aspect()
	f := schemas.VideoFacts{
		Container: h.Format.Name, Codec: v.Codec, PixFmt: v.PixFmt,
		Width: w, Height: ht, Rotation: v.rotation(), SAR: fmt.Sprintf("%d:%d", n, d),
		VFR: s.uneven(), Frames: int64(len(s.times)),
		Duration: round6(s.span()), FPS: round6(frameRate(v, s)), StartLag: round6(pictureLag(h, v, s)),
	}
	if a, ok := h.sound(); ok && !math.IsNaN(s.audioOf) {
		f.HasAudio, f.AudioCodec, f.AudioChannels, f.AudioRate = true, a.Codec, a.Channels, int32(min(a.SampleRate, math.MaxInt32))
	}
	for _, c := range s.cuts {
		f.Cuts = append(f.Cuts, round6(c.at-s.times[0]))
		f.CutChanges = append(f.CutChanges, math.Round(100*c.change)/100)
	}
	f.Notes = collectNotes(h, v, s, f)
	return f, nil
}

func checkPlayable(h header, v stream, s decodeResult, lim Limits) error {
	want, known := declaredDuration(h, v)
	got := s.span()
	if len(s.times) == 0 {
		if len(s.messages) > 0 {
			return unplayable(CodeNoFrames, "nothing could be decoded: %s", s.messages[0])
		}
		return unplayable(CodeNoFrames, "decoding gave no picture")
	}
	if got <= 0 || (known && want <= 0) || (len(s.times) > 1 && s.step() <= 0) {
		return unplayable(CodeZeroDuration, "%d pictures last no time at all", len(s.times))
	}
	if known && isTruncated(h, v, s, want) {
		return unplayable(CodeTruncated, "%.3f s declared, %.3f s (%d pictures) decode; fetch it again", want, got, len(s.times))
	}
	if len(s.messages) > 0 {
		if m, ok := endsEarly(s.messages); ok {
			return unplayable(CodeTruncated, "%s; fetch it again", m)
		}
		return unplayable(CodeUndecodable, "%s", s.messages[0])
	}
	switch {
	case lim.MaxDuration > 0 && got > lim.MaxDuration:
		return unplayable(CodeTooLong, "%.3f s exceed the limit of %g s", got, lim.MaxDuration)
	case !math.IsNaN(s.mixed):
		return unplayable(CodeMixed, "its pictures change size or format at %.3f s; make each part a file of its own", s.mixed-s.times[0])
	case pictureLag(h, v, s) > allowedLag(h, v, s):
		return unplayable(CodeLatePicture, "the picture starts %.3f s after the file, more than %.3g s", pictureLag(h, v, s), allowedLag(h, v, s))
	case int64(len(s.times)) < lim.MinFrames:
		return unplayable(CodeTooFew, "%d pictures, at least %d are needed", len(s.times), lim.MinFrames)
	}
	return nil
}

// isTruncated reports whether the end is missing. A length declared for the
// whole file may be that of the sound, so the sound that decoded counts as well
// then.
func isTruncated(h header, v stream, s decodeResult, want float64) bool {
	got := s.span()
	if !v.Duration.known() && v.Tags.Duration <= 0 {
		got += max(0, pictureLag(h, v, s))
		if !math.IsNaN(s.audioOf) {
			got = max(got, s.audioTo-min(s.audioOf, s.times[0]))
		}
	}
	return want-got > max(missingSeconds, missingFrames*s.step(), missingShare*want)
}

func endsEarly(messages []string) (string, bool) {
	for _, m := range messages {
		if strings.Contains(m, "partial file") || strings.Contains(m, "ended prematurely") {
			return m, true
		}
	}
	return "", false
}

// pictureLag returns how long after the file's start the first picture is
// shown, as declared or as decoded, whichever is more. Decoded times count from
// the file's start.
func pictureLag(h header, v stream, s decodeResult) float64 {
	late := 0.0
	if len(s.times) > 0 {
		late = max(late, s.times[0])
	}
	a, ok := h.sound()
	if !ok {
		return late
	}
	if v.Start.known() && a.Start.known() {
		late = max(late, float64(v.Start)-float64(a.Start))
	}
	if !math.IsNaN(s.audioOf) && len(s.times) > 0 {
		late = max(late, s.times[0]-s.audioOf)
	}
	return late
}

// allowedLag returns the lag up to which a file is accepted. A container
// without times of its own (AVI) is late by the pictures that wait to be shown
// in order; where there is no sound, nothing is late against it.
func allowedLag(h header, v stream, s decodeResult) float64 {
	if _, ok := h.sound(); ok {
		return maxLag
	}
	return max(maxLag, float64(v.Reorder+1)*s.step())
}

// frameRate returns what the file declares if its pictures agree, else what
// they show.
func frameRate(v stream, s decodeResult) float64 {
	shown := float64(len(s.times)) / s.span()
	if r := parseFraction(v.Rate); r > 0 && math.Abs(r-shown) < 0.02*shown {
		return r
	}
	return shown
}

// Codes of notes on files that are taken.
const (
	NoteStreams      = "several-streams"
	NoteFrames       = "other-frame-count"
	NoteLength       = "other-length"
	NoteLate         = "late-picture"
	NoteVariable     = "variable-rate"
	NoteHeld         = "held-picture"
	NoteInterlaced   = "interlaced"
	NoteConcatenated = "several-files"
)

func collectNotes(h header, v stream, s decodeResult, f schemas.VideoFacts) []schemas.Note {
	var list []schemas.Note
	add := func(code, format string, args ...any) {
		list = append(list, schemas.Note{Code: code, Text: fmt.Sprintf(format, args...)})
	}
	if n := len(h.pictures()); n > 1 {
		add(NoteStreams, "%d video streams, the first is used", n)
	}
	if v.Frames >= 0 && int64(v.Frames) != f.Frames {
		add(NoteFrames, "declares %d frames, shows %d", v.Frames, f.Frames)
	}
	if want, ok := declaredDuration(h, v); ok && math.Abs(want-f.Duration) > max(2*s.step(), 0.05) {
		add(NoteLength, "declares %.3f s, shows %.3f s", want, f.Duration)
	}
	if f.StartLag > s.step() {
		add(NoteLate, "picture starts %.3f s late", f.StartLag)
	}
	if f.VFR {
		add(NoteVariable, "variable frame rate")
	}
	for i := 1; i < len(s.times); i++ {
		if s.times[i]-s.times[i-1] > longGap {
			add(NoteHeld, "a picture is held for more than %g s", longGap)
			break
		}
	}
	if strings.HasPrefix(v.FieldOrder, "t") || strings.HasPrefix(v.FieldOrder, "b") {
		add(NoteInterlaced, "interlaced")
	}
	return list
}

func round6(x float64) float64 { return math.Round(x*1e6) / 1e6 }
