package schemas

// Video is a source video with everything known about it. A source fills the first
// part; the stages video.probe and video.normalise add Facts and Normalised, others
// what follows.
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
	// StatedDuration is the length according to the source in seconds, or 0. Facts has
	// that of the file.
	StatedDuration float64 `json:"stated_duration,omitempty"`
	// Canary is a text by which the source marks test material. It must be kept, and
	// what was made from the video must not become training data.
	Canary string `json:"canary,omitempty"`
	// Clusters name groups of similar videos that the source knows, such as the tuples
	// of CrossVid. Videos with a cluster in common are alike.
	Clusters []string `json:"clusters,omitempty"`
	// Captions are the source's own timed texts (subtitles, narrations), in
	// order of Start.
	Captions []Caption `json:"captions,omitempty"`
	// Labels annotate the whole video, for example action and scene. LabelledBy
	// names, by attribute, the model that gave a label; the source or script gave
	// all others.
	Labels     map[string]string `json:"labels,omitempty"`
	LabelledBy map[string]string `json:"labelled_by,omitempty"`
	// Events is the ground truth of what happens, in order of Start.
	Events []Event `json:"events,omitempty"`
	// Lures are, by event kind, values that fit the video but are true of nothing in
	// it, for questions about what never happened.
	Lures map[string][]string `json:"lures,omitempty"`
	// Parts is the recipe of a video that was joined from others, or of a clip
	// of such a video.
	Parts []Segment `json:"parts,omitempty"`
	// Script is the digest of the script a procedural video was rendered from.
	Script     string           `json:"script,omitempty"`
	Facts      *VideoFacts      `json:"facts,omitempty"`
	Normalised *NormalisedVideo `json:"mezzanine,omitempty"`
	// Sections are spans of the normalised video, in order and without overlap. Summary
	// describes the whole. Both are empty until a stage describes the video.
	Sections []Section `json:"sections,omitempty"`
	Summary  string    `json:"summary,omitempty"`
	// Describer is the model that wrote the descriptions of Sections and
	// Summary, as the manifest names it.
	Describer string `json:"describer,omitempty"`
	// Annotator is the model that wrote labels of Sections; empty if all are known by
	// construction. LabelUse counts by attribute how the labels came about.
	Annotator string              `json:"annotator,omitempty"`
	LabelUse  map[string]LabelUse `json:"label_use,omitempty"`
}

// LabelUse counts how the sections of one video got their labels of one attribute
// (M3Eval C.2): Known by construction, New for the video, or Reused from an earlier
// section. Misstated counts those of the last two that the model called the other.
type LabelUse struct {
	Known     int32 `json:"known"`
	New       int32 `json:"new"`
	Reused    int32 `json:"reused"`
	Misstated int32 `json:"misstated"`
}

// Caption is a text that belongs to a span of a video, in seconds.
type Caption struct {
	Start float64 `json:"start"`
	End   float64 `json:"end"`
	Text  string  `json:"text"`
}

// Section is frames [From, To) of a normalised video, to be described, annotated and
// cut out as one.
type Section struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
	// Labels annotate the section, for example action and scene, like those of
	// a video of its own.
	Labels     map[string]string `json:"labels,omitempty"`
	LabelledBy map[string]string `json:"labelled_by,omitempty"`
	// Looks is what was measured in the section, Description a model's description.
	Looks       *Appearance  `json:"looks,omitempty"`
	Description *Description `json:"description,omitempty"`
	// Frames are JPEG blobs of evenly spaced moments of the section, in order.
	// At are their times in seconds of the video.
	Frames []string  `json:"frames,omitempty"`
	At     []float64 `json:"at,omitempty"`
}

// Appearance has measured visual facts of a span.
type Appearance struct {
	// Colours are names of the colours that fill most of the picture, the most
	// frequent first.
	Colours []string `json:"colours,omitempty"`
	// Brightness is the mean luma, Contrast its standard deviation, both 0 to 1.
	Brightness float64 `json:"brightness"`
	Contrast   float64 `json:"contrast"`
	// Motion is the mean absolute change of luma between samples, 0 to 1;
	// MotionAt is the ninth of the picture that moves most (top left ... bottom
	// right), empty when nothing does.
	Motion   float64 `json:"motion"`
	MotionAt string  `json:"motion_at,omitempty"`
	// Cuts is the number of hard cuts within the span.
	Cuts int32 `json:"cuts"`
	// Text lists the ninths of the picture that look like text, in reading
	// order.
	Text []string `json:"text,omitempty"`
}

// Description is the six-key schema of M3Eval C.1.2, table 5. A key about
// which there is nothing to say is empty.
type Description struct {
	MainStoryline          string `json:"main_storyline"`
	SpatialRelationBinding string `json:"spatial_relation_binding"`
	ShortTermActionState   string `json:"short_term_action_state"`
	ToolProp               string `json:"tool_prop"`
	FineVisualAttribute    string `json:"fine_visual_attribute"`
	TextSymbol             string `json:"text_symbol"`
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
	// StatedBy is the origin of the statement if it is not the script or source of the
	// video itself, see StatedEvent.
	StatedBy string `json:"stated_by,omitempty"`
}

// VideoFacts is what ffprobe and the packets say about a video.
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
	// Cuts are the times of hard cuts, in seconds from the first picture.
	Cuts []float64 `json:"cuts,omitempty"`
	// CutChanges are how much the picture changes at each of Cuts, 0 to 255.
	CutChanges []float64 `json:"cut_changes,omitempty"`
	// Notes list accepted oddities, in a fixed wording.
	Notes []Note `json:"notes,omitempty"`
}

// NormalisedVideo is a video in the build's common format: encoded once, joined by
// stream copy afterwards. Video holds the picture only; Audio is AAC-LC in ADTS, 48
// kHz, stereo: a packet that primes a decoder, then as many of 1024 samples each as
// Frames x 48000 / FPS samples need.
type NormalisedVideo struct {
	Video    string `json:"video"` // SHA-256
	Audio    string `json:"audio"` // SHA-256; silence where the source has none
	Width    int32  `json:"width"`
	Height   int32  `json:"height"`
	FPS      int32  `json:"fps"`
	Frames   int64  `json:"frames"`
	HasAudio bool   `json:"has_audio"` // false: Audio is silence
	// A clip of a longer normalised video shares its files: it is frames [From,
	// From+Frames) of the Of that they hold, with the sound that belongs to these. Of
	// is 0 if a video has files of its own. From is a keyframe.
	From int64 `json:"from,omitempty"`
	Of   int64 `json:"of,omitempty"`
	// Keyframes, where a joined clip may begin, are at every multiple of KeyEvery
	// frames and at each of Keyframes (sorted, no multiples). They count from the
	// video's first frame, not the file's.
	KeyEvery  int32   `json:"key_every,omitempty"`
	Keyframes []int64 `json:"keyframes,omitempty"`
}

// Pair is two normalised videos chosen because they are alike.
type Pair struct {
	A          Video   `json:"a"`
	B          Video   `json:"b"`
	Similarity float64 `json:"similarity"`
	// Pool lists event objects of neither video, by event kind, for unrelated
	// distractors.
	Pool map[string][]string `json:"pool"`
	// Separability says how well the two can be told apart by their looks; nil until it
	// is measured.
	Separability *Separability `json:"separability,omitempty"`
	// Types are those of its questions, none of which names what another one does, so that
	// they do not give each other away; empty: all types, each by itself.
	Types []string `json:"types,omitempty"`
}

// Separability is how well a classifier that sees one frame at a time, trained on other
// frames, tells the two videos of a pair apart.
type Separability struct {
	// Method names how it was measured, with a version.
	Method string `json:"method"`
	// Accuracy is the share of frames assigned to the right video: 0.5 is chance, 1 is
	// always right. Low and High bound it, with 95 % confidence, over the blocks.
	Accuracy float64 `json:"accuracy"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	// Frames counts the measured frames of both videos together, Blocks the stretches
	// of time that were left out of training in turn. Frames of one stretch are alike,
	// so stretches are the independent units.
	Frames int32 `json:"frames"`
	Blocks int32 `json:"blocks"`
}

// Layouts of a composition.
const (
	LayoutSplit       = "split-screen"
	LayoutConcat      = "concatenated"
	LayoutInterleaved = "interleaved"
	LayoutNBack       = "n-back"
)

// Composition is one composed video and the pair it was made of.
type Composition struct {
	Pair  Pair  `json:"pair"`
	Media Media `json:"media"`
	// Order names the videos as they follow each other: AB, BA, AAB, ABB, BBA,
	// BAA, or for an interleaved video that of its first two segments. For
	// split-screen it is from left to right at the start.
	Order string `json:"order"`
	Swaps int32  `json:"swaps"`
	// SideSwapFrames are the frames at which the swapped variant of a split screen
	// swaps sides. Both variants have them, so that both get the same questions.
	SideSwapFrames []int64 `json:"exchanges,omitempty"`
	// Segments is the number of segments of each video of an interleaved one, else 0.
	Segments int32 `json:"segments,omitempty"`
}

// Trial is one N-Back video: K clips in order, and for each lag whether the
// last one matches the clip that many positions earlier on Attribute (M3Eval
// 3.1.4).
type Trial struct {
	Clips     []Video `json:"clips"`
	Sequence  string  `json:"sequence"` // id of the clip sequence the trial belongs to
	Attribute string  `json:"attribute"`
	K         int32   `json:"k"`
	// Lags are the questions about the video, sorted by N; all are below K.
	Lags []Lag `json:"lags"`
}

// Lag asks whether the last clip matches the one N positions before.
type Lag struct {
	N     int32 `json:"n"`
	Match bool  `json:"match"`
}
