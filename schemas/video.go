package schemas

// Video is a source video and all that is known about it. Stages add to it:
// a source fills the first part, probe adds Facts, normalise adds Mezzanine.
type Video struct {
	// Media is the SHA-256 of the original bytes.
	Media string `json:"media"`
	// Name is the video's name in its source. It never reaches a solver.
	Name string `json:"name"`
	// SourceID is the id of its source in the sources table.
	SourceID string `json:"source_id"`
	License  string `json:"license"`
	// Title is a text that is visible in the video and identifies it, or empty.
	Title       string `json:"title,omitempty"`
	Category    string `json:"category,omitempty"`
	Description string `json:"description,omitempty"`
	// Labels annotate the whole video, for example action and scene.
	Labels map[string]string `json:"labels,omitempty"`
	// Events is the ground truth of what happens, in order of Start.
	Events []Event `json:"events,omitempty"`
	// Parts is the recipe of a video that was joined from others.
	Parts []Segment `json:"parts,omitempty"`
	// Script is the digest of the script a procedural video was rendered from.
	Script    string      `json:"script,omitempty"`
	Facts     *VideoFacts `json:"facts,omitempty"`
	Mezzanine *Mezzanine  `json:"mezzanine,omitempty"`
}

// Event is one thing that happens in a video: Subject does Kind to Object.
type Event struct {
	// Kind is a verb in the third person: enters, picks up, opens, puts down,
	// sign changes, shows.
	Kind    string `json:"kind"`
	Subject string `json:"subject,omitempty"`
	Object  string `json:"object,omitempty"`
	// Start and End are seconds from the first frame.
	Start float64 `json:"start"`
	End   float64 `json:"end"`
}

// VideoFacts is what ffprobe and a look at the packets say about a video.
type VideoFacts struct {
	Container string `json:"container"`
	Codec     string `json:"codec"`
	PixFmt    string `json:"pix_fmt"`
	// Width and Height are those of the displayed picture: after rotation and
	// with square pixels.
	Width    int32   `json:"width"`
	Height   int32   `json:"height"`
	Rotation int32   `json:"rotation"` // degrees clockwise: 0, 90, 180, 270
	SAR      string  `json:"sar"`
	FPS      float64 `json:"fps"`
	VFR      bool    `json:"vfr"`
	Frames   int64   `json:"frames"`
	Duration float64 `json:"duration"` // seconds
	// StartLag is how long after the file's start the picture begins, seconds.
	StartLag      float64 `json:"start_lag"`
	HasAudio      bool    `json:"has_audio"`
	AudioCodec    string  `json:"audio_codec,omitempty"`
	AudioChannels int32   `json:"audio_channels,omitempty"`
	AudioRate     int32   `json:"audio_rate,omitempty"`
	// Notes are near misses that were accepted, in a fixed wording.
	Notes []string `json:"notes,omitempty"`
}

// Mezzanine is a video brought to the build's common format: encoded once,
// joined by stream copy afterwards. Video holds the picture only; Audio is
// s16le, 48 kHz, stereo PCM of exactly Frames x 48000 / FPS samples.
type Mezzanine struct {
	Video    string `json:"video"` // SHA-256
	Audio    string `json:"audio"` // SHA-256; silence where the source has none
	Width    int32  `json:"width"`
	Height   int32  `json:"height"`
	FPS      int32  `json:"fps"`
	Frames   int64  `json:"frames"`
	HasAudio bool   `json:"has_audio"` // false: Audio is silence
}

// Pair is two normalised videos chosen because they are alike.
type Pair struct {
	A          Video   `json:"a"`
	B          Video   `json:"b"`
	Similarity float64 `json:"similarity"`
	// Pool lists event objects of neither video, by event kind, for unrelated
	// distractors.
	Pool map[string][]string `json:"pool"`
}

// Layouts of a composition.
const (
	LayoutSplit  = "split-screen"
	LayoutConcat = "concatenated"
	LayoutNBack  = "n-back"
)

// Composition is one composed video and the pair it was made of.
type Composition struct {
	Pair  Pair  `json:"pair"`
	Media Media `json:"media"`
	// Order names the videos as they follow each other ("AB" or "BA") or, for
	// split-screen, from left to right at the start.
	Order string `json:"order"`
	Swaps int32  `json:"swaps"`
}

// Trial is one N-Back trial: K clips in order and whether the last one matches
// the clip N positions earlier on Attribute (M3Eval 3.1.4).
type Trial struct {
	Clips     []Video `json:"clips"`
	Sequence  string  `json:"sequence"` // id of the clip sequence the trial belongs to
	Attribute string  `json:"attribute"`
	N         int32   `json:"n"`
	K         int32   `json:"k"`
	Match     bool    `json:"match"`
}
