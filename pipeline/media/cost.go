package media

import "github.com/memforge/memforge/pipeline"

// What media work takes. Measured by rusage with ffmpeg 5.1 on the nodes of
// the default build (drawn films and clips, 640x360 at 25, detail 0.3) and of
// docs/real-videos.yaml (640x480 at 30 from a web camera, detail about 0.6);
// the values for ordinary footage, detail 1, are those of a minute of 720p:
// decoding 7 to 10 s, a normalised video 42 to 50 s. In between they are linear.
//
//	                      detail 0.3   detail 1   from
//	decode, s a MP           0.0033     0.0061     video.probe
//	encode, s a MP           0.0097     0.030      video.normalise, preset veryfast
//
// Normalised videos at CRF 20 with a keyframe a second took 9.6 kB a MP (films), 6.7
// (clips) and 9.8 (web camera): size does not follow detail. Ten further
// keyframes took 83 to 110 kB of each video. Long calm footage takes a fourth.
const (
	readCPU       = 2e-9   // s a byte
	copyCPU       = 1e-8   // s a byte of packets that are copied and checked
	startCPU      = 0.07   // a run of ffmpeg or ffprobe, s
	decodeCPU     = 0.0021 // s a MP, and with detail
	decodeDetail  = 0.0040
	encodeCPU     = 0.0010
	encodeDetail  = 0.0290
	scaleCPU      = 0.0020 // s a MP of input
	aacCPU        = 0.009  // s a second of sound, decoded and encoded
	pictureBytes  = 9_500  // bytes a MP
	keyframeBytes = 40_000 // bytes a MP of each further keyframe
	aacBytes      = 16_000 // bytes a second
	// Half a minute of the tabletop footage at 640x360, eight pictures at 512
	// pixels of each of ten sections: MeasureAppearance took 1.66 s, 1.06 of these
	// to decode, and the pictures 4.70 s in all and 2.74 MB of JPEG, for 11.8 MP.
	lookCPU    = 0.0033  // s a MP looked at, beside decoding
	stillCPU   = 0.31    // s a MP of pictures taken, beside decoding
	stillBytes = 230_000 // bytes a MP of pictures

	// drawnDetail is the detail of pictures that memforge draws itself.
	drawnDetail = 0.3
	// fullDetail is how many bytes a MP a source has that shows ordinary
	// footage; fewer mean less to see.
	fullDetail = 12_000
)

// PlayingAmount returns the amount of n videos of the given length, size and
// rate, all with sound. Bytes are left open.
func PlayingAmount(n, seconds float64, width, height, fps int32) pipeline.Amount {
	return pipeline.Amount{
		Records: n, Seconds: n * seconds, Sound: n * seconds, Detail: 1,
		Megapixels: n * seconds * float64(fps) * float64(width) * float64(height) / 1e6,
	}
}

// FootageAmount returns the amount of n ordinary videos of a length, for want
// of anything better: 1280x720 at 25 frames a second, at a usual bit rate.
func FootageAmount(n, seconds float64) pipeline.Amount {
	a := PlayingAmount(n, seconds, 1280, 720, 25)
	a.Bytes = a.Megapixels * fullDetail
	return a
}

// ReadingCPU returns the CPU time of storing files: each byte is copied and
// hashed.
func ReadingCPU(a pipeline.Amount) float64 { return a.Bytes * readCPU }

// CopyingCPU returns the CPU time of joining by copy, checking and storing.
func CopyingCPU(a pipeline.Amount) float64 { return a.Bytes*copyCPU + ReadingCPU(a) }

// MarkDrawn marks an amount as pictures that memforge draws itself.
func MarkDrawn(a pipeline.Amount) pipeline.Amount {
	a.Detail = drawnDetail
	return a
}

// RunsCPU returns the CPU time of so many runs of ffmpeg or ffprobe beside
// their work.
func RunsCPU(n float64) float64 { return n * startCPU }

// DecodingCPU returns the CPU time of decoding once.
func DecodingCPU(a pipeline.Amount) float64 {
	return a.Megapixels * (decodeCPU + decodeDetail*a.Detail)
}

// EncodingCPU returns the CPU time of encoding once, the sound included.
func EncodingCPU(a pipeline.Amount) float64 {
	return a.Megapixels*(encodeCPU+encodeDetail*a.Detail) + a.Sound*aacCPU
}

// ScalingCPU returns the CPU time of bringing pictures to another size.
func ScalingCPU(a pipeline.Amount) float64 { return a.Megapixels * scaleCPU }

// MeasuringCPU returns the CPU time of measuring what can be seen, decoding
// included.
func MeasuringCPU(a pipeline.Amount) float64 { return DecodingCPU(a) + a.Megapixels*lookCPU }

// StillsAmount returns the amount of n pictures of videos of one shape, at most
// long pixels on their longer side.
func StillsAmount(n, width, height, long float64) pipeline.Amount {
	scale := min(1, long/max(width, height))
	mp := n * width * height * scale * scale / 1e6
	return pipeline.Amount{Records: n, Megapixels: mp, Bytes: mp * stillBytes}
}

// StillsCPU returns the CPU time of taking and storing pictures, decoding
// aside.
func StillsCPU(stills pipeline.Amount) float64 { return stills.Megapixels * stillCPU }

// EncodedBytes returns the size of encoded videos with their sound.
func EncodedBytes(a pipeline.Amount) float64 {
	return PictureBytes(a) + a.Sound*aacBytes
}

// PictureBytes returns the size of encoded pictures without sound.
func PictureBytes(a pipeline.Amount) float64 {
	return a.Megapixels * pictureBytes
}

// NormalisedAmount returns the amount after normalising, with so many further
// keyframes in each video.
func NormalisedAmount(a pipeline.Amount, p Profile, keyframes float64) pipeline.Amount {
	frame := float64(p.Width) * float64(p.Height) / 1e6
	a.Megapixels = a.Seconds * float64(p.FPS) * frame
	a.Bytes = PictureBytes(a) + a.Sound*aacBytes + a.Records*keyframes*frame*keyframeBytes
	return a
}

func estimateDetail(bytes, megapixels float64) float64 {
	if megapixels <= 0 {
		return 1
	}
	return min(1, max(drawnDetail, bytes/megapixels/fullDetail))
}
