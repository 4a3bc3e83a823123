package schemas

// NameHydration is the schema of the rows of table hydration.
const NameHydration = "hydration"

// Operations of a HydrationStep.
const (
	// OperationNormalise brings an original to the settings; its second file is the sound.
	OperationNormalise = "normalise"
	// OperationJoin plays spans one after the other, by copy.
	OperationJoin = "join"
	// OperationReel is OperationJoin without a sound track; its second file is the sound.
	OperationReel = "reel"
	// OperationSplit shows two videos side by side; its second file exchanges the sides.
	OperationSplit = "split"
)

// HydrationStep is one row of the hydration table: how a file that is not part of the
// release follows from others, at last from files of table sources.
type HydrationStep struct {
	// Output is the SHA-256 of the file; Second that of the file made beside it.
	Output    string           `json:"output"`
	Second    string           `json:"second,omitempty"`
	Operation string           `json:"operation" holds:"in=normalise|join|reel|split"`
	Inputs    []HydrationInput `json:"inputs"`
	Settings  EncodeSettings   `json:"settings"`
	// Keyframes are those besides the regular ones of a normalised video; Swaps is how
	// often a split screen exchanges its sides.
	Keyframes []int64 `json:"keyframes,omitempty"`
	Swaps     int32   `json:"swaps" holds:"min=0,max=1000"`
}

// HydrationInput is frames [From, To) of a file; an original is taken whole. Sound is the
// file of its sound, which is Silent if the original had none. Part says that the file holds
// more than these frames.
type HydrationInput struct {
	File   string `json:"file"`
	Sound  string `json:"sound,omitempty"`
	From   int64  `json:"from" holds:"min=0"`
	To     int64  `json:"to" holds:"min=0"`
	Silent bool   `json:"silent"`
	Part   bool   `json:"part"`
}

// EncodeSettings are the picture and encoder settings of a step, see media.Profile.
type EncodeSettings struct {
	Width    int32  `json:"width"`
	Height   int32  `json:"height"`
	FPS      int32  `json:"fps"`
	Preset   string `json:"preset"`
	CRF      int32  `json:"crf"`
	Threads  int32  `json:"threads"`
	KeyEvery int32  `json:"key_every"`
}
